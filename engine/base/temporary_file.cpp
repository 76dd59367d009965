#include "engine/base/temporary_file.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace warplens {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartEnding = ".part";
constexpr std::size_t kMostTemporaries = 16, kMostPartName = 4096;

// What a handler of a signal can read: no memory that anybody allocates.
struct PartSlot {
  enum State : int { Free, Taken, Named };
  std::atomic<int> state = Free;
  std::atomic<pid_t> owner = 0;
  std::array<char, kMostPartName> name{};
};
std::array<PartSlot, kMostTemporaries> g_parts;

int note_part(const std::string& name) {
  if (name.size() >= kMostPartName) return -1;
  for (std::size_t i = 0; i < g_parts.size(); ++i) {
    PartSlot& slot = g_parts[i];
    int expected = PartSlot::Free;
    if (!slot.state.compare_exchange_strong(expected, PartSlot::Taken)) continue;
    std::memcpy(slot.name.data(), name.c_str(), name.size() + 1);
    slot.owner = ::getpid();
    slot.state = PartSlot::Named;
    return static_cast<int>(i);
  }
  return -1;
}

extern "C" void end_without_parts(int signal) {
  // Between fork and exec a child has its parent's table.
  for (PartSlot& slot : g_parts)
    if (slot.state == PartSlot::Named && slot.owner == ::getpid()) ::unlink(slot.name.data());
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

// The process that writes "report.json.part4711-0"; 0: it is no such name.
pid_t writer_of(std::string_view name, std::string_view file) {
  if (!name.starts_with(file) || !name.substr(file.size()).starts_with(kPartEnding)) return 0;
  name.remove_prefix(file.size() + kPartEnding.size());
  pid_t writer = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), writer);
  return failed == std::errc{} && end != name.data() + name.size() && *end == '-' ? writer : 0;
}

void remove_abandoned_parts(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const std::string name = file.filename().string();
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const pid_t writer = writer_of(at->path().filename().native(), name);
    if (writer <= 0 || ::kill(writer, 0) == 0 || errno != ESRCH) continue;
    std::error_code ignored;
    fs::remove(at->path(), ignored);
  }
}

}  // namespace

TemporaryFile::TemporaryFile(fs::path file) : file_(std::move(file)) {
  static std::atomic<unsigned> number = 0;
  remove_abandoned_parts(file_);
  path_ = file_;
  path_ += std::string(kPartEnding) + std::to_string(::getpid()) + "-" + std::to_string(number++);
  slot_ = note_part(path_.string());
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove(path_, ignored);
  if (slot_ >= 0) g_parts[static_cast<std::size_t>(slot_)].state = PartSlot::Free;
}

std::error_code TemporaryFile::take_its_place() {
  std::error_code failed;
  fs::rename(path_, file_, failed);
  return failed;
}

void remove_temporary_files_at_the_end() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM}) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_handler = end_without_parts;
    ::sigaction(signal, &ours, nullptr);
  }
}

}  // namespace warplens
