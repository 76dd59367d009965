#include "engine/simt/shadow.h"
namespace warplens::simt {
SharedShadow::SharedShadow(std::uint32_t, std::uint32_t) {}
void SharedShadow::reset() {}
void shadow_landed(Warp&, const AsyncCopy&) {}
void shadow_warp_barrier(Warp&, LaneMask) {}
void shadow_access(const Op&, Warp&, const Prepared&) {}
}  // namespace warplens::simt
