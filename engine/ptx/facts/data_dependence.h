// Whether a kernel's addresses and branches depend on what its buffers hold: then so does every number that
// is counted of it, and a run on other contents gives others.
//
//   v = data[i];  atomicAdd(&bins[v & 63], 1);     addresses depend on data
//   for (j = row[i]; j < row[i + 1]; ++j) ...      branches depend on row
//   y[i] = a * x[i];                               nothing does
//
// Followed through registers and through whatever memory the values were kept in meanwhile; each memory
// (shared, local, what a parameter points to) counts as one place. What cannot be followed counts as
// dependent, on every buffer.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

struct DataDependence {
  // Parameters of the entry, ascending: their contents decide which addresses an access has, and which way a
  // branch goes or which lanes an access is guarded for.
  std::vector<std::uint32_t> addresses, branches;
  bool empty() const { return addresses.empty() && branches.empty(); }
};
DataDependence data_dependence(const Module& module, const Function& entry);

// Of the accesses on one line of the PTX: the parameters whose contents decide their addresses, and of
// `by_value`, structures that may hold pointers, those whose own bytes do. Of a line that is not the entry's:
// every parameter that may be a pointer.
std::vector<std::uint32_t> address_sources(const Module& module, const Function& entry, int ptx_line,
                                           const std::vector<std::uint32_t>& by_value);

}  // namespace warplens::ptx
