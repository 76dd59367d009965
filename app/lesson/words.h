// The text of a lesson in one language: a Markdown file cut at its headings.
//
//   # Title               the introduction follows
//   ## id: Title          a section; its text follows
//   ### kind name         a part of the section
//
// Headings inside of fenced code are code. Text keeps its {{ numbers }} and [[terms]].
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace warplens::lesson {

struct Part {
  std::string kind, name;  // "option", "span"
  std::string body;
  int line = 0;  // of its heading; the body starts below
};

struct Section {
  std::string id, title, body;
  std::vector<Part> parts;
  int line = 0;
  const Part* part(std::string_view kind, std::string_view part_name = {}) const;
};

struct Words {
  std::filesystem::path file;
  std::string title, body;
  std::vector<Section> sections;
  std::vector<Error> problems;
  const Section* section(std::string_view id) const;
};

Words parse_words(std::string_view text, const std::filesystem::path& file);

// A {{ placeholder }} of a text.
struct Placeholder {
  std::string expression;
  std::string format;        // "1", "percent", "time", or empty
  int line = 0, column = 0;  // within the text, from 1
};
// The text with every placeholder replaced; fenced code is left alone. The first problem that
// `value` has, or a placeholder without an end, is an Error whose place is within the text.
Result<std::string> fill_in(std::string_view text,
                            const std::function<Result<std::string>(const Placeholder&)>& value);
// How a value is written in this format; an Error for a format that is not known.
Result<std::string> formatted(double value, const std::string& format);

// The [[terms]] that a text links to, as written before the '|'.
std::vector<std::string> terms_in(std::string_view text);

}  // namespace warplens::lesson
