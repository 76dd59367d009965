// Values of the constant expressions that host code computes launches with.
//
//   Constants c;  c.define_macro("BLOCK 256");  c.set("n", {.integer = 1000});
//   c.evaluate(tokens of "(n + BLOCK - 1) / BLOCK")  ->  4
//
// Names that are not known make an expression unknown, never wrong; of `argc > 1 ? atoi(argv[1]) : 1024` the
// branch that is known is taken, since it is the default the author chose.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/source/lexer.h"

namespace warplens::source {

struct Value {
  bool floating = false;
  std::int64_t integer = 0;
  double real = 0.0;
  double number() const { return floating ? real : static_cast<double>(integer); }
  std::int64_t whole() const;  // truncated as C++ does; saturates
};

using Tokens = std::span<const Token>;

// Tokens between separators at bracket depth 0.
std::vector<Tokens> split_arguments(Tokens tokens);

// How strongly a binary operator binds, 1 (||) to 10 (*); 0: it is none.
int binary_precedence(const Token& token);

class Constants {
 public:
  // A function that only returns an expression, or a function-like macro.
  struct Function {
    std::vector<std::string> parameters;
    std::vector<Token> body;
  };

  Constants() = default;

  void define_macro(std::string_view definition);  // what follows #define; must outlive this object
  void set(const std::string& name, Value value) { values_[name] = value; }
  void forget(const std::string& name) { values_.erase(name); }

  std::optional<Value> evaluate(Tokens tokens) const;
  bool knows(const std::string& name) const;

 private:
  friend class Evaluator;
  // The inside of a function that is being called: its parameters, and behind them all that `outer` knows.
  explicit Constants(const Constants* outer) : budget_(outer->budget_), outer_(outer) {}

  template <typename T>
  const T* find(std::map<std::string, T> Constants::*names, const std::string& name) const {
    for (const Constants* scope = this; scope != nullptr; scope = scope->outer_)
      if (const auto found = (scope->*names).find(name); found != (scope->*names).end())
        return &found->second;
    return nullptr;
  }

  std::optional<Value> evaluate(Tokens tokens, int depth) const;
  // Macros made of macros can double at every level: after so many steps an expression counts as unknown, and
  // after so many of all expressions together every further one.
  static constexpr int kBudget = 20000, kWholeBudget = 2'000'000;
  mutable int budget_ = kBudget, left_ = kWholeBudget;
  std::map<std::string, Value> values_;
  std::map<std::string, std::vector<Token>> macros_;
  std::map<std::string, Function> functions_;
  const Constants* outer_ = nullptr;
};

}  // namespace warplens::source
