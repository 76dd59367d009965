#include "engine/simt/memory/memory_places.h"

#include <algorithm>

#include "engine/simt/launch/worker.h"

namespace warplens::simt {

Interval room_of(const Kernel::Program& program, std::uint32_t instruction, trace::Space space,
                 std::uint64_t bytes, std::uint64_t frame) {
  const InstructionInfo& info = program.instructions[instruction];
  std::uint64_t begin = bytes, end = 0;
  for (std::uint32_t i = 0; i < info.pointee_count; ++i) {
    const Pointee& pointee = program.pointees[info.first_pointee + i];
    if (pointee.space != space) return {0, bytes};
    begin = std::min(begin, pointee.begin + frame);
    end = std::max(end, pointee.end + frame);
  }
  if (info.pointee_count == 0) return {0, bytes};
  return {begin, std::min(end, bytes)};
}

Interval room_of(const Op& op, Warp& warp, trace::Space space) {
  return room_of(*warp.worker->program, op.instruction, space, space_bytes(warp, space),
                 space == trace::Space::Local ? warp.frame : 0);
}

bool points_into(const Op& op, const Worker& worker, const Interval& interval) {
  const Kernel::Program& program = *worker.program;
  const InstructionInfo& info = program.instructions[op.instruction];
  for (std::uint32_t i = 0; i < info.pointee_count; ++i) {
    const Pointee& pointee = program.pointees[info.first_pointee + i];
    if (pointee.space != trace::Space::Global) return true;
    if (pointee.parameter == kNoRow) {
      if (interval.begin == pointee.begin) return true;
      continue;
    }
    if (!worker.state->launch->arguments[pointee.parameter].is_buffer) return true;
    if (interval.kind == Interval::Kind::Buffer &&
        worker.state->memory->placements()[interval.index].argument == pointee.parameter)
      return true;
  }
  return info.pointee_count == 0;
}

std::uint64_t space_bytes(Warp& warp, trace::Space space) {
  const Worker& worker = *warp.worker;
  switch (space) {
    case trace::Space::Shared:
      return warp.cta->shared_bytes();
    case trace::Space::Local:
      return worker.program->lane_local_bytes;
    case trace::Space::Constant:
      return worker.state->constants.size();
    case trace::Space::Parameter:
      return worker.state->parameters.size();
    default:
      return 0;
  }
}

std::byte* host_of_generic(Warp& warp, unsigned lane, std::uint64_t address, std::uint64_t bytes) {
  const SpacedAddress at = resolve_generic(address);
  const LaunchState& state = *warp.worker->state;
  if (at.space == trace::Space::Global) {
    const Interval* interval = state.memory->find(at.address);
    return interval != nullptr && bytes <= interval->end - at.address ? state.memory->host(at.address)
                                                                      : nullptr;
  }
  const std::uint64_t size = space_bytes(warp, at.space);
  if (at.space == trace::Space::Shared) {
    const std::uint64_t offset = at.address & kOffsetMask;
    Cta* const block = warp.cta->block_of(at.address);
    return block != nullptr && offset < size && bytes <= size - offset ? block->shared() + offset : nullptr;
  }
  if (at.address >= size || bytes > size - at.address) return nullptr;
  switch (at.space) {
    case trace::Space::Local:
      return warp.cta->control(warp).local.data() + std::size_t{lane} * size + at.address;
    case trace::Space::Constant:
      // Read only: callers that write check the space themselves.
      return const_cast<std::byte*>(reinterpret_cast<const std::byte*>(state.constants.data()) + at.address);
    case trace::Space::Parameter:
      return const_cast<std::byte*>(reinterpret_cast<const std::byte*>(state.parameters.data()) + at.address);
    default:
      return nullptr;
  }
}

}  // namespace warplens::simt
