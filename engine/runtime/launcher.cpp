#include "engine/runtime/launcher.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/analysis/fault_text.h"
#include "engine/base/work_limit.h"
#include "engine/ptx/facts/clusters.h"
#include "engine/runtime/calling_line.h"
#include "engine/runtime/devices.h"
#include "engine/runtime/interrupt.h"
#include "engine/runtime/keep.h"
#include "engine/runtime/misuse.h"
#include "engine/simt/load/program.h"

namespace warplens::runtime {
namespace {

constexpr std::uint64_t kSharedWithoutAsking = 48 << 10;
// Threads of the emulator cost about as much to start as this, in seconds.
constexpr double kWorthThreads = 300e-6;
// Kernels that launch kernels: so deep, and the stream by which device code asks for a tail launch.
constexpr int kMostNested = 512;
constexpr std::uint64_t kTailStream = 3;

// The error that a GPU reports for it; cudaSuccess: it goes on.
cudaError_t error_of(const trace::Fault& fault) {
  using trace::FaultKind;
  switch (fault.kind) {
    case FaultKind::OutOfBounds:
    case FaultKind::InvalidAddress:
      return cudaErrorIllegalAddress;
    case FaultKind::Misaligned:
      return cudaErrorMisalignedAddress;
    case FaultKind::Assertion:
      return cudaErrorAssert;
    case FaultKind::IllegalInstruction:
      return cudaErrorIllegalInstruction;
    case FaultKind::DivergentBarrier:
    case FaultKind::Deadlock:
      return cudaErrorLaunchTimeout;
    default:
      return cudaErrorLaunchFailure;
  }
}

// How long its waits for a clock take, where `together` blocks wait at the same time.
double waited_us(const simt::Outcome& outcome, std::uint64_t together, double megahertz) {
  const double us =
      static_cast<double>(outcome.waited_clocks) / megahertz + static_cast<double>(outcome.waited_ns) / 1e3;
  return us / static_cast<double>(std::max<std::uint64_t>(together, 1));
}

// One argument a parameter: a number as what it is, so that messages can tell what it bounds, else its bytes.
trace::Launch describe(const KernelLaunch& launch, const Loaded& loaded) {
  trace::Launch out;
  out.kernel = launch.function->name;
  out.grid = launch.grid;
  out.block = launch.block;
  out.dynamic_shared_bytes = static_cast<std::uint32_t>(launch.shared_bytes);
  for (const auto& [offset, bytes] : loaded.parameters) {
    trace::Argument& argument = out.arguments.emplace_back();
    const std::uint8_t* const from = launch.parameters.data() + offset;
    if (bytes == 4 || bytes == 8) {
      argument.type = bytes == 4 ? trace::ElementType::I32 : trace::ElementType::I64;
      std::memcpy(&argument.bits, from, bytes);
    } else {
      argument.structure.assign(from, from + bytes);
    }
  }
  return out;
}

// At the end: how far results may rest on what happened to lie out of bounds.
void tell_strays() {
  Context& all = context();
  all.note(
      all.texts().text(Message{"run.strays_at_end", {{"launches", value_of(all.launches_with_strays)}}}));
}

void tell_faults(Context& all, const LaunchRecord& record) {
  std::size_t shown = 0;
  bool strays = false;
  for (const trace::Fault& fault : record.outcome->faults) {
    const bool let_pass = simt::was_let_pass(fault);
    strays |= let_pass;
    // Of the next thousand launches the same.
    if ((let_pass || fault.kind == trace::FaultKind::UninitialisedRead) &&
        !all.strays_told.emplace(record.kernel, fault.line != 0 ? fault.line : -fault.ptx_line).second)
      continue;
    if (++shown > 3) continue;
    const Message told{"run.fault_of",
                       {{"launch", value_of(record.index)},
                        {"kernel", value_of(record.kernel)},
                        {"what", value_of(analysis::fault_message(fault))}}};
    std::fprintf(stderr, "warplens: %s\n", all.texts().text(told).c_str());
    if (fault.what.key == "fault.nobody_changes") all.note(all.texts().text(Message{"run.one_by_one", {}}));
    if (fault.kind != trace::FaultKind::OutOfBounds) continue;
    const bool ended_by_us =
        all.settings.strict && Arena::covers(reinterpret_cast<const void*>(fault.address));
    if (let_pass || ended_by_us)
      all.note(all.texts().text(Message{let_pass ? "run.goes_on" : "run.strict", {}}));
    tell_if_freed(all, fault.address);
  }
  if (strays && all.launches_with_strays++ == 0) std::atexit(tell_strays);
}

// Without the results of a launch that was cut off the program would go on with wrong ones.
[[noreturn]] void end_of_budget() {
  std::fputs("warplens: the instruction budget ran out; raise --budget\n", stderr);
  std::fflush(nullptr);
  ::_exit(kBudgetRanOut);
}

// A copy or a fill that a thread has asked for.
cudaError_t do_transfer(const simt::DeviceLaunch::Transfer& t) {
  const auto pointer = [](std::uint64_t address) { return reinterpret_cast<void*>(address); };
  if (t.from != 0)
    return t.rows == 1 ? cudaMemcpy(pointer(t.to), pointer(t.from), t.bytes, cudaMemcpyDeviceToDevice)
                       : cudaMemcpy2D(pointer(t.to), t.to_pitch, pointer(t.from), t.from_pitch, t.bytes,
                                      t.rows, cudaMemcpyDeviceToDevice);
  return t.rows == 1 ? cudaMemset(pointer(t.to), t.value, t.bytes)
                     : cudaMemset2D(pointer(t.to), t.to_pitch, t.value, t.bytes, t.rows);
}

class Run {
 public:
  Run(Context& all, const KernelLaunch& launch, std::uint64_t stream) : all_(all), launch_(launch) {
    record_.index = all.launches++;
    record_.stream = stream;
    record_.kernel = launch.function->shown_name();
    record_.number = launch.function->launches;
    record_.begin = since_start();
    record_.launched_by = launch.launched_by;
  }
  cudaError_t execute();
  void run_launched();

 private:
  cudaError_t refuse(const Error& error);
  void write(const char* ending);
  cudaError_t settle();
  simt::Options options() const;
  void keep(const Loaded& loaded);
  bool repeat();
  analysis::Occupancy occupancy() const;
  std::uint64_t blocks_together() const;
  void learn(const Loaded& loaded, trace::Listener* counter, LaunchSample* sample);

  Context& all_;
  const KernelLaunch& launch_;
  LaunchRecord record_;
  trace::Launch described_;
  std::optional<simt::Outcome> outcome_;
  Touched touched_;                           // where the order of streams is followed
  std::vector<simt::DeviceLaunch> launched_;  // by its threads
};

simt::Options Run::options() const {
  simt::Options options;
  options.checks = all_.settings.checks;
  options.threads = all_.settings.threads;
  // Threads cost more than they bring where the whole launch takes no longer than starting them.
  Function& function = *launch_.function;
  if (options.threads == 0 && function.launches > 1 && function.seconds < kWorthThreads) options.threads = 1;
  // A launch may take what is left of the program's budget.
  options.budget = all_.settings.budget - std::min(all_.settings.budget, all_.thread_instructions);
  options.memory_cap = std::uint64_t{1} << 40;
  return options;
}

void Run::write(const char* ending) {
  record_.ending = ending;
  record_.seconds = since_start() - record_.begin;
  if (all_.log.is_open()) all_.log.write({{"launch", to_json(record_, all_.texts())}});
}

cudaError_t Run::refuse(const Error& error) {
  record_.error = error.text();
  record_.launch = &described_;
  write("refused");
  all_.note(fmt::format("launch {} of {} was not run: {}", record_.index, record_.kernel, record_.error));
  // A module that is read and a kernel of it that cannot run: what it asks for is not there.
  const bool unsupported = error.kind == ErrorKind::Unsupported ||
                           (error.kind == ErrorKind::Compile && launch_.function->module->parsed());
  if (unsupported) all_.log.write({{"not_supported", record_.kernel}});
  return unsupported ? cudaErrorNotSupported : runtime::error_of(error);
}

cudaError_t Run::settle() {
  record_.outcome = &*outcome_;
  std::fwrite(outcome_->output.data(), 1, outcome_->output.size(), stdout);
  if (!outcome_->output.empty()) all_.printed_by = fmt::format("{} ({})", record_.index, record_.kernel);
  for (const Message& note : outcome_->notes) all_.note(all_.texts().text(note));
  tell_faults(all_, record_);
  cudaError_t error = cudaSuccess;
  for (const trace::Fault& fault : outcome_->faults)
    if (error == cudaSuccess && trace::is_fatal(fault.kind) && !simt::was_let_pass(fault))
      error = error_of(fault);
  static constexpr std::array kEndings{"completed", "faulted", "budget", "cancelled"};
  write(kEndings[static_cast<std::size_t>(outcome_->ending)]);
  if (outcome_->ending == simt::Ending::Budget) end_of_budget();
  // A GPU tells of it later, and of nothing else from then on.
  if (error != cudaSuccess) all_.fault = error;
  return cudaSuccess;
}

// What its threads have launched: one after the other, each with all that it launches itself, those of the
// tail's stream when all others have ended. That is an order which every program must expect.
void Run::run_launched() {
  if (launched_.empty() || all_.fault != cudaSuccess) return;
  if (launch_.depth >= kMostNested)
    return all_.note(
        fmt::format("launch {} of {}: kernels that launch kernels {} deep are not followed further",
                    record_.index, record_.kernel, kMostNested));
  for (const bool tail : {false, true})
    for (simt::DeviceLaunch& child : launched_) {
      if ((child.stream == kTailStream) != tail || all_.fault != cudaSuccess) continue;
      if (child.kernel.empty()) {
        const auto before = std::exchange(all_.graph_in, record_.stream);  // no call of the program's
        const cudaError_t error = do_transfer(child.transfer);
        all_.graph_in = before;
        if (error != cudaSuccess)
          all_.note(fmt::format("launch {} of {}: its {} of {} bytes at {:#x} was not done: {}",
                                record_.index, record_.kernel, child.transfer.from != 0 ? "copy" : "fill",
                                child.transfer.bytes * child.transfer.rows, child.transfer.to,
                                cudaGetErrorName(error)));
        continue;
      }
      KernelLaunch launch;
      launch.function = all_.modules.function(launch_.function->module, child.kernel);
      launch.grid = child.grid;
      launch.block = child.block;
      launch.shared_bytes = child.shared_bytes;
      launch.parameters = std::move(child.parameters);
      launch.launched_by = record_.index;
      launch.depth = launch_.depth + 1;
      cudaError_t error = check_launch(all_, launch);
      if (error == cudaSuccess) error = run_launch(all_, launch, record_.stream);
      if (error != cudaSuccess)
        all_.note(fmt::format("launch {} of {}: its launch of {} was not run: {}", record_.index,
                              record_.kernel, child.kernel, cudaGetErrorName(error)));
    }
}

// As it is before it runs, if somebody asked for it.
void Run::keep(const Loaded& loaded) {
  if (!is_chosen(all_.settings, *launch_.function, record_.number)) return;
  auto folder = keep_launch(all_, launch_, loaded, record_.index);
  if (folder) {
    record_.kept = std::move(*folder);
  } else {
    record_.not_kept =
        all_.texts().text(Message{"run.keep.reason", {{"reason", with_place(folder.error())}}});
    all_.note(
        fmt::format("launch {} of {} is not kept: {}", record_.index, record_.kernel, record_.not_kept));
  }
  record_.begin = since_start();  // writing it down is no part of the launch
}

// Where it would do what an earlier launch has done: that one's results and counts. False: it is to be run.
bool Run::repeat() {
  if (all_.settings.execute_all || all_.clock.wants(launch_)) return false;
  // Every launch is executed that could be where the budget ends.
  if (all_.settings.budget < kNoBudget) return false;
  const SameLaunch* const same = all_.repeats.take(all_.arena, launch_);
  if (same == nullptr) return false;
  outcome_ = same->outcome;
  touched_ = same->touched;
  record_.same_as = same->index;
  if (same->totals) record_.totals = &*same->totals;
  if (!std::exchange(all_.told_of_repeats, true))
    all_.note(all_.texts().text(Message{"run.repeats",
                                        {{"launch", value_of(record_.index)},
                                         {"kernel", value_of(record_.kernel)},
                                         {"earlier", value_of(same->index)}}}));
  return true;
}

analysis::Occupancy Run::occupancy() const {
  return occupancy_of(all_, *launch_.function, static_cast<int>(launch_.block.volume()),
                      launch_.shared_bytes);
}
// On the device at one time.
std::uint64_t Run::blocks_together() const {
  const auto room = static_cast<std::uint64_t>(occupancy().blocks_per_sm) * simt::kMultiprocessors;
  return std::min(launch_.grid.volume(), room);
}

// What it took, for the clock and for launches like it.
void Run::learn(const Loaded& loaded, trace::Listener* counter, LaunchSample* sample) {
  if (counter != nullptr) record_.totals = &static_cast<analysis::UnrolledCounter&>(*counter).totals();
  if (outcome_->ending != simt::Ending::Completed) return;
  if (sample != nullptr)
    all_.clock.learn(launch_, loaded, described_, *outcome_, *record_.totals, *sample, all_.device(),
                     all_.capability(), occupancy());
  if (all_.settings.execute_all || !outcome_->faults.empty() || !launched_.empty()) return;
  all_.repeats.took(launch_, outcome_->seconds);
  if (!all_.repeats.looked()) return;
  SameLaunch done{record_.index, *outcome_, {}, touched_};
  if (record_.totals != nullptr) done.totals = *record_.totals;
  all_.repeats.learn(all_.arena, launch_, std::move(done));
}

cudaError_t Run::execute() {
  Function& function = *launch_.function;
  ++function.launches;
  described_.grid = launch_.grid;
  described_.block = launch_.block;
  const auto loaded = function.load(launch_.cluster);
  if (!loaded) return refuse(loaded.error());
  described_ = describe(launch_, **loaded);
  record_.launch = &described_;
  if ((function.launches - 1) % all_.settings.every != 0) {
    all_.clock.add_launch(launch_, 0);
    all_.note(all_.texts().text(Message{"run.skips", {{"every", value_of(all_.settings.every)}}}));
    write("skipped");
    return cudaSuccess;
  }
  // Nobody counts the arrivals of another grid: its grid.sync() stops the kernel, as on a GPU.
  all_.arena.places().workspace = launch_.cooperative ? all_.workspace : 0;
  keep(**loaded);
  all_.arena.places().constants = function.module->constants();
  std::vector<HostGuard::Seen> managed;
  if (all_.guard) managed = all_.guard->look(launch_.parameters);
  std::optional<StreamOrder::Begun> begun;
  if (all_.follows_order()) begun = all_.order->begin(record_.stream);
  std::unique_ptr<trace::Listener> counter;
  std::optional<InLaunch> in_launch;  // until it is written down: an interrupted program ends with it
  if (!repeat()) {
    in_launch.emplace(record_.index, record_.kernel, all_.settings.progress);
    std::optional<LaunchSample> sample;
    if (all_.clock.wants(launch_)) sample.emplace((*loaded)->kernel.sites(), launch_.grid.volume());
    if (all_.settings.count || sample) counter = (*loaded)->counter->fork();
    std::vector<trace::Listener*> listeners;
    if (counter) listeners.push_back(counter.get());
    if (sample) listeners.insert(listeners.end(), {&sample->accesses, &sample->blocks});
    std::optional<trace::TouchLog> touch_log;
    if (begun)
      listeners.push_back(
          &touch_log.emplace((*loaded)->kernel.sites(), all_.arena.places().origin(), Arena::kReach));
    simt::Options how = options();
    how.progress = &in_launch->progress();
    all_.arena.places().answers = [this, device = current_device()](const simt::DeviceQuestion& question,
                                                                    std::vector<std::uint8_t>& out) {
      current_device() = device;  // of the program's thread, on whichever thread asks
      return answer(all_, *launch_.function->module, question, out);
    };
    auto outcome = simt::run((*loaded)->kernel, described_, how, all_.arena.places(), listeners);
    if (!outcome) return refuse(outcome.error());
    outcome_ = std::move(*outcome);
    launched_ = std::exchange(all_.arena.places().launched, {});
    function.seconds = outcome_->seconds;
    if (touch_log) touched_ = touch_log->take();
    learn(**loaded, counter.get(), sample ? &*sample : nullptr);
  }
  if (begun) {
    const Message what{"run.order.launch",
                       {{"index", value_of(record_.index)}, {"kernel", value_of(record_.kernel)}}};
    all_.order->end(*begun,
                    {record_.kernel, true, what, touched_,
                     launch_.called_from != 0 ? calling_place(launch_.called_from) : calling_place()});
  }
  if (all_.guard) all_.guard->compare(managed, fmt::format("{} ({})", record_.index, record_.kernel));
  all_.thread_instructions += outcome_->thread_instructions;
  const bool waits = outcome_->waited_clocks > 0 || outcome_->waited_ns > 0;
  const double waited = waits ? waited_us(*outcome_, blocks_together(), all_.device().boost_mhz) : 0;
  all_.clock.add_launch(launch_, outcome_->warp_instructions, waited);
  if (outcome_->ending == simt::Ending::Completed)
    record_.modelled_us = all_.clock.us_of(launch_, outcome_->warp_instructions, waited);
  return settle();
}

}  // namespace

cudaError_t pack_arguments(Context& all, Function& function, void* const* arguments,
                           std::vector<std::uint8_t>& out) {
  const auto entry = function.entry();
  if (!entry) {
    all.note(fmt::format("{}: {}", function.shown_name(), entry.error().text()));
    return cudaErrorInvalidDeviceFunction;
  }
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < (*entry)->parameters.size(); ++i) {
    const ptx::Variable& parameter = (*entry)->parameters[i];
    const std::uint64_t alignment = std::max<std::uint64_t>(
        {1, parameter.alignment, static_cast<std::uint64_t>(ptx::size_of(parameter.type))});
    at = (at + alignment - 1) / alignment * alignment;
    out.resize(at + parameter.bytes());
    if (arguments == nullptr || arguments[i] == nullptr) return cudaErrorInvalidValue;
    std::memcpy(out.data() + at, arguments[i], parameter.bytes());
    at += parameter.bytes();
  }
  return cudaSuccess;
}

cudaError_t check_launch(Context& all, const KernelLaunch& launch) {
  const Dim3 b = launch.block, g = launch.grid;
  if (launch.function == nullptr) return cudaErrorInvalidDeviceFunction;
  const auto refuse = [&](cudaError_t error, const char* why, std::uint64_t asked, std::uint64_t most) {
    return refuse_launch(all, launch, error,
                         Message{why, {{"asked", value_of(asked)}, {"most", value_of(most)}}});
  };
  // CUDA 13.0 on an H200, driver 580, answers so; older runtimes name the configuration.
  const auto refuse_size = [&](const char* why, const Dim3& size) {
    return refuse_launch(
        all, launch, cudaErrorInvalidValue,
        Message{why, {{"x", value_of(size.x)}, {"y", value_of(size.y)}, {"z", value_of(size.z)}}});
  };
  if (b.volume() == 0) return refuse_size("run.misuse.empty_block", b);
  if (g.volume() == 0) return refuse_size("run.misuse.empty_grid", g);
  if (b.x > 1024 || b.y > 1024 || b.z > 64 || b.volume() > 1024)
    return refuse_size("run.misuse.large_block", b);
  if (g.x > 2147483647u || g.y > 65535 || g.z > 65535) return refuse_size("run.misuse.large_grid", g);
  const auto entry = launch.function->entry();
  if (!entry) {
    all.note(fmt::format("{}: {}", launch.function->shown_name(), entry.error().text()));
    return entry.error().kind == ErrorKind::Unsupported ? cudaErrorNoKernelImageForDevice
                                                        : cudaErrorInvalidDeviceFunction;
  }
  std::uint64_t most = (*entry)->max_threads.empty() ? 1024 : 1;
  for (const std::uint32_t n : (*entry)->max_threads) most *= n;
  const int registers = std::max(launch.function->registers(), 1);
  // As CUDA 13.0 on an H100, driver 580, answers; of registers it runs out of resources.
  if (b.volume() > most) return refuse(cudaErrorInvalidValue, "run.misuse.bounds", b.volume(), most);
  const std::uint64_t file = (b.volume() + 31) / 32 * 32 * static_cast<unsigned>((registers + 7) / 8 * 8);
  if (file > 65536) return refuse(cudaErrorLaunchOutOfResources, "run.misuse.registers", file, 65536);
  if (launch.shared_bytes > static_cast<std::uint64_t>(launch.function->shared_limit))
    return refuse(cudaErrorInvalidValue, "run.misuse.shared", launch.shared_bytes,
                  static_cast<std::uint64_t>(launch.function->shared_limit));
  const Dim3 own = ptx::cluster_of(**entry), cluster = launch.cluster.volume() > 0 ? launch.cluster : own;
  if (own.volume() > 1 && cluster != own)
    return refuse(cudaErrorInvalidClusterSize, "run.misuse.own_clusters", cluster.volume(), own.volume());
  const std::uint64_t largest = launch.function->large_clusters ? kLargestCluster : kPortableCluster;
  if (cluster.volume() > largest)
    return refuse(cudaErrorInvalidClusterSize, "run.misuse.large_cluster", cluster.volume(), largest);
  if (launch.cooperative) {
    const analysis::Occupancy fits =
        occupancy_of(all, *launch.function, static_cast<int>(b.volume()), launch.shared_bytes);
    const std::uint64_t together = static_cast<std::uint64_t>(fits.blocks_per_sm) * simt::kMultiprocessors;
    if (g.volume() > together)
      return refuse(cudaErrorCooperativeLaunchTooLarge, "run.misuse.together", g.volume(), together);
  }
  return cudaSuccess;
}

cudaError_t run_launch(Context& all, const KernelLaunch& launch, std::uint64_t stream) {
  Run run(all, launch, stream);
  const cudaError_t error = run.execute();
  if (error == cudaSuccess) run.run_launched();
  return error;
}

analysis::Occupancy occupancy_of(Context& all, Function& function, int block, std::uint64_t shared_bytes) {
  analysis::KernelResources resources;
  resources.threads_per_block = block;
  if (const int registers = function.registers(); registers > 0) resources.registers_per_thread = registers;
  if (const auto loaded = function.load())
    resources.static_shared = static_cast<std::int64_t>((*loaded)->kernel.static_shared_bytes());
  resources.dynamic_shared = static_cast<std::int64_t>(shared_bytes);
  resources.dynamic_shared_max = std::max<std::int64_t>(function.shared_limit, resources.dynamic_shared);
  if (resources.dynamic_shared_max <= static_cast<std::int64_t>(kSharedWithoutAsking))
    resources.dynamic_shared_max = -1;
  resources.carveout_percent = function.carveout;
  return analysis::occupancy(all.capability(), resources);
}

}  // namespace warplens::runtime
