#include "visual/views.h"

#include <algorithm>
#include <array>

namespace warplens::visual {
namespace {

// The stops of the address map; the numbers are the ends of its phases.
constexpr std::array<Stop, 4> kAccessStops{{{0.42f, "view.stop.issue"},
                                            {0.62f, "view.stop.coalesce"},
                                            {0.76f, "view.stop.fetch"},
                                            {1.0f, "view.stop.use"}}};

constexpr std::array<Stop, 1> kPassStops{{{1.0f, "view.stop.served"}}};

const std::array kViews{
    View{"address-map", "view.address_map.title", address_map, address_map_applies, kAccessStops},
    View{"bank-view", "view.bank_view.title", bank_view, bank_view_applies, kPassStops},
    View{"active-lanes", "view.active_lanes.title", active_lanes_view, active_lanes_applies},
    View{"occupancy", "view.occupancy.title", occupancy_view, occupancy_applies},
    View{"grid-overview", "view.grid.title", grid_overview, grid_overview_applies},
    View{"source", "view.source.title", source_view, source_applies},
    View{"timing", "view.timing.title_plain", timing_view, timing_applies},
    View{"roofline", "view.roofline.title", roofline_view, roofline_applies},
};

}  // namespace

std::span<const View> all_views() {
  return kViews;
}

const View* find_view(std::string_view id) {
  const auto found = std::find_if(kViews.begin(), kViews.end(), [id](const View& v) { return v.id == id; });
  return found == kViews.end() ? nullptr : &*found;
}

}  // namespace warplens::visual
