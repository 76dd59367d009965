// The palette through other eyes: what carries meaning must still be told apart, by colour or by form.
#include "visual/vision.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/visual/fixtures.h"
#include "visual/export.h"

namespace warplens::visual {
namespace {

constexpr std::array kVisions{Vision::Normal, Vision::Protanopia, Vision::Deuteranopia, Vision::Tritanopia,
                              Vision::Grey};
constexpr std::array kDichromats{Vision::Protanopia, Vision::Deuteranopia, Vision::Tritanopia};
constexpr std::array<const char*, 5> kNames{"normal", "protanopia", "deuteranopia", "tritanopia", "grey"};

// Plainly another colour side by side; 2.3 is what an eye just notices.
constexpr float kApart = 10;

class Palette : public testing::TestWithParam<const Theme*> {
 protected:
  Colour role(Role r, Vision vision) const { return seen(GetParam()->resolve(Ink::of(r)), vision); }
  Colour lane(int i, Vision vision) const { return seen(GetParam()->resolve(Ink::of_lane(i)), vision); }
};

TEST(Vision, WhiteGreyAndBlackStayWhatTheyAre) {
  for (const Vision vision : kVisions)
    for (const float level : {0.0f, 0.25f, 0.7f, 1.0f}) {
      const Colour grey{level, level, level, 1};
      EXPECT_LT(colour_distance(seen(grey, vision), grey), 1.0f) << level;
    }
  EXPECT_EQ(seen(0xff808080u, Vision::Grey), 0xff808080u);
  EXPECT_NEAR(colour_distance({1, 1, 1, 1}, {0, 0, 0, 1}), 100, 0.5);
}

TEST(Vision, ADichromatConfusesWhatTheConditionIsKnownFor) {
  // Red and green of equal lightness, for the two red-green conditions; not for the blue-yellow one.
  const Colour red{0.78f, 0.30f, 0.25f, 1}, green{0.42f, 0.47f, 0.20f, 1};
  const float normal = colour_distance(red, green);
  EXPECT_LT(colour_distance(seen(red, Vision::Deuteranopia), seen(green, Vision::Deuteranopia)),
            normal * 0.6f);
  EXPECT_GT(colour_distance(seen(red, Vision::Tritanopia), seen(green, Vision::Tritanopia)), normal * 0.8f);
}

TEST(Vision, IsNamedAsTheCommandLineNamesIt) {
  for (std::size_t i = 0; i < kVisions.size(); ++i) EXPECT_EQ(vision_from(kNames[i]), kVisions[i]);
  EXPECT_FALSE(vision_from("sepia"));
}

TEST_P(Palette, LanesKeepTheirOrderForEveryEye) {
  for (const Vision vision : kVisions) {
    for (int i = 1; i < kWarpSize; ++i)
      EXPECT_GT(lightness(lane(i, vision)), lightness(lane(i - 1, vision)) - 0.05f)
          << "lane " << i << ", " << kNames[static_cast<std::size_t>(vision)];
    // A quarter of the warp apart; nearer ones have their numbers on them.
    for (int i = 0; i + 8 < kWarpSize; ++i)
      EXPECT_GT(colour_distance(lane(i, vision), lane(i + 8, vision)), vision == Vision::Grey ? 4.5f : 7.0f)
          << "lanes " << i << " and " << i + 8 << ", " << kNames[static_cast<std::size_t>(vision)];
  }
}

// Colours that stand beside each other with different meanings and without a word or form of their own.
TEST_P(Palette, MeaningsStayApartForDichromats) {
  const std::vector<std::pair<Role, Role>> pairs{{Role::Good, Role::Warn},     {Role::Accent, Role::Warn},
                                                 {Role::Accent, Role::Good},   {Role::Accent, Role::Bad},
                                                 {Role::Warn, Role::Text},     {Role::Warn, Role::Dim},
                                                 {Role::Good, Role::Dim},      {Role::Accent, Role::Text},
                                                 {Role::Modelled, Role::Warn}, {Role::Modelled, Role::Good}};
  for (const Vision vision : kDichromats)
    for (const auto& [a, b] : pairs)
      EXPECT_GT(colour_distance(role(a, vision), role(b, vision)), kApart)
          << static_cast<int>(a) << " and " << static_cast<int>(b) << ", "
          << kNames[static_cast<std::size_t>(vision)];
}

TEST_P(Palette, SurfacesAndTextKeepTheirContrastWithoutColour) {
  for (const Vision vision : kVisions)
    for (const Role ink :
         {Role::Text, Role::Dim, Role::Accent, Role::Good, Role::Warn, Role::Bad, Role::Modelled})
      EXPECT_GE(contrast(role(ink, vision), role(Role::Ground, vision)), 3.9f)
          << static_cast<int>(ink) << ", " << kNames[static_cast<std::size_t>(vision)];
}

INSTANTIATE_TEST_SUITE_P(Themes, Palette, testing::Values(&Theme::dark(), &Theme::light()),
                         [](const auto& test) {
                           return test.param->name == ThemeName::Dark ? "dark" : "light";
                         });

// In greyscale good and warn fall together: there the form must tell them apart.
class Form : public testing::Test {
 protected:
  Scene draw(const char* view, const Fixture& f, float phase = 1) {
    const ViewContext context{{1280, 720}, catalogue_, cairo_text_measure()};
    ViewInput input = f.input();
    input.cursor.phase = phase;
    return find_view(view)->layout(context, input);
  }
  static bool any(const Scene& scene, const std::function<bool(const Shape&)>& test) {
    return std::any_of(scene.shapes.begin(), scene.shapes.end(), test);
  }
  static bool all(const Scene& scene, std::string_view prefix,
                  const std::function<bool(const Shape&)>& test) {
    bool found = false;
    for (const Shape& s : scene.shapes)
      if (s.id.starts_with(prefix)) {
        found = true;
        if (!test(s)) return false;
      }
    return found;
  }
  Catalogue catalogue_ = Catalogue::load("en").value();
};

TEST_F(Form, WasteIsHatchedAndUseIsNot) {
  const Scene scene = draw("address-map", strided_copy(2));
  EXPECT_TRUE(all(scene, "fetched.wasted", [](const Shape& s) {
    return s.kind == ShapeKind::Text || s.id.ends_with(".ground") || s.id.ends_with(".words") ||
           s.pattern == Pattern::Hatched;
  }));
  EXPECT_TRUE(
      any(scene, [](const Shape& s) { return s.id == "fetched.used" && s.pattern == Pattern::Solid; }));
}

TEST_F(Form, WaitingLanesAreOutlinesAndWorkingOnesAreFilled) {
  const Scene scene = draw("active-lanes", divergent());
  EXPECT_TRUE(all(scene, "wait.", [](const Shape& s) { return s.stroke_width > 0 && s.fill.alpha < 0.2f; }));
  EXPECT_TRUE(all(scene, "slot.", [](const Shape& s) { return s.stroke_width == 0 && s.fill.alpha > 0.5f; }));
}

TEST_F(Form, PartingAndMeetingAreDifferentShapes) {
  const Scene scene = draw("active-lanes", divergent());
  bool diamond = false, disc = false;
  for (const Shape& s : scene.shapes) {
    if (!s.id.starts_with("tree.")) continue;
    if (s.fill.role == Role::Warn) {
      diamond = true;
      EXPECT_EQ(s.kind, ShapeKind::Polygon);
    }
    if (s.fill.role == Role::Good) {
      disc = true;
      EXPECT_EQ(s.kind, ShapeKind::Disc);
    }
  }
  EXPECT_TRUE(diamond);
  EXPECT_TRUE(disc);
}

TEST_F(Form, PassesThatWaitCarryAnOutline) {
  const Scene scene = draw("bank-view", bank_stride(2));
  EXPECT_TRUE(all(scene, "wait.1.",
                  [](const Shape& s) { return s.stroke_width >= 1 && s.stroke.role == Role::Warn; }));
  EXPECT_FALSE(any(scene, [](const Shape& s) { return s.id.starts_with("wait.0."); }));
}

}  // namespace
}  // namespace warplens::visual
