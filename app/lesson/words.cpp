#include "app/lesson/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "app/lesson/complaint.h"
#include "app/lesson/formula.h"
#include "engine/base/time_text.h"

namespace warplens::lesson {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

// "id: Title" with an English or a Chinese colon.
std::pair<std::string, std::string> id_and_title(std::string_view heading) {
  const std::size_t narrow = heading.find(':'), wide = heading.find("：");
  const std::size_t at = std::min(narrow, wide);
  if (at == std::string_view::npos) return {std::string(trimmed(heading)), {}};
  return {std::string(trimmed(heading.substr(0, at))),
          std::string(trimmed(heading.substr(at + (at == narrow ? 1 : 3))))};
}

bool is_fence(std::string_view line) {
  line = trimmed(line);
  return line.starts_with("```") || line.starts_with("~~~");
}

struct Heading {
  int level = 0;
  std::string_view text;
};
std::optional<Heading> heading_of(std::string_view line) {
  std::size_t level = 0;
  while (level < line.size() && line[level] == '#') ++level;
  if (level == 0 || level > 3 || level == line.size() || line[level] != ' ') return std::nullopt;
  return Heading{static_cast<int>(level), trimmed(line.substr(level))};
}

class WordsParser {
 public:
  explicit WordsParser(Words& words) : words_(words), body_(&words.body) {}

  void line(std::string_view text, int number) {
    if (is_fence(text)) in_code_ = !in_code_;
    const auto heading = in_code_ ? std::nullopt : heading_of(text);
    if (!heading) {
      *body_ += text;
      *body_ += '\n';
      return;
    }
    if (heading->level == 1) title(heading->text, number);
    if (heading->level == 2) section(heading->text, number);
    if (heading->level == 3) part(heading->text, number);
  }

 private:
  void fail(int number, Message what) {
    words_.problems.push_back(told(ErrorKind::Usage, std::move(what), {words_.file.string(), number, 1}));
  }
  void title(std::string_view text, int number) {
    if (!words_.title.empty() || !words_.sections.empty()) fail(number, complaint("title_once"));
    words_.title = text;
  }
  void section(std::string_view text, int number) {
    auto [id, shown] = id_and_title(text);
    if (words_.section(id) != nullptr) fail(number, complaint("section_taken", "name", id));
    Section added;
    added.id = std::move(id);
    added.title = std::move(shown);
    added.line = number;
    words_.sections.push_back(std::move(added));
    body_ = &words_.sections.back().body;
  }
  void part(std::string_view text, int number) {
    if (words_.sections.empty()) return fail(number, complaint("part_alone"));
    Section& section = words_.sections.back();
    const std::size_t blank = std::min(text.find(' '), text.size());
    Part added;
    added.kind = text.substr(0, blank);
    added.name = trimmed(text.substr(blank));
    added.line = number;
    if (section.part(added.kind, added.name) != nullptr)
      fail(number, complaint("part_twice", "section", section.id, "part", std::string(text)));
    section.parts.push_back(std::move(added));
    body_ = &section.parts.back().body;
  }

  Words& words_;
  std::string* body_;
  bool in_code_ = false;
};

void trim_blank_lines(std::string& text) {
  text = std::string(trimmed(text));
}

}  // namespace

const Part* Section::part(std::string_view kind, std::string_view part_name) const {
  const auto found = std::find_if(parts.begin(), parts.end(),
                                  [&](const Part& p) { return p.kind == kind && p.name == part_name; });
  return found == parts.end() ? nullptr : &*found;
}

const Section* Words::section(std::string_view id) const {
  const auto found =
      std::find_if(sections.begin(), sections.end(), [&](const Section& s) { return s.id == id; });
  return found == sections.end() ? nullptr : &*found;
}

Words parse_words(std::string_view text, const std::filesystem::path& file) {
  Words words;
  words.file = file;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  WordsParser parser(words);
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    parser.line(line, ++number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (words.title.empty())
    words.problems.push_back(told(ErrorKind::Usage, complaint("no_title"), {file.string(), 1, 1}));
  trim_blank_lines(words.body);
  for (Section& section : words.sections) {
    trim_blank_lines(section.body);
    for (Part& part : section.parts) trim_blank_lines(part.body);
  }
  return words;
}

Result<std::string> fill_in(std::string_view text,
                            const std::function<Result<std::string>(const Placeholder&)>& value) {
  std::string out;
  int line = 1, column = 1;
  bool fenced = false;
  for (std::size_t i = 0; i < text.size();) {
    if (column == 1 && is_fence(text.substr(i, text.find('\n', i) - i))) fenced = !fenced;
    if (!fenced && text.substr(i, 2) == "{{") {
      const std::size_t end = text.find("}}", i);
      if (end == std::string_view::npos)
        return told(ErrorKind::Usage, complaint("open_number"), {"", line, column});
      const std::string_view inside = text.substr(i + 2, end - i - 2);
      const std::size_t bar = std::min(inside.rfind('|'), inside.size());
      Placeholder found{std::string(trimmed(inside.substr(0, bar))),
                        std::string(trimmed(inside.substr(std::min(bar + 1, inside.size())))), line, column};
      auto filled = value(found);
      if (!filled) {
        Error error = filled.error();
        if (error.place.file.empty()) error.place = {"", line, column + 2 + std::max(error.place.column, 1)};
        return error;
      }
      out += *filled;
      // "8." at the start of a line would be an item of a list.
      const bool starts_line = out.size() == filled->size() || out[out.size() - filled->size() - 1] == '\n';
      if (starts_line && end + 2 < text.size() && (text[end + 2] == '.' || text[end + 2] == ')')) out += '\\';
      column += static_cast<int>(end + 2 - i);
      i = end + 2;
      continue;
    }
    column = text[i] == '\n' ? 1 : column + 1;
    line += text[i] == '\n' ? 1 : 0;
    out += text[i++];
  }
  return out;
}

Result<std::string> formatted(double value, const std::string& format) {
  if (format.empty()) return number_text(value);
  if (format == "time") return microseconds_text(value);
  if (format == "percent") {
    // 4 of 32 bytes are 12.5 %, which a class computes in its head; a third has no such end.
    const double tenths = value * 1000;
    const bool ends = std::fabs(tenths - std::round(tenths)) < 1e-9;
    const bool whole = std::fabs(value * 100 - std::round(value * 100)) < 1e-9;
    return number_text(value * 100, ends && !whole ? 1 : 0) + " %";
  }
  if (format.size() == 1 && format[0] >= '0' && format[0] <= '6') return number_text(value, format[0] - '0');
  return told(ErrorKind::Usage, complaint("no_format", "given", format));
}

std::vector<std::string> terms_in(std::string_view text) {
  std::vector<std::string> out;
  bool fenced = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (is_fence(line)) fenced = !fenced;
    bool code = false;
    for (std::size_t i = 0; i < line.size() && !fenced; ++i) {
      if (line[i] == '`') code = !code;
      if (code || line.substr(i, 2) != "[[") continue;
      const std::size_t close = line.find("]]", i);
      if (close == std::string_view::npos) break;
      const std::string_view inside = line.substr(i + 2, close - i - 2);
      out.emplace_back(trimmed(inside.substr(0, std::min(inside.find('|'), inside.size()))));
      i = close + 1;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace warplens::lesson
