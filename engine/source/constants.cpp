#include "engine/source/constants.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "engine/base/work_limit.h"
#include "engine/source/wrap.h"

namespace warplens::source {
namespace {

constexpr int kDeepest = 40;  // of macros within macros, calls and brackets together

const std::map<std::string_view, std::int64_t> kSizes = {
    {"char", 1},    {"bool", 1},     {"int8_t", 1},   {"uint8_t", 1}, {"short", 2},    {"half", 2},
    {"__half", 2},  {"int16_t", 2},  {"uint16_t", 2}, {"int", 4},     {"unsigned", 4}, {"float", 4},
    {"int32_t", 4}, {"uint32_t", 4}, {"uint", 4},     {"long", 8},    {"double", 8},   {"size_t", 8},
    {"int64_t", 8}, {"uint64_t", 8}, {"float2", 8},   {"int2", 8},    {"uint2", 8},    {"float3", 12},
    {"int3", 12},   {"float4", 16},  {"int4", 16},    {"uint4", 16},  {"double2", 16}, {"char4", 4},
    {"uchar4", 4},  {"signed", 4},   {"half2", 4},    {"__half2", 4}, {"short2", 4},   {"long2", 16}};

bool is_type_token(const Token& token) {
  return kSizes.contains(token.text) || token.is("const") || token.is("*") || token.is("auto");
}

std::optional<Value> number(std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (c != '\'') digits += c;
  const bool hex = digits.size() > 2 && (digits[1] == 'x' || digits[1] == 'X');
  const bool real = !hex && digits.find_first_of(".eE") != std::string::npos;
  if (real) return Value{true, 0, std::strtod(digits.c_str(), nullptr)};
  if (digits.size() > 2 && (digits[1] == 'b' || digits[1] == 'B'))
    return Value{false, std::strtoll(digits.c_str() + 2, nullptr, 2), 0.0};
  char* end = nullptr;
  const unsigned long long value = std::strtoull(digits.c_str(), &end, 0);
  if (!hex && (*end == 'f' || *end == 'F')) return Value{true, 0, static_cast<double>(value)};
  return Value{false, static_cast<std::int64_t>(value), 0.0};
}

Value integer(std::int64_t v) {
  return {false, v, 0.0};
}

std::optional<Value> divide(Value a, Value b, bool remainder) {
  if (a.floating || b.floating) {
    if (remainder) return std::nullopt;
    return Value{true, 0, a.number() / b.number()};
  }
  if (b.integer == 0 || (b.integer == -1 && a.integer == std::numeric_limits<std::int64_t>::min()))
    return std::nullopt;
  return integer(remainder ? a.integer % b.integer : a.integer / b.integer);
}

std::optional<Value> binary(std::string_view op, Value a, Value b) {
  const bool real = a.floating || b.floating;
  if (op == "+" || op == "-" || op == "*") {
    if (!real) return integer(wrap(op[0], a.integer, b.integer));
    const double x = a.number(), y = b.number();
    return Value{true, 0, op == "+" ? x + y : op == "-" ? x - y : x * y};
  }
  if (op == "/" || op == "%") return divide(a, b, op == "%");
  if (op == "==") return integer(a.number() == b.number());
  if (op == "!=") return integer(a.number() != b.number());
  if (op == "<") return integer(a.number() < b.number());
  if (op == ">") return integer(a.number() > b.number());
  if (op == "<=") return integer(a.number() <= b.number());
  if (op == ">=") return integer(a.number() >= b.number());
  if (op == "&&") return integer(a.number() != 0 && b.number() != 0);
  if (op == "||") return integer(a.number() != 0 || b.number() != 0);
  if (real) return std::nullopt;
  if (op == "&") return integer(a.integer & b.integer);
  if (op == "|") return integer(a.integer | b.integer);
  if (op == "^") return integer(a.integer ^ b.integer);
  if ((op == "<<" || op == ">>") && b.integer >= 0 && b.integer < 64)
    return integer(op == "<<" ? static_cast<std::int64_t>(static_cast<std::uint64_t>(a.integer) << b.integer)
                              : a.integer >> b.integer);
  return std::nullopt;
}

std::optional<Value> library_call(std::string_view name, const std::vector<Value>& v) {
  if (v.size() == 1) {
    const double x = v[0].number();
    if (name == "ceil" || name == "ceilf") return Value{true, 0, std::ceil(x)};
    if (name == "floor" || name == "floorf") return Value{true, 0, std::floor(x)};
    if (name == "sqrt" || name == "sqrtf") return Value{true, 0, std::sqrt(x)};
    if (name == "log2" || name == "log2f") return Value{true, 0, std::log2(x)};
    if (name == "int" || name == "size_t" || name == "unsigned" || name == "long")
      return integer(v[0].whole());
    if (name == "float" || name == "double") return Value{true, 0, x};
  }
  if (v.size() == 2) {
    if (name == "min" || name == "fminf") return v[1].number() < v[0].number() ? v[1] : v[0];
    if (name == "max" || name == "fmaxf") return v[0].number() < v[1].number() ? v[1] : v[0];
    if (name == "pow" || name == "powf") return Value{true, 0, std::pow(v[0].number(), v[1].number())};
  }
  return std::nullopt;
}

}  // namespace

int binary_precedence(const Token& token) {
  static const std::map<std::string_view, int> kLevels = {
      {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {">", 7},
      {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
  if (token.kind != TokenKind::Punctuation) return 0;
  const auto found = kLevels.find(token.text);
  return found == kLevels.end() ? 0 : found->second;
}

std::int64_t Value::whole() const {
  if (!floating) return integer;
  if (!(std::fabs(real) < 9.2e18)) return real > 0 ? std::numeric_limits<std::int64_t>::max() : 0;
  return static_cast<std::int64_t>(real);
}

std::vector<Tokens> split_arguments(Tokens tokens) {
  std::vector<Tokens> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is("(") || token.is("[") || token.is("{")) ++depth;
    if (token.is(")") || token.is("]") || token.is("}")) --depth;
    if (depth == 0 && token.is(",")) {
      parts.push_back(tokens.subspan(begin, i - begin));
      begin = i + 1;
    }
  }
  if (begin < tokens.size() || !parts.empty()) parts.push_back(tokens.subspan(begin));
  return parts;
}

// Recursive descent over one expression; any doubt ends in nullopt.
class Evaluator {
 public:
  Evaluator(const Constants& constants, Tokens tokens, int depth)
      : constants_(constants), tokens_(tokens), depth_(depth) {}

  std::optional<Value> run() {
    if (depth_ > kDeepest || tokens_.empty()) return std::nullopt;
    const auto value = ternary();
    return at_ == tokens_.size() ? value : std::nullopt;
  }

 private:
  bool is(std::string_view text) const { return at_ < tokens_.size() && tokens_[at_].is(text); }
  bool is_after(std::size_t n, std::string_view text) const {
    return at_ + n < tokens_.size() && tokens_[at_ + n].is(text);
  }

  std::optional<Value> ternary() {
    const auto condition = operation(1);
    if (!is("?")) return condition;
    if (++nesting_ > kDeepest) return std::nullopt;
    ++at_;
    const auto yes = ternary();
    if (!is(":")) return std::nullopt;
    ++at_;
    const auto no = ternary();
    if (!condition) return yes && no ? std::nullopt : yes ? yes : no;
    return condition->number() != 0 ? yes : no;
  }

  std::optional<Value> operation(int lowest) {
    auto left = unary();
    while (at_ < tokens_.size()) {
      const int level = binary_precedence(tokens_[at_]);
      if (level < lowest) break;
      const std::string_view op = tokens_[at_++].text;
      const auto right = operation(level + 1);
      // The parse goes on even when a value is unknown, so that a ternary can still choose.
      left = left && right ? binary(op, *left, *right) : std::nullopt;
    }
    return left;
  }

  std::optional<Value> unary() {
    if (at_ >= tokens_.size() || ++nesting_ > kDeepest) return std::nullopt;
    const auto result = unary_inner();
    --nesting_;
    return result;
  }
  std::optional<Value> unary_inner() {
    for (const std::string_view op : {"-", "+", "!", "~"}) {
      if (!is(op)) continue;
      ++at_;
      const auto value = unary();
      if (!value) return std::nullopt;
      if (op == "+") return value;
      if (op == "-")
        return value->floating ? Value{true, 0, -value->real} : integer(wrap('-', 0, value->integer));
      return op == "!" ? integer(value->number() == 0) : integer(~value->whole());
    }
    return primary();
  }

  // Index of the bracket that closes the one at `open`.
  std::size_t closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      if (tokens_[i].is("(")) ++depth;
      if (tokens_[i].is(")") && --depth == 0) return i;
    }
    return tokens_.size();
  }

  std::optional<Value> primary() {
    const Token& token = tokens_[at_];
    if (token.kind == TokenKind::Number) {
      ++at_;
      return number(token.text);
    }
    if (token.is("(")) return bracket();
    if (token.kind == TokenKind::Identifier) return name();
    ++at_;
    return std::nullopt;
  }

  std::optional<Value> bracket() {
    const std::size_t close = closing(at_);
    if (close == tokens_.size()) {
      at_ = close;
      return std::nullopt;
    }
    const Tokens inside = tokens_.subspan(at_ + 1, close - at_ - 1);
    at_ = close + 1;
    const bool cast = !inside.empty() && std::all_of(inside.begin(), inside.end(), is_type_token);
    if (!cast) return constants_.evaluate(inside, depth_ + 1);
    return convert(inside, unary());
  }

  static std::optional<Value> convert(Tokens type, std::optional<Value> value) {
    if (!value) return std::nullopt;
    const bool real =
        std::any_of(type.begin(), type.end(), [](const Token& t) { return t.is("float") || t.is("double"); });
    return real ? Value{true, 0, value->number()} : integer(value->whole());
  }

  std::optional<Value> name() {
    if (is("std") && is_after(1, "::")) at_ += 2;
    if (at_ >= tokens_.size()) return std::nullopt;
    const std::string id(tokens_[at_].text);
    if (id == "sizeof" && is_after(1, "(")) return size_of();
    if (id == "static_cast" && is_after(1, "<")) return static_cast_();
    if (is_after(1, "(")) return call(id);
    ++at_;
    if (id == "true" || id == "false") return integer(id == "true");
    if (const Value* const found = constants_.find(&Constants::values_, id)) return *found;
    if (const std::vector<Token>* const found = constants_.find(&Constants::macros_, id))
      return constants_.evaluate(*found, depth_ + 1);
    return std::nullopt;
  }

  std::optional<Value> size_of() {
    const std::size_t close = closing(at_ + 1);
    if (close == tokens_.size()) {
      at_ = close;
      return std::nullopt;
    }
    const Tokens type = tokens_.subspan(at_ + 2, close - at_ - 2);
    at_ = close + 1;
    std::int64_t bytes = 0;
    for (const Token& token : type) {
      if (token.is("*")) return integer(8);
      if (token.is("const") || (token.is("unsigned") && type.size() > 1)) continue;
      const auto found = kSizes.find(token.text);
      if (found == kSizes.end()) return std::nullopt;
      bytes = std::max(bytes, found->second);
    }
    return bytes > 0 ? std::optional(integer(bytes)) : std::nullopt;
  }

  std::optional<Value> static_cast_() {
    std::size_t close = at_ + 2;
    while (close < tokens_.size() && !tokens_[close].is(">")) ++close;
    if (close + 1 >= tokens_.size() || !tokens_[close + 1].is("(")) {
      at_ = tokens_.size();
      return std::nullopt;
    }
    const Tokens type = tokens_.subspan(at_ + 2, close - at_ - 2);
    at_ = close + 1;
    return convert(type, bracket());
  }

  std::optional<Value> call(const std::string& id) {
    const std::size_t close = closing(at_ + 1);
    if (close == tokens_.size()) {
      at_ = close;
      return std::nullopt;
    }
    const Tokens inside = tokens_.subspan(at_ + 2, close - at_ - 2);
    at_ = close + 1;
    std::vector<Value> values;
    for (const Tokens argument : split_arguments(inside)) {
      const auto value = constants_.evaluate(argument, depth_ + 1);
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    const Constants::Function* const function = constants_.find(&Constants::functions_, id);
    if (function == nullptr) return library_call(id, values);
    if (function->parameters.size() != values.size() || depth_ > kDeepest) return std::nullopt;
    Constants inner(&constants_);
    for (std::size_t i = 0; i < values.size(); ++i) inner.set(function->parameters[i], values[i]);
    const auto result = inner.evaluate(function->body, depth_ + 1);
    constants_.budget_ = inner.budget_ - static_cast<int>(values.size());
    return result;
  }

  const Constants& constants_;
  Tokens tokens_;
  std::size_t at_ = 0;
  int depth_ = 0, nesting_ = 0;
};

std::optional<Value> Constants::evaluate(Tokens tokens) const {
  const int given = budget_ = std::min(kBudget, left_);
  const auto value = evaluate(tokens, 0);
  left_ -= given - budget_;
  return value;
}

std::optional<Value> Constants::evaluate(Tokens tokens, int depth) const {
  work_step();
  if (--budget_ < 0) return std::nullopt;
  return Evaluator(*this, tokens, depth).run();
}

bool Constants::knows(const std::string& name) const {
  return find(&Constants::values_, name) != nullptr || find(&Constants::macros_, name) != nullptr;
}

void Constants::define_macro(std::string_view definition) {
  std::vector<Token> tokens = tokenize(definition);
  if (tokens.empty() || tokens[0].kind != TokenKind::Identifier) return;
  const std::string name(tokens[0].text);
  if (tokens.size() == 1) return;
  const bool function_like = tokens[1].is("(") && tokens[1].begin == tokens[0].end();
  if (!function_like) {
    macros_[name].assign(tokens.begin() + 1, tokens.end());
    return;
  }
  Function function;
  std::size_t i = 2;
  for (; i < tokens.size() && !tokens[i].is(")"); ++i)
    if (tokens[i].kind == TokenKind::Identifier) function.parameters.emplace_back(tokens[i].text);
  if (i < tokens.size())
    function.body.assign(tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1, tokens.end());
  functions_[name] = std::move(function);
}

}  // namespace warplens::source
