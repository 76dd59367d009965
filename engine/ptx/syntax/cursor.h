// A reading position in PTX text: skips blanks and comments, splits words, knows its line and column.
//
//   Cursor cursor("ld.global.f32 %f1, [%rd4+16];");
//   cursor.opcode();    // "ld.global.f32"
//   cursor.word();      // "%f1"
//   cursor.accept(','); // true
//
// Every word is a view into the text, which must outlive it.
#pragma once

#include <cstddef>
#include <string_view>

namespace warplens::ptx {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  // The next character that is neither blank nor comment, 0 at the end. Moves to it.
  char peek() {
    skip_blanks();
    return pos_ < text_.size() ? text_[pos_] : '\0';
  }
  // The character right here or after `ahead` more, whatever it is; 0 past the end.
  char at(std::size_t ahead = 0) const { return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0'; }
  bool at_end() { return peek() == '\0' && pos_ >= text_.size(); }

  bool accept(char c) {
    if (peek() != c || pos_ >= text_.size()) return false;
    ++pos_;
    return true;
  }
  bool accept(std::string_view symbol) {
    peek();
    if (!text_.substr(pos_).starts_with(symbol)) return false;
    pos_ += symbol.size();
    return true;
  }

  // [A-Za-z_$%][A-Za-z0-9_$]*, empty when there is none.
  std::string_view word();
  // '.' and what follows up to a character that is not part of a modifier; "" when there is none.
  // "::" stays inside: ".shared::cta".
  std::string_view directive();
  // A word with all its modifiers; see also opcode_follows().
  std::string_view opcode();
  // Characters of a number, letters included: "0x1F", "0f3F800000", "1.5e-3", "12U".
  std::string_view number();
  // The inside of "...", which ends on its own line; false when it does not.
  bool quoted(std::string_view& inside);
  // To the end of this line.
  void skip_line();
  // From here, just behind an opening brace, to just behind the closing one; false when it is missing.
  bool skip_braces();
  // What stands here, shortened, for an error message.
  std::string_view glimpse();
  // Text between two offsets.
  std::string_view slice(std::size_t from, std::size_t to) const { return text_.substr(from, to - from); }

  std::size_t size() const { return text_.size(); }
  std::size_t offset() const { return pos_; }
  int line() const { return line_; }
  int column() const { return static_cast<int>(pos_ - line_start_) + 1; }

 private:
  void skip_blanks();
  void newline() {
    ++line_;
    line_start_ = pos_ + 1;
  }

  std::string_view text_;
  std::size_t pos_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace warplens::ptx
