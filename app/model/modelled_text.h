// What the models say, in words: the verdict with its evidence and the way out, and a table for a terminal.
#pragma once

#include <string>

#include "engine/analysis/modelled.h"
#include "engine/base/message.h"

namespace warplens::model {

// "modelled: 12.4 us on H200 SXM; DRAM rules (9.8 us alone) ..."; needs modelled.time.
Message verdict_message(const analysis::Modelled& modelled);
std::string modelled_text(const analysis::Modelled& modelled, const Catalogue& catalogue);

}  // namespace warplens::model
