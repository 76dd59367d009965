#include "app/window/panels/lesson_words.h"

#include "engine/base/typography.h"

namespace warplens::window {
namespace {

using lesson::Span;

constexpr std::size_t kShortCode = 16;  // letters

bool is_wide(std::string_view character) {
  return static_cast<unsigned char>(character[0]) >= 0xe2 && character >= "\xe2\xba\x80";
}

std::string_view last_character(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
  return text.substr(at);
}

}  // namespace

std::vector<Word> words_of(const std::vector<Span>& spans) {
  std::vector<Word> out;
  bool space = false, fresh = true;
  for (const Span& span : spans) {
    for (std::size_t i = 0; i < span.text.size();) {
      const std::size_t length = character_length(std::string_view(span.text).substr(i));
      const std::string character = span.text.substr(i, length);
      i += length;
      if (character == "\n") {
        out.push_back({"", &span, false, true, 0});
        fresh = true;
        continue;
      }
      // A number keeps its unit.
      const std::string_view after = std::string_view(span.text).substr(i);
      const bool unit = after.starts_with("%") || after.starts_with("µs");
      if (character == " " && unit && !out.empty() && !out.back().breaks && out.back().span == &span) {
        out.back().text += ' ';
        space = fresh = false;
        continue;
      }
      // A short piece of code stays in one line.
      if (character == " " && span.code && span.text.size() <= kShortCode && !out.empty() &&
          out.back().span == &span) {
        out.back().text += ' ';
        continue;
      }
      if (character == " ") {
        space = fresh = true;
        continue;
      }
      const bool glued = !out.empty() && !out.back().breaks && !space &&
                         (clings_to_left(character) || clings_to_right(out.back().text));
      // Code keeps together what is written together, in whatever script.
      const bool wide = !span.code && (is_wide(character) || (!out.empty() && !out.back().text.empty() &&
                                                              is_wide(last_character(out.back().text))));
      const bool starts = fresh || wide || out.empty() || out.back().span != &span;
      if (glued && out.back().span == &span) {
        out.back().text += character;
      } else if (starts) {
        out.push_back({character, &span, space, false, 0});
      } else {
        out.back().text += character;
      }
      space = fresh = false;
    }
  }
  return out;
}

bool stay_together(const Word& word, const Word& next) {
  if (next.space_before || next.breaks || word.text.empty() || next.text.empty()) return false;
  const std::string_view first = std::string_view(next.text).substr(0, character_length(next.text));
  return clings_to_right(last_character(word.text)) || clings_to_left(first);
}

}  // namespace warplens::window
