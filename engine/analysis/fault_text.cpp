#include "engine/analysis/fault_text.h"

#include <fmt/format.h>

namespace warplens::analysis {

namespace {

std::string index_text(Dim3 i) {
  return fmt::format("({},{},{})", i.x, i.y, i.z);
}

// Races of threads of one warp, of one block and of different blocks have different cures.
std::string key_of(const trace::Fault& fault) {
  const std::string kind(trace::name(fault.kind));
  if (fault.kind != trace::FaultKind::Race) return "fault." + kind;
  return fault.block == fault.other_block ? "fault.race" : "fault.race_between_blocks";
}

}  // namespace

Message fault_message(const trace::Fault& fault) {
  const bool in_source = fault.line != 0;
  return {key_of(fault),
          {{"where", Key{in_source ? "fault.place.line" : "fault.place.ptx_line"}},
           {"line", value_of(in_source ? fault.line : fault.ptx_line)},
           {"block", index_text(fault.block)},
           {"thread", index_text(fault.thread)},
           {"other_line", value_of(fault.other_line)},
           {"other_block", index_text(fault.other_block)},
           {"other_thread", index_text(fault.other_thread)},
           {"detail", fault.message}}};
}

}  // namespace warplens::analysis
