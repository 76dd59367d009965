// What rules a launch, in one sentence with its evidence and the way out.
//
//   catalogue.text(verdict_message(modelled));   // modelled.time is set
#pragma once

#include "engine/analysis/modelled.h"
#include "engine/base/message.h"

namespace warplens::analysis {

Message verdict_message(const Modelled& modelled);
// The same in one line.
Message verdict_brief(const Modelled& modelled);
// The part that a verdict is about.
TimePart part_of(Verdict verdict);
// "9.81", "24.5", "3362": microseconds as they are read.
std::string microseconds_text(double us);

}  // namespace warplens::analysis
