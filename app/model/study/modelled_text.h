// What the models say, as a terminal shows it: the verdict (engine/analysis/verdict.h) and the numbers.
#pragma once

#include <string>

#include "engine/analysis/modelled.h"
#include "engine/base/message.h"

namespace warplens::model {

std::string modelled_text(const analysis::Modelled& modelled, const Catalogue& catalogue);

}  // namespace warplens::model
