// What the window would add to a run made by hand: the text, a sweep, copies, the roofline, the models.
#pragma once

#include "tests/visual/fixtures.h"

namespace warplens::visual {

void add_context(Fixture& fixture);

}  // namespace warplens::visual
