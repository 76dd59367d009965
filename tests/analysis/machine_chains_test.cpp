#include "engine/analysis/machine_chains.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "engine/analysis/chain_code.h"
#include "engine/base/assets.h"
#include "engine/ptx/syntax/machine_code.h"
#include "engine/ptx/syntax/parser.h"
#include "tests/support/places.h"

namespace warplens::analysis {
namespace {

// A kernel of tests/models, or of another suite, with the machine code that ptxas made of it.
ptx::Module kernel_file(const std::string& name, const std::string& suite = "models") {
  const auto folder = std::filesystem::path(tests::source_dir()) / "tests" / suite;
  const auto text = read_text(folder / "ptx" / (name + ".ptx"));
  const auto machine = read_text(folder / "machine" / (name + ".txt"));
  EXPECT_TRUE(text && machine);
  auto module = ptx::parse(*text, {.file = name});
  const auto listing = ptx::parse_listing(*machine);
  EXPECT_TRUE(module && listing);
  ptx::attach(*listing, *module);
  return std::move(*module);
}

const ptx::Function& function(const ptx::Module& module, const std::string& part) {
  return *std::ranges::find_if(
      module.functions, [&](const ptx::Function& f) { return f.name.find(part) != std::string::npos; });
}

std::uint32_t instruction_in(const ptx::Function& f, int line) {
  for (std::uint32_t i = 0; i < f.instructions.size(); ++i)
    if (f.instructions[i].line == line) return i;
  return ptx::kNone;
}

// The loop of the product has four products a turn; ptxas makes four turns of it at once, then two, then one.
TEST(MachineChains, ALoopHasAChainForEachWayItIsUnrolled) {
  const ptx::Module module = kernel_file("matmul_naive");
  const ptx::Function& f = function(module, "along_row");
  const std::uint32_t load = instruction_in(f, 78);
  ASSERT_NE(load, ptx::kNone);
  const MachineChains chains = machine_chains(module, f);
  ASSERT_TRUE(chains.known());
  const std::vector<MachineChain>& loop = chains.of_block[f.block_of[load]];
  ASSERT_GE(loop.size(), 3u);
  EXPECT_EQ(loop[0].turns, 4u);
  EXPECT_EQ(loop[1].turns, 2u);
  EXPECT_EQ(loop[2].turns, 1u);
  const auto turns_of_load = [&](const MachineChain& chain) {
    std::vector<std::uint32_t> turns;
    for (const ChainEntry& e : chain.entries)
      if (e.made_of == load && f.machine[e.machine].op == ptx::MachineOp::Load) turns.push_back(e.turn);
    return turns;
  };
  EXPECT_EQ(turns_of_load(loop[0]), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(turns_of_load(loop[1]), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(turns_of_load(loop[2]), (std::vector<std::uint32_t>{0}));
}

// The remainder of two 64-bit integers is a routine of 64 instructions, which every lane that is there runs.
TEST(MachineChains, ARoutineThatAlwaysRunsIsPartOfItsChain) {
  const ptx::Module module = kernel_file("numbers", "conformance");
  const ptx::Function& f = function(module, "power_mod");
  const auto remainders = std::ranges::count_if(
      f.machine, [&](const ptx::MachineInstruction& m) { return m.op == ptx::MachineOp::Call; });
  ASSERT_GT(remainders, 0);
  const MachineChains chains = machine_chains(module, f);
  std::int64_t steps = 0, calls = 0;
  for (const auto& of_block : chains.of_block)
    for (const MachineChain& chain : of_block)
      for (const ChainEntry& e : chain.entries) {
        steps += e.routine ? 1 : 0;
        calls += !e.routine && f.machine[e.machine].op == ptx::MachineOp::Call ? 1 : 0;
      }
  EXPECT_EQ(calls, remainders);
  EXPECT_EQ(steps, 64 * remainders);
}

// Loops of sixteen and four turns that ptxas has put down turn by turn: what does not change is computed in
// the first.
TEST(MachineChains, TurnsThatArePutDownOneByOneFollowEachOther) {
  const auto longest = [](const std::string& file, const std::string& name) {
    const ptx::Module module = kernel_file(file, "conformance");
    const MachineChains chains = machine_chains(module, function(module, name));
    std::vector<std::size_t> out;
    for (std::size_t b = 0; b < chains.of_block.size(); ++b)
      if (chains.in_turn[b] && chains.of_block[b].front().entries.size() > 10)
        for (const MachineChain& chain : chains.of_block[b]) out.push_back(chain.entries.size());
    return out;
  };
  std::vector<std::size_t> probes(16, 7);
  probes.front() = 17;
  probes.back() = 6;  // behind it nothing asks
  EXPECT_EQ(longest("algorithms", "hash_lookup"), probes);
  EXPECT_EQ(longest("grids", "resize_bicubic"), (std::vector<std::size_t>{88, 24, 25, 25}));
  EXPECT_TRUE(longest("numbers", "power_mod").empty()) << "it jumps back";
}

// Behind what only some lanes run stands code that all run again: a chain of its own, though it runs as often
// as what stands before it and ptxas has put a division of it up there.
TEST(MachineChains, WhatAllRunBehindABranchIsAChainOfItsOwn) {
  const ptx::Module module = kernel_file("finance", "conformance");
  const ptx::Function& f = function(module, "black_scholes");
  const MachineChains chains = machine_chains(module, f);
  const auto first_of = [&](ptx::Opcode opcode) {
    const auto found = std::ranges::find_if(f.instructions, [&](const ptx::Instruction& i) {
      return module.form(i).opcode == opcode && module.form(i).space == ptx::StateSpace::Global;
    });
    return f.block_of[static_cast<std::size_t>(found - f.instructions.begin())];
  };
  const std::uint32_t loads = first_of(ptx::Opcode::Ld), stores = first_of(ptx::Opcode::St);
  ASSERT_LT(loads, stores);
  ASSERT_EQ(chains.of_block[loads].size(), 1u);
  ASSERT_EQ(chains.of_block[stores].size(), 1u);
  const std::vector<std::uint32_t>& covers = chains.of_block[loads].front().covers;
  EXPECT_FALSE(std::ranges::binary_search(covers, stores));
  EXPECT_LT(chains.of_block[loads].front().blocks.back(), chains.of_block[stores].front().blocks.front());
}

// Sixteen turns at once, or else eight, or else four of which none may be left: ptxas asks in front of each
// copy.
TEST(MachineChains, WhatAsksForACopyOfALoopLiesOnTheWayToIt) {
  const ptx::Module module = kernel_file("stall_reasons");
  const MachineChains chains = machine_chains(module, function(module, "sleeping"));
  const auto found =
      std::ranges::find_if(chains.of_block, [](const auto& of_block) { return of_block.size() == 3; });
  ASSERT_NE(found, chains.of_block.end());
  const auto loop = static_cast<std::uint32_t>(found - chains.of_block.begin());
  const std::uint32_t before = chains.of_block[loop - 1].back().blocks.back();
  const auto of = [&](std::size_t copy) { return (*found)[copy].blocks.front(); };
  using Way = std::optional<std::vector<std::uint32_t>>;
  const Way four = chains.way(before, of(0), loop), one = chains.way(before, of(2), loop);
  ASSERT_TRUE(four && one);
  EXPECT_EQ(four->size(), 2u) << "whether there are as many, and what they begin with";
  EXPECT_EQ(one->size(), 3u) << "a question for each copy";
  EXPECT_EQ(four->front(), one->front());
  EXPECT_EQ(chains.way(before, of(2)), Way(std::in_place)) << "the shortest: where there is no turn at all";
  EXPECT_EQ(chains.way(of(0), of(1), loop), (Way{{(*one)[1]}}));
  EXPECT_EQ(chains.way(of(0), of(0)), Way(std::in_place)) << "it jumps back";
  EXPECT_EQ(chains.way(of(1), of(0), loop), std::nullopt);
  for (const std::uint32_t b : *one) {
    EXPECT_FALSE(chains.between[b].empty());
    EXPECT_EQ(chains.between_of[b], loop);
  }
}

// A block of which ptxas made nothing does not end what a chain stands for.
TEST(MachineChains, CoversBlocksOfWhichNothingWasMade) {
  std::size_t seen = 0;
  for (const char* const file : {"async_copy", "threshold", "loads_in_flight", "working_set"}) {
    const ptx::Module module = kernel_file(file);
    for (const ptx::Function& f : module.functions) {
      const MachineChains chains = machine_chains(module, f);
      const auto stands = [&](std::uint32_t b) {
        return std::any_of(chains.made.begin() + f.blocks[b].first, chains.made.begin() + f.blocks[b].last,
                           [](bool made) { return made; });
      };
      for (const auto& of_block : chains.of_block)
        for (const MachineChain& chain : of_block)
          for (std::uint32_t b = chain.covers.front(); b < chain.covers.back(); ++b) {
            if (stands(b)) continue;
            EXPECT_TRUE(std::ranges::binary_search(chain.covers, b)) << f.name << ", block " << b;
            ++seen;
          }
    }
  }
  EXPECT_GT(seen, 0u);
}

// What ptxas has moved out of a loop says nothing of the loop: its turns are not swallowed by what stands in
// front of it (an H200 ran 17 to 41 times as many instructions of NVIDIA's n-body sample as were told).
TEST(MachineChains, WhatWasMovedOutOfALoopCoversNoneOfIt) {
  std::size_t seen = 0;
  for (const char* const file : {"objects", "filters", "sims", "toolbox"}) {
    const ptx::Module module = kernel_file(file, "conformance");
    for (const ptx::Function& f : module.functions) {
      const MachineChains chains = machine_chains(module, f);
      for (std::size_t own = 0; own < chains.of_block.size(); ++own)
        for (const MachineChain& chain : chains.of_block[own])
          for (const ChainEntry& e : chain.entries) {
            if (e.made_of == ptx::kNone || !ptx::tells(f.machine[e.machine])) continue;
            const std::uint32_t of = f.block_of[e.made_of];
            if (chains.of_block[of].empty() || f.blocks[of].loop_depth <= f.blocks[own].loop_depth) continue;
            EXPECT_FALSE(std::ranges::binary_search(chain.covers, of)) << f.name << ", block " << own;
            ++seen;
          }
    }
  }
  EXPECT_GT(seen, 0u);
}

// Of sixteen words that a turn reads from shared memory the next one reads fifteen again: in four turns ptxas
// loads 22, in two 18.
TEST(MachineChains, ALoopLoadsLessThanItsTurnsSay) {
  const ptx::Module module = kernel_file("levels");
  const ptx::Function& f = function(module, "from_shared");
  const MachineChains chains = machine_chains(module, f);
  ASSERT_TRUE(chains.known());
  const auto found =
      std::ranges::find_if(chains.of_block, [](const auto& of_block) { return of_block.size() >= 3; });
  ASSERT_NE(found, chains.of_block.end());
  const auto loads = [&](const MachineChain& chain) {
    return std::ranges::count_if(chain.entries, [&](const ChainEntry& e) {
      return e.made_of != ptx::kNone && f.machine[e.machine].op == ptx::MachineOp::Load;
    });
  };
  EXPECT_EQ((*found)[0].turns, 4u);
  EXPECT_EQ(loads((*found)[0]), 22);
  EXPECT_EQ((*found)[1].turns, 2u);
  EXPECT_EQ(loads((*found)[1]), 18);
  EXPECT_EQ((*found)[2].turns, 1u);
  EXPECT_EQ(loads((*found)[2]), 16);
}

TEST(MachineChains, StraightCodeIsOneChain) {
  const ptx::Module module = kernel_file("copy");
  const ptx::Function& f = function(module, "copy");
  const MachineChains chains = machine_chains(module, f);
  ASSERT_TRUE(chains.known());
  for (const auto& of_block : chains.of_block) {
    EXPECT_LE(of_block.size(), 1u);
    for (const MachineChain& chain : of_block) EXPECT_EQ(chain.turns, 1u);
  }
  EXPECT_FALSE(machine_chains(module, ptx::Function{}).known()) << "no machine code";
}

// ptxas puts a move from a uniform register behind REDUX; it is not the move that the unit takes.
TEST(MachineChains, ASumOverAWarpIsASumAndAMove) {
  const ptx::Module module = kernel_file("warp_sum");
  const ptx::Function& f = function(module, "sum_reduce");
  SmCode code;
  std::size_t sums = 0;
  for (std::uint32_t i = 0; i < f.instructions.size(); ++i) {
    const bool sum = module.form(f.instructions[i]).opcode == ptx::Opcode::Redux;
    SmInstruction made;
    if (sum) made.unit = SmUnit::Special, made.busy = 8;
    code.instructions.push_back(made);
  }
  code.register_count = static_cast<std::uint32_t>(f.registers.size());
  const CodedChains chains = code_chains(module, f, 0, 0, code);
  for (const auto& of_block : chains.of_block)
    for (const CodedChain& chain : of_block)
      for (const CodedChain::Step& step : chain.steps) {
        if (step.made_of == ptx::kNone ||
            module.form(f.instructions[step.made_of]).opcode != ptx::Opcode::Redux)
          continue;
        const SmInstruction& made = code.instructions[step.instruction];
        EXPECT_EQ(made.unit == SmUnit::Special, made.schedule.holds != ptx::MachineSchedule::kNone);
        sums += made.unit == SmUnit::Special ? 1 : 0;
      }
  EXPECT_GE(sums, 4u) << "a loop that is unrolled";
}

// A kernel k whose loop has these lines, from line 10 on, and the machine code of it.
ptx::Module loop_of(const std::string& body, const std::string& machine) {
  auto module = ptx::parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n.reg .f32 %f<9>;\nld.param.u64 %rd1, "
      "[p];\n$LOOP:\n" +
      body + "ret;\n}\n");
  const auto listing = ptx::parse_listing(machine);
  EXPECT_TRUE(module && listing);
  ptx::attach(*listing, *module);
  return std::move(*module);
}

// Machine instructions of all chains, each of one turn, and of what lies on the way between them.
std::vector<std::uint32_t> once_a_turn(const ptx::Module& module) {
  std::vector<std::uint32_t> out;
  const MachineChains chains = machine_chains(module, module.functions[0]);
  for (const auto& of_block : chains.of_block)
    for (const MachineChain& chain : of_block) {
      EXPECT_EQ(chain.turns, 1u);
      for (const ChainEntry& e : chain.entries) out.push_back(e.machine);
    }
  for (const auto& on_the_way : chains.between)
    for (const ChainEntry& e : on_the_way) out.push_back(e.machine);
  std::ranges::sort(out);
  return out;
}

// ptxas jumps over the routine of a root to what is computed instead, which always runs.
TEST(MachineChains, TheWayPastASlowPathIsPartOfTheLoop) {
  const ptx::Module module = loop_of(
      "ld.global.f32 %f1, [%rd1];\nsqrt.rn.f32 %f2, %f1;\nst.global.f32 [%rd1], %f2;\nadd.s32 %r1, %r1, 1;\n"
      "setp.ne.s32 %p1, %r1, 9;\n@%p1 bra $LOOP;\n",
      //  0 parameter  1 load   2 MUFU  3 test   4 to 7     5 CALL 6 to 9  7, 8 instead  9 BSYNC 10 store 11
      //  12     13 back 14
      "k 8p8+4 10LG4+4h0 11/s+4 11/a+4 11B@>7+5 11F+5 11B>9+5 11/f+4 11/f+4 11Y+5 12SG4+2 13/a+4 14/a+4 "
      "15B@>1+5 16E+5\n");
  EXPECT_EQ(once_a_turn(module), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14}));
}

// Two turns of a loop that the compiler in front of ptxas put down one after the other, each with a store
// that ptxas predicated and a root: whichever PTX block tells how often a machine block runs, each runs once
// a turn.
TEST(MachineChains, BlocksOfALoopThatRunTogetherShareItsTurns) {
  const ptx::Module module = loop_of(
      "ld.global.f32 %f1, [%rd1];\nsqrt.rn.f32 %f2, %f1;\nsetp.gt.f32 %p2, %f1, 0f40000000;\n@%p2 bra "
      "$SECOND;\n"
      "st.global.f32 [%rd1], %f2;\n$SECOND:\nld.global.f32 %f3, [%rd1+4];\nsqrt.rn.f32 %f4, %f3;\n"
      "setp.gt.f32 %p3, %f3, 0f40000000;\n@%p3 bra $LAST;\nst.global.f32 [%rd1+4], %f4;\n$LAST:\n"
      "add.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, 9;\n@%p1 bra $LOOP;\n",
      "k 8p8+4 10LG4+4h0 12/a+4 11/s+4 11B@>7+5 11F+5 11B>9+5 11/f+4 11/f+4 11Y+5 14SG4@+2 "
      "16LG4+4h0 18/a+4 17/s+4 17B@>17+5 17F+5 17B>19+5 17/f+4 17/f+4 17Y+5 20SG4@+2 22/a+4 23/a+4 24B@>1+5 "
      "25E+5\n");
  EXPECT_EQ(once_a_turn(module), (std::vector<std::uint32_t>{0,  1,  2,  3,  4,  7,  8,  9,  10, 11, 12,
                                                             13, 14, 17, 18, 19, 20, 21, 22, 23, 24}));
}

// A float is added in shared memory by a loop that tries again where somebody else came in between.
TEST(MachineChains, WhatTriesASumAgainIsPartOfTheLoopAroundIt) {
  const ptx::Module module = loop_of(
      "ld.global.f32 %f1, [%rd1];\nred.shared.add.f32 [%r2], %f1;\nst.global.f32 [%rd1], %f1;\nadd.s32 %r1, "
      "%r1, 1;\n"
      "setp.ne.s32 %p1, %r1, 9;\n@%p1 bra $LOOP;\n",
      // 0    1          2 LDS       3 FADD  4 ATOMS     5 test 6 again    7       8        9      10
      "k 8p8+4 10LG4+4h0 11LS4+4h1 11/f+4 11AS4+4h1 11/a+4 11B@>2+5 12SG4+2 13/a+4 14/a+4 15B@>1+5 16E+5\n");
  EXPECT_EQ(once_a_turn(module), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

}  // namespace
}  // namespace warplens::analysis
