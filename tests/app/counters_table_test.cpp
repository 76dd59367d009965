// What of a GPU's counters is shown.
#include "app/model/run/counters_table.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace warplens::model {
namespace {

std::optional<double> l2_hit_rate(gpu::CounterReading reading) {
  for (const visual::CounterLine& line : counters_table(reading, nullptr))
    if (line.metric == "lts__t_sector_hit_rate.pct") return line.measured;
  return {};
}

TEST(CountersTable, TheHitRateOfL2IsOfWhatWasLookedUp) {
  const auto rate =
      l2_hit_rate({{{"lts__t_sectors_lookup_hit.sum", 300.0}, {"lts__t_sectors_lookup_miss.sum", 100.0}}, 0});
  ASSERT_TRUE(rate);
  EXPECT_DOUBLE_EQ(*rate, 75);
}

TEST(CountersTable, OlderRecordingsHaveTheProfilersRateUnlessItIsImpossible) {
  EXPECT_EQ(l2_hit_rate({{{"lts__t_sector_hit_rate.pct", 51.5}}, 0}), 51.5);
  EXPECT_EQ(l2_hit_rate({{{"lts__t_sector_hit_rate.pct", 173.2}}, 0}), std::nullopt);
}

}  // namespace
}  // namespace warplens::model
