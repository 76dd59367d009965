// Where lanes that have parted go on as one, and where they stay apart although they stand at the same place.
//
//   for (s = 1; s <= n; ++s) {              BSSY names the part behind the loop: lanes that leave the loop
//     ...                                   for it wait for each other (BSYNC)
//     if (v > limit) { out = -1; return; }  no BSSY names this one: lanes store and end as they come
//   }
//   out = v;
//
// The machine lets lanes meet only where a BSSY says so. With ptxas's machine code (Function::machine) that
// is looked up; without it, rules foretell it (loop_exits.h). Nothing depends on it but which lanes execute
// an instruction together. Source: machine code of ptxas 13.0 for compute capability 9.0, counters of an
// H200.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

struct MeetingPlaces {
  // A block: lanes that come to it at different times stay apart, unless they part together and it is where
  // they meet.
  std::vector<bool> apart;
  // A block: where lanes that part at its end meet. kNone: nowhere in this function.
  std::vector<std::uint32_t> meet;
};

// By the rules of loop_exits.h, and by the function's machine code.
MeetingPlaces meeting_places(const Function& function);
MeetingPlaces machine_meeting_places(const Function& function);

}  // namespace warplens::ptx
