#include "engine/simt/launch/block_loop.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <string_view>
#include <tuple>

namespace warplens::simt {

namespace {

// Rounds of all blocks that only poll, in which memory stays as it is: a deadlock, even if threads count how
// often they have looked. Where blocks were left out it is what most often happens, and is told sooner.
constexpr std::uint64_t kIdleRounds = 1024, kIdleRoundsOfSome = 128;
// Until then lanes that wait for each other have been let go (kPatience of interpreter.cpp).
constexpr std::uint64_t kSettled = 16;
// Clocks (nanoseconds) that pass for those who wait in vain and look at a clock: 2^24, then 2^28 ... 2^40.
constexpr unsigned kTimesToPass = 5, kFirstTime = 24, kNextTime = 4;

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

}  // namespace

BlockQueue::BlockQueue(const Options& options, const ClusterShape& clusters, unsigned workers)
    : clusters_(clusters) {
  const std::uint64_t total = clusters.grid.volume(), size = clusters.blocks();
  for (const std::uint64_t block : options.only_blocks)
    if (block < total) chosen_.push_back(size == 1 ? block : clusters.cluster_of(block));
  std::sort(chosen_.begin(), chosen_.end());
  chosen_.erase(std::unique(chosen_.begin(), chosen_.end()), chosen_.end());
  count_ = options.only_blocks.empty() ? total : chosen_.size() * size;
  chunk_ = std::clamp<std::uint64_t>(count_ / (std::uint64_t{workers} * 16), 1, 256);
  chunk_ = (chunk_ + size - 1) / size * size;
}

std::uint64_t BlockQueue::block(std::uint64_t position) const {
  const std::uint64_t size = clusters_.blocks(), index = position / size;
  return clusters_.block(chosen_.empty() ? index : chosen_[index],
                         static_cast<std::uint32_t>(position % size));
}

std::pair<std::uint64_t, std::uint64_t> BlockQueue::take(std::uint64_t most) {
  const std::uint64_t n = std::min(chunk_, most);
  const std::uint64_t first = next_.fetch_add(n, std::memory_order_relaxed);
  if (first >= count_) return {count_, count_};
  return {first, std::min(count_, first + n)};
}

void BlockLoop::run() {
  try {
    loop();
  } catch (const StopBlock& stop) {
    stopped(stop);
  }
}

BlockLoop::Live& BlockLoop::begin(std::uint64_t block, const std::shared_ptr<Cluster>& cluster,
                                  std::uint32_t rank) {
  Live& live = free_slot();
  live.busy = true;
  enter(block);
  for (auto& listener : worker_.listeners)
    if (listener->wants_block(block)) listener->on_block_begin(block);
  live.cta->start(block, cluster, rank);
  return live;
}

bool BlockLoop::begin_cluster() {
  const std::uint32_t size = worker_.state->clusters.blocks();
  if (size == 1) {
    std::uint64_t block = 0;
    if (!next(block)) return false;
    run_block(begin(block, nullptr, 0));
    return true;
  }
  std::vector<std::uint64_t> blocks(size);
  for (std::uint64_t& block : blocks)
    if (!next(block)) return false;
  const auto cluster = std::make_shared<Cluster>();
  cluster->blocks.resize(size);
  std::vector<Live*> started;
  for (std::uint32_t rank = 0; rank < size; ++rank) started.push_back(&begin(blocks[rank], cluster, rank));
  for (Live* live : started) run_block(*live);
  return true;
}

bool BlockLoop::run_block(Live& live) {
  enter(live.cta->block());
  const std::uint64_t before = live.cta->progress();
  const Cta::Outcome outcome = live.cta->run(most_alive_ > worker_.state->clusters.blocks());
  if (outcome == Cta::Outcome::Done) end(live);
  return outcome != Cta::Outcome::Spinning || live.cta->progress() != before;
}

void BlockLoop::enter(std::uint64_t block) {
  if (block == current_) return;
  current_ = block;
  choose_listeners(worker_, block);
}

void BlockLoop::end(Live& live) {
  enter(live.cta->block());
  for (auto& listener : worker_.listeners) listener->on_block_end(live.cta->block());
  worker_.work.add(live.cta->block(), live.cta->issued());
  live.cta->end();
  live.busy = false;
  ++worker_.blocks_run;
  worker_.state->blocks_ended.fetch_add(1, std::memory_order_relaxed);
}

bool BlockLoop::next(std::uint64_t& block) {
  const std::uint64_t size = worker_.state->clusters.blocks();
  if (first_ == last_) std::tie(first_, last_) = queue_.take(most_alive_ > size ? size : ~std::uint64_t{0});
  if (first_ == last_) return false;
  block = queue_.block(first_++);
  first_block_ = std::min(first_block_, block);
  Progress* progress = worker_.state->options->progress;
  if (progress != nullptr) {
    if (progress->cancelled()) throw StopBlock{StopBlock::Why::Cancelled};
    progress->report(static_cast<double>(worker_.state->blocks_ended.load(std::memory_order_relaxed)) /
                     static_cast<double>(queue_.size()));
  }
  if (worker_.thread_instructions >= worker_.instruction_limit) worker_.refill();
  return block < worker_.state->stop_before.load(std::memory_order_relaxed);
}

BlockLoop::Live& BlockLoop::free_slot() {
  for (Live& live : live_) {
    if (!live.busy) return live;
  }
  live_.push_back({std::make_unique<Cta>(worker_, static_cast<std::uint32_t>(live_.size())), false});
  return live_.back();
}

std::uint64_t BlockLoop::busy() const {
  return static_cast<std::uint64_t>(
      std::count_if(live_.begin(), live_.end(), [](const Live& l) { return l.busy; }));
}

void BlockLoop::loop() {
  const std::uint64_t size = worker_.state->clusters.blocks();
  bool more = true;
  std::uint64_t idle = 0;
  for (;;) {
    if (more && busy() + size <= most_alive_) {
      more = begin_cluster();
      if (more) {
        idle = time_passed_ = 0;
        continue;
      }
    }
    if (busy() == 0) return;
    if (idle == 0) idle_clock_reads_ = worker_.clock_reads;
    if (resume_all()) {
      idle = time_passed_ = 0;
    } else if (in_vain(++idle)) {
      if (!time_passes()) report_idle();
      idle = 0;
    }
  }
}

bool BlockLoop::resume_all() {
  bool moved = false;
  for (Live& live : live_) {
    if (live.busy && run_block(live)) moved = true;
  }
  return moved;
}

// When all threads and all memory are as they were some rounds ago, they will be again: a deadlock for sure.
// Memory is large: it is looked at after 16 rounds, 32, 64 ..., and when the threads are as they were then.
bool BlockLoop::in_vain(std::uint64_t& idle) {
  if (idle < kSettled) return false;
  const std::size_t state = state_hash();
  const bool remembers = std::has_single_bit(idle);
  if (!remembers && state != idle_state_) return false;
  const std::size_t memory = memory_hash();
  if (idle != kSettled && memory != idle_memory_) {
    idle = 0;
    return false;
  }
  if (!remembers) return true;
  idle_memory_ = memory;
  idle_state_ = state;
  return idle >= (queue_.leaves_out() ? kIdleRoundsOfSome : kIdleRounds);
}

// A wait for something or for a time, whichever comes first, ends by the time where nothing else can come.
bool BlockLoop::time_passes() {
  if (queue_.leaves_out() || worker_.clock_reads == idle_clock_reads_ || time_passed_ == kTimesToPass)
    return false;
  const std::uint64_t more = std::uint64_t{1} << (kFirstTime + kNextTime * time_passed_++);
  worker_.clock += more;
  worker_.skipped_ns += more;
  worker_.notes.insert({"note.clock_timeout", 0});
  return true;
}

std::size_t BlockLoop::state_hash() const {
  std::size_t all = 0;
  for (const Live& live : live_)
    if (live.busy) all = all * 31 + live.cta->state_hash();
  return all;
}

std::size_t BlockLoop::memory_hash() const {
  const auto hash = [](const std::byte* begin, std::size_t bytes) {
    return std::hash<std::string_view>{}({reinterpret_cast<const char*>(begin), bytes});
  };
  const GlobalMemory& memory = *worker_.state->memory;
  std::size_t all = 0;
  for (const Interval& interval : memory.intervals())
    all = all * 31 + hash(memory.host(interval.begin), interval.end - interval.begin);
  for (const Live& live : live_)
    if (live.busy) all = all * 31 + hash(live.cta->shared(), worker_.state->shared_bytes);
  return all;
}

void BlockLoop::report_idle() {
  for (Live& live : live_) {
    if (!live.busy) continue;
    enter(live.cta->block());
    live.cta->report_spinning({queue_.leaves_out(), busy(), queue_.not_taken() + (last_ - first_)});
  }
  throw StopBlock{StopBlock::Why::Fault};
}

void BlockLoop::stopped(const StopBlock& stop) {
  LaunchState& state = *worker_.state;
  if (stop.why == StopBlock::Why::Budget) state.budget_spent = true;
  if (stop.why == StopBlock::Why::Cancelled) cancelled_ = true;
  if (stop.why == StopBlock::Why::Suspicion) state.suspicious = true;
  // Blocks before the one that failed still finish on other workers: the first failure is always the same.
  const std::uint64_t at = stop.why == StopBlock::Why::Fault ? current_ : 0;
  for (Live& live : live_) {
    if (live.busy) end(live);
  }
  std::uint64_t seen = state.stop_before.load();
  while (at < seen && !state.stop_before.compare_exchange_weak(seen, at)) {
  }
}

}  // namespace warplens::simt
