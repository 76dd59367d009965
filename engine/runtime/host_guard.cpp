#include "engine/runtime/host_guard.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>

#include "engine/runtime/calling_line.h"
#include "engine/runtime/context.h"
#include "engine/runtime/run_log.h"

namespace warplens::runtime {
namespace {

constexpr std::uint64_t kGuardPage = 4096;
constexpr std::uint64_t kMostCompared = std::uint64_t{256} << 20;

struct sigaction g_before {};

void touched(int signal, siginfo_t* info, void* where) {
  std::uint64_t from = 0;
#if defined(__x86_64__)
  from = static_cast<std::uint64_t>(static_cast<ucontext_t*>(where)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  from = static_cast<ucontext_t*>(where)->uc_mcontext.pc;
#endif
  Context& all = context();
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  if (all.guard && Arena::covers(info->si_addr) && all.guard->explain(address, from)) return;
  // Once more, and then as without us.
  ::sigaction(signal, &g_before, nullptr);
}

}  // namespace

HostGuard::HostGuard(Context& all) : all_(all) {
  struct sigaction ours {};
  ours.sa_sigaction = touched;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigaction(SIGSEGV, &ours, &g_before);
}

// Pages that hold memory of the device and nothing that the host may touch. What lies between them is
// nobody's.
void HostGuard::collect() {
  pages_.clear();
  std::uint64_t free_from = 0;  // behind the last page that the host may touch
  for (const auto& [address, allocation] : all_.arena.all()) {
    if (!Arena::covers(reinterpret_cast<const void*>(address))) continue;
    const bool guarded =
        allocation.kind == Kind::Device || (allocation.kind == Kind::Managed && pending_.contains(address));
    const std::uint64_t begin = address / kGuardPage * kGuardPage;
    const std::uint64_t end = (allocation.end() + kGuardPage - 1) / kGuardPage * kGuardPage;
    if (!guarded) {
      if (!pages_.empty() && pages_.back().end > begin) pages_.back().end = begin;
      if (!pages_.empty() && pages_.back().end <= pages_.back().begin) pages_.pop_back();
      free_from = end;
      continue;
    }
    const std::uint64_t first = std::max(begin, free_from);
    if (first >= end) continue;
    if (!pages_.empty() && pages_.back().end >= first)
      pages_.back().end = std::max(pages_.back().end, end);
    else
      pages_.push_back({first, end});
  }
}

void HostGuard::enter() {
  if (depth_++ > 0 || given_up_) return;
  const auto begin = std::chrono::steady_clock::now();
  for (const Pages& pages : pages_)
    ::mprotect(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, PROT_READ | PROT_WRITE);
  pages_.clear();
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void HostGuard::leave(bool waited) {
  if (--depth_ > 0 || given_up_) return;
  const auto begin = std::chrono::steady_clock::now();
  if (waited) pending_.clear();
  // Not a tenth of the program's time.
  given_up_ = seconds_ > 0.5 + since_start() / 10;
  if (given_up_) return;
  collect();
  for (const Pages& pages : pages_)
    ::mprotect(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, PROT_NONE);
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<HostGuard::Seen> HostGuard::look(const std::vector<std::uint8_t>& parameters) const {
  std::vector<Seen> seen;
  if (given_up_) return seen;
  for (std::size_t at = 0; at + 8 <= parameters.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, parameters.data() + at, sizeof word);
    const Allocation* const found = all_.arena.find(word);
    if (found == nullptr || found->kind != Kind::Managed || found->bytes > kMostCompared) continue;
    if (std::ranges::any_of(seen, [&](const Seen& one) { return one.address == found->address; })) continue;
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(found->address);
    seen.push_back({found->address, {begin, begin + found->bytes}});
  }
  return seen;
}

void HostGuard::compare(const std::vector<Seen>& before, const std::string& launch) {
  for (const Seen& seen : before)
    if (std::memcmp(reinterpret_cast<const void*>(seen.address), seen.bytes.data(), seen.bytes.size()) != 0)
      pending_[seen.address] = launch;
}

bool HostGuard::explain(std::uint64_t address, std::uint64_t from) {
  const std::lock_guard lock(all_.mutex);
  const auto pages = std::ranges::find_if(
      pages_, [&](const Pages& one) { return one.begin <= address && address < one.end; });
  // Another thread's call has opened them meanwhile; or it is no page of ours.
  if (pages == pages_.end()) return all_.arena.find(address) != nullptr;
  const Allocation* const found = all_.arena.find(address);
  const std::string line = line_of(from);
  const bool managed = found != nullptr && found->kind == Kind::Managed && pending_.contains(found->address);
  // Between allocations nobody is told.
  if (found != nullptr)
    all_.note(all_.texts().text(
        Message{managed ? "run.host.managed" : "run.host.device",
                {{"line", value_of(line.empty() ? fmt::format("{:#x}", from) : line)},
                 {"number", value_of(found->number)},
                 {"bytes", value_of(found->bytes)},
                 {"launch", value_of(managed ? pending_.at(found->address) : std::string())}}}));
  if (!managed && found != nullptr) return false;
  // Told once: it goes on as on a GPU, with what is there.
  if (managed) pending_.erase(found->address);
  for (const Pages& one : pages_)
    ::mprotect(reinterpret_cast<void*>(one.begin), one.end - one.begin, PROT_READ | PROT_WRITE);
  collect();
  if (!managed) pages_.clear();
  for (const Pages& one : pages_)
    ::mprotect(reinterpret_cast<void*>(one.begin), one.end - one.begin, PROT_NONE);
  return true;
}

}  // namespace warplens::runtime
