// Small local arrays that ptxas keeps in registers although they are indexed at run time: it then picks the
// element with a chain of selects, and no local memory is touched at all.
//
//   int a[8] = {...};  a[k & 7]      8 elements, 8 constant stores, 1 dynamic load: in registers
//   int a[16]; with 8 dynamic loads  16 elements are too many to choose from 8 times: in local memory
//
// The rule is fitted to what ptxas 13.0 does for sm_90 on generated kernels; its constants describe those
// observations and are not known internals of ptxas. It weighs what each access
// would cost in memory against a choice among all elements of the depot; only 2- and 4-byte elements and
// fewer than 96 of them are considered.
#pragma once

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// Whether the local memory that `function` declares is never used, because its arrays live in registers.
bool local_arrays_in_registers(const Module& module, const Function& function);

}  // namespace warplens::ptx
