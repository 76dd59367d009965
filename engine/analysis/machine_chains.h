// Which machine instructions run when a block of the PTX runs: chains of machine blocks, in the order that
// ptxas gave them.
//
//   loop: ld; fma; bra loop            unrolled by 4: LDG LDG LDG LDG FMA FMA FMA FMA BRA
//   chains.of_block[loop]              {4 turns, those nine}, {1 turn, LDG FMA BRA} for what is left over
//
// A chain stands for so many executions of its PTX block and for those of the blocks that it covers (what
// ptxas predicated instead of jumping over it). Each of its instructions knows which PTX instruction it was
// made of, and in which turn.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::analysis {

struct ChainEntry {
  std::uint32_t machine = 0;           // index into Function::machine
  std::uint32_t made_of = ptx::kNone;  // PTX instruction; kNone: not known
  std::uint32_t turn = 0;
  std::uint32_t nth = 0, of = 1;  // of those made of that instruction in that turn
  bool routine = false;           // in the routine that `machine` calls, one after the other
};

struct MachineChain {
  std::uint32_t turns = 1;
  std::vector<ChainEntry> entries;
  std::vector<std::uint32_t> covers;       // PTX blocks that run with it, its own among them; ascending
  std::vector<std::uint32_t> blocks = {};  // of the machine
};

struct MachineChains {
  // By PTX block, most turns first; none where its instructions stand in other chains or nowhere.
  std::vector<std::vector<MachineChain>> of_block;
  // Of a loop that ptxas has put down turn by turn, without a jump back: its chains are those of the first
  // turn, the second and so on.
  std::vector<bool> in_turn = {};
  std::vector<bool> made;  // by PTX instruction: some machine instruction was made of it
  // Machine blocks that stand between others, by their number: what is computed before a loop, what asks
  // whether a copy of its body is begun. No PTX block runs as often; they run on the way from one chain to
  // the next. Empty for the others.
  std::vector<std::vector<ChainEntry>> between = {};
  // Those that lie on the way from one machine block to another, in order; nothing where no way leads through
  // these alone. Of several ways into the loop of the PTX block `into` the one that asks most often whether
  // another copy of it is begun, else the shortest.
  std::optional<std::vector<std::uint32_t>> way(std::uint32_t from, std::uint32_t to,
                                                std::uint32_t into = ptx::kNone) const;
  std::vector<std::vector<std::uint32_t>> next = {};  // machine blocks that come behind each
  std::vector<std::uint32_t> between_of = {};         // PTX block of whose loop they are, by machine block
  bool known() const { return !of_block.empty(); }
};

// Nothing where the machine code of the function is not known.
MachineChains machine_chains(const ptx::Module& module, const ptx::Function& function);

}  // namespace warplens::analysis
