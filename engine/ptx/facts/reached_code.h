// The code that a launch of a kernel may run, and what it asks of an SM because of it.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

struct ReachedCode {
  // The entry first; then what it names, directly, through others or through tables of addresses, each in the
  // order in which the text names it.
  std::vector<const Function*> functions;
  std::unordered_set<std::string> symbols;  // every name in them: variables, functions
};

// The functions belong to the module.
ReachedCode reached_code(const Module& module, const Function& entry);

// Named barriers (bar, barrier) that a block is given: the highest number and all below it; all sixteen when
// a number is known only at run time, as ptxas 13.0 reports them ("used 16 barriers").
int named_barriers(const Module& module, const ReachedCode& reached);

// Whether the launch may end up in the driver's own routines (printf, assert, malloc, free): called by name,
// or by a pointer in a module in which somebody calls them, so that the linker counts them among the
// pointer's targets.
bool runs_system_code(const Module& module, const ReachedCode& reached);

}  // namespace warplens::ptx
