// The expression language of lessons.
#include <gtest/gtest.h>

#include <map>

#include "app/lesson/formula.h"
#include "app/lesson/words.h"
#include "engine/base/message.h"

namespace warplens::lesson {
namespace {

// Names with given values; "mode" has the choices plain and padded.
struct Table : Scope {
  std::map<std::string, double> values;
  Result<double> value(const Reference& reference) const override {
    const auto found = values.find(reference.text());
    if (found != values.end()) return found->second;
    return Error{ErrorKind::Usage, "no " + reference.text(), {}, {}};
  }
  Result<double> choice(const Reference& reference, const std::string& name) const override {
    if (reference.text() == "mode" && name == "padded") return 1.0;
    return Error{ErrorKind::Usage, "no choice " + name, {}, {}};
  }
};

double number(const std::string& text, const Table& table = {}) {
  const auto value = value_of(text, table);
  EXPECT_TRUE(value) << text << ": " << (value ? "" : value.error().message);
  return value ? *value : -1;
}

TEST(LessonFormula, ArithmeticBindsAsInMathematics) {
  EXPECT_EQ(number("1 + 2 * 3"), 7);
  EXPECT_EQ(number("(1 + 2) * 3"), 9);
  EXPECT_EQ(number("7 / 2"), 3.5);
  EXPECT_EQ(number("-2 - -3"), 1);
  EXPECT_EQ(number("8 - 4 - 2"), 2);
  EXPECT_EQ(number("min(3, 1, 2) + max(4, 9) + round(2.5) + abs(0 - 2)"), 15);
}

TEST(LessonFormula, StatementsAreOneOrZero) {
  EXPECT_EQ(number("1 < 2 and 2 <= 2 and not 3 < 2"), 1);
  EXPECT_EQ(number("1 > 2 or 0 == 1"), 0);
  EXPECT_EQ(number("0.1 * 3 == 0.3"), 1);
  EXPECT_EQ(number("not 1 == 1"), 0);
}

TEST(LessonFormula, WhatDecidesSparesTheRest) {
  EXPECT_EQ(number("1 == 2 and nothing.there > 1"), 0);
  EXPECT_EQ(number("1 == 1 or nothing.there > 1"), 1);
}

TEST(LessonFormula, NamesPathsAndSites) {
  Table table;
  table.values = {{"stride", 2}, {"wide.time", 8}, {R"(wide.site("in[i * stride]", load).sectors)", 64}};
  EXPECT_EQ(number(R"(wide.site("in[i * stride]", load).sectors / wide.time == 8 and stride > 1)", table), 1);
  const auto formula = Formula::parse(R"(site('a "b"', load, shared).wavefronts)");
  ASSERT_TRUE(formula);
  const auto references = formula->references();
  ASSERT_EQ(references.size(), 1u);
  EXPECT_EQ(references[0].site->text, "a \"b\"");
  EXPECT_EQ(references[0].site->space, "shared");
  EXPECT_EQ(references[0].path, std::vector<std::string>{"wavefronts"});
}

TEST(LessonFormula, ChoicesAreComparedByName) {
  Table table;
  table.values = {{"mode", 1}};
  EXPECT_EQ(number("mode == \"padded\"", table), 1);
  EXPECT_EQ(number("\"padded\" != mode", table), 0);
  EXPECT_FALSE(value_of("mode == \"other\"", table));
  EXPECT_FALSE(value_of("\"padded\"", table));
}

TEST(LessonFormula, MistakesSayWhere) {
  const std::pair<const char*, int> cases[] = {
      {"1 +", 4}, {"(1", 3},       {"1 2", 3}, {"sqrt(2)", 1}, {"site(\"x\")", 10},
      {"a.", 3},  {"min(1, 2", 9}, {"$", 1},   {"\"open", 1},  {"round(1, 2)", 12}};
  for (const auto& [text, column] : cases) {
    const auto formula = Formula::parse(text);
    ASSERT_FALSE(formula) << text;
    EXPECT_EQ(formula.error().place.column, column) << text << ": " << formula.error().message;
  }
  EXPECT_FALSE(value_of("1 / 0", Table{}));
  EXPECT_FALSE(Formula::parse(std::string(500, '(')));
  EXPECT_FALSE(Formula::parse(std::string(5000, '1')));
}

TEST(LessonFormula, NumbersAsPeopleReadThem) {
  EXPECT_EQ(number_text(8), "8");
  EXPECT_EQ(number_text(4096), "4,096");
  EXPECT_EQ(number_text(131072), "131,072");
  EXPECT_EQ(number_text(1048576), "1,048,576");
  EXPECT_EQ(number_text(-65536), "−65,536");
  EXPECT_EQ(number_text(2.5), "2.5");
  EXPECT_EQ(number_text(1.0 / 3), "0.33");
  EXPECT_EQ(number_text(0.001), "0.001");
  EXPECT_EQ(number_text(3.14159, 1), "3.1");
  EXPECT_EQ(number_text(1064.04, 1), "1,064.0");
  EXPECT_EQ(number_text(999.96, 1), "1,000.0");
  EXPECT_EQ(number_text(-1234567.25, 2), "−1,234,567.25");
  EXPECT_EQ(*formatted(0.25, "percent"), "25 %");
  EXPECT_EQ(*formatted(4.0 / 32, "percent"), "12.5 %") << "what a class computes in its head";
  EXPECT_EQ(*formatted(1.0 / 3, "percent"), "33 %");
  EXPECT_EQ(*formatted(1763.2, "time"), "1.76 ms");
  EXPECT_EQ(*formatted(12.34, "time"), "12.3 µs");
  EXPECT_FALSE(formatted(1, "long"));
}

TEST(LessonWords, AFileIsCutAtItsHeadings) {
  const Words words = parse_words(
      "# Title\n\nIntroduction.\n\n## one: First step\nText {{ stride }}.\n```\n## no heading\n```\n### "
      "note\nSay.\n"
      "### option span\nA span.\n## remember\n- a\n",
      "en.md");
  EXPECT_TRUE(words.problems.empty());
  EXPECT_EQ(words.title, "Title");
  EXPECT_EQ(words.body, "Introduction.");
  ASSERT_EQ(words.sections.size(), 2u);
  const Section& one = words.sections[0];
  EXPECT_EQ(one.id, "one");
  EXPECT_EQ(one.title, "First step");
  EXPECT_EQ(one.body, "Text {{ stride }}.\n```\n## no heading\n```");
  ASSERT_NE(one.part("option", "span"), nullptr);
  EXPECT_EQ(one.part("option", "span")->body, "A span.");
  EXPECT_EQ(one.part("option", "span")->line, 12);
}

TEST(LessonFormula, WhatIsWrongIsSaidInBothLanguages) {
  const auto chinese = Catalogue::load("zh");
  ASSERT_TRUE(chinese);
  const auto quotation = Formula::parse("mode == \"padded");
  ASSERT_FALSE(quotation);
  EXPECT_EQ(quotation.error().message, "in 'mode == \"padded': the quotation mark is not closed");
  EXPECT_EQ(quotation.error().place.column, 9);
  EXPECT_EQ(chinese->text(quotation.error()), "“mode == \"padded”里：引号没有闭合");
  const auto function = Formula::parse("root(2)");
  ASSERT_FALSE(function);
  EXPECT_EQ(chinese->text(function.error()),
            "“root(2)”里：“root”不是函数；可用的有 min, max, round, floor, ceil, abs, site");
}

TEST(LessonWords, WhatStandsWrongIsSaidWithItsLine) {
  const Words words = parse_words("## one\n### a\n### a\n## one\n", "en.md");
  ASSERT_EQ(words.problems.size(), 3u);  // the second part, the second section, no title
  EXPECT_EQ(words.problems[0].place.line, 3);
  EXPECT_EQ(words.problems[1].place.line, 4);
}

TEST(LessonWords, PlaceholdersAreFilledIn) {
  const auto value = [](const Placeholder& p) -> Result<std::string> {
    if (p.expression == "bad") return Error{ErrorKind::Usage, "no such name", {}, {}};
    return "<" + p.expression + "|" + p.format + ">";
  };
  EXPECT_EQ(*fill_in("a {{ x | 1 }} b {{y}}", value), "a <x|1> b <y|>");
  EXPECT_EQ(*fill_in("```\n{{ x }}\n```\n{{ x }}", value), "```\n{{ x }}\n```\n<x|>");
  EXPECT_EQ(*fill_in("{{ x }}. So", value), "<x|>\\. So");  // no item of a list
  const auto wrong = fill_in("one\n  {{ bad }}", value);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().place.line, 2);
  EXPECT_EQ(wrong.error().place.column, 6);
  EXPECT_FALSE(fill_in("{{ x", value));
}

TEST(LessonWords, TermsAreFoundOutsideOfCode) {
  const auto terms = terms_in("A [[sector]] and [[bank|banks]], not `a[[i]]`.\n```\nb[[j]]\n```\n");
  EXPECT_EQ(terms, (std::vector<std::string>{"sector", "bank"}));
}

}  // namespace
}  // namespace warplens::lesson
