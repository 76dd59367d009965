// The names of PTX's predefined registers, both ways.
//
//   special_register("%tid.x")     -> {SpecialRegister::TidX, 0}
//   special_register("%envreg12")  -> {SpecialRegister::EnvReg, 12}
//
// %reserved_smem_offset_0 and _1, where the driver keeps shared memory for libraries (tiles of a cooperative
// group above 32 threads), are environment registers as well: numbers 32 and 33.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

inline constexpr std::int64_t kReservedSharedRegister = 32;

struct SpecialName {
  SpecialRegister which = SpecialRegister::Unknown;
  std::int64_t index = 0;  // of %envregN and %pmN
};

// Unknown for a register that PTX documents and this program has no number for; nothing for any other name.
std::optional<SpecialName> special_register(std::string_view name);
// The printed name; empty for Unknown (the operand then keeps the name as its symbol).
std::string special_register_name(SpecialRegister which, std::int64_t index);

// It changes while a thread runs.
bool is_clock(SpecialRegister which);

}  // namespace warplens::ptx
