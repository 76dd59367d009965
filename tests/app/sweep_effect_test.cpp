#include "app/model/recording/sweep_effect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/base/assets.h"
#include "tests/support/places.h"

namespace warplens::model {
namespace {

Spread spread(double median, double quartiles) {
  Spread s;
  s.median = median;
  s.p25 = median * (1 - quartiles / 2);
  s.p75 = median * (1 + quartiles / 2);
  return s;
}

TEST(SweepEffect, IsTheSlowestOverTheFastest) {
  const SweepEffect effect = effect_of({spread(2, 0.01), spread(1, 0.02), spread(3, 0.005)});
  EXPECT_DOUBLE_EQ(effect.effect, 3);
  EXPECT_NEAR(effect.noise, 0.02, 1e-12);
  EXPECT_TRUE(effect.informative);
}

TEST(SweepEffect, IsNoneBelowAQuarterOrInsideTheNoise) {
  EXPECT_FALSE(effect_of({spread(1, 0.001), spread(1.24, 0.001)}).informative);
  EXPECT_FALSE(effect_of({spread(1, 0.2), spread(1.3, 0.01)}).informative);
  EXPECT_FALSE(effect_of({}).informative);
  EXPECT_DOUBLE_EQ(effect_of({spread(4, 0.1)}).effect, 1);
}

// The page in docs/ is what the program writes of its own recording today.
TEST(SweepEffect, ThePageIsThatOfTheRecording) {
  const std::filesystem::path root(tests::source_dir());
  const auto gallery = load_gallery(root / "kernels");
  const auto recording = load_recording(root / "assets" / "recordings" / "nvidia-h200.json");
  const auto page = read_text(root / "docs" / "SWEEPS.md");
  ASSERT_TRUE(gallery && recording && page);
  EXPECT_EQ(*page, sweeps_page(*gallery, *recording))
      << "write it again: warplens record --sweeps docs/SWEEPS.md";
}

}  // namespace
}  // namespace warplens::model
