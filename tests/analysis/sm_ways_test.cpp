// What constants and special registers share with each other and with shared memory, how many of them wait,
// and what a constant's first load takes, as an H200 has it (tests/models/golden/mixed_h200.txt,
// asides_h200.txt and first_constants_h200.txt, made by tools/golden/mixed.cu, waits.py and
// first_constants.cu).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/analysis/model_constants.h"
#include "engine/analysis/sm_code.h"
#include "engine/analysis/sm_simulation.h"
#include "tests/golden_waits.h"
#include "tests/sm_sample.h"

namespace warplens::analysis {
namespace {

// By what mixed.cu calls them.
SmInstruction way_kind(const std::string& name) {
  SmInstruction out{.unit = SmUnit::Shared, .schedule = ptx::MachineSchedule::of(1, 0, 0, 7)};
  out.latency = name == "ldc" ? kParameterLoad : 25;
  out.busy = 2;
  if (name == "warpid") out.special = true;
  if (name == "smid" || name == "ldc") out.aside = true;
  if (name == "shfl" || name == "lds") out.busy = 1;
  return out;
}

SmSetup lone_ways() {
  SmSetup setup;
  setup.blocks = setup.resident_blocks = 1;
  setup.queue_entries = 10;
  setup.aside_entries = 4;
  return setup;
}

// Cycles of the SM for one of each, where 32 warps issue 64 of both by turns.
double cycles_of_pair(const std::string& a, const std::string& b) {
  constexpr std::size_t kWarps = 32, kPairs = 64;
  SmCode code;
  code.instructions = {way_kind(a), way_kind(b)};
  std::vector<SmStep> steps;
  for (std::size_t k = 0; k < 2 * kPairs; ++k)
    steps.push_back({static_cast<std::uint32_t>(k % 2), SmStep::kNoAccess});
  code.blocks.emplace_back(kWarps, steps);
  return static_cast<double>(simulate_sm(code, lone_ways()).cycles) / (kWarps * kPairs);
}

// %warpid goes the way of shared memory, constants and %smid another one: what goes
// the same way takes as long as both, the rest as long as the longer.
TEST(SmWays, PairsTakeWhatAnH200Takes) {
  std::map<std::pair<std::string, std::string>, double> read;
  for (const std::string& line : tests::golden_lines("mixed_h200.txt")) {
    char a[16], b[16];
    int warps = 0;
    double cycles = 0;
    if (std::sscanf(line.c_str(), "%15[a-z0-9], %15[a-z0-9]: %d warps, %lf", a, b, &warps, &cycles) == 4 &&
        warps == 32)
      read[{a, b}] = cycles;
  }
  std::size_t compared = 0;
  for (const auto& [pair, cycles] : read) {
    const auto modelled = [](const std::string& name) { return name != "rcp" && name != "ldg"; };
    if (!modelled(pair.first) || !modelled(pair.second)) continue;
    EXPECT_NEAR(cycles_of_pair(pair.first, pair.second), cycles, 0.28 * cycles)
        << pair.first << ", " << pair.second;
    ++compared;
  }
  EXPECT_EQ(compared, 15u);
  // The ways themselves, of which those are the lengths.
  EXPECT_GT(cycles_of_pair("smid", "ldc"), 1.7 * cycles_of_pair("warpid", "ldc"));
  EXPECT_GT(cycles_of_pair("warpid", "lds"), 1.3 * cycles_of_pair("ldc", "lds"));
}

// Four of a scheduler wait to be read, besides them warps wait to issue.
TEST(SmWays, FewOfASchedulerWaitForConstantsAndRegistersOfTheSm) {
  const Result<ModelConstants> constants = ModelConstants::load("9.0");
  ASSERT_TRUE(constants);
  EXPECT_EQ(constants->aside_entries, 4);
  const auto read = tests::waits_of("asides_h200.txt");
  std::size_t compared = 0;
  for (const int each : {2, 4, 8})
    for (const std::size_t warps : {16u, 32u}) {
      constexpr int kTurns = 40;
      SmCode code;
      code.instructions = {way_kind("smid"),
                           {.unit = SmUnit::Alu, .schedule = ptx::MachineSchedule::of(13, 1, 7, 7)},
                           {.unit = SmUnit::Alu, .schedule = ptx::MachineSchedule::of(13, 0, 7, 7)}};
      std::vector<SmStep> steps;
      for (int turn = 0; turn < kTurns; ++turn) {
        for (int k = 0; k < each; ++k) steps.push_back({0, SmStep::kNoAccess});
        // As long as the loop takes besides.
        for (const std::uint32_t i : {1u, 2u}) steps.push_back({i, SmStep::kNoAccess});
      }
      code.blocks.emplace_back(warps, steps);
      const SmRun run = simulate_sm(code, lone_ways());
      const std::string launch = fmt::format("{} registers of the SM, {} warps", each, warps);
      const auto near = [&](const std::vector<SmStall>& reasons) {
        double cycles = 0, theirs = 0;
        for (const SmStall why : reasons) {
          cycles += waited_for(run, why) / static_cast<double>(warps) / kTurns;
          theirs += read.at(launch).at(std::string(name(why)));
        }
        EXPECT_NEAR(cycles, theirs, 8 + 0.2 * theirs) << launch << ", " << name(reasons.front());
      };
      near({SmStall::ShortScoreboard, SmStall::MioThrottle});
      if (static_cast<std::size_t>(each) * warps < 128) continue;  // there a few more wait to be read
      near({SmStall::ShortScoreboard});
      near({SmStall::MioThrottle});
      ++compared;
    }
  EXPECT_EQ(compared, 3u);
}

// Cycles that a lone warp waits for each of the loads of these lines, one after the other.
std::vector<double> waits_for(const std::vector<std::uint16_t>& lines) {
  SmSetup setup = lone_ways();
  setup.constant_load_miss = static_cast<int>(ModelConstants::load("9.0")->constant_load_miss);
  std::vector<double> out;
  double before = 0;
  for (std::size_t n = 1; n <= lines.size(); ++n) {
    SmCode code;
    std::vector<SmStep> steps;
    for (std::size_t k = 0; k < n; ++k) {
      SmInstruction load = way_kind("ldc");
      load.indexed = true;
      load.constant_line = lines[k];
      steps.push_back({static_cast<std::uint32_t>(code.instructions.size()), SmStep::kNoAccess});
      code.instructions.push_back(load);
      steps.push_back({static_cast<std::uint32_t>(code.instructions.size()), SmStep::kNoAccess});
      code.instructions.push_back({.unit = SmUnit::Alu, .schedule = ptx::MachineSchedule::of(1, 1, 7, 7)});
    }
    code.blocks.push_back({steps});
    const double waited = waited_for(simulate_sm(code, setup), SmStall::ShortScoreboard);
    out.push_back(waited - before);
    before = waited;
  }
  return out;
}

// A line of 64 bytes is far the first time that LDC loads from it, the next ones again.
TEST(SmWays, TheFirstLoadOfALineTakesWhatAnH200Takes) {
  const auto took = [](const std::string& launch) {
    const std::vector<std::string> lines = tests::golden_lines("first_constants_h200.txt");
    std::array<double, 5> out{};
    for (std::size_t k = 0; k + 1 < lines.size(); ++k)
      if (lines[k] == launch)
        std::sscanf(lines[k + 1].c_str(), "  block 0 of its SM: begins %*[^,], took %lf, %lf, %lf, %lf, %lf",
                    &out[0], &out[1], &out[2], &out[3], &out[4]);
    return out;
  };
  const auto same = took("kind 0, 8 words, 1 blocks of 32"),
             other = took("kind 0, 256 words, 1 blocks of 32");
  ASSERT_GT(same[2], 0);
  ASSERT_GT(other[2], 0);
  const std::vector<double> of_one = waits_for({8, 8}), of_two = waits_for({8, 11});
  EXPECT_NEAR(of_one[0] - of_one[1], same[1] - same[2], 4) << "there the second time";
  EXPECT_NEAR(of_two[1] - of_one[1], other[2] - same[2], 6) << "another line";
}

}  // namespace
}  // namespace warplens::analysis
