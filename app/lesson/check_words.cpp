// Whether what is said is complete.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "app/lesson/check.h"
#include "app/lesson/complaint.h"
#include "app/lesson/glossary.h"
#include "app/lesson/markdown.h"
#include "engine/base/assets.h"
#include "engine/base/typography.h"
#include "visual/installed_fonts.h"

namespace warplens::lesson {
namespace {

constexpr std::size_t kMostRemembered = 3;

// Of the words that are neither code nor a number nor an address. Names and units stand in every Chinese
// text, in some as many as there are characters; three of them alone are no sentence.
bool in_chinese(std::string_view markdown) {
  constexpr std::size_t kMostForeign = 3;
  std::size_t chinese = 0, foreign = 0;
  const auto text =
      fill_in(markdown, [](const Placeholder&) { return Result<std::string>(std::string("0")); });
  if (!text) return true;  // said elsewhere
  for (const Block& block : parse_markdown(*text)) {
    std::vector<Span> spans = block.spans;
    for (const auto& cell : block.cells) spans.insert(spans.end(), cell.begin(), cell.end());
    for (const Span& span : spans) {
      if (span.code || span.text.find("://") != std::string::npos) continue;
      bool word = false;
      for (std::size_t i = 0; i < span.text.size();) {
        const std::string_view rest = std::string_view(span.text).substr(i);
        const std::size_t length = character_length(rest);
        const std::string_view character = rest.substr(0, length);
        const bool letter = length == 1 && std::isalpha(static_cast<unsigned char>(character[0])) != 0;
        if (letter && !word) ++foreign;
        word = letter;
        if (is_chinese(character)) ++chinese;
        i += length;
      }
    }
  }
  return foreign <= kMostForeign || 2 * chinese > foreign;
}

class WordsCheck {
 public:
  WordsCheck(const Lesson& lesson, std::string language, const Words& words, const Report& problem)
      : lesson_(lesson), language_(std::move(language)), words_(words), problem_(problem) {}

  void run() {
    if (words_.body.empty()) fail(1, complaint("no_introduction"));
    if (lesson_.kind == Kind::Lesson) {
      for (const Step& step : lesson_.steps) check_step(step);
      known_sections({"remember", "teacher", "sources"});
      for (const char* needed : {"remember", "teacher", "sources"}) section(needed);
    } else if (lesson_.kind == Kind::Challenge) {
      section("hint 1");
      section("solution");
      known_sections({"hint 1", "hint 2", "hint 3", "solution", "remember", "teacher", "sources"});
    } else {
      check_claim();
    }
    check_remember();
    if (language_ == "zh") check_script();
    check_terms();
    check_glyphs();
  }

 private:
  void fail(int line, Message what) const {
    problem_(told(ErrorKind::Usage, std::move(what), {words_.file.string(), line, line == 0 ? 0 : 1}));
  }

  const Section* section(const std::string& id) {
    const Section* found = words_.section(id);
    if (found == nullptr) fail(0, complaint("no_section", "name", id));
    if (found != nullptr && found->body.empty() && found->parts.empty())
      fail(found->line, complaint("empty_section", "name", id));
    return found;
  }

  void need(const Section& section, const std::string& kind, const std::string& part_name = {}) {
    const std::string heading = part_name.empty() ? kind : kind + " " + part_name;
    const Part* part = section.part(kind, part_name);
    if (part == nullptr)
      fail(section.line, complaint("no_part", "part", heading, "section", section.id));
    else if (part->body.empty())
      fail(part->line, complaint("empty_part", "part", heading));
    expected_.insert(heading);
  }

  void check_step(const Step& step) {
    const Section* found = words_.section(step.id);
    if (found == nullptr) return fail(0, complaint("no_section_of_step", "name", step.id));
    if (found->title.empty()) fail(found->line, complaint("no_heading", "name", step.id));
    if (found->body.empty()) fail(found->line, complaint("no_text", "name", step.id));
    expected_ = {"note"};
    if (step.predict) {
      need(*found, "ask");
      need(*found, "reveal");
      if (step.predict->kind == PredictKind::Choice || step.predict->kind == PredictKind::Order)
        for (const std::string& option : step.predict->options) need(*found, "choose", option);
    }
    if (step.why) {
      need(*found, "why");
      for (const std::string& option : step.why->options) {
        need(*found, "option", option);
        need(*found, "answer", option);
      }
    }
    if (!step.goal.empty()) {
      need(*found, "goal");
      need(*found, "done");
    }
    for (const Part& part : found->parts) check_part(step, part);
  }

  void check_part(const Step& step, const Part& part) const {
    const std::string heading = part.name.empty() ? part.kind : part.kind + " " + part.name;
    if (expected_.contains(heading) || (part.kind == "wrong" && step.predict && can_be_wrong(step, part)))
      return;
    std::set<std::string> known = expected_;
    if (step.predict) known.insert("wrong");
    fail(part.line, complaint("part_unknown", "part", heading, "step", step.id, "known",
                              fmt::format("{}", fmt::join(known, ", "))));
  }

  // A guess that somebody can make: an option of a choice, a number.
  static bool can_be_wrong(const Step& step, const Part& part) {
    if (part.name.empty()) return true;
    if (step.predict->kind == PredictKind::Choice) {
      const auto& options = step.predict->options;
      return std::find(options.begin(), options.end(), part.name) != options.end();
    }
    double number = 0;
    const char* end = part.name.data() + part.name.size();
    const auto [stop, failed] = std::from_chars(part.name.data(), end, number);
    return step.predict->kind == PredictKind::Number && failed == std::errc{} && stop == end;
  }

  void check_claim() {
    for (std::size_t i = 1; i <= lesson_.claim.show.size(); ++i)
      if (show_label(words_, i) == nullptr) fail(0, complaint("no_show", "number", i));
    std::set<std::string> known{"holds", "depends", "refuted", "remember", "teacher", "sources"};
    for (std::size_t i = 1; i <= lesson_.claim.show.size(); ++i) known.insert(fmt::format("show {}", i));
    known_sections(known);
  }

  void known_sections(std::set<std::string> known) const {
    for (const Step& step : lesson_.steps) known.insert(step.id);
    for (const Section& one : words_.sections)
      if (!known.contains(one.id))
        fail(one.line, complaint("section_unknown", "name", one.id, "known",
                                 fmt::format("{}", fmt::join(known, ", "))));
  }

  void check_remember() const {
    const Section* found = words_.section("remember");
    if (found == nullptr) return;
    std::size_t items = 0;
    for (std::size_t at = 0; at != std::string::npos; at = found->body.find('\n', at + 1)) {
      const std::size_t line = at == 0 ? 0 : at + 1;
      if (found->body.compare(line, 2, "- ") == 0) ++items;
    }
    if (items > kMostRemembered) fail(found->line, complaint("remember_long", "lines", items));
  }

  void check_terms() const {
    static const Glossary glossary = load_glossary();
    for (const TextPlace& place : texts_of(lesson_, words_))
      for (const std::string& term : terms_in(*place.text))
        if (glossary.find(term) == nullptr) fail(place.line, complaint("no_term", "name", term));
  }

  // A text that was copied and not translated yet. Titles of works are in their own language.
  void check_script() const {
    if (!words_.title.empty() && !in_chinese(words_.title))
      fail(1, complaint("title_not_chinese", "title", words_.title));
    if (!in_chinese(words_.body)) fail(1, complaint("introduction_not_chinese"));
    for (const Section& section : words_.sections) {
      if (section.id == "sources") continue;
      if (!in_chinese(section.title + "\n" + section.body))
        fail(section.line, complaint("section_not_chinese", "name", section.id));
      for (const Part& part : section.parts)
        if (!in_chinese(part.body))
          fail(part.line,
               complaint("part_not_chinese", "part", part.kind + (part.name.empty() ? "" : " ") + part.name,
                         "section", section.id));
    }
  }

  void check_glyphs() const {
    const auto text = read_text(words_.file);
    if (!text) return;
    int number = 0;
    std::string_view left = *text;
    if (left.starts_with("\xef\xbb\xbf")) left.remove_prefix(3);  // a mark of the encoding, which nobody sees
    while (!left.empty()) {
      ++number;
      const std::size_t end = std::min(left.find('\n'), left.size());
      for (const std::string& character : visual::without_glyph(left.substr(0, end)))
        fail(number, complaint("no_glyph", "character", character));
      left.remove_prefix(std::min(end + 1, left.size()));
    }
  }

  const Lesson& lesson_;
  const std::string language_;
  const Words& words_;
  const Report& problem_;
  std::set<std::string> expected_;
};

void check_richness(const Lesson& lesson, const Report& remark) {
  if (lesson.kind != Kind::Lesson) return;
  std::size_t predictions = 0, drawn = 0;
  for (const Step& step : lesson.steps) {
    if (!step.predict) continue;
    ++predictions;
    const PredictKind kind = step.predict->kind;
    if (kind == PredictKind::Paint || kind == PredictKind::Curve) ++drawn;
  }
  const auto say = [&](Message what) {
    remark(told(ErrorKind::Usage, std::move(what), {(lesson.folder / "lesson.toml").string(), 0, 0}));
  };
  if (predictions < 3) say(complaint("few_predictions", "number", predictions));
  if (drawn == 0) say(complaint("none_drawn"));
}

}  // namespace

const std::string* show_label(const Words& words, std::size_t number) {
  const std::string id = fmt::format("show {}", number);
  if (const Section* section = words.section(id))
    return section->body.empty() ? &section->title : &section->body;
  for (const Section& section : words.sections)
    if (const Part* part = section.part("show", std::to_string(number))) return &part->body;
  return nullptr;
}

void check_words(const Lesson& lesson, const Report& problem, const Report& remark) {
  for (const auto& [language, words] : lesson.words) WordsCheck(lesson, language, words, problem).run();
  check_richness(lesson, remark);
}

}  // namespace warplens::lesson
