#include "engine/source/host_code.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "engine/base/work_limit.h"
#include "engine/source/lexer.h"

namespace warplens::source {
namespace {

constexpr std::array<std::string_view, 5> kDeviceWords = {"__global__", "__device__", "__constant__",
                                                          "__shared__", "__managed__"};
bool is_device_word(std::string_view word) {
  return std::find(kDeviceWords.begin(), kDeviceWords.end(), word) != kDeviceWords.end();
}

// The part of std that kernels use and that the compilers' own or our headers provide.
const std::set<std::string_view> kDeviceStd = {"size_t",
                                               "ptrdiff_t",
                                               "int8_t",
                                               "int16_t",
                                               "int32_t",
                                               "int64_t",
                                               "uint8_t",
                                               "uint16_t",
                                               "uint32_t",
                                               "uint64_t",
                                               "uintptr_t",
                                               "intptr_t",
                                               "min",
                                               "max",
                                               "swap",
                                               "move",
                                               "forward",
                                               "numeric_limits",
                                               "is_same",
                                               "is_same_v",
                                               "enable_if",
                                               "enable_if_t",
                                               "conditional",
                                               "conditional_t",
                                               "true_type",
                                               "false_type",
                                               "integral_constant",
                                               "is_floating_point",
                                               "is_integral",
                                               "is_floating_point_v",
                                               "is_integral_v",
                                               "remove_reference_t",
                                               "decay_t",
                                               "abs",
                                               "sqrt",
                                               "fabs",
                                               "remove_reference",
                                               "remove_cv",
                                               "remove_cv_t",
                                               "remove_cvref",
                                               "remove_cvref_t",
                                               "remove_const",
                                               "remove_const_t",
                                               "remove_volatile",
                                               "remove_volatile_t",
                                               "remove_pointer",
                                               "remove_pointer_t",
                                               "remove_extent",
                                               "remove_extent_t",
                                               "add_const",
                                               "add_const_t",
                                               "add_pointer",
                                               "add_pointer_t",
                                               "decay",
                                               "is_void",
                                               "is_void_v",
                                               "is_const",
                                               "is_const_v",
                                               "is_pointer",
                                               "is_pointer_v",
                                               "is_array",
                                               "is_array_v",
                                               "is_reference",
                                               "is_reference_v",
                                               "is_arithmetic",
                                               "is_arithmetic_v",
                                               "is_enum",
                                               "is_enum_v",
                                               "is_class",
                                               "is_class_v",
                                               "is_union",
                                               "is_union_v",
                                               "is_empty",
                                               "is_empty_v",
                                               "is_trivially_copyable",
                                               "is_trivially_copyable_v",
                                               "is_base_of",
                                               "is_base_of_v",
                                               "is_signed",
                                               "is_signed_v",
                                               "is_unsigned",
                                               "is_unsigned_v",
                                               "negation",
                                               "negation_v",
                                               "conjunction",
                                               "conjunction_v",
                                               "disjunction",
                                               "disjunction_v",
                                               "underlying_type",
                                               "underlying_type_t",
                                               "make_unsigned",
                                               "make_unsigned_t",
                                               "make_signed",
                                               "make_signed_t",
                                               "common_type",
                                               "common_type_t",
                                               "void_t",
                                               "type_identity",
                                               "bool_constant",
                                               "declval",
                                               "clamp",
                                               "exchange",
                                               "pair",
                                               "make_pair",
                                               "array"};

// Names that only host code can mean.
const std::set<std::string_view> kHostWords = {
    "cout",   "cerr",   "endl",  "cin",          "fprintf", "stderr",   "stdout",   "FILE",   "fopen",
    "getenv", "thrust", "throw", "try",          "catch",   "ifstream", "ofstream", "atoi",   "atof",
    "argc",   "argv",   "exit",  "stringstream", "chrono",  "ostream",  "istream",  "mt19937"};
const std::set<std::string_view> kDeviceCudaNames = {"cudaTextureObject_t", "cudaSurfaceObject_t",
                                                     "cudaBoundaryModeZero", "cudaBoundaryModeClamp",
                                                     "cudaBoundaryModeTrap"};

bool names_cuda_runtime(std::string_view word) {
  return word.size() > 5 && word.substr(0, 4) == "cuda" && word[4] >= 'A' && word[4] <= 'Z' &&
         !kDeviceCudaNames.contains(word);
}

// Half-open range of token indexes.
struct Range {
  std::size_t first = 0, last = 0;
};

struct Declaration {
  Range tokens;
  std::vector<std::size_t> head;  // tokens outside all brackets, up to the body
  std::size_t body = 0;           // index of its '{', or tokens.last
  bool has_body = false;
  bool has_parameters = false;  // a (...) that is not an attribute's, before any '='
};

class Stripper {
 public:
  Stripper(const std::string& text, const IncludeRule& include, const std::string& context)
      : text_(text),
        include_(include),
        tokens_(without_disabled(tokenize(text))),
        context_(tokenize(context)),
        match_(match_brackets(tokens_)) {}

  DevicePart run() {
    collect_macros(context_);
    collect_macros(tokens_);
    spread_annotations();
    collect_namespaces(context_);
    collect_namespaces(tokens_);
    scope({0, tokens_.size()}, false);
    return finish();
  }

 private:
  const Token& at(std::size_t i) const { return tokens_[i]; }
  bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && at(i).is(text); }
  std::size_t closing(std::size_t i, std::size_t limit) const { return std::min(match_[i], limit); }

  void collect_macros(const std::vector<Token>& tokens) {
    for (const Token& token : tokens) {
      if (token.kind != TokenKind::Directive) continue;
      const auto [word, rest] = split_directive(token.text);
      if (word != "define") continue;
      const auto words = tokenize(rest);
      if (words.empty()) continue;
      const bool function_like = words.size() > 1 && words[1].is("(") && words[1].begin == words[0].end();
      if (function_like) function_macros_.insert(words[0].text);
      for (std::size_t i = 1; i < words.size(); ++i) macros_with_[words[i].text].push_back(words[0].text);
    }
  }
  // A macro counts as an annotation when its text holds one:  #define HD __host__ __device__  or a macro that
  // does, defined before it or further down.
  void spread_annotations() {
    std::vector<std::string_view> words(kDeviceWords.begin(), kDeviceWords.end());
    while (!words.empty()) {
      const auto found = macros_with_.find(words.back());
      words.pop_back();
      if (found == macros_with_.end()) continue;
      for (const std::string_view macro : found->second)
        if (device_macros_.insert(macro).second) words.push_back(macro);
    }
  }
  void collect_namespaces(const std::vector<Token>& tokens) {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
      if (tokens[i].is("namespace") && tokens[i + 1].kind == TokenKind::Identifier &&
          !(i > 0 && tokens[i - 1].is("using")))
        namespaces_.insert(tokens[i + 1].text);
  }

  bool is_annotation(std::size_t i) const {
    return is_device_word(at(i).text) || device_macros_.contains(at(i).text);
  }

  bool has_host_words(Range range) const {
    for (std::size_t i = range.first; i < range.last; ++i) {
      const Token& token = at(i);
      if (token.is("<<<")) return true;
      if (token.kind != TokenKind::Identifier) continue;
      if (token.is("std") && is(i + 1, "::") && i + 2 < range.last) {
        if (!kDeviceStd.contains(at(i + 2).text)) return true;
      } else if (kHostWords.contains(token.text) || names_cuda_runtime(token.text)) {
        return true;
      }
    }
    return false;
  }

  void blank(Range range) {
    if (range.first < range.last) cuts_.push_back({range, std::nullopt});
  }

  // Declarations one after another: a file, the inside of a namespace, or (member) of a class.
  void scope(Range range, bool member) {
    constexpr int kDeepest = 200;
    if (depth_ >= kDeepest) return;  // kept as it is: no person writes this
    ++depth_;
    declarations(range, member);
    --depth_;
  }
  void declarations(Range range, bool member) {
    std::size_t i = range.first;
    while (i < range.last) {
      work_step();
      if (at(i).kind == TokenKind::Directive) {
        directive(i++);
      } else if (is(i, ";") || is(i, "}")) {
        ++i;
      } else if (const std::size_t open = opens_scope(i, range.last); open < range.last) {
        const std::size_t close = closing(open, range.last);
        scope({open + 1, close}, false);
        i = close + 1;
      } else if (member && is(i + 1, ":") && (is(i, "public") || is(i, "private") || is(i, "protected"))) {
        i += 2;
      } else if (const std::size_t end = macro_call(i, range.last); end > i) {
        i = end;
      } else {
        const Declaration declaration = read_declaration(i, range.last, member);
        judge(declaration, member);
        i = declaration.tokens.last;
      }
    }
  }

  // The '{' of a namespace or extern "C" block that starts here.
  std::size_t opens_scope(std::size_t i, std::size_t last) const {
    const std::size_t none = last;
    if (is(i, "inline") && is(i + 1, "namespace")) ++i;
    if (is(i, "namespace")) {
      for (std::size_t j = i + 1; j < last; ++j) {
        if (is(j, "{")) return j;
        if (is(j, "=") || is(j, ";")) return none;
      }
      return none;
    }
    if (is(i, "extern") && i + 2 < last && at(i + 1).kind == TokenKind::String && is(i + 2, "{"))
      return i + 2;
    return none;
  }

  // DEFINE_KERNEL(float) at namespace scope: kept when the macro makes device code.
  std::size_t macro_call(std::size_t i, std::size_t last) {
    if (at(i).kind != TokenKind::Identifier || !is(i + 1, "(") || !function_macros_.contains(at(i).text))
      return i;
    std::size_t end = closing(i + 1, last) + 1;
    if (is(end, "{")) return i;  // TEST(name) { ... }: judged as a function
    if (is(end, ";")) ++end;
    end = std::min(end, last);
    if (!device_macros_.contains(at(i).text)) blank({i, end});
    return end;
  }

  Declaration read_declaration(std::size_t first, std::size_t last, bool member) const {
    Declaration d;
    d.body = last;
    bool assigned = false, type = false, bases = false;
    std::size_t i = first;
    for (; i < last; ++i) {
      work_step();
      const Token& token = at(i);
      if (token.kind == TokenKind::Directive) continue;
      if (token.is(";")) {
        ++i;
        break;
      }
      if (token.is("{")) {
        if (!d.has_body) d.body = i;
        d.has_body = true;
        i = closing(i, last - 1);
        if (ends_after_brace(i, last, assigned, type, d.has_parameters, member)) {
          i += is(i + 1, ";") && i + 1 < last ? 2 : 1;
          break;
        }
        continue;
      }
      if (!d.has_body) d.head.push_back(i);
      if (token.is("=")) assigned = true;
      if (token.is(":") && type && !d.has_parameters) bases = true;  // struct S : base<(N > 2)>
      if (token.is("(") || token.is("[")) {
        if (token.is("(") && !assigned && !bases && !is_attribute_call(i)) d.has_parameters = true;
        i = closing(i, last - 1);
      } else if (token.is("<") && i > first && is(i - 1, "template")) {
        i = skip_angles(i, last) - 1;
      } else if (is_type_word(token.text)) {
        type = true;
      }
    }
    d.tokens = {first, std::max(i, first + 1)};
    return d;
  }

  static bool is_type_word(std::string_view word) {
    return word == "struct" || word == "class" || word == "union" || word == "enum";
  }

  bool ends_after_brace(std::size_t close, std::size_t last, bool assigned, bool type, bool parameters,
                        bool member) const {
    if (assigned || (type && !parameters)) return false;  // up to the ';'
    if (close + 1 >= last) return true;
    // A constructor's  : x{1}, y{2} { body }
    if (member && (is(close + 1, ",") || is(close + 1, "{"))) return false;
    return true;
  }

  bool is_attribute_call(std::size_t open) const { return open > 0 && is_attribute(at(open - 1).text); }

  // Index after the '>' that closes the '<' at i.
  std::size_t skip_angles(std::size_t i, std::size_t last) const {
    int depth = 0;
    for (; i < last; ++i) {
      if (is(i, "(") || is(i, "{") || is(i, "[")) {
        i = closing(i, last - 1);
        continue;
      }
      if (is(i, "<")) ++depth;
      for (const std::string_view closer : {">", ">>", ">>>"})
        if (is(i, closer)) depth -= static_cast<int>(closer.size());
      if (depth <= 0) return i + 1;
    }
    return last;
  }

  bool head_has(const Declaration& d, std::string_view word) const {
    return std::any_of(d.head.begin(), d.head.end(), [&](std::size_t i) { return is(i, word); });
  }

  void judge(const Declaration& d, bool member) {
    const bool annotated =
        std::any_of(d.head.begin(), d.head.end(), [this](std::size_t i) { return is_annotation(i); });
    if (head_has(d, "__global__")) remember_kernel(d);
    if (annotated) return;
    const bool is_type =
        !d.has_parameters &&
        std::any_of(d.head.begin(), d.head.end(), [this](std::size_t i) { return is_type_word(at(i).text); });
    if (is_type) return judge_type(d);
    if (is(d.tokens.first, "using") || is(d.tokens.first, "typedef") || head_has(d, "using") ||
        is(d.tokens.first, "static_assert") || is(d.tokens.first, "namespace") || head_has(d, "concept"))
      return judge_alias(d);
    if (d.has_parameters) return judge_function(d, member);
    judge_variable(d, member);
  }

  void judge_type(const Declaration& d) {
    if (!d.has_body) {
      if (has_host_words(d.tokens)) blank(d.tokens);
      return;
    }
    const std::size_t close = closing(d.body, d.tokens.last);
    if (head_has(d, "enum")) return;
    // Members are judged alone first; what still names host types then is data, and the type is host code.
    const std::size_t before = cuts_.size();
    unwanted_member_ = false;
    scope({d.body + 1, close}, true);
    if (unwanted_member_ || has_host_words({d.tokens.first, d.body})) {
      cuts_.resize(before);
      blank(d.tokens);
      unwanted_member_ = false;
    }
  }

  void judge_alias(const Declaration& d) {
    if (is(d.tokens.first, "using") && is(d.tokens.first + 1, "namespace")) {
      static const std::set<std::string_view> kKnown = {"cooperative_groups", "nvcuda", "cuda"};
      const std::string_view name =
          d.tokens.first + 2 < d.tokens.last ? at(d.tokens.first + 2).text : std::string_view{};
      if (!kKnown.contains(name) && !namespaces_.contains(name)) blank(d.tokens);
      return;
    }
    if (has_host_words(d.tokens)) blank(d.tokens);
  }

  void judge_function(const Declaration& d, bool member) {
    if (member) {
      // A member without annotation may be a constructor or operator that kernels use when it is constexpr,
      // and costs nothing otherwise: only clear host code goes.
      if (has_host_words(d.tokens) || head_has(d, "__host__")) blank(d.tokens);
      return;
    }
    const bool constant = head_has(d, "constexpr") || head_has(d, "consteval");
    if (constant && !has_host_words(d.tokens) && !head_has(d, "__host__")) return;
    if (is(d.tokens.first, "template") && !is(d.tokens.first + 1, "<") && names_kernel(d)) return;
    blank(d.tokens);
  }

  void judge_variable(const Declaration& d, bool member) {
    if (member) {
      unwanted_member_ |= has_host_words(d.tokens);
      return;
    }
    const bool constant = head_has(d, "constexpr");
    const bool plain_constant = head_has(d, "const") && !head_has(d, "dim3") && !calls_something(d);
    if ((constant || plain_constant) && !has_host_words(d.tokens)) return;
    blank(d.tokens);
  }

  // const float pi = acos(-1): initialised at run time, so only host code can use it.
  bool calls_something(const Declaration& d) const {
    for (std::size_t i = d.tokens.first; i + 1 < d.tokens.last; ++i)
      if (at(i).kind == TokenKind::Identifier && is(i + 1, "(") && !at(i).is("sizeof") &&
          !function_macros_.contains(at(i).text))
        return true;
    return false;
  }

  void remember_kernel(const Declaration& d) {
    for (std::size_t k = 1; k < d.head.size(); ++k)
      if (is(d.head[k], "(") && !is_attribute_call(d.head[k]) &&
          at(d.head[k] - 1).kind == TokenKind::Identifier) {
        kernels_.emplace_back(at(d.head[k] - 1).text);
        kernel_names_.insert(at(d.head[k] - 1).text);
        return;
      }
  }
  bool names_kernel(const Declaration& d) const {
    return std::any_of(d.head.begin(), d.head.end(),
                       [this](std::size_t i) { return kernel_names_.contains(at(i).text); });
  }

  void directive(std::size_t i) {
    const auto [word, rest] = split_directive(at(i).text);
    if (word != "include" || rest.size() < 2) return;
    const char close = rest[0] == '<' ? '>' : rest[0] == '"' ? '"' : '\0';
    if (close == '\0') return;
    const std::size_t end = rest.find(close, 1);
    if (end == std::string_view::npos) return;
    const std::string whole(at(i).text);
    const std::string replacement = include_(std::string(rest.substr(0, end + 1)), whole);
    if (replacement != whole) cuts_.push_back({{i, i + 1}, replacement});
  }

  DevicePart finish() {
    DevicePart part;
    part.kernels = std::move(kernels_);
    part.changed = !cuts_.empty();
    std::sort(cuts_.begin(), cuts_.end(),
              [](const Cut& a, const Cut& b) { return a.tokens.first < b.tokens.first; });
    std::size_t done = 0;
    for (const Cut& cut : cuts_) {
      for (std::size_t i = cut.tokens.first; i < cut.tokens.last; ++i) {
        // Preprocessor lines inside stay: an #if may begin here and end elsewhere.
        if (at(i).kind == TokenKind::Directive && !cut.directive) continue;
        part.text.append(text_, done, at(i).begin - done);
        const std::string_view instead = cut.directive ? *cut.directive : std::string_view{};
        part.text += instead;
        for (std::size_t c = at(i).begin + instead.size(); c < at(i).end(); ++c)
          part.text += text_[c] == '\n' ? '\n' : ' ';
        done = at(i).end();
      }
    }
    part.text.append(text_, done, std::string::npos);
    return part;
  }

  // Tokens that become blanks, or one preprocessor line that becomes another or a blank one.
  struct Cut {
    Range tokens;
    std::optional<std::string> directive;
  };

  const std::string& text_;
  const IncludeRule& include_;
  std::vector<Token> tokens_, context_;
  std::vector<std::size_t> match_;
  std::set<std::string_view> device_macros_, function_macros_, namespaces_, kernel_names_;
  std::map<std::string_view, std::vector<std::string_view>> macros_with_;  // a word in their text
  std::vector<std::string> kernels_;
  std::vector<Cut> cuts_;
  bool unwanted_member_ = false;
  int depth_ = 0;
};

}  // namespace

DevicePart device_part(const std::string& text, const IncludeRule& include, const std::string& context) {
  return Stripper(text, include, context).run();
}

bool has_main(const std::string& text) {
  const std::vector<Token> tokens = without_disabled(tokenize(text));
  const std::vector<std::size_t> closes = match_brackets(tokens);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].is("{")) {
      i = std::min(closes[i], tokens.size());  // bodies
      continue;
    }
    if (!tokens[i].is("main") || !tokens[i + 1].is("(")) continue;
    const bool typed = i > 0 && tokens[i - 1].kind == TokenKind::Identifier;
    const std::size_t behind = closes[i + 1] + 1;
    if (typed && behind < tokens.size() &&
        (tokens[behind].is("{") || tokens[behind].is("->") || tokens[behind].is("try")))
      return true;
  }
  return false;
}

}  // namespace warplens::source
