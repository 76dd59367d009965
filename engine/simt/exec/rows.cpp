#include "engine/simt/exec/rows.h"

#include <cstring>

#include "engine/ptx/syntax/special_registers.h"

namespace warplens::simt {

std::uint64_t RowWriter::parameter(const ConstantRow& constant) const {
  std::uint64_t value = 0;
  const std::size_t offset = constant.bits, n = constant.loaded_bytes;
  if (offset + n <= state_.parameters.size()) std::memcpy(&value, state_.parameters.data() + offset, n);
  if (constant.sign_extend && n < 8) {
    const unsigned shift = static_cast<unsigned>(64 - 8 * n);
    value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift);
  }
  return value;
}

std::uint64_t RowWriter::special(const ConstantRow& constant, unsigned lane, Dim3 block_index,
                                 std::uint64_t block) const {
  using S = ptx::SpecialRegister;
  const trace::Launch& launch = *state_.launch;
  const Dim3 thread = unflatten(std::uint64_t{warp_.index} * kWarpSize + lane, launch.block);
  const std::uint32_t bit = 1u << lane;
  const Dim3 cluster = state_.clusters.cluster;
  switch (constant.special) {
    case S::TidX:
      return thread.x;
    case S::TidY:
      return thread.y;
    case S::TidZ:
      return thread.z;
    case S::NtidX:
      return launch.block.x;
    case S::NtidY:
      return launch.block.y;
    case S::NtidZ:
      return launch.block.z;
    case S::CtaidX:
      return block_index.x;
    case S::CtaidY:
      return block_index.y;
    case S::CtaidZ:
      return block_index.z;
    case S::NctaidX:
      return launch.grid.x;
    case S::NctaidY:
      return launch.grid.y;
    case S::NctaidZ:
      return launch.grid.z;
    case S::ClusterIdX:
      return block_index.x / cluster.x;
    case S::ClusterIdY:
      return block_index.y / cluster.y;
    case S::ClusterIdZ:
      return block_index.z / cluster.z;
    case S::NclusterIdX:
      return launch.grid.x / cluster.x;
    case S::NclusterIdY:
      return launch.grid.y / cluster.y;
    case S::NclusterIdZ:
      return launch.grid.z / cluster.z;
    case S::ClusterCtaidX:
      return block_index.x % cluster.x;
    case S::ClusterCtaidY:
      return block_index.y % cluster.y;
    case S::ClusterCtaidZ:
      return block_index.z % cluster.z;
    case S::ClusterNctaidX:
      return cluster.x;
    case S::ClusterNctaidY:
      return cluster.y;
    case S::ClusterNctaidZ:
      return cluster.z;
    case S::ClusterCtarank:
      return cluster.volume() == 1 ? 0 : state_.clusters.rank_of(block);
    case S::ClusterNctarank:
      return cluster.volume();
    // Two halves of an address: where the blocks of a cooperative grid count their arrivals.
    case S::EnvReg:
      if (constant.special_index >= ptx::kReservedSharedRegister)
        return state_.shared_bytes - kReservedShared +
               (constant.special_index - ptx::kReservedSharedRegister) * (kReservedShared / 2);
      return constant.special_index == 1   ? state_.grid_workspace >> 32
             : constant.special_index == 2 ? state_.grid_workspace & 0xffffffffu
                                           : 0;
    case S::LaneId:
      return lane;
    case S::WarpId:
      return warp_.index;
    case S::NwarpId:
      return state_.warps_per_block;
    case S::SmId:  // a hint only: blocks are dealt in turn
      return block % kMultiprocessors;
    case S::NsmId:
      return kMultiprocessors;
    case S::GridId:
      return 1;
    case S::LanemaskEq:
      return bit;
    case S::LanemaskLt:
      return bit - 1;
    case S::LanemaskLe:
      return bit | (bit - 1);
    case S::LanemaskGt:
      return ~(bit | (bit - 1));
    case S::LanemaskGe:
      return ~(bit - 1);
    case S::DynamicSmemSize:
      return launch.dynamic_shared_bytes;
    case S::TotalSmemSize:
    case S::AggrSmemSize:
      return state_.shared_bytes - (state_.reserves_shared ? kReservedShared : 0);
    default:
      return 0;
  }
}

void RowWriter::write(const ConstantRow& constant, Dim3 block_index, std::uint64_t block) {
  if (constant.kind == ConstantRow::Kind::Predicate) {
    std::memcpy(warp_.registers + constant.offset, &constant.bits, sizeof(LaneMask));
    return;
  }
  const bool special_row = constant.kind == ConstantRow::Kind::Special;
  if (special_row && !constant.per_block) {
    for (unsigned l = 0; l < kWarpSize; ++l) {
      const std::uint64_t value = special(constant, l, block_index, block);
      std::memcpy(warp_.registers + constant.offset + std::size_t{l} * constant.bytes, &value,
                  constant.bytes);
    }
    return;
  }
  std::uint64_t value = constant.bits;
  if (special_row) value = special(constant, 0, block_index, block);
  if (constant.kind == ConstantRow::Kind::Parameter) value = parameter(constant);
  if (constant.bytes == 4) {
    u32* to = row<u32>(warp_, constant.offset);
    for (unsigned l = 0; l < kWarpSize; ++l) to[l] = static_cast<u32>(value);
    return;
  }
  for (unsigned l = 0; l < kWarpSize; ++l) {
    std::memcpy(warp_.registers + constant.offset + std::size_t{l} * constant.bytes, &value, constant.bytes);
  }
}

}  // namespace warplens::simt
