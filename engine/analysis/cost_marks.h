// What is written beside a line of code: its load and its store apart where they cost differently, else one
// number; never an average of the two.
//
//   out[i] = in[i * 8];   // 32.0 and 4.0 sectors a request
#pragma once

#include <vector>

#include "engine/analysis/access_costs.h"

namespace warplens::analysis {

// Of a line's loads, stores and atomics to one memory the worst each, in that order; one alone
// where all cost the same. Empty: it does not touch that memory. Into `accesses`.
std::vector<const AccessCost*> costs_apart(const std::vector<AccessCost>& accesses, Memory memory);

// By more than rounding.
bool is_worse(const AccessCost& access);

}  // namespace warplens::analysis
