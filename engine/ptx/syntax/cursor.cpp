#include "engine/ptx/syntax/cursor.h"

#include <algorithm>
#include <array>

#include "engine/base/work_limit.h"

namespace warplens::ptx {
namespace {

enum : unsigned char { kStart = 1, kFollow = 2, kDigit = 4 };

constexpr std::array<unsigned char, 256> classify() {
  std::array<unsigned char, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = kStart | kFollow;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = kStart | kFollow;
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = kFollow | kDigit;
  table['_'] = kStart | kFollow;
  table['$'] = kStart | kFollow;
  table['%'] = kStart;
  return table;
}
constexpr std::array<unsigned char, 256> kClasses = classify();

bool is(char c, unsigned char wanted) {
  return (kClasses[static_cast<unsigned char>(c)] & wanted) != 0;
}

}  // namespace

void Cursor::skip_blanks() {
  work_step();
  while (pos_ < text_.size()) {
    const char c = text_[pos_];
    if (c == '\n') {
      newline();
      ++pos_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++pos_;
    } else if (c == '/' && at(1) == '/') {
      while (pos_ < text_.size() && text_[pos_] != '\n') ++pos_;
    } else if (c == '/' && at(1) == '*') {
      pos_ += 2;
      while (pos_ < text_.size() && !(text_[pos_] == '*' && at(1) == '/')) {
        if (text_[pos_] == '\n') newline();
        ++pos_;
      }
      pos_ = std::min(pos_ + 2, text_.size());
    } else {
      return;
    }
  }
}

std::string_view Cursor::word() {
  const char first = peek();
  const std::size_t start = pos_;
  if (!is(first, kStart)) return {};
  ++pos_;
  while (is(at(), kFollow)) ++pos_;
  return slice(start, pos_);
}

std::string_view Cursor::directive() {
  if (peek() != '.') return {};
  const std::size_t start = pos_++;
  while (is(at(), kFollow) || (at() == ':' && at(1) == ':' && is(at(2), kFollow))) {
    pos_ += at() == ':' ? 2 : 1;
  }
  return slice(start, pos_);
}

std::string_view Cursor::opcode() {
  peek();
  const std::size_t start = pos_;
  if (word().empty()) return {};
  while (at() == '.' && is(at(1), kFollow)) directive();
  return slice(start, pos_);
}

std::string_view Cursor::number() {
  const char first = peek();
  const std::size_t start = pos_;
  if (!is(first, kDigit)) return {};
  const bool prefixed = first == '0' && !is(at(1), kDigit) && at(1) != '.' && is(at(1), kFollow);
  while (is(at(), kFollow) || (!prefixed && at() == '.' && is(at(1), kFollow)) ||
         (!prefixed && at() == '.' && !is(at(1), kStart)) ||
         (!prefixed && (at() == '+' || at() == '-') && (text_[pos_ - 1] == 'e' || text_[pos_ - 1] == 'E'))) {
    ++pos_;
  }
  return slice(start, pos_);
}

bool Cursor::quoted(std::string_view& inside) {
  if (!accept('"')) return false;
  const std::size_t start = pos_;
  while (pos_ < text_.size() && text_[pos_] != '"' && text_[pos_] != '\n') {
    pos_ += text_[pos_] == '\\' && at(1) != '\n' ? 2 : 1;
  }
  if (at() != '"') return false;
  inside = slice(start, pos_);
  ++pos_;
  return true;
}

void Cursor::skip_line() {
  while (pos_ < text_.size() && text_[pos_] != '\n') ++pos_;
}

bool Cursor::skip_braces() {
  std::size_t depth = 1;
  while (!at_end()) {
    const char c = at();
    std::string_view ignored;
    if (c == '"') {
      if (!quoted(ignored)) return false;
      continue;
    }
    ++pos_;
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return true;
  }
  return false;
}

std::string_view Cursor::glimpse() {
  peek();
  std::size_t end = pos_;
  while (end < text_.size() && end - pos_ < 32 && static_cast<unsigned char>(text_[end]) > ' ') ++end;
  return slice(pos_, end);
}

}  // namespace warplens::ptx
