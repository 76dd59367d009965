#include "engine/analysis/counts_json.h"

#include <nlohmann/json.hpp>

#include "engine/analysis/ratio.h"

namespace warplens::analysis {

nlohmann::ordered_json triple(Dim3 extents) {
  return {extents.x, extents.y, extents.z};
}

nlohmann::ordered_json global_json(const GlobalCounts& c) {
  return {{"requests", c.requests},
          {"sectors", c.sectors},
          {"sectors_ideal", c.sectors_ideal},
          {"lines", c.lines},
          {"bytes_requested", c.bytes_requested},
          {"bytes_unique", c.bytes_unique},
          {"sectors_per_request", ratio(c.sectors, c.requests)},
          {"efficiency", ratio(c.bytes_unique, 32 * c.sectors)}};
}

nlohmann::ordered_json shared_json(const SharedCounts& c) {
  return {{"requests", c.requests},
          {"wavefronts", c.wavefronts},
          {"wavefronts_ideal", c.wavefronts_ideal},
          {"bank_conflicts", c.bank_conflicts}};
}

}  // namespace warplens::analysis
