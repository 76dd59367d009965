#include "visual/scene.h"

#include <gmock/gmock.h>

#include "visual/canvas.h"
#include "visual/export.h"

namespace warplens::visual {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Shape box(std::string id, Rect r) {
  Shape s;
  s.id = std::move(id);
  s.box = r;
  s.fill = Ink::of(Role::Panel);
  s.tooltip = "a box";
  return s;
}

Shape label(std::string id, Rect r, std::string words) {
  Shape s;
  s.kind = ShapeKind::Text;
  s.id = std::move(id);
  s.box = r;
  s.text = std::move(words);
  s.is_label = true;
  return s;
}

Scene scene_of(std::vector<Shape> shapes) {
  Scene scene;
  scene.size = {200, 100};
  scene.shapes = std::move(shapes);
  return scene;
}

TEST(SceneHit, TheTopmostShapeWithATooltipOrTargetWins) {
  Shape silent = box("silent", {0, 0, 100, 100});
  silent.tooltip.clear();
  const Scene scene = scene_of({box("below", {0, 0, 50, 50}), box("above", {20, 20, 50, 50}), silent});
  ASSERT_NE(scene.hit({30, 30}), nullptr);
  EXPECT_EQ(scene.hit({30, 30})->id, "above");
  EXPECT_EQ(scene.hit({5, 5})->id, "below");
  EXPECT_EQ(scene.hit({90, 90}), nullptr);
}

TEST(SceneHit, LinesAndCurvesAreHitALittleBesideThem) {
  Shape line = box("line", {});
  line.kind = ShapeKind::Line;
  line.points = {{0, 10}, {100, 10}};
  Shape curve = box("curve", {});
  curve.kind = ShapeKind::Curve;
  curve.points = {{0, 50}, {0, 75}, {100, 75}, {100, 90}};
  const Scene scene = scene_of({line, curve});
  EXPECT_EQ(scene.hit({50, 12})->id, "line");
  EXPECT_EQ(scene.hit({50, 20}), nullptr);
  EXPECT_EQ(scene.hit({1, 55})->id, "curve");
}

TEST(SceneHit, ADiscHasNoCorners) {
  Shape disc = box("disc", {0, 0, 20, 20});
  disc.kind = ShapeKind::Disc;
  const Scene scene = scene_of({disc});
  EXPECT_NE(scene.hit({10, 10}), nullptr);
  EXPECT_EQ(scene.hit({1, 1}), nullptr);
}

TEST(SceneText, IsALineAShapeWithWhatMatters) {
  Shape shape = box("lane.5", {1.2f, 2.0f, 30, 20});
  shape.fill = Ink::of_lane(5, 0.5f);
  shape.pattern = Pattern::Hatched;
  shape.target.lane = 5;
  Scene scene = scene_of({shape, label("name", {0, 30, 60, 14}, "words")});
  scene.title = "Why?";
  scene.answer = "8 sectors";
  scene.answer_is_worse = true;
  scene.evidence = Evidence::Counted;
  EXPECT_EQ(to_text(scene),
            "scene 200x100\ntitle Why?\nanswer 8 sectors (worse than ideal) [counted]\ntranscript \n"
            "box     lane.5                   1,2 30x20 fill lane.5@50% hatched -> lane 5 ? a box\n"
            "text    name                     0,30 60x14 13px \"words\"\n");
}

TEST(LayoutProblems, ASoundSceneHasNone) {
  EXPECT_THAT(find_layout_problems(scene_of({box("b", {0, 0, 50, 50}), label("l", {0, 60, 100, 20}, "fits")}),
                                   cairo_text_measure()),
              IsEmpty());
}

TEST(LayoutProblems, NamesOverlapClippingAndShapesOutside) {
  const Scene scene =
      scene_of({label("a", {0, 0, 100, 20}, "one label"), label("b", {10, 4, 100, 20}, "another"),
                label("c", {0, 60, 20, 20}, "much too long"), box("d", {190, 0, 20, 20})});
  EXPECT_THAT(find_layout_problems(scene, cairo_text_measure()),
              ElementsAre(HasSubstr("text c is clipped"), HasSubstr("box d is outside"),
                          HasSubstr("labels overlap")));
}

TEST(LayoutProblems, NamesTextThatIsTooSmallAndSizesThatAreNoNumbers) {
  Shape tiny = label("tiny", {0, 0, 100, 20}, "x");
  tiny.font_size = 8;
  const Scene scene = scene_of({tiny, box("bad", {0, 0, -4, 10})});
  EXPECT_THAT(find_layout_problems(scene, cairo_text_measure()),
              ElementsAre(HasSubstr("too small"), HasSubstr("negative")));
}

class ThemeTest : public testing::TestWithParam<const Theme*> {};

TEST_P(ThemeTest, TextIsReadableOnEveryGround) {
  const Theme& theme = *GetParam();
  for (const Role ground : {Role::Ground, Role::Panel, Role::Raised})
    for (const Role text :
         {Role::Text, Role::Dim, Role::Accent, Role::Good, Role::Warn, Role::Bad, Role::Modelled}) {
      // On the raised tone only the two greys and the accents of the ground are used for small text.
      const float least = ground == Role::Raised && text != Role::Text ? 4.0f : 4.5f;
      EXPECT_GE(contrast(theme.resolve(Ink::of(text)), theme.resolve(Ink::of(ground))), least)
          << static_cast<int>(text) << " on " << static_cast<int>(ground);
    }
  EXPECT_GE(contrast(theme.resolve(Ink::of(Role::OnAccent)), theme.resolve(Ink::of(Role::Accent))), 4.5f);
  EXPECT_GE(contrast(theme.resolve(Ink::of(Role::OnAccent)), theme.resolve(Ink::of(Role::Good))), 4.5f);
}

TEST_P(ThemeTest, LanesRiseInLightnessAndCarryReadableNumbers) {
  const Theme& theme = *GetParam();
  float last = -1;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const Colour colour = theme.resolve(Ink::of_lane(lane));
    EXPECT_GT(lightness(colour), last) << "lane " << lane;
    last = lightness(colour);
    EXPECT_GE(contrast(theme.resolve({Role::OnLane, 1, static_cast<std::uint8_t>(lane)}), colour), 4.5f)
        << "lane " << lane;
    EXPECT_GE(contrast(colour, theme.resolve(Ink::of(Role::Ground))), 3.0f) << "lane " << lane;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, ThemeTest, testing::Values(&Theme::dark(), &Theme::light()),
                         [](const auto& test) {
                           return test.param->name == ThemeName::Dark ? "Dark" : "Light";
                         });

TEST(Theme, AlphaOfTheInkReachesTheColour) {
  EXPECT_FLOAT_EQ(Theme::dark().resolve(Ink::of(Role::Text, 0.5f)).a, 0.5f);
  EXPECT_FLOAT_EQ(Theme::dark().resolve({}).a, 0.0f);
}

}  // namespace
}  // namespace warplens::visual
