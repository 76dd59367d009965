#include "engine/simt/memory_faults.h"

#include <fmt/format.h>

#include <bit>

#include "engine/simt/worker.h"

namespace warplens::simt {

namespace {

std::string verb(trace::SiteKind kind, unsigned bytes) {
  switch (kind) {
    case trace::SiteKind::Store:
    case trace::SiteKind::MatrixStore:
      return fmt::format("writes {} bytes", bytes);
    case trace::SiteKind::Atomic:
    case trace::SiteKind::Reduction:
    case trace::SiteKind::CompareAndSwap:
      return fmt::format("updates {} bytes", bytes);
    default:
      return fmt::format("reads {} bytes", bytes);
  }
}

std::string element_of(const trace::BufferPlacement& buffer, std::uint64_t address) {
  const auto width = static_cast<std::uint64_t>(trace::size_of(buffer.type));
  const std::uint64_t count = buffer.bytes / width;
  if (address >= buffer.base) {
    return fmt::format(
        "element {} of {}, which has {} element{}: {}. Add a bounds check (if (i < n))",
        (address - buffer.base) / width, buffer.name, count, count == 1 ? "" : "s",
        count == 0 ? std::string("it is empty") : fmt::format("the last index is {}", count - 1));
  }
  const std::uint64_t before = buffer.base - address;
  return fmt::format("element -{} of {}, which starts at index 0: the index is negative",
                     (before + width - 1) / width, buffer.name);
}

std::string where_global(const LaunchState& state, std::uint64_t address) {
  constexpr std::uint64_t kNullPage = 65536;
  if (address < kNullPage) {
    return fmt::format("address 0x{:x}: that is a null pointer{}", address,
                       address == 0 ? "" : " with an index added to it");
  }
  const Interval* near = state.memory->nearest(address);
  if (near == nullptr) return fmt::format("address 0x{:x}: the launch has no buffer at all", address);
  if (near->kind == Interval::Kind::Buffer) {
    return fmt::format("{} (address 0x{:x})", element_of(state.memory->placements()[near->index], address),
                       address);
  }
  const std::uint64_t distance = address < near->begin ? near->begin - address : address - near->end;
  return fmt::format("address 0x{:x}: {} bytes {} {}, the nearest memory there is", address, distance,
                     address < near->begin ? "before" : "behind", state.memory->name_of(*near));
}

std::string where(const Op& op, Warp& warp, trace::Space space, std::uint64_t address) {
  const LaunchState& state = *warp.worker->state;
  const std::uint64_t size = space_bytes(op, warp, space);
  switch (space) {
    case trace::Space::Global:
      return where_global(state, address);
    case trace::Space::Shared:
      return fmt::format("shared memory at byte {}, but the block has {} bytes of it. {}",
                         static_cast<std::int64_t>(address), size,
                         state.launch->dynamic_shared_bytes == 0 && size == 0
                             ? "A kernel with an extern __shared__ array needs its size in the launch"
                             : "Check the index against the extent of the array");
    case trace::Space::Local:
      return fmt::format(
          "the thread's local memory at byte {}, beyond its {} bytes: check the index of the "
          "local array",
          static_cast<std::int64_t>(address), size);
    case trace::Space::Constant:
      return fmt::format("constant memory at byte {}, but the module has {} bytes of it",
                         static_cast<std::int64_t>(address), size);
    default:
      return fmt::format("the parameters at byte {}, but there are {} bytes of them",
                         static_cast<std::int64_t>(address), size);
  }
}

}  // namespace

void report_access_fault(const Op& op, Warp& warp, const Prepared& p, LaneMask bad) {
  if (warp.worker->state->options->checks == Checks::None) return;
  const auto lane = static_cast<unsigned>(std::countr_zero(bad));
  const std::uint64_t address = p.offset[lane];
  const unsigned width = bytes_of(op);
  const std::string what = verb(kind_of(op), width);
  if ((address & (width - 1)) != 0) {
    report_fault(warp, op, trace::FaultKind::Misaligned, bad,
                 fmt::format("the thread {} at address 0x{:x}, which is not a multiple of {}: the GPU reads "
                             "and writes {} bytes only at such addresses",
                             what, address, width, width),
                 address);
    return;
  }
  const bool wild = p.space == trace::Space::Global && address < 65536;
  report_fault(warp, op, wild ? trace::FaultKind::InvalidAddress : trace::FaultKind::OutOfBounds, bad,
               fmt::format("the thread {} of {}", what, where(op, warp, p.space, address)), address);
}

}  // namespace warplens::simt
