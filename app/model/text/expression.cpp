#include "app/model/text/expression.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>

#include "engine/base/message.h"

namespace warplens::model {
namespace {

constexpr int kDeepest = 60;

// Fractions live only inside ceil(...), where a division must not be rounded yet.
struct Fraction {
  std::int64_t over = 0, under = 1;  // under > 0
};

class Parser {
 public:
  Parser(std::string_view text, const std::map<std::string, std::int64_t>& names)
      : text_(text), names_(names) {}

  Result<std::int64_t> run() {
    const Fraction value = comparison();
    skip_blanks();
    if (problem_.key.empty() && at_ < text_.size())
      fail({"expression.unexpected", {{"text", value_of(std::string(text_.substr(at_)))}}});
    if (!problem_.key.empty())
      return told(ErrorKind::Usage,
                  {"expression.wrong", {{"text", value_of(std::string(text_))}, {"why", value_of(problem_)}}},
                  {"", 0, static_cast<int>(problem_at_) + 1});
    return floored(value);
  }

 private:
  void fail(Message what) {
    if (!problem_.key.empty()) return;
    problem_ = std::move(what);
    problem_at_ = at_;
    at_ = text_.size();  // nothing is read after the first problem
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(std::string_view token) {
    skip_blanks();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  static std::int64_t floored(Fraction f) {
    const std::int64_t q = f.over / f.under;
    return q - (f.over % f.under < 0 ? 1 : 0);
  }
  static std::int64_t ceiled(Fraction f) {
    const std::int64_t q = f.over / f.under;
    return q + (f.over % f.under > 0 ? 1 : 0);
  }

  // What does not fit ends the reading; 1 stands for it until then, since a fraction may be over it.
  std::int64_t times(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (!__builtin_mul_overflow(a, b, &result)) return result;
    fail({"expression.too_large", {}});
    return 1;
  }
  Fraction sum(Fraction a, Fraction b, int sign) {
    const std::int64_t left = times(a.over, b.under), right = times(times(b.over, a.under), sign);
    std::int64_t over = 0;
    if (__builtin_add_overflow(left, right, &over)) fail({"expression.too_large", {}});
    return reduced({over, times(a.under, b.under)});
  }
  Fraction product(Fraction a, Fraction b) {
    return reduced({times(a.over, b.over), times(a.under, b.under)});
  }
  Fraction quotient(Fraction a, Fraction b) {
    if (b.over == 0 || b.over == std::numeric_limits<std::int64_t>::min()) {
      fail({"expression.by_zero", {}});
      return {};
    }
    const std::int64_t sign = b.over < 0 ? -1 : 1;
    const Fraction exact = product(a, {b.under * sign, b.over * sign});
    return in_ceil_ > 0 ? exact : Fraction{floored(exact), 1};
  }
  Fraction remainder(Fraction a, Fraction b) {
    const std::int64_t x = floored(a), y = floored(b);
    if (y == 0) {
      fail({"expression.by_zero", {}});
      return {};
    }
    if (y == -1) return {0, 1};
    const std::int64_t r = x % y;
    return {r != 0 && (r < 0) != (y < 0) ? r + y : r, 1};  // goes with division rounded down
  }
  static Fraction reduced(Fraction f) {
    if (f.over == std::numeric_limits<std::int64_t>::min()) return f;
    const std::int64_t common = std::gcd(f.over, f.under);
    return common > 1 ? Fraction{f.over / common, f.under / common} : f;
  }

  Fraction comparison() {
    Fraction left = addition();
    for (;;) {
      static constexpr std::string_view kOperators[] = {"<=", ">=", "==", "!=", "<", ">"};
      std::string_view found;
      for (const std::string_view op : kOperators)
        if (found.empty() && take(op)) found = op;
      if (found.empty()) return left;
      const Fraction right = addition();
      const std::int64_t a = times(left.over, right.under), b = times(right.over, left.under);
      const bool truth = found == "<="   ? a <= b
                         : found == ">=" ? a >= b
                         : found == "==" ? a == b
                         : found == "!=" ? a != b
                         : found == "<"  ? a < b
                                         : a > b;
      left = {truth ? 1 : 0, 1};
    }
  }
  Fraction addition() {
    Fraction left = multiplication();
    for (;;) {
      if (take("+"))
        left = sum(left, multiplication(), 1);
      else if (take("-"))
        left = sum(left, multiplication(), -1);
      else
        return left;
    }
  }
  Fraction multiplication() {
    Fraction left = unary();
    for (;;) {
      if (take("*"))
        left = product(left, unary());
      else if (take("/"))
        left = quotient(left, unary());
      else if (take("%"))
        left = remainder(left, unary());
      else
        return left;
    }
  }
  Fraction unary() {
    if (++depth_ > kDeepest) fail({"expression.too_deep", {}});
    Fraction value;
    if (take("-"))
      value = sum({0, 1}, unary(), -1);
    else
      value = primary();
    --depth_;
    return value;
  }

  Fraction primary() {
    skip_blanks();
    if (at_ >= text_.size()) {
      fail({"expression.no_value", {}});
      return {};
    }
    if (take("(")) {
      const Fraction value = comparison();
      if (!take(")")) fail({"expression.no_bracket", {}});
      return value;
    }
    const char c = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return literal();
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') return name();
    fail({"expression.unexpected", {{"text", value_of(std::string(1, c))}}});
    return {};
  }

  Fraction literal() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail({"expression.number_too_large", {}});
    at_ = std::max(at_, static_cast<std::size_t>(end - text_.data()));
    return {value, 1};
  }

  Fraction name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    const std::string id(text_.substr(begin, at_ - begin));
    if (take("(")) return call(id);
    const auto found = names_.find(id);
    if (found != names_.end()) return {found->second, 1};
    std::string known;
    for (const auto& [key, value] : names_) known += (known.empty() ? "" : ", ") + key;
    at_ = begin;
    if (known.empty()) fail({"expression.no_sliders", {{"name", value_of(id)}}});
    fail({"expression.no_slider", {{"name", value_of(id)}, {"known", value_of(known)}}});
    return {};
  }

  Fraction call(const std::string& id) {
    if (id == "ceil") {
      ++in_ceil_;
      const Fraction value = comparison();
      --in_ceil_;
      if (!take(")")) fail({"expression.no_bracket_after", {{"name", value_of(id)}}});
      return {ceiled(value), 1};
    }
    if (id != "min" && id != "max") {
      fail({"expression.no_function", {{"name", value_of(id)}, {"known", value_of("ceil, min, max")}}});
      return {};
    }
    Fraction best = comparison();
    while (take(",")) {
      const Fraction next = comparison();
      const bool less = times(next.over, best.under) < times(best.over, next.under);
      if (less == (id == "min")) best = next;
    }
    if (!take(")")) fail({"expression.no_bracket_after", {{"name", value_of(id)}}});
    return best;
  }

  std::string_view text_;
  const std::map<std::string, std::int64_t>& names_;
  std::size_t at_ = 0, problem_at_ = 0;
  int in_ceil_ = 0, depth_ = 0;
  Message problem_;
};

}  // namespace

Result<std::int64_t> evaluate(std::string_view expression, const std::map<std::string, std::int64_t>& names) {
  return Parser(expression, names).run();
}

Result<std::string> interpolate(std::string_view text, const std::map<std::string, std::int64_t>& names) {
  std::string result;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    result += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos)
      return told(ErrorKind::Usage, {"expression.no_brace", {{"text", value_of(std::string(text))}}});
    const auto value = evaluate(text.substr(open + 1, close - open - 1), names);
    if (!value) return value.error();
    result += std::to_string(*value);
    text.remove_prefix(close + 1);
  }
  return result;
}

}  // namespace warplens::model
