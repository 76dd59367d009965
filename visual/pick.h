// Which access a view of single accesses shows, and the words that name it.
//
//   const auto picked = pick_access(context, input, spaces);  // empty: this run has no such access
//   explain_global(picked->access.kind, picked->access.bytes, ...)
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/trace/trace.h"
#include "visual/layout.h"

namespace warplens::visual {

struct Picked {
  std::size_t step = 0;  // of the access that is shown; not always the cursor's
  std::uint64_t block = 0;
  trace::AccessView written;  // as it stands in the trace
  trace::AccessView
      access;  // as executed when the context asks for that: width, addresses and lanes are adapted
  const trace::Site* site = nullptr;  // null for a trace whose sites are missing

  Known known = Known::AsWritten;  // how `access` is known

  // Lanes that another lane does the work for: an atomic that the warp combines first.
  LaneMask combined() const { return written.active & ~access.active; }
  // How shared memory serves the access: lanes that count into one word are served together, as a store is.
  trace::SiteKind served_kind() const;
};

std::optional<Picked> pick_access(const ViewContext& context, const ViewInput& input,
                                  std::span<const trace::Space> spaces);

// What a view says that has no such access to show: `none` and `none` + "_advice" are the keys for a kernel
// that makes none, and only of one that ran to its end that is known.
struct EmptyWords {
  std::string headline, advice;  // keys
};
EmptyWords words_of_no_access(const ViewInput& input, std::string_view none);

// The buffer that an address lies in; null when in none.
const trace::BufferPlacement* buffer_at(const trace::Trace& trace, std::uint64_t address);

// "load of tile[i] · line 7 · block 0, warp 3"
std::string describe_picked(const Draft& draft, const Picked& picked);
// "reads", "writes", "updates" with the lane and the place, for a tooltip.
std::string lane_tooltip(const Draft& draft, trace::SiteKind kind, int lane, const MessageValue& place);

// The lanes that the pointer or the selection is on; 0 when none is meant. A sector stands for its lanes.
LaneMask focused_lanes(const ViewInput& input);

}  // namespace warplens::visual
