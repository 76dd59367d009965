#include "engine/simt/checks/local_shadow.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/simt/launch/worker.h"

namespace warplens::simt {

namespace {

bool nothing_written(const std::uint8_t* written, unsigned bytes) {
  return std::all_of(written, written + bytes, [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

void local_access(const Op& op, Warp& warp, const Prepared& p) {
  WarpControl& w = warp.cta->control(warp);
  if (w.local_written.empty()) return;
  const unsigned bytes = bytes_of(op);
  const bool reads = kind_of(op) == trace::SiteKind::Load;
  const bool judged = reads && (op.flags & (memory_flags::kNoCount | kOnlyCopied)) == 0;
  LaneMask holes = 0;
  for (LaneMask left = p.mask; left != 0; left &= left - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(left));
    std::uint8_t* const at =
        w.local_written.data() + std::size_t{l} * warp.worker->program->lane_local_bytes + p.offset[l];
    if (!reads) {
      std::memset(at, 1, bytes);
    } else if (judged && nothing_written(at, bytes)) {
      holes |= 1u << l;
    }
  }
  if (holes == 0) return;
  const std::uint64_t address = p.offset[std::countr_zero(holes)];
  report_fault(warp, op, trace::FaultKind::UninitialisedRead, holes,
               {"fault.unwritten_local", {{"byte", value_of(address)}}}, address);
}

void mark_local(WarpControl& w, std::uint32_t lane_bytes, LaneMask lanes, std::uint32_t offset,
                std::uint32_t bytes, bool written) {
  if (w.local_written.empty()) return;
  for (LaneMask left = lanes; left != 0; left &= left - 1)
    std::memset(w.local_written.data() + std::size_t(std::countr_zero(left)) * lane_bytes + offset,
                written ? 1 : 0, bytes);
}

}  // namespace warplens::simt
