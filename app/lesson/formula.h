// The expressions of lessons: a number or a statement about runs.
//
//   auto formula = Formula::parse("wide.site(\"x\", load).sectors / 4 <= 8 and stride > 2");
//   auto value = formula->value(scope);      // 1 for a statement that holds, 0 for one that does not
//
//   + - * /   == != < <= > >=   and or not   ( )   min(a, b) max(a, b) round(x) abs(x) ceil(x) floor(x)
//   NAME.NAME...                  a slider, a number of the report by its path, `time`, `output.matches`
//   RUN.NAME...                   the same of another run
//   site("TEXT", KIND, SPACE).FIELD    the sites whose source line contains TEXT; KIND and SPACE may be left
//   out SLIDER == "choice"            a choice by its name
//
// Arithmetic is in double precision; == holds within 1e-9 of the larger side, so that 0.1 * 3 == 0.3.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/message.h"
#include "engine/base/result.h"

namespace warplens::lesson {

struct SiteQuery {
  std::string text;
  std::string kind;   // "load", ...; empty: any
  std::string space;  // "global", "shared", ...; empty: any
};

// What a name stands for: the words between the points, and where site(...) stood among them.
struct Reference {
  std::vector<std::string> path;  // without the site: {"wide", "sectors"} of wide.site("x").sectors
  std::optional<SiteQuery> site;
  std::size_t site_at = 0;  // number of words before it
  std::string text() const;
};

// Where the values come from. Errors say what is not there and what there is.
class Scope {
 public:
  virtual ~Scope() = default;
  virtual Result<double> value(const Reference& reference) const = 0;
  // The number of a slider's choice.
  virtual Result<double> choice(const Reference& reference, const std::string& name) const = 0;
};

class Formula {
 public:
  // Errors carry the column, counted from 1; the caller adds the file and the line.
  static Result<Formula> parse(std::string_view text);
  Result<double> value(const Scope& scope) const;
  Result<bool> holds(const Scope& scope) const;
  // Every name in it, for checks that need no run.
  std::vector<Reference> references() const;
  const std::string& text() const { return text_; }

  struct Node;

 private:
  std::string text_;
  std::shared_ptr<const Node> root_;
};

// The same in one call.
Result<double> value_of(std::string_view text, const Scope& scope);
// What each name in it is, for who wonders why a statement does not hold: "stride is 4, global.load.sectors
// is 128".
std::vector<Message> values_in(const Formula& formula, const Scope& scope);
// As a person reads it: whole numbers whole, in groups of three as in the views (12,288); others with
// `decimals` (not given: up to two, as many as say something).
std::string number_text(double value, std::optional<int> decimals = {});

}  // namespace warplens::lesson
