#include "app/model/text/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/message.h"

namespace warplens::model {
namespace {

const std::map<std::string, std::int64_t> kNames = {{"n", 1000}, {"block", 256}, {"stride", 3}};

std::int64_t value(std::string_view text) {
  const auto result = evaluate(text, kNames);
  EXPECT_TRUE(result) << result.error().text();
  return result ? *result : -999;
}

TEST(Expression, Arithmetic) {
  EXPECT_EQ(value("2 + 3 * 4"), 14);
  EXPECT_EQ(value("(2 + 3) * 4"), 20);
  EXPECT_EQ(value("n * stride"), 3000);
  EXPECT_EQ(value("-n + 1"), -999);
  EXPECT_EQ(value("10 - 3 - 2"), 5);
}

TEST(Expression, DivisionRoundsDownAndCeilUp) {
  EXPECT_EQ(value("n / block"), 3);
  EXPECT_EQ(value("ceil(n / block)"), 4);
  EXPECT_EQ(value("ceil(1024 / block)"), 4);
  EXPECT_EQ(value("ceil(n / block / 2) * 2"), 4);
  EXPECT_EQ(value("(0 - 7) / 2"), -4);
  EXPECT_EQ(value("ceil((0 - 7) / 2)"), -3);
  EXPECT_EQ(value("(0 - 7) % 2"), 1);
  EXPECT_EQ(value("n % block"), 232);
}

TEST(Expression, FunctionsAndComparisons) {
  EXPECT_EQ(value("min(n, block, 5)"), 5);
  EXPECT_EQ(value("max(stride, ceil(n / 300))"), 4);
  EXPECT_EQ(value("n > block"), 1);
  EXPECT_EQ(value("(n == block) * 5 + (n != block) * 7"), 7);
  EXPECT_EQ(value("stride <= 3"), 1);
}

TEST(Expression, ErrorsSayWhatIsWrong) {
  const auto wrong = [](std::string_view text) { return evaluate(text, kNames).error().message; };
  EXPECT_THAT(wrong("n + m"), testing::HasSubstr("'m' is not a slider; there are block, n, stride"));
  EXPECT_THAT(wrong("n / 0"), testing::HasSubstr("division by zero"));
  EXPECT_THAT(wrong("n % (stride - 3)"), testing::HasSubstr("division by zero"));
  EXPECT_THAT(wrong("(n"), testing::HasSubstr("')' is missing"));
  EXPECT_THAT(wrong("n n"), testing::HasSubstr("'n' is not expected"));
  EXPECT_THAT(wrong("sqrt(n)"), testing::HasSubstr("'sqrt' is not a function"));
  EXPECT_THAT(wrong(""), testing::HasSubstr("missing"));
  EXPECT_THAT(wrong("99999999999999999999"), testing::HasSubstr("too large"));
  EXPECT_THAT(wrong("9223372036854775807 * 2"), testing::HasSubstr("too large"));
  EXPECT_THAT(wrong("9223372036854775807 + 1"), testing::HasSubstr("too large"));
  EXPECT_THAT(wrong("ceil(1 / 4294967296 / 4294967296)"), testing::HasSubstr("too large"));
  const auto chinese = Catalogue::load("zh");
  ASSERT_TRUE(chinese);
  EXPECT_EQ(chinese->text(evaluate("n + m", kNames).error()),
            "“n + m”里：“m”不是滑块；可用的有 block, n, stride");
  EXPECT_FALSE(evaluate(std::string(100000, '('), kNames));
  EXPECT_FALSE(evaluate(std::string(100000, '-'), kNames));
}

TEST(Expression, Interpolation) {
  EXPECT_EQ(*interpolate("buf:f32:{n * stride}:iota", kNames), "buf:f32:3000:iota");
  EXPECT_EQ(*interpolate("{n}{block}", kNames), "1000256");
  EXPECT_EQ(*interpolate("plain", kNames), "plain");
  EXPECT_FALSE(interpolate("{n", kNames));
  EXPECT_FALSE(interpolate("{nothing}", kNames));
}

}  // namespace
}  // namespace warplens::model
