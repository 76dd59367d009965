// How the blocks of a launch reach the workers: a queue that hands them out in ascending order, and each
// worker's way through those that it took.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "engine/simt/emulator.h"
#include "engine/simt/exec/cta.h"
#include "engine/simt/launch/worker.h"

namespace warplens::simt {

// The blocks that run, in the order in which they are handed out: clusters whole, block after block.
class BlockQueue {
 public:
  BlockQueue(const Options& options, const ClusterShape& clusters, unsigned workers);
  std::uint64_t size() const { return count_; }
  // Half-open range of positions; empty at the end.
  std::pair<std::uint64_t, std::uint64_t> take(std::uint64_t most);
  std::uint64_t block(std::uint64_t position) const;
  bool leaves_out() const { return count_ < clusters_.grid.volume(); }
  std::uint64_t not_taken() const { return count_ - std::min(next_.load(std::memory_order_relaxed), count_); }

 private:
  const ClusterShape& clusters_;
  std::vector<std::uint64_t> chosen_;  // clusters; empty: all
  std::uint64_t count_ = 0, chunk_ = 1;
  std::atomic<std::uint64_t> next_{0};
};

// One worker's way through the blocks. Usually one block at a time; when the blocks of a kernel wait for each
// other (grid barriers, flags in global memory), all of them stay alive and take turns.
class BlockLoop {
 public:
  BlockLoop(Worker& worker, BlockQueue& queue, std::uint64_t most_alive)
      : worker_(worker), queue_(queue), most_alive_(most_alive) {}

  void run();
  bool cancelled() const { return cancelled_; }
  std::uint64_t first_block() const { return first_block_; }

 private:
  struct Live {
    std::unique_ptr<Cta> cta;
    bool busy = false;
  };

  bool begin_cluster();  // false: there is none left
  Live& begin(std::uint64_t block, const std::shared_ptr<Cluster>& cluster, std::uint32_t rank);
  void enter(std::uint64_t block);
  void end(Live& live);
  bool next(std::uint64_t& block);  // of the queue; false when there is none
  Live& free_slot();
  std::uint64_t busy() const;
  bool run_block(Live& live);  // false: it only waits
  void loop();
  bool resume_all();  // one turn for every block that waits; true: one of them ended or moved on
  bool in_vain(std::uint64_t& idle);  // after `idle` such turns in a row without any; may start them anew
  bool
  time_passes();  // for waits in vain that look at a clock; false: nobody does, or none of them ended by it
  std::size_t memory_hash() const;
  std::size_t state_hash() const;  // of all threads that are alive
  void report_idle();
  void stopped(const StopBlock& stop);

  Worker& worker_;
  BlockQueue& queue_;
  std::uint64_t most_alive_;
  std::uint64_t first_ = 0, last_ = 0;
  std::uint64_t current_ = ~std::uint64_t{0}, first_block_ = ~std::uint64_t{0};
  std::deque<Live> live_;
  std::size_t idle_memory_ = 0, idle_state_ = 0;
  std::uint64_t idle_clock_reads_ = 0;  // the worker's, when the turns without any progress began
  unsigned time_passed_ = 0;            // how often since somebody moved on
  bool cancelled_ = false;
};

}  // namespace warplens::simt
