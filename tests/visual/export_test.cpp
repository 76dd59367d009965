#include "visual/export.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "engine/base/assets.h"
#include "tests/visual/fixtures.h"

namespace warplens::visual {
namespace {

using testing::HasSubstr;

class ExportTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("warplens_export_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Scene scene(float phase = 1) const {
    const ViewContext context{{640, 360}, catalogue_, cairo_text_measure()};
    ViewInput input = fixture_.input();
    input.cursor.phase = phase;
    return find_view("address-map")->layout(context, input);
  }
  std::string written(const std::filesystem::path& file) const { return read_text(file).value(); }

  std::filesystem::path folder_;
  Catalogue catalogue_ = Catalogue::load("en").value();
  Fixture fixture_ = strided_copy(2);
};

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < 4; ++i) out = out << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return out;
}

TEST_F(ExportTest, PngHasTheSceneSizeTimesTheScale) {
  const auto file = folder_ / "map.png";
  ASSERT_TRUE(export_scene(scene(), Theme::dark(), file, {.scale = 1.5}));
  const std::string bytes = written(file);
  EXPECT_EQ(bytes.substr(1, 3), "PNG");
  EXPECT_EQ(big_endian(bytes, 16), 960u);
  EXPECT_EQ(big_endian(bytes, 20), 540u);
}

TEST_F(ExportTest, SvgIsAVectorPictureWithItsDescription) {
  const auto file = folder_ / "map.svg";
  ASSERT_TRUE(export_scene(scene(), Theme::light(), file));
  const std::string text = written(file);
  EXPECT_THAT(text, HasSubstr("<title>Which sectors does this warp touch?</title>"));
  EXPECT_THAT(text, HasSubstr("<desc>"));
  EXPECT_THAT(text, HasSubstr("<path"));
  EXPECT_THAT(text, testing::Not(HasSubstr("<image")));
}

TEST_F(ExportTest, PdfIsWritten) {
  const auto file = folder_ / "map.pdf";
  ASSERT_TRUE(export_scene(scene(), Theme::light(), file));
  EXPECT_TRUE(written(file).starts_with("%PDF"));
}

TEST_F(ExportTest, AnotherExtensionIsAnErrorThatNamesTheKnownOnes) {
  const Status status = export_scene(scene(), Theme::dark(), folder_ / "map.bmp");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::Usage);
  EXPECT_THAT(status.error().message, HasSubstr(".svg"));
}

TEST_F(ExportTest, SizesThatNoPictureCanHaveAreErrors) {
  Scene huge = scene();
  huge.size = {1e6f, 1e6f};
  EXPECT_FALSE(export_scene(huge, Theme::dark(), folder_ / "a.png"));
  huge.size = {0, 0};
  EXPECT_FALSE(export_scene(huge, Theme::dark(), folder_ / "a.svg"));
  EXPECT_FALSE(export_scene(scene(), Theme::dark(), "/dev/null/a.png"));
}

TEST_F(ExportTest, AnimationIsALoopingGif) {
  const auto file = folder_ / "map.gif";
  const Status status =
      export_gif([&](double t) { return scene(static_cast<float>(t)); }, 5, 10, Theme::dark(), file);
  if (!status && status.error().message.find("giflib") != std::string::npos)
    GTEST_SKIP() << status.error().message;
  ASSERT_TRUE(status) << status.error().text();
  const std::string bytes = written(file);
  EXPECT_EQ(bytes.substr(0, 6), "GIF89a");
  EXPECT_THAT(bytes, HasSubstr("NETSCAPE2.0"));
  std::size_t frames = 0;  // a graphic control extension each
  for (std::size_t at = bytes.find("\x21\xF9\x04"); at != std::string::npos;
       at = bytes.find("\x21\xF9\x04", at + 1))
    ++frames;
  EXPECT_EQ(frames, 5u);
}

TEST_F(ExportTest, FramesAreNumberedPicturesOfTheSameAnimation) {
  const auto folder = folder_ / "video";
  const auto frame = [&](double t) { return scene(static_cast<float>(t)); };
  ASSERT_TRUE(export_frames(frame, 3, Theme::dark(), folder));
  EXPECT_FALSE(std::filesystem::exists(folder / "frame_0004.png"));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(export_scene(frame(i / 2.0), Theme::dark(), folder_ / "still.png"));
    EXPECT_EQ(written(folder / ("frame_000" + std::to_string(i + 1) + ".png")),
              written(folder_ / "still.png"));
  }
  EXPECT_FALSE(export_frames(frame, 0, Theme::dark(), folder));
  EXPECT_FALSE(export_frames(frame, 2, Theme::dark(), "/dev/null/video"));
}

TEST_F(ExportTest, APictureThroughEyesWithoutColourIsGrey) {
  const auto file = folder_ / "grey.png";
  ASSERT_TRUE(export_scene(scene(), Theme::dark(), file, {1.0, Vision::Grey}));
  ASSERT_TRUE(export_scene(scene(), Theme::dark(), folder_ / "normal.png"));
  EXPECT_NE(written(file), written(folder_ / "normal.png"));
  EXPECT_EQ(big_endian(written(file), 16), 640u);
}

TEST_F(ExportTest, AnimationsOfNoOrTooManyFramesAreErrors) {
  const auto still = [&](double) { return scene(); };
  EXPECT_FALSE(export_gif(still, 0, 10, Theme::dark(), folder_ / "a.gif"));
  EXPECT_FALSE(export_gif(still, 5, 1000, Theme::dark(), folder_ / "a.gif"));
}

TEST(Measure, AdvancesScaleWithSizeAndCoverChinese) {
  const TextMeasure& measure = cairo_text_measure();
  const float at_10 = measure.measure("lane 11", Face::Sans, 10).width;
  EXPECT_NEAR(measure.measure("lane 11", Face::Sans, 30).width, 3 * at_10, 1e-3);
  EXPECT_GT(measure.measure("扇区", Face::Sans, 10).width, 15);
  EXPECT_EQ(measure.measure("", Face::Mono, 10).width, 0);
  EXPECT_FALSE(missing_glyphs("\U0010FFFD", Face::Sans).empty());
}

TEST(Measure, HostileBytesAreMeasuredLikeAReplacement) {
  EXPECT_GT(cairo_text_measure().measure("\xff\xfe\xc3", Face::Sans, 10).width, 0);
}

}  // namespace
}  // namespace warplens::visual
