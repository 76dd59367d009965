#include "engine/simt/memory_tables.h"

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/simt/ops.h"

namespace warplens::simt {

std::span<const std::span<const OpcodeEntry>> memory_tables() {
  static const std::array tables{load_store_family(),   atomic_family(),        address_family(),
                                 async_family(),        mbarrier_family(),      matrix_memory_family(),
                                 warp_barrier_family(), copies_arrive_family(), transfer_family(),
                                 texture_family()};
  return tables;
}

std::span<const Decode> decoders_of(std::string_view opcode) {
  static const auto by_opcode = [] {
    std::unordered_map<std::string, std::vector<Decode>> map;
    for (const auto& tables : {memory_tables(), arithmetic_tables()}) {
      for (const std::span<const OpcodeEntry>& table : tables) {
        for (const OpcodeEntry& entry : table) map[std::string(entry.opcode)].push_back(entry.decode);
      }
    }
    return map;
  }();
  const auto found = by_opcode.find(std::string(opcode));
  if (found == by_opcode.end()) return {};
  return found->second;
}

}  // namespace warplens::simt
