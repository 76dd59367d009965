// Times as they are written everywhere.
#include "engine/base/time_text.h"

#include <gtest/gtest.h>

namespace warplens {
namespace {

TEST(TimeText, HasThreeDigitsAndTheUnitThatSuitsIt) {
  EXPECT_EQ(time_text(0), "0 µs");
  EXPECT_EQ(time_text(0.000512), "0.512 µs");
  EXPECT_EQ(time_text(0.01234), "12.3 µs");
  EXPECT_EQ(time_text(0.018), "18 µs");
  EXPECT_EQ(time_text(0.9994), "999 µs");
  EXPECT_EQ(time_text(0.9996), "1 ms");
  EXPECT_EQ(time_text(3.3621), "3.36 ms");
  EXPECT_EQ(time_text(999.6), "1 s");
  EXPECT_EQ(time_text(123456), "123 s");
  EXPECT_EQ(microseconds_text(3362.1), "3.36 ms");
}

}  // namespace
}  // namespace warplens
