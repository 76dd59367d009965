// How texts of both languages are put together and broken into lines.
//
//   std::string name = "步长 8";
//   append_text(name, "的扇区数");                  // "步长 8 的扇区数"
//   listed({"stride 2", "block 64"}, "zh");         // "stride 2、block 64"
//   line_pieces("16 个字（32 字节）");              // "16 ", "个", "字", "（32 ", "字", "节）"
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/lanes.h"

namespace warplens {

class Catalogue;
struct Message;

// Length in bytes of the UTF-8 character that begins `text`; 1 where it begins none.
std::size_t character_length(std::string_view text);
// A byte that is no UTF-8 becomes U+FFFD, so that hostile names cannot break a picture.
std::u32string decode_utf8(std::string_view text);
bool is_chinese(std::string_view character);  // ideographs, not their punctuation

// Marks that no line begins with, and marks that none ends with.
bool clings_to_left(std::string_view character);
bool clings_to_right(std::string_view character);

// Adds `more`. Chinese and Latin letters or digits that meet there have a blank between them, Chinese and
// Chinese none, even where a pattern that expects a number has one.
void append_text(std::string& text, std::string_view more);
// Adds a sentence behind another one: a blank between them, but for Chinese ones.
void append_sentence(std::string& text, std::string_view sentence);
std::string sentences(const Catalogue& text, const std::vector<Message>& messages);
// "a, b", in Chinese "a、b".
std::string listed(const std::vector<std::string>& parts, std::string_view language);
// The same of numbers that were put together where no language was known: "0, 2, …, 30". Any other text
// stays.
std::string with_numbers_listed(std::string text, std::string_view language);
// "0–3, 7, 16–31" or "0, 2, …, 30": how lanes are named everywhere. As a value of a message its commas become
// those of the reader's language.
std::string lanes_text(LaneMask lanes);

// As many whole sentences as `lines` lines hold, with "…" behind them where it has room; where not even the
// first one fits, the text as it is. `lines_of` says how many lines a text takes.
std::string whole_sentences(std::string_view text, std::size_t lines,
                            const std::function<std::size_t(std::string_view)>& lines_of);

// The smallest pieces between which a line may break: words, with the blanks behind them, and Chinese
// characters, with their punctuation. A number keeps its unit, and a long name
// may break behind its dots.
std::vector<std::string_view> line_pieces(std::string_view text);

}  // namespace warplens
