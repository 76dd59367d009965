#include "engine/analysis/fault_text.h"

#include <algorithm>
#include <variant>
#include <vector>

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

bool is_endless_loop(const trace::Fault& fault) {
  const auto is = [](const Message& what) {
    return what.key == "fault.endless" || what.key == "fault.no_way_out" || what.key == "fault.goes_round";
  };
  if (fault.kind != trace::FaultKind::Deadlock) return false;
  if (is(fault.what)) return true;
  return std::ranges::any_of(fault.what.values, [&](const auto& value) {
    const auto* inner = std::get_if<std::vector<Message>>(&value.second);
    return inner != nullptr && std::ranges::any_of(*inner, is);
  });
}

bool goes_on_for_ever(std::span<const trace::Fault> faults) {
  return std::ranges::any_of(faults, is_endless_loop);
}

}  // namespace warplens::analysis
