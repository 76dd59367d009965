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

// Bytes a lane of what is executed: as written, where Lowered has no other width.
constexpr int executed_bytes_of(const Site& site) {
  return site.executed_bytes != 0 ? site.executed_bytes : site.bytes;
}
// It moves more bytes a lane: accesses beside it, or those of the next turns of its loop, went into it.
constexpr bool is_widened(const Site& site) {
  return executed_bytes_of(site) > site.bytes;
}
// A load of which turns of a loop may share one execution (engine/analysis/executed.h).
constexpr bool is_joined_load(const Site& site) {
  return site.kind == SiteKind::Load && is_widened(site);
}
// A load or an asynchronous copy that asks for L2's copy: .cg, .cv, .volatile, and those that order memory.
bool bypasses_l1(const Site& site);
// Loads that one of constant memory is: LDC reads up to 8 bytes, so that ld.const.v4.f32 is two.
constexpr int constant_loads(int bytes) {
  return bytes > 8 ? bytes / 8 : 1;
}

}  // namespace warplens::trace
