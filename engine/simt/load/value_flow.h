// What becomes of a value that was read, as far as registers of one function go.
#pragma once

#include <cstdint>

#include "engine/ptx/syntax/module.h"

namespace warplens::simt {

// Is that instruction a plain load of one value that goes, maybe by way of copies, into the value which an
// atom.cas of the same state space and width compares with? Whatever the look sees, the swap compares it with
// what is there, and the loop goes round again when that is something else:
//
//   old = *address;                                        this load
//   do { assumed = old;
//        old = atomicCAS(address, assumed, f(assumed)); } while (old != assumed);
bool is_compared_by_swap(const ptx::Module& module, const ptx::Function& function, std::uint32_t load);

// Does what that atomic returns decide anything: is it, or what is computed from it, compared, selected by,
// stored or passed on? As an address alone it decides nothing:  out[atomicAdd(&n, 1)] = x.
bool decides_something(const ptx::Module& module, const ptx::Function& function, std::uint32_t atomic);

}  // namespace warplens::simt
