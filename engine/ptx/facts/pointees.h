// What an address points into: the variable or kernel parameter that it was computed from, read off the code.
//
//   ld.param.u64 %rd1, [scale_param_0];   %rd1: {scale_param_0}
//   cvta.to.global.u64 %rd2, %rd1;        %rd2: the same
//   add.s64 %rd4, %rd2, %rd3;             the same, when %rd3 is no pointer
//   st.global.f32 [%rd4], %f1;            writes into what scale_param_0 points to, or out of bounds
//
// Differences of two pointers and anything else that could lead elsewhere make it unknown. A value that was
// loaded from memory counts as a number, so that an index read from an array keeps its pointer's target.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

class Pointees {
 public:
  static Pointees compute(const Module& module, const Function& function);
  // Names of what an Address operand may point into; empty: unknown.
  std::vector<std::string> of(const Operand& address) const;

 private:
  using Set = std::uint64_t;  // bit i: names_[i]; kUnknown: anything
  static constexpr Set kUnknown = Set{1} << 63;

  Set named(const std::string& name);
  Set value_of(const Operand& operand);
  Set result_of(const Module& module, const Function& function, const Instruction& in);
  bool assign(const Operand& operand, Set set);

  std::vector<std::string> names_;
  std::vector<Set> registers_;
};

}  // namespace warplens::ptx
