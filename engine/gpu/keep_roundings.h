// Rounds in a rewritten kernel where the kernel itself does. ptxas makes one instruction of a product and a
// sum where the PTX leaves both roundings open and both stand in one basic block (ptx/contracted_products.h);
// what is put between them cuts blocks, and a rewritten kernel would give other last bits than the kernel.
//
//   mul.f32 %f3,%f1,%f2;  sub.f32 %f5,%f4,%f3;   ->   ...  neg.f32 %wln32,%f1;  fma.rn.f32
//   %f5,%wln32,%f2,%f4; mul.f32 %f3,%f1,%f2;  st ..., %f3;           ->   mul.rn.f32 %f3,%f1,%f2;  ...
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::gpu {

// By function and instruction of `rewritten`: text that has to stand before it.
using TextBefore = std::map<std::pair<std::uint32_t, std::uint32_t>, std::string>;

// Changes these functions of `rewritten`, a copy of `module` whose instructions are those of the module.
TextBefore keep_roundings(const ptx::Module& module, const std::vector<std::uint32_t>& functions,
                          ptx::Module& rewritten);

}  // namespace warplens::gpu
