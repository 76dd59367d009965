// Markdown on the page: blocks one below the other, words in lines.
#include <fmt/format.h>

#include <algorithm>

#include "app/lesson/markdown.h"
#include "app/window/panels/lesson_panels.h"
#include "app/window/panels/lesson_words.h"
#include "engine/base/typography.h"

namespace warplens::window {
namespace {

using lesson::Block;
using lesson::Span;
using visual::Face;
using visual::Rect;
using visual::Role;

constexpr float kIndent = 18, kTextGap = 8, kCodePad = 3;
// Of a page so wide the words are larger: there is room, and it may hang on a wall.
constexpr float kWidePage = 500, kLarger = 2;

class Flow {
 public:
  Flow(const LessonUi& lesson, Pen& pen, const Rect& box, float size, Role role)
      : lesson_(lesson), pen_(pen), box_(box), size_(size), line_(std::round(size * 1.5f)), role_(role) {}

  float run(std::string_view text) {
    const std::vector<Block> blocks = lesson::parse_markdown(text);
    float y = box_.y;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const Block& block = blocks[i];
      const bool list = block.kind == Block::Kind::Item && i > 0 && blocks[i - 1].kind == Block::Kind::Item;
      const bool table = block.kind == Block::Kind::TableRow;
      if (i > 0) y += list || table ? 2 : kTextGap;
      y += draw(block, y);
    }
    return y - box_.y;
  }

 private:
  float draw(const Block& block, float y) {
    switch (block.kind) {
      case Block::Kind::Item: {
        const float x = box_.x + kIndent * static_cast<float>(block.level);
        if (block.number > 0)
          pen_.text({x, y, kIndent, line_}, fmt::format("{}.", block.number),
                    {.size = size_, .role = Role::Dim});
        else
          pen_.disc({x + 5, y + line_ / 2}, 2, Role::Dim);
        return lines(block.spans, x + kIndent, y, box_.right() - x - kIndent, false);
      }
      case Block::Kind::Code:
        return code(block.code, y);
      case Block::Kind::TableHead:
      case Block::Kind::TableRow:
        return row(block, y);
      case Block::Kind::Quote:
        pen_.fill({box_.x, y, 3, 4}, Role::Accent, 1.5f);
        return lines(block.spans, box_.x + 14, y, box_.width - 14, false);
      case Block::Kind::Rule:
        pen_.line({box_.x, y + 4}, {box_.right(), y + 4}, Role::Line);
        return 8;
      default:
        return lines(block.spans, box_.x, y, box_.width, block.kind == Block::Kind::Heading);
    }
  }

  Face face_of(const Span& span, bool bold) const {
    if (span.code) return bold || span.bold ? Face::MonoBold : Face::Mono;
    return bold || span.bold ? Face::SansBold : Face::Sans;
  }
  float size_of(const Span& span) const { return span.code ? size_ - 1 : size_; }
  float code_size() const { return size_ - 1.5f; }
  float code_row() const { return line_ - 3; }

  float lines(const std::vector<Span>& spans, float left, float y, float width, bool bold) {
    std::vector<Word> words = words_of(spans);
    const float space = pen_.width(" ", size_) + 0.3f;
    float x = left;
    const float top = y;
    const Span* before = nullptr;
    for (std::size_t i = 0; i < words.size(); ++i) {
      Word& word = words[i];
      if (word.breaks) {
        x = left;
        y += line_;
        continue;
      }
      measure(word, bold);
      if (word.space_before && x > left) x += space;
      // A bracket and what it holds may be of two styles: one of them code.
      float together = word.width;
      if (i + 1 < words.size() && stay_together(word, words[i + 1])) {
        measure(words[i + 1], bold);
        together += words[i + 1].width;
      }
      if (x > left && x + together > left + width) {
        x = left;
        y += line_;
      }
      // What is longer than a line, as addresses are, goes on in the next.
      while (word.width > width) {
        Word part = word;
        std::size_t end = 0;
        for (std::size_t next = character_length(word.text); next < word.text.size();
             next += character_length(std::string_view(word.text).substr(next))) {
          part.text = word.text.substr(0, next);
          measure(part, bold);
          if (part.width > width) break;
          end = next;
        }
        if (end == 0) break;
        part.text = word.text.substr(0, end);
        measure(part, bold);
        draw_word(part, x, y, bold);
        word.text.erase(0, end);
        measure(word, bold);
        y += line_;
      }
      // The words of one piece of code stand on one ground.
      const bool goes_on =
          before != nullptr && before == word.span && word.span->code && word.space_before && x > left;
      if (goes_on) pen_.fill({x - space - kCodePad, y + 3, space + 2 * kCodePad, line_ - 5}, Role::Raised, 0);
      draw_word(word, x, y, bold);
      before = word.span;
      x += word.width;
    }
    return words.empty() ? 0 : y + line_ - top;
  }

  void measure(Word& word, bool bold) const {
    word.width = pen_.width(word.text, size_of(*word.span), face_of(*word.span, bold));
    if (word.span->code) word.width += 2 * kCodePad;
  }

  void draw_word(const Word& word, float x, float y, bool bold) {
    const Span& span = *word.span;
    const Rect box{x, y, word.width, line_};
    if (span.code) pen_.fill({x, y + 3, word.width, line_ - 5}, Role::Raised, 3);
    const bool term = !span.term.empty();
    const Role role = span.code || !(term || !span.link.empty()) ? role_ : Role::Accent;
    // No width: words were measured, and are never shortened.
    pen_.text({x + (span.code ? kCodePad : 0), y, 0, line_}, word.text,
              {.size = size_of(span), .face = face_of(span, bold), .role = role});
    if (!term) return;
    pen_.line({x, y + line_ - 3}, {x + word.width, y + line_ - 3}, Role::Accent, 1, 0.5f);
    const Hit h = hit(pen_, fmt::format("term.{}.{:.0f}.{:.0f}", span.term, x, y).c_str(), box);
    if (h.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (h.clicked) lesson_.ui.state.open_term = span.term;
  }

  float code(std::string text, float y) {
    while (text.ends_with('\n')) text.pop_back();
    const auto rows = static_cast<float>(1 + std::count(text.begin(), text.end(), '\n'));
    pen_.fill({box_.x, y, box_.width, rows * code_row() + 12}, Role::Ground, 6);
    float at = y + 6;
    for (std::size_t begin = 0; begin <= text.size(); at += code_row()) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      pen_.text({box_.x + 10, at, box_.width - 20, code_row()},
                std::string_view(text).substr(begin, end - begin), {.size = code_size(), .face = Face::Mono});
      begin = end + 1;
    }
    return rows * code_row() + 12;
  }

  float row(const Block& block, float y) {
    if (block.cells.empty()) return 0;
    const float width = box_.width / static_cast<float>(block.cells.size());
    float height = line_;
    float x = box_.x;
    for (const auto& cell : block.cells) {
      height = std::max(height, lines(cell, x, y, width - 10, block.kind == Block::Kind::TableHead));
      x += width;
    }
    pen_.line({box_.x, y + height + 1}, {box_.right(), y + height + 1}, Role::Line);
    return height + 2;
  }

  const LessonUi& lesson_;
  Pen& pen_;
  Rect box_;
  float size_, line_;
  Role role_;
};

}  // namespace

float draw_markdown(const LessonUi& lesson, Pen& pen, const Rect& box, std::string_view text, float size,
                    Role role) {
  // In a challenge the code is what needs the room.
  const lesson::Lesson* open = lesson.session.lesson();
  const bool larger =
      lesson.ui.layout.bench.width >= kWidePage && (open == nullptr || open->kind != lesson::Kind::Challenge);
  return Flow(lesson, pen, box, larger ? size + kLarger : size, role).run(text);
}

}  // namespace warplens::window
