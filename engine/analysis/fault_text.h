// A fault in the reader's language.
//
//   catalogue.text(fault_message(fault))
//
// In English that is the sentence of whoever found the fault. Other languages say what kind of mistake it is,
// where, who the other thread is and what to do about it, and give that sentence behind it for its numbers.
#pragma once

#include "engine/base/message.h"
#include "engine/trace/event.h"

namespace warplens::analysis {

Message fault_message(const trace::Fault& fault);

}  // namespace warplens::analysis
