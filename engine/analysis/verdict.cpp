#include "engine/analysis/verdict.h"

#include <fmt/format.h>

#include "engine/base/time_text.h"

namespace warplens::analysis {

TimePart part_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Launch:
      return TimePart::Launch;
    case Verdict::Lsu:
      return TimePart::Lsu;
    case Verdict::L2:
      return TimePart::L2;
    case Verdict::Dram:
      return TimePart::Dram;
    case Verdict::Issue:
      return TimePart::Issue;
    case Verdict::Unit:
      return TimePart::Units;
    case Verdict::Atomics:
      return TimePart::Atomics;
    default:
      return TimePart::Latency;
  }
}

Message verdict_message(const Modelled& m) {
  const TimeModel& t = *m.time;
  return {"modelled.verdict." + std::string(name(t.verdict)),
          {{"us", value_of(microseconds_text(t.us))},
           {"device", value_of(m.device)},
           {"part", value_of(microseconds_text(t.part(part_of(t.verdict))))},
           {"waves", value_of(fmt::format("{:.2f}", t.waves))},
           {"issue", value_of(fmt::format("{:.0f}", 100 * t.sm.utilisation()))}}};
}

Message verdict_brief(const Modelled& m, bool with_way_out) {
  return {(with_way_out ? "modelled.brief." : "modelled.brief_short.") + std::string(name(m.time->verdict)),
          {{"us", value_of(microseconds_text(m.time->us))}}};
}

}  // namespace warplens::analysis
