// The text that the warps of an SM (sm_simulation.h) execute: when the lines of 128 bytes that they come to
// are there.
//
//   SmText text(code, setup);
//   const Cycle there = text.there(instruction.place, at);
//
// The first lines of a launch come together. Who goes on behind them waits a second time; from then on what
// follows is fetched meanwhile, a line after the other, and a jump beyond that waits for its line alone (read
// on an H200: tools/golden/first_lines.cu). Of a text that is longer than the first cache the line that came
// longest ago makes room.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/analysis/sm_units.h"

namespace warplens::analysis {

class SmText {
 public:
  SmText(const SmCode& code, const SmSetup& setup) : setup_(setup) {
    const auto holds = [&](double bytes) { return bytes <= 0 || code.machine_bytes <= bytes; };
    if (!holds(setup.instruction_kept_bytes))
      kept_ = static_cast<std::uint32_t>(setup.instruction_kept_bytes / kLineBytes);
    from_afar_ = !holds(setup.instruction_cache_bytes);
    std::size_t warps = 0;
    for (const auto& block : code.blocks) warps = std::max(warps, block.size());
    const double blocks = setup.resident_blocks, of_eight = blocks * static_cast<double>(warps) / 8;
    miss_ = setup.instruction_miss +
            static_cast<Cycle>(setup.instruction_filling * std::sqrt(std::max({blocks, of_eight, 1.0}) - 1));
  }

  // Of the instruction at `place` of the text, which a warp comes to at `from`.
  Cycle there(std::uint32_t place, Cycle from) {
    if (place == SmInstruction::kNowhere) return from;
    const std::uint32_t number = place / kLineInstructions;
    if (number >= lines_.size()) lines_.resize(number + 1);
    Line& line = lines_[number];
    if (line.brought > 0 && (kept_ == 0 || brought_ - line.brought < kept_)) return line.ready;
    if (line.brought == 0 && (kept_ == 0 || brought_ < kept_)) {
      fetched_ = first_time(number, from);
    } else {
      const Cycle takes = !from_afar_        ? setup_.instruction_near
                          : line.brought > 0 ? setup_.instruction_far
                                             : setup_.instruction_cold;
      // The next one is fetched while this one runs, so that only its rate is felt.
      fetched_ = number == last_ + 1 ? std::max(fetched_ + takes, from) : std::max(fetched_, from) + takes;
    }
    last_ = number;
    line = {++brought_, fetched_};
    return line.ready;
  }

 private:
  static constexpr std::uint32_t kLineInstructions = 8, kLineBytes = 128;
  static constexpr std::uint32_t kFirstLines = 5;  // that come together

  Cycle first_time(std::uint32_t number, Cycle from) {
    if (brought_ == 0) {
      first_ = number;
      return first_there_ = from + miss_;
    }
    if (number - first_ < kFirstLines) return std::max(from, first_there_);
    if (!streams_) {
      streams_ = true;
      stream_ = number;
      return stream_there_ = std::max(from, first_there_) + setup_.instruction_second;
    }
    const Cycle jumps = from + setup_.instruction_jump;
    const std::uint32_t far = number > stream_ ? number - stream_ : stream_ - number;
    if (const Cycle there = stream_there_ + static_cast<Cycle>(far) * setup_.instruction_near; there <= jumps)
      return std::max(from, there);
    stream_ = number;
    return stream_there_ = jumps;
  }

  struct Line {
    std::uint32_t brought = 0;  // as the how-many-eth of all; 0: never
    Cycle ready = 0;
  };
  const SmSetup& setup_;
  std::vector<Line> lines_;
  std::uint32_t brought_ = 0, kept_ = 0, last_ = 0;  // lines; kept_ 0: all of them
  bool from_afar_ = false;                           // the second cache does not hold the text either
  bool streams_ = false;                             // what follows is fetched meanwhile
  std::uint32_t first_ = 0, stream_ = 0;             // lines: that came first, where the stream begins
  Cycle miss_ = 0, fetched_ = 0, first_there_ = 0, stream_there_ = 0;
};

}  // namespace warplens::analysis
