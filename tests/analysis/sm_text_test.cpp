// Which lines of code warps wait for, and how loads come back to a warp that is alone, as an H200 does it
// (tests/models/golden/first_lines_h200.txt, parting_h200.txt and lonely_h200.txt, made by the files of the
// same names in tools/golden).
#include "engine/analysis/sm_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/analysis/model_constants.h"
#include "engine/analysis/sm_simulation.h"
#include "engine/analysis/time_model.h"
#include "tests/sm_sample.h"

namespace warplens::analysis {
namespace {

// An SM of a launch of so many blocks, of which eight fit.
SmSetup of_launch(std::uint64_t blocks) {
  const auto constants = ModelConstants::load("9.0");
  const auto devices = DeviceCatalogue::load();
  LaunchFacts facts;
  facts.blocks = blocks;
  facts.blocks_per_sm = 8;
  SmSetup out = sm_setup(facts, **devices->device("H200 SXM"), *constants);
  out.constant_miss = 0;
  return out;
}

// A row of products of which each needs the one before, or one of four.
SmCode row_of(std::size_t products, std::size_t warps, std::uint32_t chains) {
  SmCode code;
  code.register_count = chains;
  for (std::uint32_t i = 0; i < products; ++i) {
    SmInstruction made{.unit = SmUnit::Fma,
                       .place = i,
                       .latency = 4,
                       .busy = 2,
                       .reads = i,
                       .writes = i,
                       .read_count = 1,
                       .write_count = 1};
    code.registers.push_back(i % chains);
    code.instructions.push_back(made);
  }
  code.machine_bytes = 16.0 * static_cast<double>(products);
  std::vector<SmStep> steps;
  for (std::uint32_t i = 0; i < products; ++i) steps.push_back({i, SmStep::kNoAccess});
  code.blocks.emplace_back(warps, steps);
  return code;
}

double missed(std::size_t products, std::size_t warps, std::uint64_t blocks, std::uint32_t chains = 1) {
  const SmRun run = simulate_sm(row_of(products, warps, chains), of_launch(blocks));
  EXPECT_TRUE(run.finished);
  const auto each = static_cast<double>((blocks + 131) / 132) * static_cast<double>(warps);
  return waited_for(run, SmStall::NoInstruction) / each;
}

// straight<2, 0>, <16, 0> and <24, 0>, which have twelve to 34 instructions: 147 to 196 cycles however long
// they are, where an SM has one block; with two 191 to 226, with eight 113 to 144.
TEST(SmText, TheFirstLinesComeTogether) {
  for (const std::size_t products : {12u, 26u, 34u}) {
    EXPECT_NEAR(missed(products, 1, 1), 165, 25) << products;
    EXPECT_NEAR(missed(products, 8, 128), 155, 25) << products;
    EXPECT_NEAR(missed(products, 8, 264), 200, 45) << products;
    EXPECT_NEAR(missed(products, 8, 1056), 130, 35) << products;
  }
}

// Behind them (of 66 to 114 instructions) 299 to 391 cycles where one SM or a few have a block, 199 to 235
// where all have. 8 KiB of which each product takes four cycles cost no more; of which it takes one, 832.
TEST(SmText, WhoGoesOnWaitsASecondTimeAndThenFollowsItsText) {
  for (const std::size_t products : {66u, 82u, 114u}) {
    EXPECT_NEAR(missed(products, 1, 1), 330, 40) << products;
    EXPECT_NEAR(missed(products, 8, 4), 330, 60) << products;
    EXPECT_NEAR(missed(products, 8, 128), 215, 30) << products;
  }
  EXPECT_NEAR(missed(498, 1, 1), 319, 30);
  EXPECT_NEAR(missed(498, 1, 1, 4), 832, 150);
}

// ahead<60, 8> and <124, 8>: seven jumps over eight and 15 lines, 80 and 104 cycles each behind the second
// wait.
TEST(SmText, AJumpWaitsForItsLineAlone) {
  const SmSetup setup = of_launch(1);
  const SmCode code = row_of(2048, 1, 1);
  for (const auto& [lines, each] : {std::pair{8u, 80.0}, std::pair{15u, 104.0}}) {
    SmText text(code, setup);
    Cycle at = text.there(0, 0);
    for (std::uint32_t k = 1; k <= 8; ++k) {
      const Cycle from = at + 20;
      at = text.there(k * lines * 8, from);
      if (k == 1) continue;
      EXPECT_NEAR(static_cast<double>(at - from), each, 25) << lines;
    }
    EXPECT_EQ(text.there(0, at), text.there(0, at + 500)) << "what was there stays";
  }
}

TEST(SmText, WhatIsNotPartOfItIsThere) {
  const SmSetup setup = of_launch(1);
  SmText text(row_of(8, 1, 1), setup);
  EXPECT_EQ(text.there(SmInstruction::kNowhere, 17), 17);
}

// named<1>: the first address of a variable costs 760 cycles of waiting for constants instead of 47, a second
// none.
TEST(SmConstants, AddressesOfVariablesAreFarTheFirstTime) {
  SmCode code = row_of(4, 1, 1);
  const auto waits = [&] { return waited_for(simulate_sm(code, of_launch(1)), SmStall::ImcMiss); };
  EXPECT_EQ(waits(), 0);
  code.instructions[1].unit = SmUnit::Uniform;
  code.instructions[1].named = true;
  EXPECT_NEAR(waits(), 713, 30);
  code.instructions[2] = code.instructions[1];
  EXPECT_NEAR(waits(), 713, 30);
}

// Batches of loads that do not need each other, of which each touches `lines`: in cycles more than one load
// of one line.
double more_of(SmUnit unit, std::size_t loads, std::uint16_t lines, std::size_t warps) {
  const auto cycles = [&](std::size_t n, std::uint16_t passes) {
    SmCode code;
    code.register_count = static_cast<std::uint32_t>(n);
    std::vector<SmStep> steps;
    for (std::uint32_t i = 0; i < n; ++i) {
      code.registers.push_back(i);
      code.instructions.push_back({.unit = unit, .latency = 33, .writes = i, .write_count = 1});
      steps.push_back({i, 0});
    }
    SmInstruction use{.unit = SmUnit::Alu};
    use.read_count = static_cast<std::uint32_t>(n);
    code.instructions.push_back(use);
    steps.push_back({static_cast<std::uint32_t>(n), SmStep::kNoAccess});
    code.accesses = {{.cycles = passes, .latency = 33}};
    code.blocks.emplace_back(warps, steps);
    return static_cast<double>(simulate_sm(code, of_launch(1)).cycles);
  };
  return cycles(loads, lines) - cycles(1, 1);
}

// lonely_h200.txt: one load of 32 rows takes 62 cycles more than of one, four take 254 more, eight 509; L1's
// lines 69, 259 and 513. Four warps, one of each scheduler, share the SM's cycle a pass: 476 for four loads
// each.
TEST(SmMemory, LoadsOfOneWarpComeBackAtHalfOfTheRate) {
  for (const SmUnit unit : {SmUnit::Shared, SmUnit::Global}) {
    EXPECT_NEAR(more_of(unit, 1, 32, 1), 65, 8);
    EXPECT_NEAR(more_of(unit, 4, 32, 1), 256, 15);
    EXPECT_NEAR(more_of(unit, 8, 32, 1), 511, 20);
    EXPECT_NEAR(more_of(unit, 4, 8, 1), 62, 12);
    EXPECT_NEAR(more_of(unit, 4, 32, 4), 468, 75);
  }
}

}  // namespace
}  // namespace warplens::analysis
