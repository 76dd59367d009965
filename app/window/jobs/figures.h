// The numbers beside the picture: the few that sum a run up, and what each source line costs. Pure functions
// of a report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/access_costs.h"
#include "engine/base/evidence.h"
#include "engine/base/measured_on.h"
#include "engine/base/message.h"

namespace warplens::window {

inline constexpr double kSectorBytes = 32;

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
  std::vector<Message> others = {};  // the same of the kernel's other accesses, a line each: on demand
  std::optional<analysis::AccessCost::Kind> access = {};  // of one access to global memory
  Message basis = {"", {}};  // what it is an average of, in a sentence for the tooltip; no key: nothing
  bool only_one = true;      // it is all that the kernel does of this kind: hardware counts the same
};

// At most `most`, the ones that matter for this kernel first: the access it is about, other memory, lanes it
// loses, occupancy. Of one access each, never an average of several.
std::vector<Headline> headlines(const analysis::Report& report, std::size_t most);

// "window.figure.sectors": what an access to this memory costs a request.
const char* figure_key(analysis::Memory memory);
// "load, line 10": which access a number is of.
Message access_name(const analysis::AccessCost& access);
// "load, line 10: 8.0 (ideal 4.0)", and how it is known where that is not the machine code.
Message access_line(const analysis::AccessCost& access);
// " · counted · by rule"; nothing where it is the machine code.
MessageValue known_after(Known known);

// What one source line costs, over all instructions on it.
struct LineCost {
  enum class Unit { None, Sectors, Wavefronts, Addresses, Divergence };
  int line = 0;
  Unit unit = Unit::None;  // of the worst access, or of branches where no access wastes anything
  double value = 0;        // sectors, wavefronts or constant addresses a request; share of divergent branches
  double ideal = 0;
  std::uint64_t executions = 0;
  Known branches_known = Known::MachineCode;  // Unit::Divergence: how the branches are known
  double share = 0;  // 0 to 1: of everything that memory had to serve (sectors, wavefronts, addresses)
  std::vector<analysis::AccessCost> accesses;  // all of the line, loads first
  bool worse() const { return unit == Unit::Divergence ? value > 0 : value > ideal * 1.005; }
};
// Ascending lines.
std::vector<LineCost> line_costs(const analysis::Report& report);
// What is written beside the line: a load and a store of the same memory that cost differently, apart; else
// the one number. Arrows say which is which.
struct CostMark {
  double value = 0;
  bool worse = false;
  std::optional<analysis::AccessCost::Kind> kind;  // where there are two
};
std::vector<CostMark> cost_marks(const LineCost& cost);

}  // namespace warplens::window
