// Counting in loops whose addresses move by one distance each turn (loop_moves.h): what an access counts then
// stays the same, and one look at it serves for many turns.
//
//   in front of the last such access of a block, per turn:   same lanes as last time? -> turns += 1
//   otherwise, and every 64 turns, for each access:  measure it; when it counts other than before, add
//   turns * (what it counted) to its counters; ask whether it will go on counting the same
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/gpu/instrument_parts.h"
#include "engine/gpu/loop_moves.h"

namespace warplens::gpu {

struct SteadyPart {
  std::uint32_t slot = 0;
  const char* what = "";  // "global": the recorder's warplens_measure_global
  std::uint32_t rule = 0;
  // A move of all lanes by a multiple of `granule` changes no count; with `together`, neither does any move
  // of lanes whose addresses are multiples of it apart.
  std::int64_t granule = 0;
  bool together = false;
  std::string address;  // code that puts it into %wld6
  AddressMovement movement;
};

class SteadyWriter {
 public:
  static constexpr std::size_t kMostParts = 31;  // of a group
  static constexpr int kRegistersOfGroup = 3, kRegistersOfPart = 3;

  SteadyWriter(const ptx::Function& function, Labels& labels) : function_(function), labels_(labels) {}
  // Accesses of one block, looked at in front of the instruction `check`. `entries`: instructions in front of
  // which lanes enter the loop anew.
  void add(std::uint32_t check, const std::vector<std::uint32_t>& entries, std::vector<SteadyPart> parts);
  bool empty() const { return groups_.empty(); }
  std::string prologue() const;
  std::string before(std::uint32_t instruction);
  // For lanes that leave the kernel having passed some of these blocks: adds what their turns have counted.
  std::string flush(const std::vector<bool>& passed);

 private:
  struct Group {
    std::uint32_t number = 0;
    std::uint32_t first_part = 0;  // number of its first part
    std::vector<SteadyPart> parts;
  };
  std::string check(const Group& group);
  std::string part(const Group& group, std::size_t index);
  std::string settle(const SteadyPart& part, std::uint32_t number, std::uint32_t group) const;
  std::string add_terms(const Movement& movement, const char* sum) const;
  std::string movement(const AddressMovement& movement) const;

  const ptx::Function& function_;
  Labels& labels_;
  std::map<std::uint32_t, Group> groups_;                        // by the instruction that checks
  std::map<std::uint32_t, std::vector<std::uint32_t>> entries_;  // instruction -> groups
  std::uint32_t parts_ = 0;
};

}  // namespace warplens::gpu
