// What a recording adds to the pictures of a gallery kernel.
#include "app/model/picture/recorded_views.h"

#include <gtest/gtest.h>

#include "engine/base/assets.h"

namespace warplens::model {
namespace {

struct Recorded {
  GalleryKernel kernel;
  std::string text;
  Recording recording;
  SliderValues values;
};

// copy_strided at strides 1, 2 and 4, all other sliders as they are.
Recorded make_recorded() {
  Recorded out;
  out.kernel = *load_gallery(kernels_folder()).value().find("copy_strided");
  out.text = read_text(out.kernel.file).value();
  out.values = default_values(out.kernel);
  out.values["stride"] = 2;
  out.recording.device.name = "NVIDIA H200";
  out.recording.date = "2026-11-20";
  RecordedKernel recorded;
  recorded.id = out.kernel.id;
  recorded.source = source_hash(out.kernel, out.text);
  for (const auto& [name, value] : out.values) recorded.sliders.push_back(name);
  for (const int stride : {1, 2, 4}) {
    RecordedPoint point;
    SliderValues values = out.values;
    values["stride"] = stride;
    for (const auto& [name, value] : values) point.values.push_back(value);
    const double t = 0.01 * stride;
    point.warm = {t, t * 0.98, t * 0.99, t * 1.01, t * 1.05, 100, {t * 2}};
    point.cold = Spread{t * 3, t * 2.9, t * 2.95, t * 3.05, t * 3.1, 50, {}};
    recorded.points.push_back(std::move(point));
  }
  out.recording.kernels.push_back(std::move(recorded));
  return out;
}

TEST(RecordedViews, GiveTheSweepTheSpreadAndTheTime) {
  const Recorded r = make_recorded();
  const Catalogue catalogue = Catalogue::load("en").value();
  const RecordedViews seen = recorded_views(r.recording, r.kernel, r.text, r.values, nullptr, catalogue);
  ASSERT_TRUE(seen.time);
  EXPECT_DOUBLE_EQ(seen.time->milliseconds, 0.02);
  ASSERT_TRUE(seen.sweep);
  EXPECT_EQ(seen.sweep->x_now, 2);
  EXPECT_NE(seen.sweep->note.find("2026-11-20"), std::string::npos);
  ASSERT_FALSE(seen.sweep->series.empty());
  EXPECT_EQ(seen.sweep->series[0].evidence, Evidence::Measured);
  EXPECT_EQ(seen.sweep->series[0].points.size(), 3u);
  ASSERT_TRUE(seen.sweep->spread);
  EXPECT_EQ(seen.sweep->spread->runs, 100);
  EXPECT_EQ(seen.sweep->spread->outliers.size(), 1u);
  EXPECT_FALSE(seen.streams);
  if (seen.sweep->series.size() < 2)
    GTEST_SKIP() << "no CUDA compiler here: nothing is counted beside the times";
  // The access that the kernel is about: its loads of 4, 8 and 16 sectors, without the stores of 4 beside
  // them.
  EXPECT_TRUE(is_counted(seen.sweep->series[1].evidence));
  EXPECT_DOUBLE_EQ(seen.sweep->series[1].points[0].y, 4);
  EXPECT_DOUBLE_EQ(seen.sweep->series[1].points[1].y, 8);
  EXPECT_DOUBLE_EQ(seen.sweep->series[1].points[2].y, 16);
}

// Times are of a size that suits a clock; emulating that at every value takes the book minutes a page.
TEST(RecordedViews, CountAtTheSizeOfThePictureWhereItIsSaid) {
  const Recorded r = make_recorded();
  const Catalogue catalogue = Catalogue::load("en").value();
  SliderValues small = r.values;
  small["n"] = 32;
  const RecordedViews seen =
      recorded_views(r.recording, r.kernel, r.text, r.values, nullptr, catalogue, {}, &small);
  ASSERT_TRUE(seen.sweep);
  if (seen.sweep->series.size() < 2)
    GTEST_SKIP() << "no CUDA compiler here: nothing is counted beside the times";
  EXPECT_EQ(seen.sweep->series[0].points.size(), 3u);
  // One warp has elements; with a stride of 4 it asks for 16 sectors at once, and nobody else asks.
  EXPECT_DOUBLE_EQ(seen.sweep->series[1].points[2].y, 16);
  const RecordedViews same = recorded_views(r.recording, r.kernel, r.text, r.values, nullptr, catalogue);
  EXPECT_DOUBLE_EQ(same.sweep->series[1].points[2].y, 16);
}

// A page that quotes times behind an emptied L2 shows those, and says so.
TEST(RecordedViews, AreOfTheStateOfL2ThatIsAskedFor) {
  const Recorded r = make_recorded();
  const Catalogue catalogue = Catalogue::load("en").value();
  const RecordedViews seen =
      recorded_views(r.recording, r.kernel, r.text, r.values, nullptr, catalogue, {}, nullptr, true);
  ASSERT_TRUE(seen.time);
  EXPECT_DOUBLE_EQ(seen.time->milliseconds, 0.06);
  EXPECT_TRUE(seen.time->flushed);
  ASSERT_TRUE(seen.sweep);
  EXPECT_NE(seen.sweep->note.find("L2 flushed"), std::string::npos) << seen.sweep->note;
  ASSERT_FALSE(seen.sweep->series.empty());
  ASSERT_EQ(seen.sweep->series[0].points.size(), 3u);
  const RecordedViews warm = recorded_views(r.recording, r.kernel, r.text, r.values, nullptr, catalogue);
  EXPECT_DOUBLE_EQ(seen.sweep->series[0].points[0].y, 3 * warm.sweep->series[0].points[0].y);
  ASSERT_TRUE(seen.sweep->spread);
  EXPECT_EQ(seen.sweep->spread->runs, 50);
}

TEST(RecordedViews, AnEditedKernelHasNone) {
  const Recorded r = make_recorded();
  const Catalogue catalogue = Catalogue::load("zh").value();
  const RecordedViews seen =
      recorded_views(r.recording, r.kernel, r.text + "\n", r.values, nullptr, catalogue);
  EXPECT_FALSE(seen.time);
  EXPECT_FALSE(seen.sweep);
}

}  // namespace
}  // namespace warplens::model
