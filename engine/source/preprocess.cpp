#include "engine/source/preprocess.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "engine/base/work_limit.h"
#include "engine/source/constants.h"

namespace warplens::source {
namespace {

// Macros made of macros can double at every level; a text made of them ends here.
constexpr std::size_t kMostTokens = 4'000'000, kMostOfOneUse = 50'000;
constexpr int kDeepestMacro = 60;

struct Macro {
  bool function_like = false, variadic = false;
  std::vector<std::string_view> parameters;
  std::vector<Token> body;
};

using Active = std::set<std::string_view>;

class Preprocessor {
 public:
  Preprocessor(const SourceTree& tree, Preprocessed& out) : tree_(tree), out_(out) {}

  void define(std::string_view definition) {
    std::vector<Token> words = tokenize(definition);
    if (words.empty() || words[0].kind != TokenKind::Identifier) return;
    Macro macro;
    std::size_t body = 1;
    macro.function_like = words.size() > 1 && words[1].is("(") && words[1].begin == words[0].end();
    if (macro.function_like) {
      for (body = 2; body < words.size() && !words[body].is(")"); ++body) {
        if (words[body].kind == TokenKind::Identifier) macro.parameters.push_back(words[body].text);
        if (words[body].is(".") && !macro.variadic) {
          macro.variadic = true;
          const bool named = body > 0 && words[body - 1].kind == TokenKind::Identifier && body > 2;
          if (!named) macro.parameters.push_back("__VA_ARGS__");
        }
      }
      ++body;
    }
    if (body < words.size())
      macro.body.assign(words.begin() + static_cast<std::ptrdiff_t>(body), words.end());
    macros_[words[0].text] = std::move(macro);
  }

  void file(const std::string& path, const std::string& text, int depth) {
    const bool main = depth == 0;
    const std::vector<Token> tokens = tokenize(text);
    const std::size_t outer = branches_.size();
    for (std::size_t i = 0; i < tokens.size() && out_.tokens.size() < kMostTokens; ++i) {
      work_step();
      if (tokens[i].kind == TokenKind::Directive)
        directive(tokens[i], path, depth);
      else if (taken())
        i = emit(tokens, i, main);
    }
    branches_.resize(std::min(outer, branches_.size()));
  }

 private:
  struct Branch {
    bool taken = false, done = false, enclosing = true;
  };
  bool taken() const { return branches_.empty() || (branches_.back().taken && branches_.back().enclosing); }

  // One token, or a macro's use with its arguments; the index of its last token.
  std::size_t emit(const std::vector<Token>& tokens, std::size_t i, bool main) {
    std::vector<Token> made;
    const std::size_t last = expand_at(tokens, i, made, {}, 0);
    for (Token& token : made) {
      token.line = tokens[i].line;
      out_.tokens.push_back(token);
      out_.in_main_file.push_back(main);
    }
    return last;
  }

  std::size_t expand_at(Tokens tokens, std::size_t i, std::vector<Token>& made, const Active& active,
                        int depth) {
    const auto plain = [&] {
      made.push_back(tokens[i]);
      return i;
    };
    if (tokens[i].kind != TokenKind::Identifier || depth > kDeepestMacro) return plain();
    const auto found = macros_.find(tokens[i].text);
    if (found == macros_.end() || active.contains(found->first) || made.size() > kMostOfOneUse)
      return plain();
    const Macro& macro = found->second;
    Active inner = active;
    inner.insert(found->first);
    if (!macro.function_like) {
      const std::vector<Token> pasted = substitute(macro, {}, active, depth);
      expand_all(pasted, made, inner, depth + 1);
      return i;
    }
    if (i + 1 >= tokens.size() || !tokens[i + 1].is("(")) return plain();
    const std::size_t close = closing(tokens, i + 1);
    if (close == tokens.size()) return plain();
    std::vector<Tokens> arguments = split(tokens.subspan(i + 2, close - i - 2));
    if (macro.variadic) join_rest(macro, arguments, tokens.subspan(i + 2, close - i - 2));
    const std::vector<Token> pasted = substitute(macro, arguments, active, depth);
    expand_all(pasted, made, inner, depth + 1);
    return close;
  }

  void expand_all(const std::vector<Token>& tokens, std::vector<Token>& made, const Active& active,
                  int depth) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      work_step();
      if (made.size() > kMostOfOneUse) return;
      i = expand_at(tokens, i, made, active, depth);
    }
  }

  static std::size_t closing(Tokens tokens, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < tokens.size() && i - open < kMostOfOneUse; ++i) {
      if (tokens[i].is("(")) ++depth;
      if (tokens[i].is(")") && --depth == 0) return i;
    }
    return tokens.size();
  }

  // As split_arguments, but only round brackets keep commas together.
  static std::vector<Tokens> split(Tokens tokens) {
    std::vector<Tokens> parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].is("(")) ++depth;
      if (tokens[i].is(")")) --depth;
      if (depth == 0 && tokens[i].is(",")) {
        parts.push_back(tokens.subspan(begin, i - begin));
        begin = i + 1;
      }
    }
    parts.push_back(tokens.subspan(begin));
    return parts;
  }
  static void join_rest(const Macro& macro, std::vector<Tokens>& arguments, Tokens all) {
    const std::size_t fixed = macro.parameters.empty() ? 0 : macro.parameters.size() - 1;
    if (arguments.size() <= fixed + 1) return;
    const auto begin = static_cast<std::size_t>(arguments[fixed].data() - all.data());
    arguments.resize(fixed);
    arguments.push_back(all.subspan(begin));
  }

  // The body with arguments in place: whole ones expanded, those beside # and ## as written.
  std::vector<Token> substitute(const Macro& macro, const std::vector<Tokens>& arguments,
                                const Active& active, int depth) {
    std::vector<Token> made;
    const auto argument = [&](std::size_t b) -> const Tokens* {
      if (b >= macro.body.size() || macro.body[b].kind != TokenKind::Identifier) return nullptr;
      for (std::size_t p = 0; p < macro.parameters.size() && p < arguments.size(); ++p)
        if (macro.body[b].text == macro.parameters[p]) return &arguments[p];
      return nullptr;
    };
    const auto pastes = [&](std::size_t b) {
      return b + 1 < macro.body.size() && macro.body[b].is("#") && macro.body[b + 1].is("#");
    };
    for (std::size_t b = 0; b < macro.body.size() && made.size() < kMostOfOneUse; ++b) {
      if (pastes(b)) {
        b += 2;
        if (b < macro.body.size()) paste(made, argument(b), macro.body[b]);
        continue;
      }
      if (macro.function_like && macro.body[b].is("#") && argument(b + 1) != nullptr) {
        made.push_back({"\"\"", 0, 0, TokenKind::String});
        ++b;
        continue;
      }
      const Tokens* const given = argument(b);
      if (given == nullptr) {
        made.push_back(macro.body[b]);
      } else if (pastes(b + 1)) {
        made.insert(made.end(), given->begin(), given->end());
      } else {
        for (std::size_t i = 0; i < given->size(); ++i) i = expand_at(*given, i, made, active, depth + 1);
      }
    }
    return made;
  }
  void paste(std::vector<Token>& made, const Tokens* given, const Token& plain) {
    const Tokens right = given != nullptr ? *given : Tokens(&plain, 1);
    if (right.empty()) return;
    if (made.empty()) {
      made.insert(made.end(), right.begin(), right.end());
      return;
    }
    out_.made.push_back(std::string(made.back().text) + std::string(right[0].text));
    made.back().text = out_.made.back();
    made.insert(made.end(), right.begin() + 1, right.end());
  }

  void directive(const Token& line, const std::string& path, int depth) {
    const auto [word, rest] = split_directive(line.text);
    if (word == "if" || word == "ifdef" || word == "ifndef") {
      const bool enclosing = taken();
      const bool value = enclosing && condition(word, rest);
      branches_.push_back({value, value, enclosing});
    } else if (word == "else" || word.starts_with("elif")) {
      if (branches_.empty()) return;
      Branch& branch = branches_.back();
      const bool asked = word == "else" || (!branch.done && branch.enclosing && condition("if", rest));
      branch.taken = !branch.done && asked;
      branch.done |= branch.taken;
    } else if (word == "endif") {
      if (!branches_.empty()) branches_.pop_back();
    } else if (taken() && word == "define") {
      define(rest);
    } else if (taken() && word == "undef") {
      const auto words = tokenize(rest);
      if (!words.empty()) macros_.erase(words[0].text);
    } else if (taken() && word == "include") {
      include(rest, path, depth);
    }
  }

  void include(std::string_view target, const std::string& path, int depth) {
    constexpr int kDeepestInclude = 40;
    if (depth >= kDeepestInclude) return;
    const UserHeader* const header = tree_.header(std::string(target), path);
    if (header == nullptr || !seen_.insert(header).second) return;
    file(header->path, header->text, depth + 1);
  }

  bool condition(std::string_view word, std::string_view rest) {
    const std::vector<Token> words = tokenize(rest);
    if (word != "if") {
      const bool defined = !words.empty() && macros_.contains(words[0].text);
      return defined == (word == "ifdef");
    }
    static constexpr std::string_view kZero = "0", kOne = "1";
    const auto number = [](bool value) { return Token{value ? kOne : kZero, 0, 0, TokenKind::Number}; };
    std::vector<Token> plain;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (!words[i].is("defined")) {
        plain.push_back(words[i]);
        continue;
      }
      const bool bracket = i + 1 < words.size() && words[i + 1].is("(");
      const std::size_t name = i + (bracket ? 2 : 1);
      plain.push_back(number(name < words.size() && macros_.contains(words[name].text)));
      i = name + (bracket ? 1 : 0);
    }
    std::vector<Token> expanded;
    expand_all(plain, expanded, {}, 0);
    for (Token& token : expanded)
      if (token.kind == TokenKind::Identifier) token = number(token.is("true"));
    const auto value = Constants().evaluate(expanded);
    return value && value->number() != 0;
  }

  const SourceTree& tree_;
  Preprocessed& out_;
  std::map<std::string_view, Macro> macros_;
  std::vector<Branch> branches_;
  std::set<const UserHeader*> seen_;
};

}  // namespace

Preprocessed preprocess(const SourceTree& tree,
                        const std::vector<std::pair<std::string, std::string>>& defines) {
  Preprocessed out;
  Preprocessor preprocessor(tree, out);
  for (const char* const known :
       {"__CUDACC__ 1", "__NVCC__ 1", "__cplusplus 201703L", "__linux__ 1", "CUDART_VERSION 12000",
        "RAND_MAX 2147483647", "INT_MAX 2147483647", "NULL nullptr", "EXIT_SUCCESS 0", "EXIT_FAILURE 1"})
    preprocessor.define(known);
  for (const auto& [name, value] : defines) {
    out.made.push_back(name + " " + value);
    preprocessor.define(out.made.back());
  }
  preprocessor.file(tree.file, tree.text, 0);
  return out;
}

}  // namespace warplens::source
