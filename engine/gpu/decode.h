// The records that an instrumented run leaves behind, turned into the events that the emulator would emit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/trace/event.h"

namespace warplens::gpu {

struct DecodeResult {
  std::uint64_t records = 0;
  std::uint64_t blocks = 0;  // that left at least one record
};

// Blocks in ascending order; inside a block the order of the SM's clock, which for one warp is the order in
// which it ran. Damaged records end the decoding with an error.
Result<DecodeResult> decode(std::span<const std::uint8_t> records, const std::vector<trace::Site>& sites,
                            std::span<trace::Listener* const> listeners);

}  // namespace warplens::gpu
