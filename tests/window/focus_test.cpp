// The figure that matters: headlines, badges and curves are of one access each.
#include <gmock/gmock.h>

#include <numeric>

#include "app/model/gallery/gallery.h"
#include "app/model/picture/matrices.h"
#include "app/model/run/launch_line.h"
#include "app/window/jobs/sweep.h"
#include "app/window/session/view_choice.h"
#include "engine/base/assets.h"
#include "tests/window/fake_engine.h"
#include "visual/warp_totals.h"

namespace warplens::window {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A kernel of the gallery as it runs at these values; null (and why) without a compiler.
std::shared_ptr<const model::Run> run_gallery(const std::string& id, const model::SliderValues& values,
                                              std::string& skipped) {
  const auto gallery = model::load_gallery();
  const model::GalleryKernel* kernel = gallery ? gallery->find(id) : nullptr;
  if (kernel == nullptr) return nullptr;
  const auto bound = model::launch_of(*kernel, values);
  if (!bound) return nullptr;
  const auto program = model::load_program(model::program_request(*kernel, *bound));
  if (!program) {
    skipped = "no CUDA compiler here: " + program.error().message;
    return nullptr;
  }
  model::RunRequest request;
  request.program = *program;
  request.launch = bound->launch;
  const auto run = model::execute(request);
  return run ? *run : nullptr;
}

const Headline* figure(const std::vector<Headline>& all, const std::string& key) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Headline& h) { return h.name_key == key; });
  return found == all.end() ? nullptr : &*found;
}

TEST(Focus, TheHeadlineOfAStridedCopyIsItsLoad) {
  std::string skipped;
  const auto run = run_gallery("copy_strided", {{"stride", 8}, {"n", 4096}}, skipped);
  if (!skipped.empty()) GTEST_SKIP() << skipped;
  ASSERT_TRUE(run);
  const std::vector<Headline> all = headlines(run->report, 6);
  const Headline* sectors = figure(all, "window.figure.sectors");
  ASSERT_TRUE(sectors);
  EXPECT_EQ(sectors->value, "32.0") << "18.0 is the average with the store";
  EXPECT_TRUE(sectors->only_one);
  EXPECT_EQ(sectors->others.size(), 2u) << "load and store, on demand";
  EXPECT_EQ(figure(all, "window.figure.used")->value, "12.5 %");
  const std::vector<LineCost> lines = line_costs(run->report);
  ASSERT_EQ(lines.size(), 1u);
  const std::vector<CostMark> marks = cost_marks(lines[0]);
  ASSERT_EQ(marks.size(), 2u) << "8.0 down, 4.0 up: load and store apart";
  EXPECT_DOUBLE_EQ(marks[0].value, 32);
  EXPECT_TRUE(marks[0].worse);
  EXPECT_DOUBLE_EQ(marks[1].value, 4);
  EXPECT_FALSE(marks[1].worse);
  EXPECT_THAT(model::launch_line(*run), HasSubstr("copy_strided<<<16, 256>>>(in, out, 4096, 8);"));
}

// The law that the kernel teaches is the curve itself.
TEST(Focus, TheCurveOfStridesIsTheGreatestCommonDivisor) {
  const auto catalogue = Catalogue::load("en");
  const auto gallery = model::load_gallery();
  ASSERT_TRUE(catalogue && gallery && gallery->find("shared_stride"));
  Swept swept{"stride", {}, true, true};
  for (std::int64_t stride = 0; stride <= 33; ++stride) {
    std::string skipped;
    const auto run = run_gallery("shared_stride", {{"stride", stride}, {"blocks", 1}, {"turns", 1}}, skipped);
    if (!skipped.empty()) GTEST_SKIP() << skipped;
    ASSERT_TRUE(run) << stride;
    swept.points.push_back(swept_point(stride, run->report));
  }
  const visual::Sweep sweep = named_sweep(swept, *gallery->find("shared_stride"), 2, *catalogue, "en");
  ASSERT_FALSE(sweep.series.empty());
  EXPECT_THAT(sweep.series[0].name, HasSubstr("load")) << "says which access it is of";
  ASSERT_EQ(sweep.series[0].points.size(), 34u);
  for (const visual::SweepPoint& p : sweep.series[0].points) {
    const auto stride = static_cast<std::int64_t>(p.x);
    EXPECT_DOUBLE_EQ(p.y, stride == 0 ? 1.0 : static_cast<double>(std::gcd(stride, std::int64_t{32})))
        << stride;
  }
}

// Each access that a kernel names is there with one choice of its first slider at least.
TEST(Focus, AKernelAboutConstantsIsCountedByThem) {
  std::string skipped;
  const auto run = run_gallery("constant_memory", {{"words", 16}, {"n", 4096}}, skipped);
  if (!skipped.empty()) GTEST_SKIP() << skipped;
  ASSERT_TRUE(run);
  const std::vector<Headline> all = headlines(run->report, 6);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().name_key, "window.figure.addresses");
  EXPECT_EQ(all.front().value, "16.0");
  EXPECT_TRUE(all.front().worse);
  ASSERT_TRUE(figure(all, "window.figure.sectors")) << "the load of the input is there as well";
  ASSERT_FALSE(run->report.explanations.empty());
  EXPECT_EQ(run->report.explanations.front().key, "explain.launch.constant");
  const std::vector<LineCost> lines = line_costs(run->report);
  const auto line = std::ranges::find(lines, LineCost::Unit::Addresses, &LineCost::unit);
  ASSERT_NE(line, lines.end());
  EXPECT_DOUBLE_EQ(cost_marks(*line)[0].value, 16);

  // Of its curve the first series is of the constants, and follows the slider.
  Swept swept{"words", {}, true, true};
  for (const std::int64_t words : {1, 4, 32}) {
    const auto one = run_gallery("constant_memory", {{"words", words}, {"n", 4096}}, skipped);
    ASSERT_TRUE(one);
    swept.points.push_back(swept_point(words, one->report));
  }
  const auto gallery = model::load_gallery();
  const auto text = Catalogue::load("en");
  ASSERT_TRUE(gallery && text);
  const visual::Sweep sweep = named_sweep(swept, *gallery->find("constant_memory"), 4, *text, "en");
  ASSERT_GE(sweep.series.size(), 2u);
  EXPECT_THAT(sweep.series[0].name, ::testing::HasSubstr("constant passes"));
  EXPECT_DOUBLE_EQ(sweep.series[0].points[1].y, 4);
  EXPECT_DOUBLE_EQ(sweep.series[0].points[2].y, 32);
}

TEST(Focus, WhatTheGalleryNamesStandsInItsKernels) {
  const auto gallery = model::load_gallery();
  ASSERT_TRUE(gallery && gallery->problems.empty());
  const auto squeezed = [](std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isspace(c); });
    return text;
  };
  int named = 0;
  for (const model::GalleryKernel& kernel : gallery->kernels) {
    const auto text = read_text(kernel.file.string());
    ASSERT_TRUE(text) << kernel.id;
    for (const analysis::About& about : kernel.about) {
      ++named;
      EXPECT_NE(squeezed(*text).find(squeezed(about.text)), std::string::npos)
          << kernel.id << ": " << about.text;
    }
    for (const auto& [name, width] : kernel.matrices)
      EXPECT_NE(text->find(name), std::string::npos) << kernel.id << ": matrix " << name;
  }
  EXPECT_GT(named, 20);
}

TEST(Focus, AProductKnowsItsMatrices) {
  std::string skipped;
  const auto run = run_gallery("matmul_tiled", {{"m", 32}, {"n", 48}, {"k", 20}, {"tile", 16}}, skipped);
  if (!skipped.empty()) GTEST_SKIP() << skipped;
  ASSERT_TRUE(run);
  const std::vector<visual::MatrixShape> shapes = model::matrix_shapes(*run);
  ASSERT_EQ(shapes.size(), 3u);
  EXPECT_EQ(shapes[0].name, "a");
  EXPECT_EQ(std::pair(shapes[0].rows, shapes[0].columns), (std::pair<std::uint64_t, std::uint64_t>{32, 20}));
  EXPECT_EQ(std::pair(shapes[1].rows, shapes[1].columns), (std::pair<std::uint64_t, std::uint64_t>{20, 48}));
  EXPECT_EQ(std::pair(shapes[2].rows, shapes[2].columns), (std::pair<std::uint64_t, std::uint64_t>{32, 48}));
  EXPECT_FALSE(shapes[0].guessed);
  EXPECT_EQ(model::matrix_shapes(*run, {{"a", 10}})[0].rows, 64u) << "what somebody types comes first";
  const visual::MatrixShapes seen = visual::collect_matrices(run->trace, shapes);
  EXPECT_EQ(seen.all[0].most, 1u) << "a tiled product loads each element of its band once a block";
  EXPECT_EQ(seen.all[0].touches[0], 1u);
  ASSERT_EQ(seen.blocks.size(), 1u);
  EXPECT_EQ(seen.blocks[0].phases, 5u) << "two tiles along k, two barriers each, and what follows";
  ASSERT_TRUE(run->warps);
  EXPECT_EQ(run->warps->counts->all.size(), 6u * 8u) << "every warp of 3 x 2 blocks";
}

model::GalleryKernel kernel_with_choice() {
  model::GalleryKernel kernel;
  kernel.kernel = "sum_{way}";
  model::Slider way;
  way.name = "way";
  way.title = {{"en", "way"}, {"zh", "方式"}};
  way.choices = {"tree", "shuffle"};
  way.names = {{"en", {"as a tree", "by shuffles"}}, {"zh", {"树形", "洗牌"}}};
  way.max = 1;
  kernel.sliders.push_back(way);
  kernel.sliders.push_back(testing::slider("n", 1, 64, 8));
  return kernel;
}

analysis::Report loads_with_stride(std::uint64_t stride, int line) {
  analysis::Report report;
  report.sites = testing::sites();
  report.sites.resize(1);
  report.sites[0].line = line;
  analysis::TotalsCounter counter(report.sites);
  testing::access(counter, nullptr, {0, 0}, 0, static_cast<std::int64_t>(stride));
  report.totals = counter.totals();
  return report;
}

TEST(Focus, AChoiceIsSweptWithNames) {
  const model::GalleryKernel kernel = kernel_with_choice();
  EXPECT_TRUE(can_sweep(kernel, kernel.sliders[0]));
  EXPECT_EQ(slider_to_sweep(kernel), "way");
  const Swept swept{
      "way", {swept_point(0, loads_with_stride(8, 3)), swept_point(1, loads_with_stride(1, 9))}, true, true};
  const visual::Sweep sweep = named_sweep(swept, kernel, 1, *Catalogue::load("zh"), "zh");
  EXPECT_THAT(sweep.x_names, ElementsAre("树形", "洗牌"));
  ASSERT_EQ(sweep.series.size(), 1u);
  EXPECT_DOUBLE_EQ(sweep.series[0].points[0].y, 32) << "each variant by an access of its own line";
  EXPECT_DOUBLE_EQ(sweep.series[0].points[1].y, 4);
}

// A number that changes the program is tried when its values are few.
TEST(Focus, FewValuesAreWorthTheCompiler) {
  model::GalleryKernel kernel = kernel_with_choice();
  kernel.defines = {{"N", "n"}};
  EXPECT_FALSE(can_sweep(kernel, kernel.sliders[1])) << "64 programs";
  kernel.sliders[1].values = {4, 8, 16, 32};
  EXPECT_TRUE(can_sweep(kernel, kernel.sliders[1]));
  kernel.sliders[0].choices = {"only"};
  EXPECT_FALSE(can_sweep(kernel, kernel.sliders[0]));
}

// One variant reads constants, another does not: the kernel's next view takes the empty one's place, unless
// somebody has chosen what stands there.
TEST(ViewsOfVariants, AnEmptyViewGivesItsPlaceToTheNext) {
  std::string skipped;
  const auto run = [&](std::int64_t level) {
    return run_gallery("levels", {{"level", level}, {"rounds", 1}, {"n", 256}}, skipped);
  };
  Picture constants, coalesced;
  constants.run = run(1);
  coalesced.run = run(3);
  if (!skipped.empty()) GTEST_SKIP() << skipped;
  ASSERT_TRUE(constants.run && coalesced.run);
  const auto seen = [](const Picture& picture) {
    visual::ViewInput input;
    input.report = &picture.run->report;
    input.trace = &picture.run->trace;
    return input;
  };
  const auto gallery = model::load_gallery();
  model::GalleryKernel kernel = *gallery->find("levels");
  kernel.views = {"constants", "address-map"};

  Settings settings;
  ViewChoice choice(settings);
  choice.choose(kernel, constants, {}, seen(constants));
  EXPECT_EQ(settings.views[0], "constants");
  EXPECT_FALSE(choice.is_empty_of(seen(constants)));
  ASSERT_TRUE(choice.is_empty_of(seen(coalesced)));
  choice.choose(kernel, coalesced, {}, seen(coalesced));
  EXPECT_EQ(settings.views[0], "address-map");
  EXPECT_FALSE(choice.is_empty_of(seen(coalesced)));

  // Two views: what the second one shows counts as well, where it is seen.
  kernel.views = {"address-map", "constants"};
  settings.two_views = true;
  choice.choose(kernel, constants, {}, seen(constants));
  ASSERT_EQ(settings.views[1], "constants");
  EXPECT_TRUE(choice.is_empty_of(seen(coalesced)));
  settings.two_views = false;
  EXPECT_FALSE(choice.is_empty_of(seen(coalesced)));
  settings.two_views = true;
  choice.choose(kernel, coalesced, {}, seen(coalesced));
  EXPECT_EQ(settings.views[0], "address-map");
  EXPECT_NE(settings.views[1], "constants");

  choice.keep({"constants", "address-map"});
  EXPECT_FALSE(choice.is_empty_of(seen(coalesced))) << "somebody wants it there";
}

// That all lanes work is what the kernel comes to: the view of lanes stays.
TEST(Focus, LanesThatNeverWaitAreAPictureToo) {
  std::string skipped;
  const auto run = [&](std::int64_t split) {
    return run_gallery("even_odd", {{"split", split}, {"n", 4096}}, skipped);
  };
  Picture apart, by_warp;
  apart.run = run(0);
  by_warp.run = run(2);
  if (!skipped.empty()) GTEST_SKIP() << skipped;
  ASSERT_TRUE(apart.run && by_warp.run);
  const auto seen = [](const Picture& picture) {
    visual::ViewInput input;
    input.report = &picture.run->report;
    input.trace = &picture.run->trace;
    return input;
  };
  const auto gallery = model::load_gallery();
  Settings settings;
  ViewChoice choice(settings);
  choice.choose(*gallery->find("even_odd"), apart, {}, seen(apart));
  ASSERT_EQ(settings.views[0], "active-lanes");
  ASSERT_FALSE(visual::find_view("active-lanes")->applies(seen(by_warp))) << "no lane waits";
  EXPECT_FALSE(choice.is_empty_of(seen(by_warp)));
}

// Divergence that costs more than what the accesses lose is said first, as the lecture says it.
TEST(Focus, TheSentenceOfEvenAndOddLanesIsOfTheBranch) {
  std::string skipped;
  const auto run = run_gallery("even_odd", {{"split", 0}, {"n", 4096}}, skipped);
  if (!skipped.empty()) GTEST_SKIP() << skipped;
  ASSERT_TRUE(run);
  ASSERT_FALSE(run->report.explanations.empty());
  EXPECT_EQ(run->report.explanations.front().key, "explain.launch.divergence");
}

// A copy whose tail parts one warp is still about its load.
TEST(Focus, ATailIsNoHeadlineOfAVectorCopy) {
  std::string skipped;
  const auto run = run_gallery("vector_copy", {{"width", 2}, {"n", 65535}}, skipped);
  if (!skipped.empty()) GTEST_SKIP() << skipped;
  ASSERT_TRUE(run);
  const std::vector<Headline> all = headlines(run->report, 6);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().name_key, "window.figure.sectors");
  EXPECT_FALSE(figure(all, "window.figure.lanes")->worse) << "32.0 of 32";
  ASSERT_FALSE(run->report.explanations.empty());
  EXPECT_EQ(run->report.explanations.front().key, "explain.launch.good_global");
}

}  // namespace
}  // namespace warplens::window
