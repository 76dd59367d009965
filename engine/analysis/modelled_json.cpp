#include "engine/analysis/modelled_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace warplens::analysis {
namespace {

using Json = nlohmann::ordered_json;

Json caches_json(const ModelledCaches& c) {
  const auto whole = [](double n) { return static_cast<std::uint64_t>(std::llround(std::max(0.0, n))); };
  return {{"l1_hit_rate", c.l1_hit_rate ? Json(*c.l1_hit_rate) : Json(nullptr)},
          {"l2_read_sectors", whole(c.l2_read_sectors)},
          {"l2_read_sectors_least", whole(c.l2_read_sectors_least)},
          {"l2_read_sectors_most", whole(c.l2_read_sectors_most)},
          {"l2_write_sectors", whole(c.l2_write_sectors)},
          {"l2_atomic_sectors", whole(c.l2_atomic_sectors)},
          {"l2_hit_rate", c.l2_hit_rate},
          {"dram_read_bytes", whole(c.dram_read_bytes)},
          {"dram_write_bytes", whole(c.dram_write_bytes)},
          {"dram_code_bytes", whole(c.dram_code_bytes)},
          {"state", c.warm ? "warm" : "flushed"},
          {"blocks_modelled", c.blocks_modelled}};
}

Json parts_json(const TimeModel& t) {
  Json out;
  for (std::size_t i = 0; i < kTimeParts; ++i) out[std::string(name(static_cast<TimePart>(i)))] = t.parts[i];
  return out;
}

// Shares of the warps' cycles; reasons that do not occur are left out.
Json stalls_json(const SmRun& run) {
  double all = 0;
  for (const double cycles : run.stalls) all += cycles;
  Json out = Json::object();
  for (std::size_t i = 0; i < kSmStalls; ++i)
    if (run.stalls[i] > 0) out[std::string(name(static_cast<SmStall>(i)))] = run.stalls[i] / all;
  return out;
}

}  // namespace

Json to_json(const Modelled& m) {
  return {{"device", m.device},
          {"evidence", name(Modelled::evidence)},
          {"constants_measured", m.constants_measured},
          {"constants_of", m.constants_of},
          {"contended", m.contended},
          {"time_us", m.time ? Json(m.time->us) : Json(nullptr)},
          {"parts", m.time ? parts_json(*m.time) : Json(nullptr)},
          {"rules", m.time ? Json(name(m.time->rules)) : Json(nullptr)},
          {"verdict", m.time ? Json(name(m.time->verdict)) : Json(nullptr)},
          {"waves", m.time ? Json(m.time->waves) : Json(nullptr)},
          {"caches", m.caches ? caches_json(*m.caches) : Json(nullptr)},
          {"machine_instructions",
           m.machine_instructions ? Json(std::llround(*m.machine_instructions)) : Json(nullptr)},
          {"stalls", m.time ? stalls_json(m.time->sm) : Json(nullptr)},
          {"issue_utilisation", m.time ? Json(m.time->sm.utilisation()) : Json(nullptr)}};
}

}  // namespace warplens::analysis
