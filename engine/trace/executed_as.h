// What the machine makes of an instruction, in a word: read off what Lowered decided, here and nowhere else.
//
//   executed_as(site) == ExecutedAs::Merged     // its leader's access covers it
//   name(ExecutedAs::Widened)                   // "widened", as reports write it
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/trace/site.h"

namespace warplens::trace {

enum class ExecutedAs : std::uint8_t {
  Access,
  Widened,   // joins its neighbours
  Narrowed,  // of a vector, what is read
  Merged,    // into its leader
  Register,
  Operand,  // a constant that costs no request
  Reduction,
  OneLane,       // an atomic that is combined in the warp first
  CountedLanes,  // ATOMS.POPC.INC
  Loop,          // of load and compare-and-swap
  Branch,
  NoBranch,  // an exit, predicated, or superfluous
  Barrier,
};
std::string_view name(ExecutedAs what);
ExecutedAs executed_as(const Site& site);

// Another site's access covers this one.
constexpr bool is_merged(const Site& site) {
  return site.leader != kNoSite && site.leader != site.index;
}
// The machine has an access of its own for it.
constexpr bool is_executed(const Site& site) {
  return !is_merged(site) && !site.in_registers;
}
// It moves other bytes a lane than the PTX says.
constexpr bool is_resized(const Site& site) {
  return site.executed_bytes != 0 && site.executed_bytes != site.bytes;
}

}  // namespace warplens::trace
