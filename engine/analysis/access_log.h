// What each warp of a launch asked of the memory system, as the machine executes it: the lines and sectors of
// every access to global and local memory, warp by warp. The cache model plays it in the order in which an SM
// would have it, which is not the order of the emulator.
//
//   AccessLogger logger(kernel.sites(), {.words = 1 << 22});
//   simt::run(kernel, launch, {}, {&logger});
//   const AccessLog log = logger.take();
//   log.blocks.size();   // the first ones of those that ran, as many as the words suffice for
//
// A word of 8 bytes an access, one for each line of 128 bytes that it touches, and half of one more where it
// touches sectors in part. Which blocks are kept does not depend on the number of threads. A logger that is
// full costs a comparison an event. While threads record there may be more than the words that are kept: of
// the blocks that each had taken when they were used up.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/trace/event.h"
#include "engine/trace/trace.h"

namespace warplens::analysis {

// Of a line's 32 words those of these sectors, a bit each.
constexpr std::uint32_t words_of_sectors(std::uint32_t sectors) {
  std::uint32_t out = 0;
  for (std::uint32_t sector = 0; sector < 4; ++sector)
    if ((sectors >> sector & 1u) != 0) out |= 0xffu << 8 * sector;
  return out;
}

struct LoggedAccess {
  enum class Op : std::uint8_t { Load, LoadPastL1, Store, Atomic, Reduction, Copy };
  Op op = Op::Load;
  bool local = false;
  bool same_lanes = false;  // the lanes of the warp's access before
  bool waits = false;       // what loads before it brought has been needed since
  std::uint32_t warp = 0;
  trace::SiteId site = 0;
  std::uint32_t sectors = 0;             // that L2 is asked for: of atomics more than are touched
  bool is_float = false, wide = false;   // of atomics: on values of 64 bits
  std::uint32_t lanes = 0;               // of atomics: how many add
  std::span<const std::uint64_t> lines;  // line number << 4 | a bit for each of its sectors, ascending
  std::span<const std::uint64_t> words;  // of loads and stores of parts of sectors: two lines in each
  // Those of the 32 words of line `i` that are loaded, or stored whole.
  std::uint32_t words_of(std::size_t i) const {
    return words.empty() ? words_of_sectors(static_cast<std::uint32_t>(lines[i] & 15u))
                         : static_cast<std::uint32_t>(words[i / 2] >> 32 * (i % 2));
  }
};

// A line number of local memory has its uppermost bit set: a space of its own, 16 MiB a warp.
struct AccessLog {
  static constexpr std::uint64_t kLocalLinesOfBlock = std::uint64_t{64} << 17;
  struct Block {
    std::uint64_t block = 0;
    std::uint32_t warps = 0;  // one more than the last that accessed anything
    std::vector<std::uint64_t> words;
  };
  std::vector<Block> blocks;      // ascending
  std::uint64_t blocks_run = 0;   // of so many that the logger was told of
  std::uint64_t local_lines = 0;  // that a warp's local memory has, as far as it was touched
  bool textures = false;          // something was read through a texture, which is not in here
  bool whole() const { return blocks.size() == blocks_run; }

  // The access at words[at]; `next` is where the one behind it begins.
  static LoggedAccess read(const Block& block, std::size_t at, std::size_t& next);
  static std::size_t accesses_of(const Block& block);
};

struct AccessLogOptions {
  std::size_t words = std::size_t{1} << 22;  // that the log ends behind
};

class AccessLogger : public trace::Listener {
 public:
  explicit AccessLogger(const std::vector<trace::Site>& sites, AccessLogOptions options = {});
  std::unique_ptr<trace::Listener> fork() const override;
  void join(trace::Listener& other) override;
  Wants wants() const override { return {.accesses = true}; }
  bool wants_block(std::uint64_t block) override;
  void on_block_begin(std::uint64_t block) override;
  void on_access(const trace::Access& access) override;
  AccessLog take();

 private:
  // What the loggers of all threads know of each other.
  struct Together {
    std::atomic<std::uint64_t> words{0};   // that they have, up to where each began its last block
    std::atomic<std::uint64_t> newest{0};  // block that was begun
    std::atomic<std::uint64_t> end{~std::uint64_t{0}};  // the first block that is not kept
  };
  AccessLogger(std::shared_ptr<const std::vector<trace::Site>> sites,
               std::shared_ptr<const std::vector<bool>> past_l1, AccessLogOptions options,
               std::shared_ptr<Together> together);
  bool keeps(std::uint64_t block);
  void append(AccessLog::Block& block, const trace::Access& access, const trace::Site* site);

  std::shared_ptr<const std::vector<trace::Site>> sites_;
  std::shared_ptr<const std::vector<bool>> past_l1_;  // by site
  AccessLogOptions options_;
  AccessLog log_;
  std::shared_ptr<Together> together_;
  std::size_t words_ = 0, told_ = 0;        // of its own; that the others know of
  std::array<LaneMask, 64> lanes_{};        // of each warp's access before, of that block
  std::vector<std::uint64_t> in_part_;      // LoggedAccess::words of the access at hand
  std::array<trace::SiteId, 64> needed_{};  // of each warp: its last load that its basic block needs
  std::uint64_t last_ = ~std::uint64_t{0};  // where the block of the event before is in log_.blocks
};

// What a stored trace says: the blocks that were recorded.
AccessLog log_of(const trace::Trace& trace);

}  // namespace warplens::analysis
