#include "engine/base/typography.h"

#include <gmock/gmock.h>

namespace warplens {
namespace {

using testing::ElementsAre;

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) append_text(out, part);
  return out;
}

TEST(Typography, ChineseAndLatinThatMeetHaveABlankBetweenThem) {
  EXPECT_EQ(joined({"步长 8", "的", "扇区数"}), "步长 8 的扇区数");
  EXPECT_EQ(joined({"只有", "copy<float>", "有"}), "只有 copy<float> 有");
  EXPECT_EQ(joined({"用了", "50 %", "的字节"}), "用了 50 % 的字节");
  EXPECT_EQ(joined({"快", "−3", "倍"}), "快 −3 倍");
  EXPECT_EQ(joined({"打开", "src/a.cu", "失败"}), "打开 src/a.cu 失败");
}

TEST(Typography, APatternThatExpectsANumberMayGetAName) {
  EXPECT_EQ(joined({"若分块为 ", "加填充", "："}), "若分块为加填充：");
  EXPECT_EQ(joined({"若填充为 ", "8", "："}), "若填充为 8：");
  EXPECT_EQ(joined({"取自 ", "元素", " 的"}), "取自元素的");
  EXPECT_EQ(joined({"取自 ", "stride", " 的"}), "取自 stride 的");
}

TEST(Typography, NothingElseHasOne) {
  EXPECT_EQ(joined({"请求", "，", "8"}), "请求，8");
  EXPECT_EQ(joined({"步长 ", "8", " 的"}), "步长 8 的");
  EXPECT_EQ(joined({"stride", "8"}), "stride8");
  EXPECT_EQ(joined({"线程", "束"}), "线程束");
  EXPECT_EQ(joined({"", "8", ""}), "8");
}

TEST(Typography, SentencesAreSpacedInEnglishAlone) {
  std::string english = "One.", chinese = "一。";
  append_sentence(english, "Two.");
  append_sentence(chinese, "二。");
  EXPECT_EQ(english, "One. Two.");
  EXPECT_EQ(chinese, "一。二。");
  std::string none;
  append_sentence(none, "One.");
  append_sentence(none, "");
  EXPECT_EQ(none, "One.");
}

TEST(Typography, ListsHaveTheCommaOfTheirLanguage) {
  EXPECT_EQ(listed({"a", "b", "c"}, "en"), "a, b, c");
  EXPECT_EQ(listed({"甲", "乙"}, "zh"), "甲、乙");
  EXPECT_EQ(listed({}, "en"), "");
  EXPECT_EQ(with_numbers_listed("0, 2, …, 30", "zh"), "0、2、…、30");
  EXPECT_EQ(with_numbers_listed("0, 2, …, 30", "en"), "0, 2, …, 30");
  EXPECT_EQ(with_numbers_listed("f(1, 2)", "zh"), "f(1, 2)");
}

TEST(Utf8, DecodesAndSurvivesBadBytes) {
  EXPECT_EQ(decode_utf8("a扇😀"), U"a扇😀");
  EXPECT_EQ(decode_utf8("\xe6\x89"), U"��");
}

TEST(Typography, LanesAreNamedInOneWay) {
  EXPECT_EQ(lanes_text(0), "");
  EXPECT_EQ(lanes_text(0x8000000Fu), "0–3, 31");
  EXPECT_EQ(lanes_text(0x55555555u), "0, 2, …, 30");
  EXPECT_EQ(lanes_text(0x88888880u), "7, 11, …, 31");
  EXPECT_EQ(lanes_text(0x00000015u), "0, 2, 4");
  EXPECT_EQ(lanes_text(0x01010101u), "0, 8, 16, 24");
  EXPECT_EQ(lanes_text(0x00000003u), "0–1");
  EXPECT_EQ(lanes_text(kFullMask), "0–31");
  EXPECT_EQ(with_numbers_listed(lanes_text(0x8000000Fu), "zh"), "0–3、31");
}

TEST(Typography, LinesBreakBetweenWordsAndChineseCharacters) {
  EXPECT_THAT(line_pieces("two words"), ElementsAre("two ", "words"));
  EXPECT_THAT(line_pieces("a  b"), ElementsAre("a  ", "b"));
  EXPECT_THAT(line_pieces("存 8 字"), ElementsAre("存 ", "8 ", "字"));
  EXPECT_THAT(line_pieces(""), ElementsAre());
}

TEST(Typography, NoLineBeginsWithAClosingMarkOrEndsWithAnOpeningOne) {
  EXPECT_THAT(line_pieces("束（32 个），“好”"), ElementsAre("束", "（32 ", "个），", "“好”"));
  EXPECT_THAT(line_pieces("见《书》。"), ElementsAre("见", "《书》。"));
  EXPECT_THAT(line_pieces("（甲"), ElementsAre("（甲"));
}

TEST(Typography, ANumberKeepsItsUnit) {
  EXPECT_THAT(line_pieces("takes 12 µs of 4 ms"), ElementsAre("takes ", "12 µs ", "of ", "4 ms"));
  EXPECT_THAT(line_pieces("50 % of it"), ElementsAre("50 % ", "of ", "it"));
  EXPECT_THAT(line_pieces("用 50 %的"), ElementsAre("用 ", "50 %", "的"));
  EXPECT_THAT(line_pieces("4 sectors"), ElementsAre("4 ", "sectors"));
}

TEST(Typography, TheNameOfAnInstructionMayBreakBehindItsDots) {
  EXPECT_THAT(line_pieces("wmma.load.b.sync.aligned.row.m16n16k16.global.f16"),
              ElementsAre("wmma.load.b.sync.", "aligned.row.m16n16k16.", "global.f16"));
  EXPECT_THAT(line_pieces("(ld.global.f32) reads"), ElementsAre("(ld.global.f32) ", "reads"));
}

// Each line holds ten letters here.
TEST(Typography, SentencesThatDoNotFitAreLeftOutWhole) {
  const auto lines_of = [](std::string_view text) { return (text.size() + 9) / 10; };
  const auto said = [&](std::string_view text, std::size_t lines) {
    return whole_sentences(text, lines, lines_of);
  };
  EXPECT_EQ(said("Both fit. Yes.", 2), "Both fit. Yes.");
  EXPECT_EQ(said("One. A second one that is long.", 1), "One. …");
  EXPECT_EQ(said("Nine let. A second one that is long.", 1), "Nine let.") << "dots would take a line";
  EXPECT_EQ(said("One. A second one that is long and longer.", 3), "One. …")
      << "rather two empty lines than a sentence that breaks off";
  EXPECT_EQ(said("One that is long and longer. Two.", 2), "One that is long and longer. Two.");
  EXPECT_EQ(said("One. Of 1, ... 9 two. Three.", 2), "One. …") << "a list goes on behind its dots";
  EXPECT_EQ(said("没有。有一个很长的句子。", 2), "没有。");
}

// Bytes that are no character: each stands for itself, none is lost.
TEST(Typography, BrokenTextIsKept) {
  const std::string broken = "a\xe6\x89 \xff\x80z";
  std::string all;
  for (const std::string_view piece : line_pieces(broken)) all += piece;
  EXPECT_EQ(all, broken);
}

}  // namespace
}  // namespace warplens
