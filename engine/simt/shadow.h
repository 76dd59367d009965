// What Checks::All remembers about memory: which bytes were ever written, and who touched each word since the
// last barrier that orders them.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/simt/cta.h"
#include "engine/simt/memory.h"

namespace warplens::simt {

class SharedShadow {
 public:
  SharedShadow(std::uint32_t bytes, std::uint32_t threads);
  void reset();
  static std::uint64_t bytes_needed(std::uint64_t shared_bytes) { return shared_bytes; }

 private:
  std::vector<std::uint8_t> written_;
};

class GlobalShadow {
 public:
  static constexpr std::uint64_t kBytesPerByte = 4;
  explicit GlobalShadow(std::uint64_t) {}
};

void shadow_landed(Warp& warp, const AsyncCopy& copy);
void shadow_warp_barrier(Warp& warp, LaneMask lanes);
void shadow_access(const Op& op, Warp& warp, const Prepared& prepared);

}  // namespace warplens::simt
