// What a call of a function that calls itself costs in local memory. Such a function is called by the ABI: at
// its entry it stores the registers that it must leave as they were, one word each, and loads them at its
// end.
//
//   int hanoi(n, from, to) { if (n == 0) return 0; a = hanoi(n - 1, ...); return a + hanoi(n - 1, ...) + 1; }
//   2 for the return address, 1 for the barrier of the `if`, 4 for n - 1, the other rod, `to` and a:  7 words
//
// Read from the machine code of ptxas 13.0 for sm_90: the return address (2); a convergence barrier for every
// region of divergence that lies around a call, nested ones counted; and the registers of what is live across
// a call, as many as are needed at once, without what a constant makes again. Of nine functions seven agree;
// two that loop around their calls save one word more.
#pragma once

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// Words that each call of `function` stores and loads; 0 for entries and functions that cannot reach
// themselves. By the rule above, and by the function's machine code.
int saved_words(const Module& module, const Function& function);
int machine_saved_words(const Module& module, const Function& function);

}  // namespace warplens::ptx
