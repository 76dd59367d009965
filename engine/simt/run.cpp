// A launch: arguments to memory, blocks to workers, and what they found back together in the order of blocks.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <exception>
#include <thread>

#include "engine/simt/cta.h"
#include "engine/simt/emulator.h"
#include "engine/simt/global_memory.h"
#include "engine/simt/shadow.h"
#include "engine/simt/worker.h"

namespace warplens::simt {

namespace {

constexpr std::uint32_t kMaxShared = 232448;  // bytes a block on compute capability 9.0, opted in
constexpr std::uint64_t kBudgetChunk = std::uint64_t{1} << 26;
constexpr std::uint64_t kMultiprocessors = 132, kResidentThreads = 2048;
constexpr std::uint64_t kIdleRounds = 1000;  // of all blocks that only poll: a deadlock

Error usage(std::string message) {
  return {ErrorKind::Usage, std::move(message), {}, {}};
}

Status check_shape(const Kernel::Program& program, const trace::Launch& launch) {
  const Dim3 b = launch.block, g = launch.grid;
  if (b.volume() == 0 || g.volume() == 0)
    return usage("grid and block need at least one block and one thread");
  if (b.x > 1024 || b.y > 1024 || b.z > 64 || b.volume() > 1024) {
    return usage(fmt::format("a block of {} x {} x {} threads is too large: at most 1024 threads, 64 along z",
                             b.x, b.y, b.z));
  }
  if (g.x > 2147483647u || g.y > 65535 || g.z > 65535) {
    return usage(
        fmt::format("a grid of {} x {} x {} blocks is too large: at most 2147483647 along x and 65535 "
                    "along y and z",
                    g.x, g.y, g.z));
  }
  const std::vector<std::uint32_t>& most = program.entry->max_threads;
  std::uint64_t bound = most.empty() ? 1024 : 1;
  for (const std::uint32_t n : most) bound *= n;
  if (b.volume() > bound) {
    return usage(
        fmt::format("the kernel was compiled for at most {} threads a block (__launch_bounds__), not {}",
                    bound, b.volume()));
  }
  if (program.static_shared + launch.dynamic_shared_bytes > kMaxShared) {
    return usage(fmt::format("{} bytes of shared memory a block are too many: at most {}",
                             program.static_shared + launch.dynamic_shared_bytes, kMaxShared));
  }
  return Done{};
}

Status bind_parameters(const Kernel::Program& program, const trace::Launch& launch,
                       const GlobalMemory& memory, std::vector<std::uint8_t>& bytes) {
  const std::vector<ptx::Variable>& parameters = program.entry->parameters;
  bytes.assign(program.parameter_bytes, 0);
  auto buffer = memory.placements().begin();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const trace::Argument& argument = launch.arguments[i];
    const Piece& piece = program.parameters[i];
    std::uint64_t value = argument.bits;
    const auto size = static_cast<std::uint32_t>(argument.is_buffer ? 8 : trace::size_of(argument.type));
    if (argument.is_buffer) value = (buffer++)->base;
    if (size != piece.bytes) {
      return usage(
          fmt::format("argument {} ({}) has {} bytes, but the kernel's parameter has {}", i,
                      argument.text.empty() ? std::string(trace::name(argument.type)) : argument.text, size,
                      piece.bytes));
    }
    if (std::size_t{piece.offset} + size > bytes.size()) return usage("the kernel has too many parameters");
    std::memcpy(bytes.data() + piece.offset, &value, size);
  }
  return Done{};
}

// The blocks that run, in the order in which they are handed out.
class BlockQueue {
 public:
  BlockQueue(const Options& options, std::uint64_t total, unsigned workers)
      : chosen_(options.only_blocks), total_(total) {
    std::erase_if(chosen_, [&](std::uint64_t block) { return block >= total; });
    std::sort(chosen_.begin(), chosen_.end());
    chosen_.erase(std::unique(chosen_.begin(), chosen_.end()), chosen_.end());
    count_ = options.only_blocks.empty() ? total : chosen_.size();
    chunk_ = std::clamp<std::uint64_t>(count_ / (std::uint64_t{workers} * 16), 1, 256);
  }
  std::uint64_t size() const { return count_; }
  // Half-open range of positions; empty at the end.
  std::pair<std::uint64_t, std::uint64_t> take(std::uint64_t most) {
    const std::uint64_t n = std::min(chunk_, most);
    const std::uint64_t first = next_.fetch_add(n, std::memory_order_relaxed);
    if (first >= count_) return {count_, count_};
    return {first, std::min(count_, first + n)};
  }
  std::uint64_t block(std::uint64_t position) const { return chosen_.empty() ? position : chosen_[position]; }
  double fraction() const {
    return static_cast<double>(std::min(next_.load(std::memory_order_relaxed), count_)) /
           static_cast<double>(std::max<std::uint64_t>(count_, 1));
  }

 private:
  std::vector<std::uint64_t> chosen_;
  std::uint64_t total_, count_ = 0, chunk_ = 1;
  std::atomic<std::uint64_t> next_{0};
};

void choose_listeners(Worker& worker, std::uint64_t block) {
  worker.events.accesses.clear();
  worker.events.branches.clear();
  worker.events.barriers.clear();
  worker.events.masks.clear();
  worker.events.constants.clear();
  for (std::size_t i = 0; i < worker.listeners.size(); ++i) {
    trace::Listener* listener = worker.listeners[i].get();
    const trace::Listener::Wants& wants = worker.wants[i];
    if (!listener->wants_block(block)) continue;
    if (wants.accesses) worker.events.accesses.push_back(listener);
    if (wants.branches) worker.events.branches.push_back(listener);
    if (wants.barriers) worker.events.barriers.push_back(listener);
    if (wants.masks) worker.events.masks.push_back(listener);
    if (wants.constants) worker.events.constants.push_back(listener);
  }
  worker.quiet = worker.events.accesses.empty() && worker.state->options->checks != Checks::All;
}

// One worker's way through the blocks. Usually one block at a time; when the blocks of a kernel wait for each
// other (grid barriers, flags in global memory), all of them stay alive and take turns.
class BlockLoop {
 public:
  BlockLoop(Worker& worker, BlockQueue& queue, std::uint64_t most_alive)
      : worker_(worker), queue_(queue), most_alive_(most_alive) {}

  void run() {
    try {
      loop();
    } catch (const StopBlock& stop) {
      stopped(stop);
    }
  }
  bool cancelled() const { return cancelled_; }
  std::uint64_t first_block() const { return first_block_; }

 private:
  struct Live {
    std::unique_ptr<Cta> cta;
    bool busy = false;
  };

  void begin(Live& live, std::uint64_t block) {
    live.busy = true;
    enter(block);
    for (auto& listener : worker_.listeners) listener->on_block_begin(block);
    live.cta->start(block);
  }
  void enter(std::uint64_t block) {
    if (block == current_) return;
    current_ = block;
    choose_listeners(worker_, block);
  }
  void end(Live& live) {
    for (auto& listener : worker_.listeners) listener->on_block_end(live.cta->block());
    live.busy = false;
    ++worker_.blocks_run;
  }
  // The next block of the queue; false when there is none.
  bool next(std::uint64_t& block) {
    if (first_ == last_) std::tie(first_, last_) = queue_.take(most_alive_ > 1 ? 1 : ~std::uint64_t{0});
    if (first_ == last_) return false;
    block = queue_.block(first_++);
    first_block_ = std::min(first_block_, block);
    Progress* progress = worker_.state->options->progress;
    if (progress != nullptr) {
      if (progress->cancelled()) throw StopBlock{StopBlock::Why::Cancelled};
      progress->report(queue_.fraction());
    }
    if (worker_.thread_instructions >= worker_.instruction_limit) worker_.refill();
    return block < worker_.state->stop_before.load(std::memory_order_relaxed);
  }

  Live& free_slot() {
    for (Live& live : live_) {
      if (!live.busy) return live;
    }
    live_.push_back({std::make_unique<Cta>(worker_, static_cast<std::uint32_t>(live_.size())), false});
    return live_.back();
  }
  std::uint64_t busy() const {
    return static_cast<std::uint64_t>(
        std::count_if(live_.begin(), live_.end(), [](const Live& l) { return l.busy; }));
  }

  void loop() {
    bool more = true;
    std::uint64_t idle = 0;
    for (;;) {
      std::uint64_t block = 0;
      if (more && busy() < most_alive_) {
        more = next(block);
        if (more) {
          Live& live = free_slot();
          begin(live, block);
          if (live.cta->run() == Cta::Outcome::Done) end(live);
          idle = 0;
          continue;
        }
      }
      if (busy() == 0) return;
      if (resume_all()) {
        idle = 0;
      } else if (++idle > kIdleRounds) {
        report_idle();
      }
    }
  }

  // One turn for every block that waits. True: one of them ended or moved on.
  bool resume_all() {
    bool moved = false;
    for (Live& live : live_) {
      if (!live.busy) continue;
      enter(live.cta->block());
      const std::uint64_t before = live.cta->progress();
      if (live.cta->run() == Cta::Outcome::Done) end(live);
      moved = moved || !live.busy || live.cta->progress() != before;
    }
    return moved;
  }

  void report_idle() {
    for (Live& live : live_) {
      if (live.busy) live.cta->report_spinning();
    }
    throw StopBlock{StopBlock::Why::Fault};
  }

  void stopped(const StopBlock& stop) {
    LaunchState& state = *worker_.state;
    if (stop.why == StopBlock::Why::Budget) state.budget_spent = true;
    if (stop.why == StopBlock::Why::Cancelled) cancelled_ = true;
    for (Live& live : live_) {
      if (live.busy) end(live);
    }
    // Blocks before the one that failed still finish on other workers: the first failure is always the same.
    const std::uint64_t at = stop.why == StopBlock::Why::Fault ? current_ : 0;
    std::uint64_t seen = state.stop_before.load();
    while (at < seen && !state.stop_before.compare_exchange_weak(seen, at)) {
    }
  }

  Worker& worker_;
  BlockQueue& queue_;
  std::uint64_t most_alive_;
  std::uint64_t first_ = 0, last_ = 0;
  std::uint64_t current_ = ~std::uint64_t{0}, first_block_ = ~std::uint64_t{0};
  std::deque<Live> live_;
  bool cancelled_ = false;
};

// Counts by instruction from counts by segment.
void collect_counts(const Kernel::Program& program, const std::vector<SegmentCount>& counts,
                    Outcome& outcome) {
  for (std::size_t s = 0; s < program.segments.size(); ++s) {
    const Segment& segment = program.segments[s];
    for (std::uint32_t i = 0; i < segment.instruction_count; ++i) {
      const InstructionInfo& info = program.instructions[segment.first_instruction + i];
      outcome.counts.push_back({info.function, info.index, counts[s].executions, counts[s].lanes});
      outcome.warp_instructions += counts[s].executions;
      outcome.thread_instructions += counts[s].lanes;
    }
  }
}

void collect_faults(std::vector<std::unique_ptr<Worker>>& workers, const LaunchState& state,
                    Outcome& outcome) {
  std::map<std::uint64_t, std::vector<trace::Fault>> faults;
  std::map<std::uint64_t, std::string> output;
  std::set<std::string> notes;
  const std::uint64_t stop = state.stop_before.load();
  for (std::unique_ptr<Worker>& worker : workers) {
    outcome.faults_total += worker->faults_total;
    outcome.blocks_run += worker->blocks_run;
    notes.insert(worker->notes.begin(), worker->notes.end());
    faults.merge(worker->faults);
    output.merge(worker->output);
  }
  // One fault a line and kind, of the lowest block; what later blocks than the fatal one said is left out.
  std::set<std::tuple<int, int, int>> seen;
  for (auto& [block, found] : faults) {
    if (!state.budget_spent && block > stop) break;
    for (trace::Fault& fault : found) {
      const auto key = std::make_tuple(static_cast<int>(fault.kind), fault.ptx_line, fault.other_line);
      if (outcome.faults.size() >= state.options->max_faults || !seen.insert(key).second) continue;
      outcome.faults.push_back(std::move(fault));
    }
  }
  for (auto& [block, text] : output) outcome.output += text;
  outcome.notes.assign(notes.begin(), notes.end());
}

unsigned worker_count(const Kernel::Program& program, const Options& options, std::uint64_t blocks) {
  if (program.polls_memory || program.order_sensitive || program.uses_device_heap) return 1;
  if (options.checks == Checks::All) return 1;  // races between blocks are found in one fixed order
  unsigned n =
      options.threads > 0 ? static_cast<unsigned>(options.threads) : std::thread::hardware_concurrency();
  n = std::clamp(n, 1u, 256u);
  return static_cast<unsigned>(std::min<std::uint64_t>(n, std::max<std::uint64_t>(blocks, 1)));
}

// Bytes one block needs while it lives.
std::uint64_t block_bytes(const Kernel::Program& program, const LaunchState& state) {
  const std::uint64_t local = std::uint64_t{program.lane_local_bytes} * kWarpSize;
  std::uint64_t bytes = state.warps_per_block * (program.register_bytes + local) + state.shared_bytes;
  if (state.options->checks == Checks::All) bytes += SharedShadow::bytes_needed(state.shared_bytes);
  return bytes;
}

bool processor_suffices() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

std::unique_ptr<Worker> make_worker(LaunchState& state, std::span<trace::Listener* const> listeners) {
  auto worker = std::make_unique<Worker>();
  worker->state = &state;
  worker->program = state.program;
  worker->counts.resize(state.program->segments.size());
  worker->global_base = reinterpret_cast<std::uintptr_t>(state.memory->base()) - kGlobalBase;
  worker->last_hit.resize(state.program->instructions.size());
  for (trace::Listener* listener : listeners) {
    worker->listeners.push_back(listener->fork());
    worker->wants.push_back(listener->wants());
  }
  return worker;
}

}  // namespace

void Worker::refill() {
  const Progress* progress = state->options->progress;
  if (progress != nullptr && progress->cancelled()) throw StopBlock{StopBlock::Why::Cancelled};
  const std::uint64_t wanted =
      std::min(kBudgetChunk, std::max<std::uint64_t>(state->options->budget / 64, 1));
  std::uint64_t left = state->budget_left.load();
  std::uint64_t taken = 0;
  do {
    taken = std::min(left, wanted);
    if (taken == 0) throw StopBlock{StopBlock::Why::Budget};
  } while (!state->budget_left.compare_exchange_weak(left, left - taken));
  instruction_limit = thread_instructions + taken;
}

Result<Outcome> run(const Kernel& kernel, const trace::Launch& launch, const Options& options,
                    std::span<trace::Listener* const> listeners) {
  if (!processor_suffices()) {
    return Error{ErrorKind::System,
                 "the emulator needs a processor with AVX2 and FMA (x86-64-v3, 2013 or later)",
                 {},
                 {}};
  }
  const Kernel::Program& program = kernel.program();
  if (Status status = check_shape(program, launch); !status) return status.error();
  if (launch.arguments.size() != program.entry->parameters.size()) {
    return usage(fmt::format("the kernel takes {} arguments, but {} were given",
                             program.entry->parameters.size(), launch.arguments.size()));
  }
  const std::uint64_t shadow = options.checks == Checks::All ? GlobalShadow::kBytesPerByte : 0;
  Result<std::unique_ptr<GlobalMemory>> memory =
      GlobalMemory::create(program, launch, options.memory_cap, shadow);
  if (!memory) return memory.error();

  LaunchState state;
  state.program = &program;
  state.launch = &launch;
  state.options = &options;
  state.memory = memory->get();
  state.threads_per_block = static_cast<std::uint32_t>(launch.block.volume());
  state.warps_per_block = (state.threads_per_block + kWarpSize - 1) / kWarpSize;
  state.shared_bytes = static_cast<std::uint32_t>(program.static_shared) + launch.dynamic_shared_bytes;
  state.budget_left = options.budget;
  state.begin = std::chrono::steady_clock::now();
  if (Status status = bind_parameters(program, launch, **memory, state.parameters); !status)
    return status.error();
  std::unique_ptr<GlobalShadow> global_shadow;
  if (options.checks == Checks::All)
    global_shadow = std::make_unique<GlobalShadow>((*memory)->bytes(), **memory, launch.grid.volume());
  state.shadow = global_shadow.get();

  Outcome outcome;
  outcome.blocks_total = launch.grid.volume();
  unsigned workers = worker_count(program, options, outcome.blocks_total);
  BlockQueue queue(options, outcome.blocks_total, workers);
  const std::uint64_t each = block_bytes(program, state);
  const std::uint64_t room =
      options.memory_cap - std::min(options.memory_cap, (*memory)->bytes() * (1 + shadow));
  if (each > room) {
    return usage(
        fmt::format("one block needs {} MiB of registers, shared and local memory: more than the memory "
                    "cap of {} MiB leaves",
                    each >> 20, options.memory_cap >> 20));
  }
  workers = static_cast<unsigned>(std::min<std::uint64_t>(workers, std::max<std::uint64_t>(1, room / each)));
  state.concurrent = workers > 1;
  // As many blocks as a GPU of 132 multiprocessors keeps resident.
  const std::uint64_t resident =
      kMultiprocessors *
      std::clamp<std::uint64_t>(kResidentThreads / (state.warps_per_block * kWarpSize), 1, 32);
  const std::uint64_t most_alive = program.polls_memory ? std::min({room / each, queue.size(), resident}) : 1;

  std::vector<std::unique_ptr<Worker>> pool;
  std::vector<std::unique_ptr<BlockLoop>> loops;
  for (unsigned i = 0; i < workers; ++i) {
    pool.push_back(make_worker(state, listeners));
    loops.push_back(std::make_unique<BlockLoop>(*pool.back(), queue, std::max<std::uint64_t>(most_alive, 1)));
  }
  std::vector<std::exception_ptr> failures(workers);
  auto work = [&](unsigned i) {
    try {
      loops[i]->run();
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < workers; ++i) threads.emplace_back(work, i);
  work(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - state.begin).count();

  std::vector<SegmentCount> counts(program.segments.size());
  for (const std::unique_ptr<Worker>& worker : pool) {
    for (std::size_t s = 0; s < counts.size(); ++s) {
      counts[s].executions += worker->counts[s].executions;
      counts[s].lanes += worker->counts[s].lanes;
    }
  }
  collect_counts(program, counts, outcome);
  collect_faults(pool, state, outcome);
  // Workers took blocks in ascending order: sort them by the first block that each of them had.
  std::vector<std::size_t> order(pool.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return loops[a]->first_block() < loops[b]->first_block();
  });
  for (const std::size_t i : order) {
    for (std::size_t k = 0; k < listeners.size(); ++k) listeners[k]->join(*pool[i]->listeners[k]);
  }
  outcome.buffers.resize(launch.arguments.size());
  outcome.placements = (*memory)->placements();
  for (const trace::BufferPlacement& placement : outcome.placements) {
    const auto* from = reinterpret_cast<const std::uint8_t*>((*memory)->host(placement.base));
    outcome.buffers[placement.argument].assign(from, from + placement.bytes);
  }
  const bool fatal = std::any_of(outcome.faults.begin(), outcome.faults.end(),
                                 [](const trace::Fault& fault) { return trace::is_fatal(fault.kind); });
  const bool cancelled =
      std::any_of(loops.begin(), loops.end(), [](const auto& loop) { return loop->cancelled(); });
  outcome.ending = fatal || !outcome.faults.empty() ? Ending::Faulted
                   : cancelled                      ? Ending::Cancelled
                   : state.budget_spent             ? Ending::Budget
                                                    : Ending::Completed;
  if (options.progress != nullptr) options.progress->report(1.0);
  return outcome;
}

}  // namespace warplens::simt
