// A fault as a sentence: where, which thread, and what whoever found it says about it.
//
//   catalogue.text(fault_message(fault))
//   // "line 12, block (3,0,0), thread (7,0,0): the thread writes 4 bytes of element 1024 of out, ..."
#pragma once

#include <span>

#include "engine/base/message.h"
#include "engine/trace/event.h"

namespace warplens::analysis {

Message fault_message(const trace::Fault& fault);
// A loop that never ends, whatever the rest of the launch does.
bool is_endless_loop(const trace::Fault& fault);
bool goes_on_for_ever(std::span<const trace::Fault> faults);  // one of them is

}  // namespace warplens::analysis
