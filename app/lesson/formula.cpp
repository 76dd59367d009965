#include "app/lesson/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <set>

#include "app/lesson/complaint.h"
#include "app/lesson/sites.h"
#include "engine/base/message.h"
#include "engine/base/text.h"

namespace warplens::lesson {

enum class Operation {
  Number,
  Text,
  Name,
  Negative,
  Not,
  Add,
  Subtract,
  Multiply,
  Divide,
  Equal,
  Unequal,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
  Call,
};

struct Formula::Node {
  Operation operation = Operation::Number;
  double number = 0;
  std::string text;  // Text, and Call: the function
  Reference reference;
  std::vector<std::shared_ptr<const Node>> parts;
  std::size_t column = 0;
};

namespace {

using Node = Formula::Node;
using NodePtr = std::shared_ptr<const Node>;

constexpr int kDeepest = 60;
constexpr std::size_t kLongest = 4000;

struct Function {
  std::string_view name;
  std::size_t arguments;  // 0: two or more
  double (*apply)(const std::vector<double>&);
};
constexpr std::array kFunctions{
    Function{"min", 0, [](const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }},
    Function{"max", 0, [](const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); }},
    Function{"round", 1, [](const std::vector<double>& v) { return std::round(v[0]); }},
    Function{"floor", 1, [](const std::vector<double>& v) { return std::floor(v[0]); }},
    Function{"ceil", 1, [](const std::vector<double>& v) { return std::ceil(v[0]); }},
    Function{"abs", 1, [](const std::vector<double>& v) { return std::fabs(v[0]); }},
};
const Function* function_of(std::string_view name) {
  const auto found =
      std::find_if(kFunctions.begin(), kFunctions.end(), [&](const Function& f) { return f.name == name; });
  return found == kFunctions.end() ? nullptr : &*found;
}

Error failure(std::string_view text, std::size_t column, Message what) {
  return told(
      ErrorKind::Usage,
      {"expression.wrong",
       {{"text", warplens::value_of(std::string(text))}, {"why", warplens::value_of(std::move(what))}}},
      {"", 0, static_cast<int>(column) + 1});
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<NodePtr> run() {
    NodePtr root = any();
    skip_blanks();
    if (problem_.key.empty() && at_ < text_.size())
      fail({"expression.unexpected", {{"text", warplens::value_of(std::string(text_.substr(at_, 20)))}}});
    if (!problem_.key.empty()) return failure(text_, problem_at_, problem_);
    return root;
  }

 private:
  void fail(Message what) {
    if (!problem_.key.empty()) return;
    problem_ = std::move(what);
    problem_at_ = at_;
    at_ = text_.size();
  }
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(std::string_view token) {
    skip_blanks();
    if (text_.substr(at_, token.size()) != token) return false;
    const bool is_word = is_name_character(token.front());
    if (is_word && at_ + token.size() < text_.size() && is_name_character(text_[at_ + token.size()]))
      return false;
    at_ += token.size();
    return true;
  }
  static NodePtr node(Operation operation, std::vector<NodePtr> parts) {
    auto out = std::make_shared<Node>();
    out->operation = operation;
    out->column = parts.empty() ? 0 : parts.front()->column;
    out->parts = std::move(parts);
    return out;
  }

  using Level = NodePtr (Parser::*)();
  struct Sign {
    std::string_view token;
    Operation operation;
  };
  template <std::size_t N>
  NodePtr chain(Level next, const std::array<Sign, N>& signs, bool once = false) {
    NodePtr left = (this->*next)();
    for (;;) {
      const auto sign =
          std::find_if(signs.begin(), signs.end(), [&](const Sign& s) { return take(s.token); });
      if (sign == signs.end()) return left;
      const Operation operation = sign->operation;
      left = node(operation, {left, (this->*next)()});
      if (once) return left;
    }
  }

  NodePtr any() {
    if (++depth_ > kDeepest) fail({"expression.too_deep", {}});
    NodePtr out = chain(&Parser::all, std::array{Sign{"or", Operation::Or}});
    --depth_;
    return out;
  }
  NodePtr all() { return chain(&Parser::inverse, std::array{Sign{"and", Operation::And}}); }
  NodePtr inverse() {
    if (!take("not")) return comparison();
    if (++depth_ > kDeepest) fail({"expression.too_deep", {}});
    NodePtr out = node(Operation::Not, {inverse()});
    --depth_;
    return out;
  }
  NodePtr comparison() {
    static constexpr std::array kSigns{Sign{"<=", Operation::LessEqual}, Sign{">=", Operation::GreaterEqual},
                                       Sign{"==", Operation::Equal},     Sign{"!=", Operation::Unequal},
                                       Sign{"<", Operation::Less},       Sign{">", Operation::Greater}};
    return chain(&Parser::sum, kSigns, true);
  }
  NodePtr sum() {
    return chain(&Parser::product, std::array{Sign{"+", Operation::Add}, Sign{"-", Operation::Subtract}});
  }
  NodePtr product() {
    return chain(&Parser::unary, std::array{Sign{"*", Operation::Multiply}, Sign{"/", Operation::Divide}});
  }
  NodePtr unary() {
    if (++depth_ > kDeepest) fail({"expression.too_deep", {}});
    NodePtr out = take("-") ? node(Operation::Negative, {unary()}) : primary();
    --depth_;
    return out;
  }

  NodePtr primary() {
    skip_blanks();
    auto out = std::make_shared<Node>();
    out->column = at_;
    if (at_ >= text_.size()) {
      fail({"expression.no_value", {}});
      return out;
    }
    if (take("(")) {
      NodePtr inner = any();
      if (!take(")")) fail({"expression.no_bracket", {}});
      return inner;
    }
    const char c = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      out->number = literal();
    } else if (c == '"' || c == '\'') {
      out->operation = Operation::Text;
      out->text = quotation();
    } else if (is_name_character(c)) {
      name(*out);
    } else {
      fail({"expression.unexpected", {{"text", warplens::value_of(std::string(1, c))}}});
    }
    return out;
  }

  double literal() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail({"expression.number_too_large", {}});
    at_ = std::max(at_, static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  std::string quotation() {
    const char quote = text_[at_];
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) {
      fail({"expression.open_quotation", {}});
      return {};
    }
    std::string out(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return out;
  }

  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  void name(Node& out) {
    out.operation = Operation::Name;
    const std::size_t begin = at_;
    for (;;) {
      std::string part = word();
      if (part.empty()) return fail({"expression.no_name", {}});
      if (part == "site" && take("(")) {
        if (out.reference.site) return fail({"expression.one_site", {}});
        out.reference.site = site();
        out.reference.site_at = out.reference.path.size();
      } else if (out.reference.path.empty() && !out.reference.site && take("(")) {
        at_ = begin;
        return call(part, out);
      } else {
        out.reference.path.push_back(std::move(part));
      }
      if (at_ >= text_.size() || text_[at_] != '.') break;
      ++at_;
    }
    if (out.reference.site && out.reference.path.size() == out.reference.site_at)
      fail({"expression.site_number", {}});
  }

  SiteQuery site() {
    SiteQuery query;
    skip_blanks();
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\''))
      query.text = quotation();
    else
      fail({"expression.site_text", {}});
    for (std::string* field : {&query.kind, &query.space}) {
      if (!take(",")) break;
      skip_blanks();
      const std::size_t begin = at_;
      *field = word();
      if (field->empty()) fail({"expression.no_kind", {}});
      const std::vector<std::string> known = field == &query.kind ? site_kinds() : site_spaces();
      if (!field->empty() && std::find(known.begin(), known.end(), *field) == known.end()) {
        at_ = begin;  // where it is said to be
        return fail({"expression.no_such_kind",
                     {{"given", warplens::value_of(*field)},
                      {"known", warplens::value_of(fmt::format("{}", fmt::join(known, ", ")))}}}),
               query;
      }
    }
    if (!take(")")) fail({"expression.no_bracket_after", {{"name", warplens::value_of("site")}}});
    return query;
  }

  void call(const std::string& id, Node& out) {
    const Function* function = function_of(id);
    if (function == nullptr) {
      std::string known;
      for (const Function& one : kFunctions) known += std::string(one.name) + ", ";
      return fail({"expression.no_function",
                   {{"name", warplens::value_of(id)}, {"known", warplens::value_of(known + "site")}}});
    }
    at_ += id.size();
    take("(");
    out.operation = Operation::Call;
    out.text = id;
    do {
      out.parts.push_back(any());
    } while (take(","));
    if (!take(")")) fail({"expression.no_bracket_after", {{"name", warplens::value_of(id)}}});
    if (function->arguments != 0 && out.parts.size() != function->arguments)
      fail({"expression.one_value", {{"name", warplens::value_of(id)}}});
  }

  std::string_view text_;
  std::size_t at_ = 0, problem_at_ = 0;
  int depth_ = 0;
  Message problem_;
};

bool equal(double a, double b) {
  return std::fabs(a - b) <= 1e-9 * std::max({1.0, std::fabs(a), std::fabs(b)});
}

class Evaluation {
 public:
  Evaluation(std::string_view text, const Scope& scope) : text_(text), scope_(scope) {}

  Result<double> value(const Node& node) {
    switch (node.operation) {
      case Operation::Number:
        return node.number;
      case Operation::Text:
        return failure(text_, node.column, {"expression.text_alone", {}});
      case Operation::Name: {
        auto found = scope_.value(node.reference);
        return found ? found : located(found.error(), node);
      }
      case Operation::And:
      case Operation::Or:
        return logical(node);
      case Operation::Call:
        return call(node);
      default:
        return node.parts.size() == 1 ? unary(node) : binary(node);
    }
  }

 private:
  Error located(Error error, const Node& node) const {
    if (error.place.column == 0 && error.place.file.empty())
      error.place.column = static_cast<int>(node.column) + 1;
    return error;
  }

  // The right side is not looked at where the left one decides.
  Result<double> logical(const Node& node) {
    const auto left = value(*node.parts[0]);
    if (!left) return left;
    if ((*left != 0) == (node.operation == Operation::Or)) return *left != 0 ? 1.0 : 0.0;
    const auto right = value(*node.parts[1]);
    if (!right) return right;
    return *right != 0 ? 1.0 : 0.0;
  }

  Result<double> unary(const Node& node) {
    const auto inner = value(*node.parts[0]);
    if (!inner) return inner;
    return node.operation == Operation::Not ? (*inner == 0 ? 1.0 : 0.0) : -*inner;
  }

  Result<double> side(const Node& node, const Node& other) {
    if (node.operation != Operation::Text || other.operation != Operation::Name) return value(node);
    auto found = scope_.choice(other.reference, node.text);
    return found ? found : located(found.error(), node);
  }

  Result<double> binary(const Node& node) {
    const auto left = side(*node.parts[0], *node.parts[1]), right = side(*node.parts[1], *node.parts[0]);
    if (!left) return left;
    if (!right) return right;
    const double a = *left, b = *right;
    switch (node.operation) {
      case Operation::Add:
        return a + b;
      case Operation::Subtract:
        return a - b;
      case Operation::Multiply:
        return a * b;
      case Operation::Divide:
        if (b == 0) return failure(text_, node.column, {"expression.by_zero", {}});
        return a / b;
      case Operation::Equal:
        return equal(a, b) ? 1.0 : 0.0;
      case Operation::Unequal:
        return equal(a, b) ? 0.0 : 1.0;
      case Operation::Less:
        return a < b && !equal(a, b) ? 1.0 : 0.0;
      case Operation::LessEqual:
        return a < b || equal(a, b) ? 1.0 : 0.0;
      case Operation::Greater:
        return a > b && !equal(a, b) ? 1.0 : 0.0;
      default:
        return a > b || equal(a, b) ? 1.0 : 0.0;
    }
  }

  Result<double> call(const Node& node) {
    std::vector<double> values;
    for (const NodePtr& part : node.parts) {
      const auto one = value(*part);
      if (!one) return one;
      values.push_back(*one);
    }
    return function_of(node.text)->apply(values);
  }

  std::string_view text_;
  const Scope& scope_;
};

void collect(const Node& node, std::vector<Reference>& out) {
  if (node.operation == Operation::Name) out.push_back(node.reference);
  for (const NodePtr& part : node.parts) collect(*part, out);
}

// "12,345" or "12,345.6".
std::string grouped(double value, int decimals = 0) {
  std::string digits = fmt::format("{:.{}f}", std::fabs(value), decimals);
  for (std::size_t at = std::min(digits.find('.'), digits.size()); at > 3; at -= 3)
    digits.insert(at - 3, ",");
  return (value < 0 ? "−" : "") + digits;
}

}  // namespace

std::string Reference::text() const {
  std::string out;
  for (std::size_t i = 0; i <= path.size(); ++i) {
    if (site && i == site_at)
      out += fmt::format("{}site(\"{}\"{})", out.empty() ? "" : ".", site->text,
                         site->kind.empty() ? "" : ", " + site->kind);
    if (i < path.size()) out += (out.empty() ? "" : ".") + path[i];
  }
  return out;
}

Result<Formula> Formula::parse(std::string_view text) {
  if (text.size() > kLongest) return failure(text.substr(0, 40), 0, {"expression.too_long", {}});
  auto root = Parser(text).run();
  if (!root) return root.error();
  Formula out;
  out.text_ = text;
  out.root_ = *root;
  return out;
}

Result<double> Formula::value(const Scope& scope) const {
  auto out = Evaluation(text_, scope).value(*root_);
  if (out && !std::isfinite(*out)) return failure(text_, 0, {"expression.no_number", {}});
  return out;
}

Result<bool> Formula::holds(const Scope& scope) const {
  const auto number = value(scope);
  if (!number) return number.error();
  return *number != 0;
}

std::vector<Reference> Formula::references() const {
  std::vector<Reference> out;
  collect(*root_, out);
  return out;
}

std::vector<Message> values_in(const Formula& formula, const Scope& scope) {
  std::vector<Message> out;
  std::set<std::string> said;
  for (const Reference& one : formula.references()) {
    const std::string name = one.text();
    const auto value = scope.value(one);
    if (value && said.insert(name).second)
      out.push_back(
          complaint(out.empty() ? "value_is" : "next_value_is", "name", name, "value", number_text(*value)));
  }
  return out;
}

Result<double> value_of(std::string_view text, const Scope& scope) {
  const auto formula = Formula::parse(text);
  if (!formula) return formula.error();
  return formula->value(scope);
}

std::string number_text(double value, std::optional<int> decimals) {
  const double rounded = std::round(value);
  if (!decimals && equal(value, rounded)) return grouped(rounded);
  if (decimals && *decimals == 0) return grouped(rounded);
  if (decimals) return grouped(value, std::clamp(*decimals, 0, 6));
  if (std::fabs(value) >= 1000) return grouped(rounded);
  std::string text = fmt::format("{:.2f}", value);
  if (text.ends_with('0')) text.pop_back();
  return text == "0.0" || text == "-0.0" ? fmt::format("{:.2g}", value) : text;
}

}  // namespace warplens::lesson
