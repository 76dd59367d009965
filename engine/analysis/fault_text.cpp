#include "engine/analysis/fault_text.h"

namespace warplens::analysis {

Message fault_message(const trace::Fault& fault) {
  const bool in_source = fault.line != 0;
  return {"fault.sentence",
          {{"place", Key{in_source ? "fault.place.line" : "fault.place.ptx_line"}},
           {"line", value_of(in_source ? fault.line : fault.ptx_line)},
           {"block", index_text(fault.block)},
           {"thread", index_text(fault.thread)},
           {"what", value_of(fault.what)}}};
}

}  // namespace warplens::analysis
