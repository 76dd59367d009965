#include "engine/simt/memory/memory_tables.h"

#include <array>
#include <vector>

#include "engine/simt/ops/ops.h"

namespace warplens::simt {

std::span<const std::span<const OpcodeEntry>> memory_tables() {
  static const std::array tables{load_store_family(),   atomic_family(),        address_family(),
                                 async_family(),        mbarrier_family(),      matrix_memory_family(),
                                 warp_barrier_family(), copies_arrive_family(), transfer_family(),
                                 texture_family()};
  return tables;
}

std::span<const Decode> decoders_of(ptx::Opcode opcode) {
  static const auto by_opcode = [] {
    std::array<std::vector<Decode>, 256> all;
    for (const auto& tables : {memory_tables(), arithmetic_tables()})
      for (const std::span<const OpcodeEntry>& table : tables)
        for (const OpcodeEntry& entry : table)
          all[static_cast<std::size_t>(entry.opcode)].push_back(entry.decode);
    return all;
  }();
  return by_opcode[static_cast<std::size_t>(opcode)];
}

}  // namespace warplens::simt
