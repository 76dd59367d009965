// The numbers beside the picture: the few that sum a run up, and what each source line costs. Pure functions
// of a report.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/report.h"
#include "engine/base/evidence.h"
#include "engine/base/measured_on.h"
#include "engine/base/message.h"

namespace warplens::window {

struct Headline {
  std::string name_key;  // "window.figure.sectors"
  std::string value;     // "8.0", "50 %"
  Message detail;        // "ideal 4.0"
  bool worse = false;    // than ideal: drawn in the warning colour
  Evidence evidence = Evidence::Counted;
  std::string counter;               // the profiler's name of it, for the tooltip
  std::vector<Message> doubts = {};  // what to think of before this number is believed
  bool missing = false;              // there is no number: `detail` says so, and no badge stands beside it
  bool provisional = false;  // of nearly what is open: `detail` says of what, or that few runs made it
  bool earlier = false;      // of an earlier text or setting than the one that is asked for
  MeasuredOn on = {};        // of a measured one
};

// At most `most`, the ones that matter for this kernel first: memory it uses, lanes it loses, occupancy.
std::vector<Headline> headlines(const analysis::Report& report, std::size_t most);

// What one source line costs, over all instructions on it.
struct LineCost {
  enum class Unit { None, Sectors, Wavefronts, Divergence };
  int line = 0;
  Unit unit = Unit::None;  // of the dominant instruction
  double value = 0;        // sectors or wavefronts a request; share of divergent branches
  double ideal = 0;
  std::uint64_t executions = 0;
  double share = 0;  // 0 to 1: of everything that memory had to serve (sectors and wavefronts)
  bool worse() const { return unit == Unit::Divergence ? value > 0 : value > ideal * 1.005; }
};
// Ascending lines.
std::vector<LineCost> line_costs(const analysis::Report& report);

}  // namespace warplens::window
