// Constant memory, one address a pass: who is served when, what the words are called, and what is said where
// nothing is loaded.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/visual/fixtures.h"
#include "visual/export.h"

namespace warplens::visual {
namespace {

using testing::HasSubstr;

Scene constants_of(const ViewInput& input, Size size = {980, 600}) {
  const ViewContext context{size, catalogue("en"), cairo_text_measure()};
  return find_view("constants")->layout(context, input);
}
Scene constants_of(const Fixture& f, Size size = {980, 600}) {
  return constants_of(f.input(), size);
}

// Lanes whose cell stands in a pass.
std::vector<int> served_in(const Scene& scene, int pass) {
  std::vector<int> out;
  for (const Shape& s : scene.shapes)
    if (s.id.starts_with("served.") && s.kind == ShapeKind::Box && s.target.lane && s.target.pass == pass &&
        s.fill.role == Role::Lane)
      out.push_back(*s.target.lane);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

TEST(ConstantsView, OneWordIsGivenToAllLanesAtOnce) {
  const Scene scene = constants_of(constant_words(1));
  EXPECT_EQ(scene.answer, "1 pass");
  EXPECT_FALSE(scene.answer_is_worse);
  EXPECT_EQ(served_in(scene, 0).size(), 32u);
  EXPECT_TRUE(served_in(scene, 1).empty());
}

TEST(ConstantsView, EachAddressIsAPassOfItsOwn) {
  const Scene scene = constants_of(constant_words(5));
  EXPECT_EQ(scene.answer, "5 passes");
  EXPECT_TRUE(scene.answer_is_worse);
  EXPECT_THAT(served_in(scene, 0), testing::ElementsAre(0, 5, 10, 15, 20, 25, 30));
  EXPECT_THAT(served_in(scene, 4), testing::ElementsAre(4, 9, 14, 19, 24, 29));
  ASSERT_TRUE(shape(scene, "pass.3.address"));
  EXPECT_EQ(shape(scene, "pass.3.address")->text, "coefficients[3]");
  EXPECT_THAT(scene.transcript, HasSubstr("in 5 passes"));
}

TEST(ConstantsView, HalvesOfAWideAccessAreNoWaste) {
  const Fixture f = constant_words(1, 16);
  const Scene scene = constants_of(f);
  EXPECT_EQ(scene.answer, "2 passes") << "a load takes 8 bytes a lane at most";
  EXPECT_FALSE(scene.answer_is_worse);
  EXPECT_EQ(constants_of(constant_words(4, 16)).answer, "8 passes");
}

TEST(ConstantsView, AnElementIsNamedAsTheKernelCounts) {
  Fixture f = constant_words(32);
  f.constants[0].extents = {8, 8};
  EXPECT_EQ(shape(constants_of(f, {1280, 1000}), "pass.13.address")->text, "coefficients[1][5]");
  f.constants[0].element_bytes = 16;  // a structure of four words
  f.constants[0].extents = {16};
  EXPECT_EQ(shape(constants_of(f, {1280, 1000}), "pass.13.address")->text, "coefficients[3]+4");
  f.constants.clear();
  EXPECT_EQ(shape(constants_of(f, {1280, 1000}), "pass.13.address")->text, "+52");
}

// The lanes of later passes are there as ones that wait, those of earlier ones have gone.
TEST(ConstantsView, WhoWaitsIsSeen) {
  const Scene scene = constants_of(constant_words(32), {980, 840});
  EXPECT_TRUE(shape(scene, "wait.0.1"));
  EXPECT_TRUE(shape(scene, "wait.10.11"));
  EXPECT_FALSE(shape(scene, "wait.10.0"));
  EXPECT_THAT(shape(scene, "wait.10.11")->tooltip, HasSubstr("lanes 11–31"));
}

TEST(ConstantsView, PointingAtAPassPointsAtItsLanes) {
  const Fixture f = constant_words(5);
  ViewInput input = f.input();
  input.hover.pass = 2;
  const Scene scene = constants_of(input);
  const auto strength = [&](const char* id) { return shape(scene, id)->fill.alpha; };
  EXPECT_GT(strength("served.2.7.7"), 0.9f);
  EXPECT_LT(strength("served.1.6.6"), 0.5f);
}

TEST(ConstantsView, PassesComeOneAfterAnother) {
  const Fixture f = constant_words(5);
  ViewInput input = f.input();
  input.cursor.phase = 0.5f;  // in the third pass
  const Scene scene = constants_of(input);
  EXPECT_GT(shape(scene, "served.2.2.2")->fill.alpha, 0.9f);
  EXPECT_LT(shape(scene, "served.3.3.3")->fill.alpha, 0.5f);
}

TEST(ConstantsView, AnOperandIsNoAccess) {
  Fixture f = constant_words(1);
  EXPECT_TRUE(find_view("constants")->applies(f.input()));
  for (trace::Site& site : f.trace.sites) site.in_registers = true;
  EXPECT_FALSE(find_view("constants")->applies(f.input()));
  EXPECT_THAT(to_text(constants_of(f)), HasSubstr("Its constants cost no access"));
  EXPECT_THAT(to_text(constants_of(strided_copy(2))), HasSubstr("loads nothing from constant memory"));
}

}  // namespace
}  // namespace warplens::visual
