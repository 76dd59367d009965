#include "engine/base/typography.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "engine/base/message.h"

namespace warplens {
namespace {

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string_view first_of(std::string_view text) {
  return text.substr(0, character_length(text));
}

std::string_view last_of(std::string_view text) {
  std::size_t at = text.size();
  while (at > 0 && is_continuation(text[at - 1])) --at;
  return text.substr(at == 0 ? 0 : at - 1);
}

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& marks, std::string_view character) {
  return std::ranges::find(marks, character) != marks.end();
}

// What a number, a name or a piece of code ends and begins with.
bool ends_latin(std::string_view character) {
  static constexpr std::array<std::string_view, 10> kMarks{"%", ")", "]", ">", "_", "×", "°", "²", "³", "µ"};
  return (character.size() == 1 && is_letter_or_digit(character[0])) || is_one_of(kMarks, character);
}
bool begins_latin(std::string_view character) {
  static constexpr std::array<std::string_view, 8> kMarks{"/", ".", "-", "−", "+", "<", "_", "µ"};
  return (character.size() == 1 && is_letter_or_digit(character[0])) || is_one_of(kMarks, character);
}

// A line may break beside Chinese and its punctuation, and beside signs as wide as these.
bool is_wide(std::string_view character) {
  return character.size() >= 3 && character >= "\xe2\xba\x80";  // U+2E80
}

bool begins_with_unit(std::string_view text) {
  static constexpr std::array<std::string_view, 10> kUnits{"%",  "ns", "µs", "ms", "s",
                                                           "KB", "MB", "GB", "B",  "GB/s"};
  return std::ranges::any_of(kUnits, [&](std::string_view unit) {
    return text.starts_with(unit) && (text.size() == unit.size() ||
                                      !(is_letter_or_digit(text[unit.size()]) || text[unit.size()] == '/'));
  });
}

// The distance of lanes that follow each other evenly but not closely, as 0, 2, 4 ... 30; 0 for all others.
int even_distance(LaneMask lanes) {
  if (active_lanes(lanes) < 5) return 0;  // four are named each in as little room
  const int first = std::countr_zero(lanes);
  const int distance = std::countr_zero(lanes & (lanes - 1)) - first;
  LaneMask wanted = 0;
  for (int lane = first; lane < kWarpSize && active_lanes(wanted) < active_lanes(lanes); lane += distance)
    wanted |= LaneMask{1} << lane;
  return wanted == lanes && distance > 1 ? distance : 0;
}

}  // namespace

std::size_t character_length(std::string_view text) {
  if (text.empty()) return 1;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t wanted = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  if (wanted > text.size()) return 1;
  return std::ranges::all_of(text.substr(1, wanted - 1), is_continuation) ? wanted : 1;
}

std::u32string decode_utf8(std::string_view text) {
  std::u32string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
    char32_t c = length == 1 ? lead : static_cast<char32_t>(lead & (0x7fu >> length));
    bool good = length != 0 && i + length <= text.size() && lead < 0xf5;
    for (std::size_t k = 1; good && k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      good = (next & 0xc0u) == 0x80u;
      c = (c << 6) | (next & 0x3fu);
    }
    out += good ? c : U'\uFFFD';
    i += good ? length : 1;
  }
  return out;
}

bool is_chinese(std::string_view character) {
  return character.size() == 3 && character >= "\xe3\x90\x80" &&
         character <= "\xe9\xbf\xbf";  // U+3400, U+9FFF
}

bool clings_to_left(std::string_view character) {
  static constexpr std::array<std::string_view, 19> kClosing{"，", "。", "、", "；", "：", "！", "？",
                                                             "）", "」", "』", "】", "”",  "》", "’",
                                                             "…",  "·",  "％", ",",  ")"};
  return is_one_of(kClosing, character);
}

bool clings_to_right(std::string_view character) {
  static constexpr std::array<std::string_view, 8> kOpening{"（", "「", "『", "“", "《", "‘", "【", "("};
  return is_one_of(kOpening, character);
}

void append_text(std::string& text, std::string_view more) {
  if (!text.empty() && !more.empty()) {
    const std::string_view left = last_of(text), right = first_of(more);
    const std::string_view before = std::string_view(text).substr(0, text.size() - left.size());
    if (left == " " && is_chinese(last_of(before)) && is_chinese(right)) {
      text.pop_back();
    } else if (right == " " && is_chinese(left) && is_chinese(first_of(more.substr(1)))) {
      more.remove_prefix(1);
    } else if ((ends_latin(left) && is_chinese(right)) || (is_chinese(left) && begins_latin(right)))
      text += ' ';
  }
  text += more;
}

void append_sentence(std::string& text, std::string_view sentence) {
  static constexpr std::array<std::string_view, 7> kEnds{"。", "！", "？", "；", "：", "，", "”"};
  if (!text.empty() && !sentence.empty() && !is_one_of(kEnds, last_of(text))) text += ' ';
  text += sentence;
}

std::string sentences(const Catalogue& text, const std::vector<Message>& messages) {
  std::string out;
  for (const Message& message : messages) append_sentence(out, text.text(message));
  return out;
}

std::string listed(const std::vector<std::string>& parts, std::string_view language) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += language == "zh" ? "、" : ", ";
    out += part;
  }
  return out;
}

std::string with_numbers_listed(std::string text, std::string_view language) {
  if (language != "zh" || text.find(", ") == std::string::npos ||
      text.find_first_not_of("0123456789-–…., ") != std::string::npos)
    return text;
  for (std::size_t at; (at = text.find(", ")) != std::string::npos;) text.replace(at, 2, "、");
  return text;
}

std::string lanes_text(LaneMask lanes) {
  std::string out;
  if (const int distance = even_distance(lanes))
    return fmt::format("{}, {}, …, {}", std::countr_zero(lanes), std::countr_zero(lanes) + distance,
                       kWarpSize - 1 - std::countl_zero(lanes));
  for (int lane = 0; lane < kWarpSize;) {
    if (!(lanes >> lane & 1u)) {
      ++lane;
      continue;
    }
    int last = lane;
    while (last + 1 < kWarpSize && (lanes >> (last + 1) & 1u)) ++last;
    if (!out.empty()) out += ", ";
    out += last == lane ? std::to_string(lane) : fmt::format("{}–{}", lane, last);
    lane = last + 1;
  }
  return out;
}

std::string whole_sentences(std::string_view text, std::size_t lines,
                            const std::function<std::size_t(std::string_view)>& lines_of) {
  if (lines_of(text) <= lines) return std::string(text);
  std::string best;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    const std::size_t stop = rest.starts_with(". ") ? 1 : rest.starts_with("。") ? 3 : 0;
    const bool dots = stop == 1 && at > 0 && text[at - 1] == '.';  // of "1, 3, ... 31"
    if (stop == 0 || dots) continue;
    std::string begin(text.substr(0, at + stop));
    const std::size_t taken = lines_of(begin);
    if (taken > lines) break;
    // Dots on a line of their own would only take its room.
    const std::string with_dots = begin + (stop == 1 ? " …" : "…");
    best = lines_of(with_dots) > taken ? std::move(begin) : with_dots;
  }
  return best.empty() ? std::string(text) : best;
}

// A name with dots that is so long, as those of instructions are, may go on in the next line.
constexpr std::size_t kLongName = 16;

std::vector<std::string_view> line_pieces(std::string_view text) {
  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view c = text.substr(at, character_length(text.substr(at)));
    const std::size_t after = at + c.size();
    const std::string_view rest = text.substr(after), next = first_of(rest);
    bool breaks = false;
    if (c == " ")
      breaks =
          next != " " && !(at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9' && begins_with_unit(rest));
    else if (c == "." && after - begin >= kLongName && next >= "a" && next <= "z")
      breaks = true;
    else
      breaks = next != " " && (is_wide(c) || is_wide(next)) && !clings_to_left(next) && !clings_to_right(c);
    if (breaks || after >= text.size()) {
      pieces.push_back(text.substr(begin, after - begin));
      begin = after;
    }
    at = after;
  }
  return pieces;
}

}  // namespace warplens
