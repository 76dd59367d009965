#include "engine/base/toml.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/base/assets.h"

namespace warplens {
namespace {

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// The library follows each part of a key, and each bracket, one call deeper.
TEST(Toml, WhatGoesTooDeepIsAnErrorWithItsPlace) {
  for (const std::string& text :
       {"a = 1\nx" + repeated(".x", 100000) + " = 1\n", "a = 1\nx" + repeated(" . \"x\"", 100000) + " = 1\n",
        "a = 1\n[x" + repeated(".x", 100000) + "]\n", "a = 1\nx = " + repeated("[", 100000),
        "a = 1\nx = " + repeated("{a=", 100000), "a = 1\nx = {y" + repeated(".y", 100000) + "=1}\n"}) {
    const auto table = parse_toml(text, "deep.toml");
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().kind, ErrorKind::Usage);
    EXPECT_EQ(table.error().place.file, "deep.toml");
    EXPECT_EQ(table.error().place.line, 2);
    EXPECT_GT(table.error().place.column, 1);
    EXPECT_NE(table.error().message.find("64"), std::string::npos) << table.error().message;
  }
}

TEST(Toml, DotsInTextsNumbersAndCommentsAreNoKeys) {
  const std::string dots = repeated(".", 1000);
  const auto table =
      parse_toml("a = \"" + dots + "\" # " + dots + "\nb = '" + dots + "'\nc = \"\"\"\n" + dots +
                     "\n\\\"\"\"\"\nd = '''\n" + dots + "'''\ne = [" + repeated("0.5, ", 500) +
                     "1.5]\nf.g.h = 2.5\n" + repeated("[[t]]\nx = {y = [1.5]}\n", 200),
                 "texts.toml");
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ((*table)["a"].value<std::string>(), dots);
  EXPECT_EQ((*table)["f"]["g"]["h"].value<double>(), 2.5);
}

TEST(Toml, ASyntaxErrorHasItsPlace) {
  const auto table = parse_toml("a = 1\nb = = 2\n", "broken.toml");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().place.line, 2);
  EXPECT_FALSE(read_toml("/nowhere/at/all.toml"));
}

// Whoever has never written TOML makes these first.
TEST(Toml, CommonMistakesAreCalledWhatTheyAre) {
  const auto open = parse_toml("a = 1\nkind = \"number\nb = 2\n", "broken.toml");
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().place.line, 2);
  EXPECT_NE(open.error().message.find("quotation mark"), std::string::npos) << open.error().message;
  const auto one = parse_toml("[[step]]\nid = \"a\"\n\n[step]\nid = \"b\"\n", "broken.toml");
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().place.line, 4);
  EXPECT_NE(one.error().message.find("two brackets"), std::string::npos) << one.error().message;
}

}  // namespace
}  // namespace warplens
