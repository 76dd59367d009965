// What rules a launch, in one sentence with its evidence and the way out.
//
//   catalogue.text(verdict_message(modelled));   // modelled.time is set
#pragma once

#include "engine/analysis/modelled.h"
#include "engine/base/message.h"

namespace warplens::analysis {

Message verdict_message(const Modelled& modelled);
// The same in one line.
Message verdict_brief(const Modelled& modelled, bool with_way_out = true);
// The part that a verdict is about.
TimePart part_of(Verdict verdict);

}  // namespace warplens::analysis
