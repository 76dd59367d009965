#include "visual/code_rows.h"

#include <gmock/gmock.h>

#include <set>

namespace warplens::visual {
namespace {

using ::testing::ElementsAre;

// Each letter is one wide, each Chinese character two.
float width_of(std::string_view text) {
  float out = 0;
  for (const char c : text)
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) out += (c & 0x80) != 0 ? 2.0f : 1.0f;
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

std::vector<std::string> rows_of(const std::string& text, float width, int cost_line = 0, float cost = 0) {
  const auto lines = lines_of(text);
  const auto rows =
      code_rows(lines, {width, [&](int line) { return line == cost_line ? cost : 0.0f; }, width_of});
  std::vector<std::string> out;
  for (const CodeRow& row : rows) {
    const std::string_view line = lines[static_cast<std::size_t>(row.line) - 1];
    EXPECT_LE(row.left + width_of(line.substr(row.begin, row.end - row.begin)), width + 1.01f);
    out.push_back(std::string(static_cast<std::size_t>(row.left), '.') +
                  std::string(line.substr(row.begin, row.end - row.begin)));
  }
  return out;
}

TEST(CodeRows, AShortLineIsOneRow) {
  EXPECT_THAT(rows_of("int i;\n  j();", 10), ElementsAre("int i;", "  j();"));
  EXPECT_THAT(rows_of("", 10), ElementsAre(""));
}

TEST(CodeRows, ALongLineGoesOnFurtherIn) {
  EXPECT_THAT(rows_of("  float x = in[i * stride];", 20),
              ElementsAre("  float x = in[i * ", "......stride];"));
}

TEST(CodeRows, ACommentGoesOnUnderItsText) {
  EXPECT_THAT(rows_of("// one two three four", 12), ElementsAre("// one two ", "...three ", "...four"));
  EXPECT_THAT(rows_of("// 一个线程束的请求", 11), ElementsAre("// 一个线程", "...束的请求"));
}

// What stands at the end of a line takes its room, of its last row alone, and an empty row where that has
// none.
TEST(CodeRows, ABadgeCoversNoTextAndBreaksNone) {
  EXPECT_THAT(rows_of("a = b + c + d;", 20, 1, 6), ElementsAre("a = b + c + d;"));
  EXPECT_THAT(rows_of("a = b + c + d;", 14, 1, 6), ElementsAre("a = b + c + d;", ""));
  EXPECT_THAT(rows_of("a = b + c + d;", 14, 2, 6), ElementsAre("a = b + c + d;"));
  EXPECT_THAT(rows_of("a = b + c + d;", 12, 1, 4), ElementsAre("a = b + c + ", "....d;"));
  EXPECT_THAT(rows_of("a = b + c + d;", 10, 1, 4), ElementsAre("a = b + c ", "...+ d;", ""));
}

TEST(CodeRows, WhatHasNoBlankBreaksBehindAnOperator) {
  EXPECT_THAT(rows_of("out[row*width+column];", 15), ElementsAre("out[row*width+", "....column];"));
  EXPECT_THAT(rows_of("aaaaaaaaaabbbbbbbbbbcc", 10), ElementsAre("aaaaaaaaaa", "...bbbbbb", "...bbbbcc"));
}

// However narrow the pane, every byte stands in one row.
TEST(CodeRows, NothingIsLost) {
  const std::string text = "    if (threadIdx.x < 32) out[i] = tile[threadIdx.x][0];  // 每个通道一行\n}\n";
  const auto lines = lines_of(text);
  for (float width = 1; width < 90; width += 1) {
    std::string all;
    for (const CodeRow& row : code_rows(lines, {width, [](int) { return 3.0f; }, width_of})) {
      const std::string_view line = lines[static_cast<std::size_t>(row.line) - 1];
      if (row.begin == 0 && row.line > 1) all += '\n';
      all += line.substr(row.begin, row.end - row.begin);
    }
    EXPECT_EQ(all, text) << width;
  }
}

TEST(CodeRows, TheFirstRowOfALine) {
  const std::string text = "one two three\nfour\n";
  const auto rows = code_rows(lines_of(text), {8, {}, width_of});
  EXPECT_EQ(row_of_line(rows, 1), 0u);
  EXPECT_EQ(row_of_line(rows, 2), 2u);
  EXPECT_EQ(row_of_line(rows, 9), rows.size());
}

// A pane whose top is there shows no half of a line.
TEST(CodeRows, ATopIsWhereALineBegins) {
  const auto lines = lines_of("int first = 1;\nshort\n\nint another = second + third;");
  const auto rows = code_rows(lines, {10, [](int line) { return line == 2 ? 8.0f : 0.0f; }, width_of});
  std::vector<std::size_t> begins;
  for (std::size_t row = 0; row < rows.size() + 2; ++row) begins.push_back(line_begins_from(rows, row));
  std::set<std::size_t> expected{rows.size()};
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (row == 0 || rows[row].line != rows[row - 1].line) expected.insert(row);
  ASSERT_GT(rows.size(), lines.size() + 3) << "three lines of four take more than a row";
  for (std::size_t row = 0; row < begins.size(); ++row) {
    const auto at = expected.lower_bound(row);
    EXPECT_EQ(begins[row], at == expected.end() ? rows.size() : *at) << row;
  }
  EXPECT_EQ(line_begins_from({}, 3), 0u);
}

TEST(LaunchRows, AreOneWhileTheLaunchFits) {
  EXPECT_THAT(launch_rows("copy<<<256, 256>>>(in, 8);", 26, 2), ElementsAre("copy<<<256, 256>>>(in, 8);"));
}

TEST(LaunchRows, LeaveOutArgumentsBeforeTheGrid) {
  const std::string launch = "copy_strided<<<256, 256>>>(in, out, 65536, 8);";
  EXPECT_THAT(launch_rows(launch, 45, 1), ElementsAre("copy_strided<<<256, 256>>>(in, out, …);"));
  EXPECT_THAT(launch_rows(launch, 32, 1), ElementsAre("copy_strided<<<256, 256>>>(…);"));
  EXPECT_THAT(launch_rows(launch, 24, 1), ElementsAre("copy_…<<<256, 256>>>(…);"));
}

TEST(LaunchRows, GoOnInASecondRow) {
  const std::string launch = "copy_strided<<<256, 256>>>(in, out, 65536, 8);";
  EXPECT_THAT(launch_rows(launch, 36, 2),
              ElementsAre("copy_strided<<<256, 256>>>(in, out,", "    65536, 8);"));
  EXPECT_THAT(launch_rows("f<<<dim3(16, 16), dim3(32, 8)>>>(a, b, c, 1024, 1024, 1024);", 34, 2),
              ElementsAre("f<<<dim3(16, 16), dim3(32, 8)>>>(", "    a, b, c, 1024, 1024, 1024);"));
  EXPECT_THAT(launch_rows("f<<<1, 2>>>(aaaaaaa, bbbbbbb, ccccccc, ddddddd);", 22, 2),
              ElementsAre("f<<<1, 2>>>(aaaaaaa,", "    bbbbbbb, …);"));
}

TEST(LaunchRows, PutTheBlockUnderTheGridBeforeTheyCutTheName) {
  const std::string launch = "blur<<<dim3(16, 16), dim3(32, 8)>>>(in, out, 256, 256);";
  EXPECT_THAT(launch_rows(launch, 30, 2), ElementsAre("blur<<<dim3(16, 16),", "    dim3(32, 8)>>>(in, …);"));
  EXPECT_THAT(launch_rows(launch, 38, 1), ElementsAre("bl…<<<dim3(16, 16), dim3(32, 8)>>>(…);"));
  EXPECT_THAT(launch_rows("fun<<<4, 2>>>(abc);", 12, 2), ElementsAre("fun<<<4,", "    2>>>(…);"));
}

TEST(LaunchRows, KeepTheGridHoweverNarrow) {
  for (std::size_t letters = 0; letters < 50; ++letters)
    for (std::size_t rows = 0; rows < 3; ++rows) {
      std::string all;
      for (const std::string& row :
           launch_rows("copy_strided<float><<<256, 256>>>(in, out, 65536, 8);", letters, rows))
        all += row.substr(row.find_first_not_of(' ')) + " ";
      EXPECT_THAT(all, ::testing::HasSubstr("<<<256, 256>>>"));
    }
}

}  // namespace
}  // namespace warplens::visual
