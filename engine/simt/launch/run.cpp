// A launch: arguments to memory, blocks to workers, and what they found back together in the order of blocks.
#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/base/message.h"
#include "engine/base/work_limit.h"
#include "engine/ptx/syntax/special_registers.h"
#include "engine/simt/buffers/global_memory.h"
#include "engine/simt/checks/memory_screen.h"
#include "engine/simt/checks/shadow.h"
#include "engine/simt/emulator.h"
#include "engine/simt/lasting_memory.h"
#include "engine/simt/launch/block_loop.h"
#include "engine/simt/launch/collect.h"
#include "engine/simt/launch/worker.h"

namespace warplens::simt {

namespace {

constexpr std::uint32_t kMaxShared = 232448;      // bytes a block on compute capability 9.0, opted in
constexpr std::uint64_t kResidentThreads = 2048;  // of a multiprocessor

using Values = std::vector<std::pair<std::string, MessageValue>>;

Error usage(const char* key, Values values) {
  return told(ErrorKind::Usage, {key, std::move(values)});
}

Values extents(const Dim3& of) {
  return {{"x", value_of(of.x)}, {"y", value_of(of.y)}, {"z", value_of(of.z)}};
}

Status check_shape(const Kernel::Program& program, const trace::Launch& launch) {
  const Dim3 b = launch.block, g = launch.grid;
  if (b.volume() == 0 || g.volume() == 0) return usage("launch.nothing", {});
  if (b.x > 1024 || b.y > 1024 || b.z > 64 || b.volume() > 1024) {
    return usage("launch.block_too_large", extents(b));
  }
  if (g.x > 2147483647u || g.y > 65535 || g.z > 65535) {
    return usage("launch.grid_too_large", extents(g));
  }
  const Dim3 c = program.cluster;
  if (c.volume() > kMaxClusterBlocks) {
    return usage("launch.cluster_too_large",
                 {{"blocks", value_of(c.volume())}, {"most", value_of(kMaxClusterBlocks)}});
  }
  if (g.x % c.x != 0 || g.y % c.y != 0 || g.z % c.z != 0) {
    Values both = extents(g);
    both.insert(both.end(), {{"cx", value_of(c.x)}, {"cy", value_of(c.y)}, {"cz", value_of(c.z)}});
    return usage("launch.no_multiple_of_clusters", std::move(both));
  }
  const std::vector<std::uint32_t>& most = program.entry->max_threads;
  std::uint64_t bound = most.empty() ? 1024 : 1;
  for (const std::uint32_t n : most) bound *= n;
  if (b.volume() > bound) {
    return usage("launch.beyond_bounds", {{"most", value_of(bound)}, {"threads", value_of(b.volume())}});
  }
  if (program.static_shared + launch.dynamic_shared_bytes > kMaxShared) {
    return usage("launch.too_much_shared",
                 {{"bytes", value_of(program.static_shared + launch.dynamic_shared_bytes)},
                  {"most", value_of(kMaxShared)}});
  }
  return Done{};
}

Status bind_parameters(const Kernel::Program& program, const trace::Launch& launch,
                       const GlobalMemory& memory, std::vector<std::uint8_t>& bytes) {
  std::size_t textures = 0;
  const std::vector<ptx::Variable>& parameters = program.entry->parameters;
  bytes.assign(program.parameter_bytes, 0);
  auto buffer = memory.placements().begin();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const trace::Argument& argument = launch.arguments[i];
    const Piece& piece = program.parameters[i];
    std::uint64_t value = argument.bits;
    const auto size = static_cast<std::uint32_t>(argument.parameter_bytes());
    if (argument.is_buffer) value = (buffer++)->base;
    if (argument.texture) value = texture_handle(textures++);
    if (size != piece.bytes) {
      return usage("launch.argument_size",
                   {{"index", value_of(i)},
                    {"argument", value_of(argument.text.empty() ? std::string(trace::name(argument.type))
                                                                : argument.text)},
                    {"bytes", value_of(size)},
                    {"expected", value_of(piece.bytes)}});
    }
    if (std::size_t{piece.offset} + size > bytes.size()) return usage("launch.too_many_parameters", {});
    const void* from =
        argument.structure.empty() ? static_cast<const void*>(&value) : argument.structure.data();
    std::memcpy(bytes.data() + piece.offset, from, size);
  }
  return Done{};
}

unsigned worker_count(const Kernel::Program& program, const Options& options, Races races,
                      std::uint64_t blocks) {
  if (program.may_wait || program.order_sensitive || program.uses_device_heap) return 1;
  if (races == Races::Judged) return 1;  // between blocks they are found in one fixed order
  unsigned n =
      options.threads > 0 ? static_cast<unsigned>(options.threads) : std::thread::hardware_concurrency();
  n = std::clamp(n, 1u, 256u);
  return static_cast<unsigned>(std::min<std::uint64_t>(n, std::max<std::uint64_t>(blocks, 1)));
}

// Bytes one block needs while it lives.
std::uint64_t block_bytes(const Kernel::Program& program, const LaunchState& state) {
  const std::uint64_t marks = state.options->checks == Checks::All ? 2 : 1;  // which bytes were written
  const std::uint64_t local = std::uint64_t{program.lane_local_bytes} * kWarpSize * marks;
  std::uint64_t bytes = state.warps_per_block * (program.register_bytes + local) + state.shared_bytes;
  if (state.races == Races::Judged) bytes += SharedShadow::bytes_needed(state.shared_bytes);
  if (state.races == Races::Screened) {
    bytes +=
        RaceScreen::bytes_needed(state.memory->bytes(), state.shared_bytes, RaceScreen::granules_of(program));
  }
  return bytes;
}

bool processor_suffices() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

// What lasting memory held.
class MemoryCopy {
 public:
  explicit MemoryCopy(const LastingMemory& memory) {
    for (const auto& [address, place] : memory.places()) {
      auto* const at = reinterpret_cast<std::uint8_t*>(memory.host(address));
      saved_.emplace_back(at, std::vector<std::uint8_t>(at, at + place.bytes));
    }
  }
  static std::uint64_t bytes_of(const LastingMemory& memory) {
    std::uint64_t all = 0;
    for (const auto& [address, place] : memory.places()) all += place.bytes;
    return all;
  }
  void restore() const {
    for (const auto& [at, bytes] : saved_) std::ranges::copy(bytes, at);
  }

 private:
  std::vector<std::pair<std::uint8_t*, std::vector<std::uint8_t>>> saved_;
};
constexpr std::uint64_t kMostCopied = std::uint64_t{1} << 30;

bool uses_textures(const ptx::Module& module) {
  return std::ranges::any_of(module.forms, [](const ptx::Form& form) {
    const ptx::MemoryUse use = form.effects().memory;
    return use == ptx::MemoryUse::Texel || use == ptx::MemoryUse::Ask;
  });
}

// One execution of the launch: its memory, its workers, and what they found.
class Attempt {
 public:
  Attempt(const Kernel::Program& program, const trace::Launch& launch, const Options& options,
          LastingMemory* lasting, std::span<trace::Listener* const> listeners, Races races,
          bool mark_every_read)
      : program_(program),
        launch_(launch),
        options_(options),
        lasting_(lasting),
        listeners_(listeners),
        mark_every_read_(mark_every_read) {
    state_.program = &program;
    state_.launch = &launch;
    state_.options = &options;
    state_.races = races;
  }

  // What came of it: all is well, not all reads were marked that should have been (the run says nothing about
  // races), or there might be a race.
  enum class Verdict : std::uint8_t { Fine, ReadsMissed, Suspicious };

  Status prepare();
  Verdict run();
  Outcome take();

 private:
  Status place_memory();
  Status place_lasting(LastingMemory& memory);
  Verdict screened() const;
  std::uint64_t most_alive(std::uint64_t room_for) const;
  void equip(std::size_t worker);
  void join_listeners();
  Ending ending(const Outcome& outcome) const;

  const Kernel::Program& program_;
  const trace::Launch& launch_;
  const Options& options_;
  LastingMemory* const lasting_;
  std::span<trace::Listener* const> listeners_;
  bool mark_every_read_ = false;
  LaunchState state_;
  std::unique_ptr<GlobalMemory> memory_;
  std::unique_ptr<GlobalShadow> shadow_;
  std::unique_ptr<WrittenRegions> regions_;
  std::unique_ptr<BlockQueue> queue_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<BlockLoop>> loops_;
  std::mutex equipping_;
  std::uint64_t alive_ = 1;  // blocks that a worker keeps alive together
  double seconds_ = 0;
};

// Memory that is there already.
Status Attempt::place_lasting(LastingMemory& memory) {
  if (memory.constants.size() < program_.const_image.size()) return usage("launch.constants_elsewhere", {});
  state_.constants = memory.constants.first(program_.const_image.size());
  auto placed = GlobalMemory::create(program_, launch_, options_.memory_cap, 0, &memory, true);
  if (!placed) return placed.error();
  memory_ = std::move(*placed);
  state_.memory = memory_.get();
  if (uses_textures(*program_.module)) bind_lasting(memory.textures, state_.textures);
  state_.grid_workspace = memory_->workspace();
  if (state_.grid_workspace != 0) std::memset(memory_->host(state_.grid_workspace), 0, 64);
  return bind_parameters(program_, launch_, *memory_, state_.parameters);
}

Status Attempt::place_memory() {
  if (lasting_ != nullptr) return place_lasting(*lasting_);
  state_.constants = program_.const_image;
  // Whatever the screen finds, the exact shadow must have room.
  const std::uint64_t shadow = options_.checks == Checks::All ? GlobalShadow::kBytesPerByte : 0;
  // Who asks for gigabytes may change his mind while they are filled.
  constexpr double kAnyTime = 1e12;
  auto memory = within_limit(kAnyTime, options_.progress, "", [&] {
    return GlobalMemory::create(program_, launch_, options_.memory_cap, shadow, nullptr,
                                options_.only_blocks.empty());
  });
  if (!memory && memory.error().kind == ErrorKind::Cancelled)
    return told(ErrorKind::Cancelled, {"launch.filling_stopped", {}});
  if (!memory) return memory.error();
  memory_ = std::move(*memory);
  state_.memory = memory_.get();
  state_.grid_workspace = memory_->workspace();
  if (Status status = bind_parameters(program_, launch_, *memory_, state_.parameters); !status) return status;
  const std::uint64_t room = options_.memory_cap - std::min(options_.memory_cap, memory_->bytes());
  return bind_textures(launch_, room, state_.textures);
}

// As many blocks as a GPU of 132 multiprocessors keeps resident, when they wait for each other.
std::uint64_t Attempt::most_alive(std::uint64_t room_for) const {
  const std::uint64_t cluster = state_.clusters.blocks();
  if (!program_.may_wait) return cluster;
  const std::uint64_t resident =
      kMultiprocessors *
      std::clamp<std::uint64_t>(kResidentThreads / (state_.warps_per_block * kWarpSize), 1, 32);
  return std::max(std::min({room_for, queue_->size(), resident}) / cluster * cluster, cluster);
}

Status Attempt::prepare() {
  state_.threads_per_block = static_cast<std::uint32_t>(launch_.block.volume());
  state_.warps_per_block = (state_.threads_per_block + kWarpSize - 1) / kWarpSize;
  state_.shared_bytes = static_cast<std::uint32_t>(program_.static_shared) + launch_.dynamic_shared_bytes;
  state_.reserves_shared = std::ranges::any_of(program_.constants, [](const ConstantRow& row) {
    return row.special == ptx::SpecialRegister::EnvReg && row.special_index >= ptx::kReservedSharedRegister;
  });
  if (state_.reserves_shared) state_.shared_bytes = (state_.shared_bytes + 127) / 128 * 128 + kReservedShared;
  state_.clusters = {launch_.grid, program_.cluster};
  state_.budget_left = options_.budget;
  if (Status status = place_memory(); !status) return status.error();
  const std::uint64_t blocks = launch_.grid.volume();
  unsigned workers = worker_count(program_, options_, state_.races, blocks);
  const std::uint64_t each = block_bytes(program_, state_) * state_.clusters.blocks();
  const std::uint64_t judged = options_.checks == Checks::All ? GlobalShadow::kBytesPerByte : 0;
  const std::uint64_t taken = memory_->bytes() * (1 + (state_.races == Races::Judged ? judged : 0));
  const std::uint64_t room = options_.memory_cap - std::min(options_.memory_cap, taken);
  if (each > room) {
    return usage("launch.block_beyond_cap",
                 {{"mebibytes", value_of(each >> 20)}, {"cap", value_of(options_.memory_cap >> 20)}});
  }
  workers = static_cast<unsigned>(std::min<std::uint64_t>(workers, std::max<std::uint64_t>(1, room / each)));
  state_.concurrent = workers > 1;
  state_.begin = std::chrono::steady_clock::now();
  if (state_.races == Races::Judged) shadow_ = std::make_unique<GlobalShadow>(memory_->bytes(), *memory_);
  state_.shadow = shadow_.get();
  if (state_.races == Races::Screened && !mark_every_read_) {
    std::vector<WrittenRegions::Place> places;
    for (const Interval& interval : memory_->intervals()) places.push_back({interval.begin, interval.end});
    regions_ = std::make_unique<WrittenRegions>(std::move(places));
  }
  state_.regions = regions_.get();
  queue_ = std::make_unique<BlockQueue>(options_, state_.clusters, workers);
  alive_ = most_alive(room / each * state_.clusters.blocks());
  workers_.resize(workers);
  loops_.resize(workers);
  std::vector<std::uint64_t> bases(launch_.arguments.size());
  for (const trace::BufferPlacement& placement : memory_->placements())
    if (placement.argument != kNoArgument) bases[placement.argument] = placement.base;
  for (trace::Listener* listener : listeners_) listener->on_launch(launch_, bases);
  return Done{};
}

// On the worker's own thread: what it allocates there shares no cache line with another worker's.
void Attempt::equip(std::size_t i) {
  const std::lock_guard lock(equipping_);
  workers_[i] = make_worker(state_, listeners_);
  loops_[i] = std::make_unique<BlockLoop>(*workers_[i], *queue_, alive_);
}

Attempt::Verdict Attempt::screened() const {
  std::vector<const RaceScreen*> screens;
  for (const std::unique_ptr<Worker>& worker : workers_) screens.push_back(worker->screen.get());
  const bool missed =
      std::any_of(screens.begin(), screens.end(), [](const RaceScreen* s) { return s->reads_missed(); });
  if (missed) return Verdict::ReadsMissed;
  return state_.suspicious || RaceScreen::conflicts(screens) ? Verdict::Suspicious : Verdict::Fine;
}

Attempt::Verdict Attempt::run() {
  std::vector<std::exception_ptr> failures(loops_.size());
  auto work = [&](std::size_t i) {
    try {
      equip(i);
      loops_[i]->run();
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < loops_.size(); ++i) threads.emplace_back(work, i);
  work(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  const Verdict verdict = state_.races == Races::Screened ? screened() : Verdict::Fine;
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - state_.begin).count();
  return verdict;
}

void Attempt::join_listeners() {
  // Workers took blocks in ascending order: sort them by the first block that each of them had.
  std::vector<std::size_t> order(workers_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return loops_[a]->first_block() < loops_[b]->first_block();
  });
  for (const std::size_t i : order) {
    for (std::size_t k = 0; k < listeners_.size(); ++k) listeners_[k]->join(*workers_[i]->listeners[k]);
  }
}

Ending Attempt::ending(const Outcome& outcome) const {
  const bool cancelled =
      std::any_of(loops_.begin(), loops_.end(), [](const auto& loop) { return loop->cancelled(); });
  return !std::ranges::all_of(outcome.faults, was_let_pass) ? Ending::Faulted
         : cancelled                                        ? Ending::Cancelled
         : state_.budget_spent                              ? Ending::Budget
                                                            : Ending::Completed;
}

Outcome Attempt::take() {
  Outcome outcome;
  outcome.blocks_total = launch_.grid.volume();
  outcome.seconds = seconds_;
  collect(state_, workers_, outcome);
  join_listeners();
  outcome.ending = ending(outcome);
  if (lasting_ != nullptr) {
    keep_surfaces(state_.textures);
    return outcome;
  }
  outcome.placements = memory_->placements();
  if (!options_.keep_buffers) return outcome;
  outcome.buffers.resize(launch_.arguments.size());
  for (const trace::BufferPlacement& placement : outcome.placements) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(memory_->host(placement.base));
    outcome.buffers[placement.argument].assign(from, from + placement.bytes);
  }
  for (BoundTexture& texture : state_.textures) {
    if (texture.format.surface) outcome.buffers[texture.argument] = std::move(texture.texels);
  }
  return outcome;
}

// `lasting`: memory that is there already; nullptr: the launch makes its own from its arguments.
Result<Outcome> run_on(const Kernel& kernel, const trace::Launch& launch, const Options& options,
                       LastingMemory* lasting, std::span<trace::Listener* const> listeners) {
  if (!processor_suffices()) {
    return told(ErrorKind::System, {"launch.processor_too_old", {}});
  }
  const Kernel::Program& program = kernel.program();
  if (Status status = check_shape(program, launch); !status) return status.error();
  if (launch.arguments.size() != program.entry->parameters.size()) {
    return usage("launch.argument_count", {{"takes", value_of(program.entry->parameters.size())},
                                           {"given", value_of(launch.arguments.size())}});
  }
  // Blocks that wait for each other are alive together, the heap's memory changes hands, copies land later
  // than they start, and some warps wait for some others: beyond what the screen can tell apart.
  const bool judged_at_once = program.may_wait || program.uses_device_heap || program.uses_async_copies ||
                              program.partial_barriers || program.cluster.volume() > 1;
  Races races = options.checks != Checks::All ? Races::Ignored
                : judged_at_once              ? Races::Judged
                                              : Races::Screened;
  bool mark_every_read = false;
  // What a run that is given up has done to memory that stays must be undone.
  std::optional<MemoryCopy> before;
  if (lasting != nullptr && races == Races::Screened) {
    if (MemoryCopy::bytes_of(*lasting) <= kMostCopied)
      before.emplace(*lasting);
    else
      races = Races::Judged;
  }
  for (;;) {
    Attempt attempt(program, launch, options, lasting, listeners, races, mark_every_read);
    if (Status status = attempt.prepare(); !status) return status.error();
    const Attempt::Verdict verdict = attempt.run();
    if (verdict != Attempt::Verdict::Fine) {
      mark_every_read = true;
      if (verdict == Attempt::Verdict::Suspicious) races = Races::Judged;
      if (before) before->restore();
      continue;
    }
    Outcome outcome = attempt.take();
    if (options.progress != nullptr) options.progress->report(1.0);
    return outcome;
  }
}

}  // namespace

Result<Outcome> run(const Kernel& kernel, const trace::Launch& launch, const Options& options,
                    std::span<trace::Listener* const> listeners) {
  return run_on(kernel, launch, options, nullptr, listeners);
}

Result<Outcome> run(const Kernel& kernel, const trace::Launch& launch, const Options& options,
                    LastingMemory& memory, std::span<trace::Listener* const> listeners) {
  return run_on(kernel, launch, options, &memory, listeners);
}

}  // namespace warplens::simt
