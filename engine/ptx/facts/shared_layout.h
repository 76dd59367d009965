// Where ptxas puts a kernel's shared variables: those it uses, the function's own first, then the module's,
// each in the order of declaration at its own alignment, and the extern array behind them at a multiple
// of 16.
//
//   .shared .align 4 .b8 a[100];  .shared .align 16 .b8 b[64];      a at 0, b at 112; extern array at 176
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

struct SharedPlace {
  const Variable* variable = nullptr;
  std::uint64_t address = 0;
};

struct SharedLayout {
  std::vector<SharedPlace> places;                         // without extern arrays, by address
  std::vector<SharedPlace> dynamic;                        // extern arrays: all at one place
  std::unordered_map<std::string, std::uint64_t> address;  // of every shared variable that is used
  std::uint64_t used_bytes = 0;                            // up to the end of the last place
  std::uint64_t static_bytes = 0;                          // what a launch is charged for it
  std::uint64_t alignment = 16;                            // of the whole
  std::uint64_t dynamic_address = 0;                       // of the extern array
};

// As declared, and at least that of an element.
std::uint64_t alignment_of(const Variable& variable);

// Of an entry, with what the functions that it may reach use. A device function alone gets the addresses it
// would have if it were the kernel; they are only good for alignment.
SharedLayout shared_layout(const Module& module, const Function& entry);

}  // namespace warplens::ptx
