#include "app/window/session/terminal_text.h"

#include <gmock/gmock.h>

namespace warplens::window {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TerminalText, KeepsLinesAndWhatHasNoEndYet) {
  TerminalText text;
  text.add("one\ntw");
  text.add("o\nthr");
  EXPECT_THAT(text.lines(), ElementsAre("one", "two"));
  EXPECT_EQ(text.open_line(), "thr");
}

TEST(TerminalText, AReturnBeginsTheLineAnewAndColoursVanish) {
  TerminalText text;
  text.add("10 %\r20 %\r\033[32m30 %\033[0m\r\n");
  text.add("\033]0;title\aa\tb\n");
  EXPECT_THAT(text.lines(), ElementsAre("30 %", "a       b"));
}

TEST(TerminalText, WhatTheRuntimeSaysOfALaunchIsNoOutput) {
  TerminalText text;
  text.add("half\r\033[Klaunch 12: void scale<float>(float*, int) 4");
  EXPECT_FALSE(text.running());
  text.add("0 %");
  ASSERT_TRUE(text.running());
  EXPECT_EQ(*text.running(), (RunningLaunch{12, "void scale<float>(float*, int)", 0.4}));
  EXPECT_EQ(text.open_line(), "half");
  text.add("\r\033[Klaunch 12: void scale<float>(float*, int) 80 %");
  ASSERT_TRUE(text.running());
  EXPECT_EQ(text.running()->fraction, 0.8);
  text.add("\r\033[K");
  EXPECT_FALSE(text.running());
  text.add(" a line\n");
  EXPECT_THAT(text.lines(), ElementsAre("half a line"));
  text.add("\r\033[Klaunch 3: k() 1 %\r\033[Kafter\n");
  EXPECT_THAT(text.lines(), ElementsAre("half a line", "after"));
}

TEST(TerminalText, OfVeryMuchTheNewestStays) {
  TerminalText text;
  std::string many;
  for (int i = 0; i < 10000; ++i) many += std::to_string(i) + "\n";
  text.add(many);
  EXPECT_EQ(text.lines().size(), TerminalText::kMostLines);
  EXPECT_EQ(text.lines().back(), "9999");
  EXPECT_GT(text.lost(), 0u);
  // A line without an end is cut, and takes no more than its share.
  TerminalText endless;
  endless.add(std::string(std::size_t{3} << 20, 'x'));
  EXPECT_GT(endless.lines().size(), 100u);
  EXPECT_LE(endless.lines().front().size(), TerminalText::kLongestLine);
  endless.clear();
  EXPECT_THAT(endless.lines(), IsEmpty());
}

}  // namespace
}  // namespace warplens::window
