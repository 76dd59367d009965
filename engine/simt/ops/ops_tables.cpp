#include "engine/simt/ops/op_table.h"
#include "engine/simt/ops/ops.h"

namespace warplens::simt {

std::span<const std::span<const OpcodeEntry>> arithmetic_tables() {
  static const std::vector<OpcodeEntry> listed = [] {
    std::vector<OpcodeEntry> entries;
    for (const ptx::Opcode opcode : listed_forms().opcodes()) entries.push_back({opcode, decode_listed});
    return entries;
  }();
  static const std::vector<std::span<const OpcodeEntry>> tables{
      listed,         bit_entries(),    compare_entries(), move_entries(), convert_entries(),
      warp_entries(), matrix_entries(), wmma_entries(),    video_entries()};
  return tables;
}

}  // namespace warplens::simt
