// How a lesson's text is cut into words, and where no line may end.
#include "app/window/panels/lesson_words.h"

#include <gmock/gmock.h>

namespace warplens::window {
namespace {

struct Cut {
  std::vector<lesson::Span> spans;
  std::vector<Word> words;
  explicit Cut(const std::string& markdown)
      : spans(lesson::parse_markdown(markdown).at(0).spans), words(words_of(spans)) {}
  // The text with a bar wherever a line may end.
  std::string shown() const {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
      out += words[i].text;
      if (i + 1 < words.size() && !stay_together(words[i], words[i + 1])) out += "|";
    }
    return out;
  }
};

TEST(LessonWords, EnglishEndsAtBlanks) {
  EXPECT_EQ(Cut("a word, and more").shown(), "a|word,|and|more");
  EXPECT_EQ(Cut("12 % of 4 µs").shown(), "12 %|of|4 µs") << "a number keeps its unit";
}

TEST(LessonWords, ChineseEndsBetweenCharactersAndNotBeforeSigns) {
  EXPECT_EQ(Cut("读一列，再写。").shown(), "读|一|列，|再|写。");
}

// The bracket is of the text's style, what it holds is code: both signs stay with it.
TEST(LessonWords, ABracketStaysWithTheCodeInIt) {
  EXPECT_EQ(Cut("通道数（`sharing`）为 32").shown(), "通|道|数|（sharing）|为|32");
  EXPECT_EQ(Cut("lanes (`sharing`) are").shown(), "lanes|(sharing)|are");
  EXPECT_EQ(Cut("“`a`”。").shown(), "“a”。");
  EXPECT_EQ(Cut("at(`a`), then").shown(), "at(a),|then");
}

}  // namespace
}  // namespace warplens::window
