#include "engine/runtime/context.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "engine/runtime/calling_line.h"
#include "engine/runtime/devices.h"
#include "engine/runtime/interrupt.h"
#include "engine/runtime/refuse.h"
#include "engine/simt/load/program.h"

namespace warplens::runtime {
namespace {

constexpr const char* kDevice = "H200 SXM";
constexpr std::uint64_t kWorkspaceBytes = 64;

// With every check: what the program has asked for and never given back.
void tell_leaks() {
  Context& all = context();
  std::uint64_t bytes = 0, count = 0;
  for (const auto& [address, allocation] : all.arena.all()) {
    if (allocation.number == 0 || allocation.kind == Kind::Registered) continue;
    all.log.write({{"leak", {{"allocation", allocation.number}, {"bytes", allocation.bytes}}}});
    bytes += allocation.bytes;
    ++count;
  }
  if (count > 0)
    all.note(all.texts().text(
        Message{"run.host.not_freed", {{"count", value_of(count)}, {"bytes", value_of(bytes)}}}));
}

// What a kernel has printed is fetched by calls that wait, and by no end of the program.
void tell_printed() {
  Context& all = context();
  if (!all.printed_by.empty())
    all.note(all.texts().text(Message{"run.host.printed", {{"launch", value_of(all.printed_by)}}}));
}

}  // namespace

Context::Context() {
  if (const char* asked = std::getenv("WARPLENS_RUN"); asked != nullptr) {
    if (auto parsed = parse_settings(asked))
      settings = std::move(*parsed);
    else
      note(parsed.error().text());
  }
  log.open(settings.log);
  if (settings.model) clock.model_all();
  since_start();
  if (log.is_open()) watch_for_interruption();
  // Launches that are passed over leave nothing, which is no mistake of the program.
  if (settings.checks == simt::Checks::All && settings.every == 1) {
    arena.watch_writes();
    order.emplace(*this);
  }
  simt::LastingMemory& places = arena.places();
  workspace = arena.allocate(kWorkspaceBytes, Kind::Variable, "the grid's workspace");
  if (const std::uint64_t heap = arena.allocate(simt::DeviceHeap::kBytes, Kind::Variable, "heap"); heap != 0)
    places.heap.open(heap, simt::DeviceHeap::kBytes);
  if (arena.mapped() && !settings.strict)
    places.let_strays_pass(simt::kGlobalBase, simt::kGlobalBase + Arena::kReach);
  if (!arena.mapped())
    note("the addresses of the emulated device's memory are taken; the program finds no memory on it");
  // Made before the program's own objects, so told after their last destructor.
  if (settings.checks == simt::Checks::All) std::atexit(tell_leaks);
  std::atexit(tell_printed);
  if (settings.checks == simt::Checks::All && arena.mapped()) guard.emplace(*this);
}

// Never destroyed: programs call in until their last destructor has run.
Context& context() {
  static Context* const only = new Context;
  return *only;
}

cudaError_t& last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

cudaError_t error_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::Unsupported:
      return cudaErrorNotSupported;
    case ErrorKind::Usage:
      return cudaErrorInvalidValue;
    case ErrorKind::Compile:
      return cudaErrorInvalidPtx;
    default:
      return cudaErrorUnknown;
  }
}

const analysis::Device& Context::device() {
  if (!devices_) {
    auto loaded = analysis::DeviceCatalogue::load();
    if (!loaded) throw std::runtime_error(loaded.error().text());
    devices_ = std::move(*loaded);
  }
  const auto found = devices_->device(kDevice);
  if (!found) throw std::runtime_error(found.error().text());
  return **found;
}

const analysis::ComputeCapability& Context::capability() {
  const std::string name = device().cc;
  const auto found = devices_->capability(name);
  if (!found) throw std::runtime_error(found.error().text());
  return **found;
}

const Catalogue& Context::texts() {
  if (!texts_) {
    auto loaded = Catalogue::load(settings.language);
    texts_ = loaded ? std::move(*loaded) : Catalogue{};
  }
  return *texts_;
}

void Context::note(const std::string& text) {
  ++notes_;
  if (said_.insert(text).second) std::fprintf(stderr, "warplens: %s\n", text.c_str());
}

cudaError_t Context::not_supported(const std::string& what, const std::string& why) {
  ++notes_;
  if (said_.insert("not supported " + what).second) {
    const std::string line = calling_line();
    const Message where =
        line.empty() ? Message{"fault.nothing", {}} : Message{"run.called_at", {{"line", value_of(line)}}};
    const Message told{why.empty() ? "run.not_supported" : "run.not_supported_because",
                       {{"what", value_of(what)}, {"where", value_of(where)}, {"why", value_of(why)}}};
    std::fprintf(stderr, "warplens: %s\n", texts().text(told).c_str());
    log.write({{"not_supported", what}});
  }
  return cudaErrorNotSupported;
}

void Context::tell_answer(cudaError_t error) {
  constexpr std::uint64_t kMostAnswers = 8;
  static const std::set<cudaError_t> wrong{
      cudaErrorInvalidValue,           cudaErrorInvalidPitchValue,    cudaErrorInvalidSymbol,
      cudaErrorInvalidResourceHandle,  cudaErrorInvalidTexture,       cudaErrorInvalidChannelDescriptor,
      cudaErrorInvalidMemcpyDirection, cudaErrorInvalidConfiguration, cudaErrorMissingConfiguration};
  if (!wrong.contains(error) || answers_told_ == kMostAnswers) return;
  ++answers_told_;
  const std::string line = calling_line();
  if (line.empty()) return;
  note(texts().text(Message{"run.misuse.answered",
                            {{"line", value_of(line)},
                             {"error", value_of(cudaGetErrorName(error))},
                             {"text", value_of(cudaGetErrorString(error))}}}));
}

void Context::not_emulated(const std::string& what) {
  if (!said_.insert("not emulated " + what).second) return;
  note(
      "calls of CUDA's libraries are computed on the CPU; their kernels are not emulated, and no time is "
      "modelled for them");
  log.write({{"not_emulated", what}});
}

// The runtime's own last error is not touched by a library's.
int refuse(const char* function, int status) {
  Context& all = context();
  const std::lock_guard lock(all.mutex);
  all.not_supported(function);
  return status;
}

int refuse(const char* function) {
  return call([&](Context& all) { return all.not_supported(function); });
}

// All that a program has asked for is gone; variables hold what they hold.
void Context::reset() {
  std::vector<std::uint64_t> gone;
  for (const auto& [address, allocation] : arena.all())
    if (allocation.kind != Kind::Variable && allocation.device == current_device()) gone.push_back(address);
  for (const std::uint64_t address : gone) arena.release(address);
  if (settings.devices == 1) arena.places().textures.clear();
  fault = cudaSuccess;
  fault_seen = false;
  host_waited_for_all();
}

}  // namespace warplens::runtime
