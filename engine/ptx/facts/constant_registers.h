// Registers that are set once, to a constant: `mov.u32 %r4, 31;` and nothing else. Front ends write most
// immediate operands of atomics and shuffles this way.
//
//   const ConstantRegisters constants(module, function);
//   constants.value(operand);   // 31 for %r4 and for a literal 31, nullopt otherwise
#pragma once

#include <optional>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

class ConstantRegisters {
 public:
  ConstantRegisters(const Module& module, const Function& function);
  std::optional<std::int64_t> value(const Operand& operand) const;

 private:
  std::vector<std::optional<std::int64_t>> value_;
};

}  // namespace warplens::ptx
