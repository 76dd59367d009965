// What a scheduler loses behind products of 64 bits, as an H200 loses it
// (tests/models/golden/dispatch_h200.txt, made by tools/golden/dispatch.cu).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "engine/analysis/sm_simulation.h"
#include "tests/sm_sample.h"
#include "tests/support/places.h"

namespace warplens::analysis {
namespace {

struct Turn {
  std::vector<std::string> of;
  std::vector<double> cycles;  // with 1, 2, 4 and 8 warps a scheduler
};

std::vector<Turn> turns_of_an_h200() {
  std::ifstream in(tests::source_dir() + "/tests/models/golden/dispatch_h200.txt");
  std::vector<Turn> out;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) continue;
    Turn& turn = out.emplace_back();
    std::istringstream words(line);
    for (std::string word; words >> word && word != ":";) turn.of.push_back(word);
    for (double cycles = 0; words >> cycles;) turn.cycles.push_back(cycles);
  }
  return out;
}

constexpr std::uint32_t kAdd = 6;  // what ptxas brings beside an imad.wide

SmInstruction made_of(SmUnit unit, float busy, float hold = 0) {
  SmInstruction out;
  out.unit = unit;
  out.busy = busy;
  out.hold = hold;
  return out;
}

constexpr int kTurns = 400;
constexpr double kWithin = 0.17;  // of what was read

// As ptxas puts a turn down: units alternate as far as they can.
std::vector<std::string> alternating(std::vector<std::string> of) {
  std::vector<std::string> out;
  while (!of.empty()) {
    const auto other =
        std::ranges::find_if(of, [&](const auto& kind) { return out.empty() || kind != out.back(); });
    const auto next = other == of.end() ? of.begin() : other;
    out.push_back(*next);
    of.erase(next);
  }
  return out;
}

// `scheduled`: as ptxas has it, who goes on at the same unit two cycles later, else one.
SmRun run_of(const Turn& turn, int warps, float hold, bool scheduled = false) {
  const std::map<std::string, std::uint32_t> kinds{{"lop3", 0},    {"imad", 1}, {"imad.wide", 2},
                                                   {"imad.hi", 3}, {"ffma", 4}, {"dfma", 5}};
  SmCode code;
  code.instructions = {made_of(SmUnit::Alu, kAluBusy),
                       made_of(SmUnit::FmaHeavy, kFmaBusy),
                       made_of(SmUnit::FmaHeavy, 2 * kFmaBusy, hold),
                       made_of(SmUnit::FmaHeavy, 2 * kFmaBusy, hold),
                       made_of(SmUnit::Fma, kFmaBusy),
                       made_of(SmUnit::Fp64, 2),
                       made_of(SmUnit::Alu, kAluBusy)};
  std::vector<SmStep> steps;
  for (int t = 0; t < kTurns; ++t)
    for (const std::string& kind : scheduled ? alternating(turn.of) : turn.of) {
      steps.push_back({kinds.at(kind)});
      if (kind == "imad.wide") steps.insert(steps.end(), t % 2 == 0 ? 1 : 2, SmStep{kAdd});
    }
  if (scheduled) {
    const auto plain = static_cast<std::uint32_t>(code.instructions.size());
    for (unsigned stall : {1u, 2u})
      for (std::uint32_t i = 0; i < plain; ++i) {
        code.instructions.push_back(code.instructions[i]);
        code.instructions.back().schedule = ptx::MachineSchedule::of(stall, 0, 7, 7);
      }
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const SmUnit unit = code.instructions[steps[k].instruction].unit;
      const bool same = k + 1 < steps.size() && unit != SmUnit::Fma &&
                        code.instructions[steps[k + 1].instruction].unit == unit;
      steps[k].instruction += same ? 2 * plain : plain;
    }
  }
  code.blocks.emplace_back(static_cast<std::size_t>(4 * warps), steps);
  SmSetup setup;
  setup.fill_cycles = setup.block_cycles = 0;
  return simulate_sm(code, setup);
}

double cycles_of_a_turn(const Turn& turn, int warps, float hold, bool scheduled = false) {
  return static_cast<double>(run_of(turn, warps, hold, scheduled).cycles) / (kTurns * warps);
}

bool holds(const Turn& turn) {
  return std::ranges::any_of(turn.of, [](const std::string& kind) { return kind.starts_with("imad."); });
}

// With so many warps a scheduler that none waits for its own.
TEST(Dispatch, TurnsTakeWhatAnH200Takes) {
  std::size_t compared = 0, without_hold = 0;
  for (const Turn& turn : turns_of_an_h200()) {
    ASSERT_EQ(turn.cycles.size(), 4u);
    const double read = turn.cycles[3];
    std::string name;
    for (const std::string& kind : turn.of) name += kind + " ";
    EXPECT_NEAR(cycles_of_a_turn(turn, 4, kWideHold), turn.cycles[2], kWithin * turn.cycles[2]) << name;
    EXPECT_NEAR(cycles_of_a_turn(turn, 8, kWideHold), read, kWithin * read) << name;
    EXPECT_NEAR(cycles_of_a_turn(turn, 8, kWideHold, true), read, kWithin * read) << name << "as scheduled";
    if (holds(turn) && std::fabs(cycles_of_a_turn(turn, 8, 0) - read) < kWithin * read) ++without_hold;
    ++compared;
  }
  EXPECT_EQ(compared, 30u);
  EXPECT_LE(without_hold, 6u) << "of eighteen: the others cannot be told without it";
}

// Who is ready while its scheduler holds back waits for the dispatcher, whoever is ready beside one that
// issues for its turn.
TEST(Dispatch, WhoIsReadyMeanwhileWaitsForTheDispatcher) {
  const Turn products{{"imad.hi", "ffma", "ffma"}, {}}, floats{{"ffma", "ffma"}, {}};
  const SmRun held = run_of(products, 8, kWideHold), free = run_of(floats, 8, kWideHold);
  EXPECT_GT(waited_for(held, SmStall::DispatchStall), waited_for(held, SmStall::Selected));
  EXPECT_EQ(waited_for(free, SmStall::DispatchStall), 0);
  EXPECT_GT(waited_for(free, SmStall::NotSelected), 0);
}

}  // namespace
}  // namespace warplens::analysis
