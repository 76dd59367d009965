// Where the facts of a module's functions are kept, and what they are lowered to: one entry a function, made
// when somebody first asks.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

struct Lowered;  // made two floors up, by lowered()

struct Derived::Kept {
  // What tells that a function was edited since.
  using Stamp = std::array<std::size_t, 4>;
  struct OfFunction {
    Stamp stamp{};
    std::shared_ptr<const FunctionFacts> facts;
    std::once_flag lowered_once;
    std::shared_ptr<const Lowered> lowered;
  };

  // The entry of a function; nothing where it is none of the module's.
  std::shared_ptr<OfFunction> of(const Module& module, const Function& function);

  std::mutex mutex;
  std::unordered_map<std::size_t, std::shared_ptr<OfFunction>> functions;  // by index
};

}  // namespace warplens::ptx
