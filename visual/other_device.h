// What a view does with a number that was measured on another GPU than the one it is about: it stands under
// the name of its own, in the badge and in words, with what to do to compare.
//
//   heading.evidence_of = other_device(input, sweep.on);
//   Rect rest = draft.header(heading);
//   say_other_device(draft, rest, input, sweep.on);
#pragma once

#include <string>

#include "visual/layout.h"

namespace warplens::visual {

// The short name of the GPU that measured; empty when it is the view's device, or nothing was measured.
std::string other_device(const ViewInput& input, const MeasuredOn& on);
// Says it in a sentence; empty like other_device.
std::string other_device_words(const Draft& draft, const ViewInput& input, const MeasuredOn& on);
// Cuts one or two lines from the top of `rest` and writes the sentence there.
void say_other_device(Draft& draft, Rect& rest, const ViewInput& input, const MeasuredOn& on);

}  // namespace warplens::visual
