// The window's own side of a GPU that is there: how soon a time follows a slider, and how long a curve takes.
// Skipped without one.
#include <gtest/gtest.h>

#include <set>

#include "app/window/session/workbench.h"
#include "engine/gpu/device.h"

namespace warplens::window {
namespace {

double seconds_since(std::chrono::steady_clock::time_point from) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}

class Live : public ::testing::Test {
 protected:
  void SetUp() override {
    if (gpu::discover().devices.empty()) GTEST_SKIP() << gpu::discover().reason.message;
    auto gallery = model::load_gallery();
    auto devices = analysis::DeviceCatalogue::load();
    ASSERT_TRUE(gallery && devices);
    bench_.emplace(std::move(*gallery), std::move(*devices), Engine::real(), [] {});
    bench_->settings.runs_on = "gpu";
  }
  // Until `done`, at most so many seconds; how long it took.
  template <typename Done>
  double until(double most, const Done& done) {
    const auto from = std::chrono::steady_clock::now();
    while (!done() && seconds_since(from) < most) {
      bench_->tick(0);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return seconds_since(from);
  }
  std::optional<Workbench> bench_;
};

TEST_F(Live, TimeFollowsTheSliderAndTheCurveIsSoonThere) {
  until(20, [&] { return bench_->inventory() != nullptr; });
  for (const char* id : {"copy_strided", "transpose_tile", "matmul_tiled", "block_reduction", "mandelbrot"}) {
    if (!bench_->open_kernel(id)) continue;
    const double first = until(60, [&] { return bench_->measurement().timing.has_value(); });
    ASSERT_TRUE(bench_->measurement().timing) << id;
    const double whole = until(90, [&] { return bench_->settled(); });
    EXPECT_TRUE(bench_->settled()) << id;
    const std::string slider = bench_->measurement().swept_slider;
    std::printf("%s: time after %.2f s, all after %.2f s more, %zu points over %s\n", id, first, whole,
                bench_->measurement().points.size(), slider.c_str());
    if (slider.empty()) continue;
    // A hand moves it for two seconds, 60 frames each.
    std::set<std::string> seen;
    double longest = 0;
    const std::size_t points = bench_->measurement().points.size();
    auto changed = std::chrono::steady_clock::now();
    std::string last;
    for (int frame = 0; frame < 120; ++frame) {
      const std::size_t at = points * static_cast<std::size_t>(frame) / 120;
      if (points > 0) bench_->set_value(slider, bench_->measurement().points[std::min(at, points - 1)].value);
      bench_->tick(0);
      for (const Headline& figure : bench_->figures()) {
        if (figure.name_key != "window.figure.time") continue;
        EXPECT_FALSE(figure.missing) << id;
        if (figure.value != last) {
          longest = std::max(longest, seconds_since(changed));
          changed = std::chrono::steady_clock::now();
          last = figure.value;
          seen.insert(last);
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(15));
    }
    const double released = until(30, [&] { return bench_->measurement().timing.has_value(); });
    EXPECT_TRUE(bench_->measurement().timing) << id;
    std::printf("%s: %zu times in 2 s, longest wait %.2f s; measured well %.2f s after the release\n", id,
                seen.size(), longest, released);
    until(60, [&] { return bench_->settled(); });
  }
}

}  // namespace
}  // namespace warplens::window
