// What an operation may touch: the space that an address lies in, what of that space there is, and which
// variable or buffer the address was computed from.
//
//   tile[t + 1]   shared; the room is that of tile, even where another array follows it
//   p[i]          generic: resolve_generic() says which space; in global memory the interval must be one
//                 that points_into() allows
#pragma once

#include "engine/simt/buffers/global_memory.h"
#include "engine/simt/load/program.h"
#include "engine/simt/ops/op.h"

namespace warplens::simt {

// Space and offset (global: the address itself) that a generic address stands for.
struct SpacedAddress {
  trace::Space space = trace::Space::Global;
  std::uint64_t address = 0;
};
constexpr SpacedAddress resolve_generic(std::uint64_t address) {
  auto inside = [&](std::uint64_t window) { return address - window < kWindowBytes; };
  if (inside(kSharedWindow)) return {trace::Space::Shared, address - kSharedWindow};
  if (inside(kLocalWindow)) return {trace::Space::Local, address - kLocalWindow};
  if (inside(kConstWindow)) return {trace::Space::Constant, address - kConstWindow};
  if (inside(kParamWindow)) return {trace::Space::Parameter, address - kParamWindow};
  return {trace::Space::Global, address};
}

// Constant and parameter memory belong to the program and the launch, which all workers share: kernels read
// them only.
constexpr bool only_read(trace::Space space) {
  return space == trace::Space::Constant || space == trace::Space::Parameter;
}
constexpr bool changes_memory(trace::SiteKind kind) {
  return is_store(kind) || is_atomic(kind) || kind == trace::SiteKind::Barrier;
}

// Bytes of a space that has a fixed size (not global).
std::uint64_t space_bytes(Warp& warp, trace::Space space);

// The part of such a space that an operation may touch: the variables that its address was computed from.
Interval room_of(const Kernel::Program& program, std::uint32_t instruction, trace::Space space,
                 std::uint64_t bytes, std::uint64_t frame);
Interval room_of(const Op& op, Warp& warp, trace::Space space);
// Is a place in global memory what the operation's address was computed from?
bool points_into(const Op& op, const Worker& worker, const Interval& interval);

// Host address of one lane's generic address, nullptr when `bytes` from there are not all inside one place.
std::byte* host_of_generic(Warp& warp, unsigned lane, std::uint64_t address, std::uint64_t bytes);

}  // namespace warplens::simt
