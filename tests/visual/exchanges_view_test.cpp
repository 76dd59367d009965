// The network of a warp's shuffles: an arc from who gives to who gets, and whose values are where.
#include <gmock/gmock.h>

#include "tests/visual/fixtures.h"
#include "visual/export.h"

namespace warplens::visual {
namespace {

using testing::HasSubstr;

Scene drawn(const Fixture& f, Size size = {980, 600}) {
  const ViewContext context{size, catalogue("en"), cairo_text_measure()};
  return find_view("exchanges")->layout(context, f.input());
}

TEST(ExchangesView, AnArcLeadsFromTheLaneThatGives) {
  const Scene scene = drawn(sum_of_a_warp());
  EXPECT_EQ(scene.answer, "5 exchanges");
  const Shape* arc = shape(scene, "gets.0.3");
  ASSERT_NE(arc, nullptr);
  const Shape *from = shape(scene, "held.0.19"), *to = shape(scene, "held.1.3");
  ASSERT_TRUE(from != nullptr && to != nullptr);
  EXPECT_NEAR(arc->points.front().x, from->box.x + from->box.width / 2, 0.5f);
  EXPECT_NEAR(arc->points.back().x, to->box.x + to->box.width / 2, 0.5f);
  EXPECT_EQ(shape(scene, "gets.0.20"), nullptr) << "it keeps its own";
  EXPECT_THAT(shape(scene, "held.5.0")->tooltip, HasSubstr("32 lanes: 0–31"));
  EXPECT_THAT(scene.transcript, HasSubstr("1 lane has a value from all 32 lanes: 0."));
}

TEST(ExchangesView, TheWayOfALaneIsLitUp) {
  Fixture f = sum_of_a_warp();
  f.hover.lane = 1;
  const Scene scene = drawn(f);
  EXPECT_GT(shape(scene, "gets.4.1")->stroke.alpha, 0.5f);
  EXPECT_GT(shape(scene, "gets.3.2")->stroke.alpha, 0.5f) << "lane 2 gave to it last";
  EXPECT_LT(shape(scene, "gets.4.0")->stroke.alpha, 0.5f);
}

TEST(ExchangesView, AVoteGoesThroughOneGate) {
  Fixture f = sum_of_a_warp();
  analysis::Exchange vote;
  vote.kind = analysis::Exchange::Kind::Ballot;
  vote.function = "__ballot_sync";
  vote.held = f.exchanges[0].exchanges[0].held;
  vote.holds.fill(kFullMask);
  f.exchanges = {{{vote}, 1}};
  const Scene scene = drawn(f);
  ASSERT_NE(shape(scene, "gate.0"), nullptr);
  EXPECT_NE(shape(scene, "gives.0.31"), nullptr);
  EXPECT_THAT(scene.transcript, HasSubstr("__ballot_sync asks all lanes at once"));
}

TEST(ExchangesView, WithoutAnyItSaysSo) {
  Fixture f = sum_of_a_warp();
  f.exchanges.clear();
  EXPECT_FALSE(find_view("exchanges")->applies(f.input()));
  EXPECT_THAT(drawn(f).transcript, HasSubstr("No lane of this kernel"));
}

}  // namespace
}  // namespace warplens::visual
