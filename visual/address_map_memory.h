// The lower half of the address map: the lines and sectors of one warp access, the bytes each lane asked for
// in them, and what is written below.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/analysis/coalescing.h"
#include "engine/analysis/local_places.h"
#include "visual/address_map_overlay.h"
#include "visual/layout.h"
#include "visual/memory_rows.h"
#include "visual/pick.h"

namespace warplens::visual {

// When what happens inside one step; the stops of the transport are the ends of these.
inline constexpr float kIssued = 0.10f, kArrived = 0.42f, kGrouped = 0.62f, kFetched = 0.76f;

// What both halves of the picture are about.
struct MapFacts {
  const trace::Trace* trace = nullptr;
  Picked picked;
  analysis::CoalescingDetail detail;
  OtherUse others;
  const trace::BufferPlacement* buffer = nullptr;
  LaneMask focus = 0;
  float phase = 1;

  bool active(int lane) const { return picked.access.active >> lane & 1u; }
  std::uint64_t address(int lane) const { return picked.access.addresses[static_cast<std::size_t>(lane)]; }
  MessageValue place_name(std::uint64_t where) const {
    if (picked.access.space == trace::Space::Local)
      return value_of("local+" + std::to_string(analysis::local_offset(where)));
    return trace->describe(picked.access.space, where);
  }
  // "[214]", where there is room for no more; the whole name of what is no element.
  std::string index_text(const Draft& draft, std::uint64_t where) const;
  // Addresses are shown from the start of their buffer: the base differs from run to run.
  std::uint64_t shown(std::uint64_t where) const {
    return buffer && where >= buffer->base && where - buffer->base <= buffer->bytes + 128
               ? where - buffer->base
               : where;
  }
  bool faded(LaneMask lanes) const { return focus != 0 && (lanes & focus) == 0; }
  std::string tooltip(const Draft& draft, int lane) const;
};

struct MemoryPlaces {
  struct Piece {  // bytes of one address that lie in one sector
    LaneMask lanes = 0;
    Rect box;
    std::uint64_t address = 0;
  };
  MemoryRows rows;
  std::vector<Piece> pieces;
  float bar_height = 0, pitch = 0, top = 0;  // of the rows
};

void draw_memory(Draft& draft, const MapFacts& facts, const MemoryPlaces& places);

}  // namespace warplens::visual
