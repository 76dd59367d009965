#include "engine/source/host_value.h"

#include <gtest/gtest.h>

namespace warplens::source {
namespace {

TEST(PlacesOfReading, LetsGoOfValuesThatHoldEachOther) {
  std::weak_ptr<Cell> node, other;
  {
    const PlacesOfReading places;
    const Place a = make_place(), b = make_place();
    a->value.target = b;
    b->value.target = a;
    node = a;
    other = b;
  }
  EXPECT_TRUE(node.expired());
  EXPECT_TRUE(other.expired());
}

TEST(PlacesOfReading, TheInnerOfTwoLeavesThePlacesToTheOuter) {
  const PlacesOfReading outer;
  const Place a = make_place(HostValue::of(7));
  {
    const PlacesOfReading inner;
    EXPECT_EQ(make_place(HostValue::of(8))->value.integer, 8);
  }
  EXPECT_EQ(a->value.integer, 7);
}

TEST(PlacesOfReading, KeepsWhatIsInUseHoweverMuchIsMade) {
  const PlacesOfReading places;
  std::vector<Place> kept;
  for (int i = 0; i < 5000; ++i) {
    const Place place = make_place(HostValue::of(i));
    if (i % 100 == 0) kept.push_back(place);
  }
  for (std::size_t i = 0; i < kept.size(); ++i)
    EXPECT_EQ(kept[i]->value.integer, static_cast<std::int64_t>(i) * 100);
}

}  // namespace
}  // namespace warplens::source
