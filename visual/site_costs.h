// What each source line cost over the whole launch, summed from the report's sites.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "visual/view.h"

namespace warplens::visual {

struct LineCost {
  int line = 0;
  std::string text;
  std::uint64_t global_requests = 0, shared_requests = 0;  // executions that moved something
  std::uint64_t constants = 0, constants_ideal = 0;        // passes of constant memory, and requests
  std::uint64_t sectors = 0, sectors_ideal = 0;
  std::uint64_t wavefronts = 0, wavefronts_ideal = 0;
  std::uint64_t executions = 0, lanes = 0;
  int written = 0,
      executed = 0;      // memory instructions of this line in the PTX, and what ptxas leaves of them
  int in_registers = 0;  // of those written: accesses to an array that lives in registers
  std::vector<trace::SiteId> sites;
};

std::map<int, LineCost> line_costs(const analysis::Report& report);

}  // namespace warplens::visual
