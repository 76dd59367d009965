// What waits for L1 and what waits for shared memory stands in one queue, as an H200 has it
// (tests/models/golden/queues_h200.txt, made by tools/golden/queues.cu), and loads are behind what is stored.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "engine/analysis/model_constants.h"
#include "engine/analysis/sm_simulation.h"
#include "tests/support/places.h"

namespace warplens::analysis {
namespace {

struct Shares {
  double lg = 0, mio = 0, short_scoreboard = 0;
};

// By launch, of all that its warps waited for.
std::map<std::string, Shares> readings() {
  std::ifstream in(tests::source_dir() + "/tests/models/golden/queues_h200.txt");
  std::map<std::string, Shares> out;
  for (std::string line; std::getline(in, line);) {
    const std::size_t name = line.find(": "), waits = line.find("; ");
    if (line.starts_with("#") || name == std::string::npos || waits == std::string::npos) continue;
    std::map<std::string, double> cycles;
    double all = 0;
    for (std::size_t at = waits + 2; at < line.size();) {
      const std::size_t end = std::min(line.find(", ", at), line.size()), space = line.rfind(' ', end - 1);
      all += cycles[line.substr(at, space - at)] = std::stod(line.substr(space + 1, end - space - 1));
      at = end + 2;
    }
    out[line.substr(0, name)] = {cycles.at("lg_throttle") / all, cycles.at("mio_throttle") / all,
                                 cycles.at("short_scoreboard") / all};
  }
  return out;
}

Shares shares_of(const SmRun& run) {
  double all = 0;
  for (const double cycles : run.stalls) all += cycles;
  const auto of = [&](SmStall why) { return run.stalls[static_cast<std::size_t>(why)] / all; };
  return {of(SmStall::LgThrottle), of(SmStall::MioThrottle), of(SmStall::ShortScoreboard)};
}

// A turn of a warp: four stores of 32 sectors in eight lines each, so many loads from shared memory and what
// needs them; without these what writes the stores' registers anew.
SmRun stores_and(int each, std::size_t warps) {
  SmCode code;
  code.register_count = 1;
  SmInstruction shared{.unit = SmUnit::Shared, .latency = 23, .busy = 1},
      store{.unit = SmUnit::Global, .store = true, .latency = 33}, use{.unit = SmUnit::Alu};
  shared.schedule = {.stall = 1, .holds = 0};
  store.schedule = {.stall = 4, .reads = 1};
  use.schedule = {.stall = 4, .waits = 1};
  SmInstruction again = use;
  again.schedule.waits = 2;
  code.instructions = {shared, store, use, again};
  code.accesses = {{.cycles = 8, .tags = 8, .stored = 32, .lines = 8, .sparse = true}};
  std::vector<SmStep> turn, steps;
  for (int k = 0; k < 4; ++k) turn.push_back({1, 0});
  for (int k = 0; k < each; ++k) turn.push_back({0, SmStep::kNoAccess});
  turn.push_back({each > 0 ? 2u : 3u, SmStep::kNoAccess});
  for (int k = 0; k < 20; ++k) steps.insert(steps.end(), turn.begin(), turn.end());
  code.blocks.emplace_back(warps, steps);
  const ModelConstants constants = *ModelConstants::load("9.0");
  SmSetup setup;
  setup.queue_entries = static_cast<int>(constants.queue_entries);
  setup.load_entries = static_cast<int>(constants.load_entries);
  setup.load_queue = static_cast<int>(constants.load_queue);
  setup.store_queue = static_cast<int>(constants.store_queue);
  setup.store_buffer = static_cast<int>(constants.store_buffer);
  setup.store_entries = constants.store_entries;
  setup.l2_sectors_a_cycle = 0.93;
  setup.l2_store_share = constants.l2_store_share;
  return simulate_sm(code, setup);
}

// What goes to shared memory is behind stores that L1 does not take yet, and fills the queue with them:
// whoever finds it full waits for it, also to store, and for L1's own limit only where that is what keeps it.
TEST(SmMemoryQueue, StoresAndSharedMemoryWaitInOneQueue) {
  const auto read = readings();
  for (const int each : {1, 4})
    for (const std::size_t warps : {16u, 32u, 64u}) {
      const std::string name = fmt::format("stores and {} shared, {} warps", each, warps);
      const Shares theirs = read.at(name), ours = shares_of(stores_and(each, warps));
      EXPECT_NEAR(ours.mio, theirs.mio, 0.2) << name;
      EXPECT_NEAR(ours.lg, theirs.lg, 0.2) << name;
      EXPECT_NEAR(ours.short_scoreboard, theirs.short_scoreboard, 0.15) << name;
      EXPECT_GT(ours.mio, ours.lg) << name;
    }
  // Nobody waits for the queue where there is nothing else in it.
  const Shares stores = shares_of(stores_and(0, 64)), theirs = read.at("stores and 0 nothing, 64 warps");
  EXPECT_NEAR(stores.mio, theirs.mio, 0.03);
  EXPECT_NEAR(stores.lg, theirs.lg, 0.12);
}

// Blocks load what nobody has loaded and store it to scattered sectors, which L2's slices take at a quarter
// of the rate of the way to them: 32 stores are in L1 and 280 sectors on the way, and loads are behind those.
TEST(SmMemoryQueue, LoadsAreBehindWhatIsStored) {
  SmCode code;
  code.register_count = 1;
  code.registers = {0, 0};
  SmInstruction load{.unit = SmUnit::Global, .latency = 33}, use{.unit = SmUnit::Alu},
      store{.unit = SmUnit::Global, .store = true, .latency = 33};
  load.write_count = use.read_count = 1;
  use.reads = 1;
  code.instructions = {load, use, store};
  SmAccess loaded;
  loaded.from_l2 = loaded.from_dram = 4;
  loaded.requests = 1;
  loaded.latency = 700;
  code.accesses = {loaded, {.cycles = 32, .tags = 32, .stored = 32, .lines = 32, .sparse = true}};
  code.blocks.emplace_back(4, std::vector<SmStep>{{0, 0}, {1, SmStep::kNoAccess}, {2, 1}});
  SmSetup setup;
  setup.blocks = 96;
  setup.resident_blocks = 16;
  setup.l2_sectors_a_cycle = 1;
  setup.store_entries = 280;
  setup.store_buffer = 32;
  setup.store_queue = 9;
  const auto waits = [&](double stored_a_cycle) {
    setup.stored_a_cycle = stored_a_cycle;
    const SmRun run = simulate_sm(code, setup);
    EXPECT_LT(shares_of(run).lg + shares_of(run).mio, 0.05);  // an H200: 0.01 (store_once of behind_h200.txt)
    return run.stalls[static_cast<std::size_t>(SmStall::LongScoreboard)] / (96.0 * 4);
  };
  EXPECT_GT(waits(0.25), 700 + 280 / 0.25);
  EXPECT_LT(waits(0), waits(0.25));
}

}  // namespace
}  // namespace warplens::analysis
