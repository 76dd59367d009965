#include "engine/source/launches.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/source/compile.h"
#include "engine/source/constants.h"
#include "engine/source/lexer.h"
#include "engine/source/reading_limit.h"

namespace warplens::source {
namespace {

bool is_builtin_type(std::string_view word) {
  static const std::set<std::string_view> kTypes = {
      "void",    "char",     "bool",   "short",  "int",     "long",    "unsigned",     "signed",  "float",
      "double",  "size_t",   "auto",   "int8_t", "uint8_t", "int16_t", "uint16_t",     "int32_t", "uint32_t",
      "int64_t", "uint64_t", "uint",   "half",   "__half",  "float2",  "float3",       "float4",  "int2",
      "int4",    "double2",  "uchar4", "uint4",  "half2",   "__half2", "__nv_bfloat16"};
  return kTypes.contains(word);
}

struct KernelTemplate {
  struct Parameter {
    bool is_type = false, has_default = false;
    std::string name;
  };
  std::vector<Parameter> parameters;
  std::vector<std::vector<Token>> arguments;  // tokens of each function parameter
};

// A host function template, and a launch inside it whose arguments are its parameters.
struct HostTemplate {
  std::string name;
  std::vector<std::string> parameters;
  std::size_t first = 0, last = 0;  // tokens of the body
};
struct InnerLaunch {
  HostTemplate host;
  std::string kernel;
  std::vector<Tokens> arguments;
};

// Walks a file's tokens in order and keeps what is known about its names. Scopes are not followed: a name
// means what was last said about it, and a name that changes means nothing.
class HostScan {
 public:
  explicit HostScan(const std::string& text)
      : text_(text), tokens_(without_disabled(tokenize(text))), match_(match_brackets(tokens_)) {
    find_changing_names();
    for (std::size_t i = 0; i < tokens_.size(); ++i) step(i);
    for (const InnerLaunch& inner : inner_launches_) instantiate(inner);
  }

  std::vector<FoundLaunch> launches;
  std::vector<std::string> instances;

 private:
  // How many tokens an initialiser, a template's head, a launch or its arguments may have: many unfinished
  // ones, or one inside the other, would take quadratic time otherwise. And how often one launch inside a
  // template may be repeated for the calls of that template.
  static constexpr std::size_t kReach = 500, kMostRepeats = 10000;

  const Token& at(std::size_t i) const { return tokens_[i]; }
  bool is(std::size_t i, std::string_view t) const { return i < tokens_.size() && at(i).is(t); }
  bool is_name(std::size_t i) const { return i < tokens_.size() && at(i).kind == TokenKind::Identifier; }
  // Empty when it is longer than anything that is looked at.
  Tokens range(std::size_t first, std::size_t last) const {
    const bool whole = first < last && last <= tokens_.size() && last - first <= kReach;
    return whole ? Tokens(tokens_).subspan(first, last - first) : Tokens{};
  }
  std::size_t back_from(std::size_t i) const { return i > kReach ? i - kReach : 0; }
  std::string source_of(Tokens tokens) const {
    if (tokens.empty()) return {};
    return text_.substr(tokens.front().begin, tokens.back().end() - tokens.front().begin);
  }

  void find_changing_names() {
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
      if (!is_name(i)) continue;
      static const std::set<std::string_view> kOps = {"+", "-", "*", "/", "%", "<<", ">>", "|", "&", "^"};
      const bool compound =
          kOps.contains(at(i + 1).text) && is(i + 2, "=") && at(i + 2).begin == at(i + 1).end();
      const bool step = (is(i + 1, "+") && is(i + 2, "+")) || (is(i + 1, "-") && is(i + 2, "-"));
      if (compound || step) changing_.emplace(at(i).text);
    }
  }

  void step(std::size_t i) {
    reading_step();
    const Token& token = at(i);
    if (token.kind == TokenKind::Directive) {
      const auto [word, rest] = split_directive(token.text);
      if (word == "define") constants_.define_macro(rest);
    } else if (token.is("<<<")) {
      launch(i);
    } else if (token.kind == TokenKind::Identifier) {
      if (token.is("template") && is(i + 1, "<")) return kernel_template(i);
      if (token.is("dim3") && is_name(i + 1)) return dim3_variable(i + 1);
      if (token.is("using") || token.is("struct") || token.is("class") || token.is("typedef"))
        return type_name(i);
      if (token.text.substr(0, 10) == "cudaMalloc" && is(i + 1, "(")) return allocation(i + 1);
      if (is(i + 1, "=")) return assignment(i);
      if (i > 0 && follows_type(i)) declaration(i);
    }
  }

  // A type's name, with any stars, stands before token i:  float* x,  but not  a * x
  bool follows_type(std::size_t i) const {
    constexpr std::size_t kMostWords = 16;
    std::size_t j = i - 1;
    while (j > 0 && i - j < kMostWords &&
           (is(j, "*") || is(j, "&") || is(j, "__restrict__") || is(j, "const")))
      --j;
    return is_name(j) && (is_builtin_type(at(j).text) || types_.contains(at(j).text));
  }

  // int n  as a parameter or without a value: nothing is known about n from here on. `f(int a) { return ...;
  // }` is remembered, since sizes are often computed with such helpers.
  void declaration(std::size_t i) {
    const std::string name(at(i).text);
    if (is(i + 1, ",") || is(i + 1, ")") || is(i + 1, ";")) {
      constants_.forget(name);
      dims_.erase(name);
      bytes_.erase(name);
    }
    if ((is(i + 1, "(") || is(i + 1, "{")) && is_name(i - 1)) {
      const std::size_t close = match_[i + 1];
      if (close >= tokens_.size()) return;
      if (is(i + 1, "(") && is(close + 1, "{") && is(close + 2, "return")) return helper(i, close);
      // int n(1024);  int n{1024};
      if (is(close + 1, ";")) remember(name, range(i + 2, close));
    }
  }

  void helper(std::size_t i, std::size_t close) {
    const std::size_t end = match_[close + 1];
    if (end >= tokens_.size() || !is(end - 1, ";")) return;
    Constants::Function function;
    for (const Tokens parameter : split_arguments(range(i + 2, close)))
      if (!parameter.empty()) function.parameters.emplace_back(parameter.back().text);
    const Tokens body = range(close + 3, end - 1);
    function.body.assign(body.begin(), body.end());
    constants_.define_function(std::string(at(i).text), std::move(function));
  }

  void remember(const std::string& name, Tokens expression) {
    const auto value = changing_.contains(name) ? std::nullopt : constants_.evaluate(expression);
    if (!value) return constants_.forget(name);
    // `int n = 1e6` holds a whole number; whether the type is real is seen from the tokens before it.
    constants_.set(name, *value);
  }

  // The end of an initialiser: the ',' or ';' at its depth; its begin where there is none within reach.
  std::size_t expression_end(std::size_t begin) const {
    std::size_t i = begin;
    for (std::size_t steps = 0; i < tokens_.size() && steps < kReach; ++i, ++steps) {
      if (is(i, "(") || is(i, "[") || is(i, "{")) {
        i = match_[i];
        continue;
      }
      if (is(i, ",") || is(i, ";") || is(i, ")") || is(i, "}")) return i;
    }
    return begin;
  }

  void assignment(std::size_t i) {
    const std::string name(at(i).text);
    if (i > 0 && (is(i - 1, ".") || is(i - 1, "->") || is(i - 1, "]"))) return;
    const std::size_t end = expression_end(i + 2);
    const Tokens expression = range(i + 2, end);
    if (const auto dim = dimensions(expression); dim && is_dim3(expression)) {
      dims_[name] = *dim;
      return;
    }
    remember(name, expression);
    const bool real = i > 0 && (is(i - 1, "float") || is(i - 1, "double") || is(i - 1, "auto"));
    if (const auto value = constants_.evaluate(expression);
        value && value->floating && !real && constants_.knows(name) && !changing_.contains(name))
      constants_.set(name, {false, value->whole(), 0.0});
  }

  bool is_dim3(Tokens expression) const {
    return !expression.empty() &&
           (expression[0].is("dim3") ||
            (expression.size() == 1 && dims_.contains(std::string(expression[0].text))));
  }

  // dim3 grid(x, y), block = dim3(16, 16), other;
  void dim3_variable(std::size_t i) {
    while (is_name(i)) {
      const std::string name(at(i).text);
      dims_.erase(name);
      std::size_t next = i + 1;
      if (is(next, "(") || is(next, "{")) {
        const std::size_t close = match_[next];
        if (close >= tokens_.size()) return;
        if (const auto dim = extents(range(next + 1, close))) dims_[name] = *dim;
        next = close + 1;
      } else if (is(next, "=")) {
        const std::size_t end = expression_end(next + 1);
        if (const auto dim = dimensions(range(next + 1, end))) dims_[name] = *dim;
        next = end;
      } else {
        dims_[name] = Dim3{};
      }
      if (!is(next, ",")) return;
      i = next + 1;
    }
  }

  std::optional<Dim3> extents(Tokens list) const {
    const auto parts = split_arguments(list);
    if (parts.size() > 3) return std::nullopt;
    std::array<std::uint32_t, 3> e{1, 1, 1};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto value = constants_.evaluate(parts[i]);
      if (!value || value->whole() < 1 || value->whole() > 0x7fffffff) return std::nullopt;
      e[i] = static_cast<std::uint32_t>(value->whole());
    }
    return Dim3{e[0], e[1], e[2]};
  }

  // A dim3 variable, dim3(x, y), {x, y} or a number.
  std::optional<Dim3> dimensions(Tokens expression) const {
    if (expression.empty()) return std::nullopt;
    if (expression.size() == 1)
      if (const auto found = dims_.find(std::string(expression[0].text)); found != dims_.end())
        return found->second;
    const bool named = expression[0].is("dim3") && expression.size() > 2;
    if (named) return extents(expression.subspan(2, expression.size() - 3));
    if (expression[0].is("{")) return extents(expression.subspan(1, expression.size() - 2));
    return extents(expression);
  }

  // cudaMalloc(&p, bytes), with or without a cast.
  void allocation(std::size_t open) {
    const std::size_t close = match_[open];
    if (close >= tokens_.size()) return;
    const auto parts = split_arguments(range(open + 1, close));
    if (parts.size() < 2 || parts[0].empty()) return;
    const std::string name(parts[0].back().text);
    bytes_.erase(name);
    if (const auto value = constants_.evaluate(parts[1]); value && value->whole() > 0)
      bytes_[name] = static_cast<std::uint64_t>(value->whole());
  }

  void type_name(std::size_t i) {
    if (is(i, "typedef")) {
      const std::size_t end = expression_end(i + 1);
      if (end > i + 1 && is_name(end - 1)) types_.insert(at(end - 1).text);
    } else if (is_name(i + 1) && !(i > 0 && (is(i - 1, "<") || is(i - 1, ",")))) {
      types_.insert(at(i + 1).text);
    }
  }

  // template <typename T, int B = 256> __global__ void name(T* x, int n)
  void kernel_template(std::size_t i) {
    const std::size_t first = i + 2, reach = std::min(tokens_.size(), i + kReach);
    std::size_t close = first;
    for (int depth = 1; close < reach; ++close) {
      if (is(close, "<")) ++depth;
      if (is(close, ">") && --depth == 0) break;
      if (is(close, "{") || is(close, ";")) return;
    }
    KernelTemplate found;
    for (const Tokens parameter : split_arguments(range(first, close))) {
      const auto equals =
          std::find_if(parameter.begin(), parameter.end(), [](const Token& t) { return t.is("="); });
      if (equals == parameter.begin()) return;
      const Token& name = *(equals - 1);
      found.parameters.push_back({parameter[0].is("typename") || parameter[0].is("class"),
                                  equals != parameter.end(), std::string(name.text)});
    }
    bool kernel = false;
    for (std::size_t j = close + 1; j < reach && !is(j, ";") && !is(j, "{"); ++j) {
      kernel |= is(j, "__global__");
      if (is(j, "__launch_bounds__") && is(j + 1, "(")) {
        j = match_[j + 1];
        continue;
      }
      if (!is(j, "(") || !is_name(j - 1) || match_[j] >= tokens_.size()) continue;
      if (!kernel) return host_template(found, j);
      for (const Tokens argument : split_arguments(range(j + 1, match_[j])))
        found.arguments.emplace_back(argument.begin(), argument.end());
      templates_[std::string(at(j - 1).text)] = std::move(found);
      return;
    }
  }

  // template <typename T> void run(int n) { kernel<T><<<...>>>(...); }
  void host_template(const KernelTemplate& found, std::size_t parameters) {
    std::size_t open = match_[parameters] + 1;
    if (!is(open, "{") || match_[open] >= tokens_.size()) return;
    host_template_ = {std::string(at(parameters - 1).text), {}, open, match_[open]};
    for (const auto& parameter : found.parameters) host_template_.parameters.push_back(parameter.name);
  }

  // One instance of the kernel for every run<float>(...) in the file.
  void instantiate(const InnerLaunch& inner) {
    for (const std::size_t i : places_of(inner.host.name)) {
      if (++repeats_ > kMostRepeats) return;
      if (!is(i + 1, "<")) continue;
      const std::size_t reach = std::min(tokens_.size(), i + kReach);
      std::size_t close = i + 2;
      while (close < reach && !is(close, ">") && !is(close, ";") && !is(close, "{")) ++close;
      if (!is(close, ">")) continue;
      const auto given = split_arguments(range(i + 2, close));
      std::string name = inner.kernel + "<";
      bool certain = true;
      for (const Tokens argument : inner.arguments) {
        const std::string value = substituted(argument, inner.host, given);
        certain &= !value.empty();
        name += (name.back() == '<' ? "" : ", ") + value;
      }
      if (certain) remember_instance(name + ">");
    }
  }
  std::string substituted(Tokens argument, const HostTemplate& host, const std::vector<Tokens>& given) const {
    if (argument.size() == 1)
      for (std::size_t p = 0; p < host.parameters.size() && p < given.size(); ++p)
        if (argument[0].is(host.parameters[p])) return template_argument(given[p]);
    return template_argument(argument);
  }

  void launch(std::size_t i) {
    const std::size_t reach = std::min(tokens_.size(), i + kReach);
    std::size_t close = i + 1;
    for (int depth = 0; close < reach; ++close) {
      if (is(close, "(")) ++depth;
      if (is(close, ")")) --depth;
      if (is(close, ">>>") && depth == 0) break;
      if (is(close, ";")) return;
    }
    if (!is(close, ">>>") || !is(close + 1, "(") || i == 0) return;
    const std::size_t end = match_[close + 1];
    if (end >= tokens_.size()) return;
    const auto arguments = split_arguments(range(close + 2, end));
    std::string name = launched_name(i, arguments);
    if (name.empty()) return;
    const auto setup = split_arguments(range(i + 1, close));
    if (setup.size() < 2) return;
    const auto grid = dimensions(setup[0]), block = dimensions(setup[1]);
    if (!grid || !block || block->volume() > 1024) return;
    FoundLaunch found;
    found.kernel = std::move(name);
    found.grid = *grid;
    found.block = *block;
    found.line = at(i).line;
    if (setup.size() > 2) {
      const auto shared = constants_.evaluate(setup[2]);
      if (!shared || shared->whole() < 0 || shared->whole() > 1 << 20) return;
      found.shared_bytes = static_cast<std::uint32_t>(shared->whole());
    }
    for (const Tokens argument : arguments) describe(argument, found);
    launches.push_back(std::move(found));
  }

  void describe(Tokens argument, FoundLaunch& found) const {
    found.arguments.push_back(source_of(argument));
    const auto value = constants_.evaluate(argument);
    found.values.push_back(value ? std::optional(value->number()) : std::nullopt);
    const auto bytes = argument.size() == 1 ? bytes_.find(std::string(argument[0].text)) : bytes_.end();
    found.buffer_bytes.push_back(bytes != bytes_.end() ? std::optional(bytes->second) : std::nullopt);
  }

  // The kernel before '<<<', its template arguments made constant where they are written with names.
  std::string launched_name(std::size_t i, const std::vector<Tokens>& arguments) {
    if (is_name(i - 1)) {
      const std::string plain = qualified(i - 1);
      const auto found = templates_.find(std::string(at(i - 1).text));
      if (found == templates_.end()) return plain;
      const std::string deduced = deduce(found->second, arguments, i);
      if (deduced.empty()) return plain;
      return remember_instance(plain + deduced);
    }
    std::size_t open = i - 1;
    const std::size_t reach = back_from(i);
    for (int depth = 0; open > reach; --open) {
      if (is(open, ">") || is(open, ">>")) depth += static_cast<int>(at(open).text.size());
      if (is(open, "<") && --depth == 0) break;
      if (is(open, ";") || is(open, "}")) return {};
    }
    if (open == reach || !is_name(open - 1)) return {};
    std::string name = qualified(open - 1) + "<";
    bool certain = true;
    const auto parts = split_arguments(range(open + 1, i - 1));
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const std::string argument = template_argument(parts[p]);
      certain &= !argument.empty();
      name += (p > 0 ? ", " : "") + (argument.empty() ? source_of(parts[p]) : argument);
    }
    name += ">";
    if (certain) return remember_instance(name);
    if (i > host_template_.first && i < host_template_.last)
      inner_launches_.push_back({host_template_, qualified(open - 1), parts});
    return name;
  }

  std::string remember_instance(std::string name) {
    if (known_instances_.insert(name).second) instances.push_back(name);
    return name;
  }

  std::string qualified(std::size_t i) const {
    std::string name(at(i).text);
    const std::size_t reach = back_from(i) + 2;
    while (i >= reach && is(i - 1, "::") && is_name(i - 2)) {
      name = std::string(at(i - 2).text) + "::" + name;
      i -= 2;
    }
    return name;
  }

  // Empty when it depends on something that is not known here.
  std::string template_argument(Tokens tokens) const {
    if (tokens.empty()) return {};
    if (tokens.size() == 1 && (tokens[0].is("true") || tokens[0].is("false")))
      return std::string(tokens[0].text);
    if (const auto value = constants_.evaluate(tokens); value && !value->floating)
      return std::to_string(value->integer);
    const bool type = std::all_of(tokens.begin(), tokens.end(), [this](const Token& t) {
      return is_builtin_type(t.text) || types_.contains(t.text) || t.is("*") || t.is("const");
    });
    return type ? source_of(tokens) : std::string{};
  }

  // add<<<g, b>>>(d_x, n)  with  float* d_x  ->  <float>
  std::string deduce(const KernelTemplate& kernel, const std::vector<Tokens>& arguments, std::size_t before) {
    std::string list;
    for (const auto& parameter : kernel.parameters) {
      std::string found;
      for (std::size_t a = 0; a < arguments.size() && a < kernel.arguments.size() && found.empty(); ++a) {
        const auto& formal = kernel.arguments[a];
        const bool uses =
            std::any_of(formal.begin(), formal.end(), [&](const Token& t) { return t.is(parameter.name); });
        if (parameter.is_type && uses && arguments[a].size() == 1)
          found = declared_type(arguments[a][0].text, before);
      }
      if (found.empty()) return parameter.has_default && !list.empty() ? "<" + list + ">" : std::string{};
      list += (list.empty() ? "" : ", ") + found;
    }
    return "<" + list + ">";
  }

  // Where a name stands, in order.
  const std::vector<std::size_t>& places_of(std::string_view name) {
    if (places_.empty())
      for (std::size_t i = 0; i < tokens_.size(); ++i)
        if (is_name(i)) places_[at(i).text].push_back(i);
    return places_[name];
  }

  // The type, without pointers, in the last declaration of a name before token `before`, which grows from
  // call to call.
  const std::string& declared_type(std::string_view name, std::size_t before) {
    const std::vector<std::size_t>& places = places_of(name);
    Declared& known = declared_[name];
    for (; known.looked_at < places.size() && places[known.looked_at] < before; ++known.looked_at)
      if (std::string type = type_before(places[known.looked_at]); !type.empty())
        known.type = std::move(type);
    return known.type;
  }
  std::string type_before(std::size_t name) const {
    std::size_t j = name;
    const std::size_t reach = std::max<std::size_t>(1, back_from(name));
    // float *a, *b: back over earlier declarators to the type
    while (j > reach &&
           (is(j - 1, "*") || is(j - 1, ",") || (is_name(j - 1) && (is(j - 2, "*") || is(j - 2, ",")))))
      --j;
    if (j == 0 || !is_name(j - 1) || !(is_builtin_type(at(j - 1).text) || types_.contains(at(j - 1).text)))
      return {};
    const bool is_unsigned = j > 1 && is(j - 2, "unsigned");
    return (is_unsigned ? "unsigned " : "") + std::string(at(j - 1).text);
  }

  const std::string& text_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> match_;
  std::set<std::string, std::less<>> changing_;
  std::set<std::string_view> types_;
  Constants constants_;
  std::map<std::string, Dim3> dims_;
  std::map<std::string, std::uint64_t> bytes_;
  std::map<std::string, KernelTemplate> templates_;
  HostTemplate host_template_;  // the last one seen
  std::vector<InnerLaunch> inner_launches_;
  std::size_t repeats_ = 0;
  std::set<std::string> known_instances_;
  std::map<std::string_view, std::vector<std::size_t>> places_;
  struct Declared {
    std::size_t looked_at = 0;  // of the places of the name
    std::string type;
  };
  std::map<std::string_view, Declared> declared_;
};

}  // namespace

std::vector<FoundLaunch> find_launches(const std::string& text) {
  return HostScan(text).launches;
}

std::vector<std::string> launched_instances(const std::string& text) {
  if (text.find("<<<") == std::string::npos || text.find("template") == std::string::npos) return {};
  return HostScan(text).instances;
}

}  // namespace warplens::source
