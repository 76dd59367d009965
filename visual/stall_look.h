// How a state of a warp is called and drawn, the same in every view: by the profiler's name, with a colour
// and a pattern.
//
//   profiler_word("long_scoreboard")   // "Stall Long Scoreboard", as the profiler's own pages call it
//   look_of(SmStall::Barrier)          // ink and pattern
#pragma once

#include <string>

#include "engine/analysis/sm_simulation.h"
#include "visual/scene.h"

namespace warplens::visual {

std::string profiler_word(const std::string& reason);

struct StallLook {
  Ink ink;
  Pattern pattern = Pattern::Solid;
};
StallLook look_of(analysis::SmStall state);

}  // namespace warplens::visual
