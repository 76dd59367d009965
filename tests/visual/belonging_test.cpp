// What a picture belongs to: another GPU than the one it is about, or an earlier text or setting.
#include <gmock/gmock.h>

#include "tests/visual/fixtures.h"
#include "visual/export.h"
#include "visual/hardware.h"

namespace warplens::visual {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Catalogue& text(const char* language) {
  static const Catalogue en = Catalogue::load("en").value(), zh = Catalogue::load("zh").value();
  return std::string_view(language) == "zh" ? zh : en;
}

std::string words_of(const Scene& scene, std::string_view id) {
  std::string out;
  for (const Shape& shape : scene.shapes)
    if (shape.id.starts_with(id) && shape.kind == ShapeKind::Text) out += shape.text;
  return out;
}

// All that was measured, on a GPU of this name.
struct Measured {
  explicit Measured(const Fixture& f, const MeasuredOn& on)
      : sweep(f.sweep),
        streams(f.streams),
        roofline(f.roofline),
        counters(f.counters),
        transfers(f.transfers) {
    sweep.on = streams.on = counters.on = transfers.on = on;
    roofline.points.resize(1);
    roofline.points[0].evidence = Evidence::Modelled;
    roofline.elsewhere = TimeElsewhere{0.0032, on};
  }
  ViewInput input(const Fixture& f) const {
    ViewInput in = f.input();
    in.sweep = &sweep;
    in.streams = &streams;
    in.roofline = &roofline;
    in.counters = &counters;
    in.transfers = &transfers;
    return in;
  }
  Sweep sweep;
  StreamTimeline streams;
  RooflineChart roofline;
  HardwareCounters counters;
  TransferRates transfers;
};

const Fixture& strided_by_two() {
  static const Fixture fixture = strided_copy(2);
  return fixture;
}

TEST(OtherDevice, EveryMeasuringViewSaysWhoseNumbersTheyAre) {
  const Fixture& f = strided_by_two();
  const Measured elsewhere(f, {"NVIDIA Z9 Max", "Z9 Max SXM"}), unlisted(f, {"NVIDIA Z9 Max", ""});
  const TextMeasure& measure = cairo_text_measure();
  for (const char* id : {"timing", "streams", "counters", "stalls", "transfers", "roofline"})
    for (const Size size : {Size{1280, 720}, Size{640, 330}, Size{2400, 1300}})
      for (const char* language : {"en", "zh"}) {
        const ViewContext context{size, text(language), measure};
        const Scene scene = find_view(id)->layout(context, elsewhere.input(f));
        const std::string where = std::string(id) + " " + language + " " + std::to_string(size.width);
        std::string said;
        for (const Shape& shape : scene.shapes) said += shape.text + shape.tooltip + "\n";
        EXPECT_THAT(said, HasSubstr("NVIDIA Z9 Max")) << where;
        EXPECT_THAT(said, HasSubstr("Z9 Max SXM")) << where << ": what to choose";
        EXPECT_THAT(said, HasSubstr(f.device.name)) << where;
        EXPECT_THAT(find_layout_problems(scene, measure), IsEmpty()) << where;
        if (std::string_view(id) == "roofline") {
          EXPECT_NE(scene.evidence, Evidence::Measured) << where;
        } else {
          EXPECT_EQ(scene.evidence_of, "Z9 Max") << where;
          EXPECT_THAT(words_of(scene, "evidence"), HasSubstr("Z9 Max")) << where;
        }
        const Scene own = find_view(id)->layout(context, unlisted.input(f));
        EXPECT_THAT(find_layout_problems(own, measure), IsEmpty()) << where;
      }
}

TEST(OtherDevice, OnTheDeviceItIsAboutNothingIsSaid) {
  const Fixture& f = strided_by_two();
  const Measured here(f, {"NVIDIA " + f.device.name, f.device.name});
  for (const char* id : {"timing", "streams", "counters", "stalls", "transfers"}) {
    const Scene scene = find_view(id)->layout({{1280, 720}, text("en"), cairo_text_measure()}, here.input(f));
    EXPECT_EQ(words_of(scene, "other_device"), "") << id;
    EXPECT_EQ(scene.evidence_of, "") << id;
  }
}

TEST(Earlier, EveryViewIsDimAndSaysToWhatItBelongs) {
  const TextMeasure& measure = cairo_text_measure();
  for (const Fixture& f : {strided_copy(2), divergent(), tile_column(32), nothing()})
    for (const View& view : all_views())
      for (const Size size : {Size{1280, 720}, Size{420, 240}, Size{200, 100}}) {
        ViewInput input = f.input();
        const ViewContext context{size, text("en"), measure};
        const Scene fresh = view.layout(context, input);
        input.earlier = "Shown: stride 8. The new text does not compile.";
        const Scene scene = view.layout(context, input);
        const std::string where = std::string(view.id) + " " + f.name;
        ASSERT_GT(scene.shapes.size(), fresh.shapes.size()) << where;
        const Shape& veil = scene.shapes[fresh.shapes.size()];
        EXPECT_EQ(veil.id, "earlier.veil") << where;
        EXPECT_EQ(veil.box.width, size.width) << where;
        EXPECT_TRUE(veil.fill.role == Role::Ground && veil.fill.alpha > 0.4f) << where;
        EXPECT_THAT(scene.transcript, HasSubstr("does not compile")) << where;
        EXPECT_NE(words_of(scene, "earlier.words"), "") << where;
        EXPECT_EQ(find_layout_problems(scene, measure), find_layout_problems(fresh, measure)) << where;
      }
}

}  // namespace
}  // namespace warplens::visual
