// The views, one function each; see views.cpp for the table and view.h for the contract.
#pragma once

#include "visual/view.h"

namespace warplens::visual {

Scene address_map(const ViewContext& context, const ViewInput& input);
bool address_map_applies(const ViewInput& input);

Scene bank_view(const ViewContext& context, const ViewInput& input);
bool bank_view_applies(const ViewInput& input);

Scene active_lanes_view(const ViewContext& context, const ViewInput& input);
bool active_lanes_applies(const ViewInput& input);

Scene occupancy_view(const ViewContext& context, const ViewInput& input);
bool occupancy_applies(const ViewInput& input);

Scene grid_overview(const ViewContext& context, const ViewInput& input);
bool grid_overview_applies(const ViewInput& input);

Scene source_view(const ViewContext& context, const ViewInput& input);
bool source_applies(const ViewInput& input);

Scene timing_view(const ViewContext& context, const ViewInput& input);
bool timing_applies(const ViewInput& input);

Scene roofline_view(const ViewContext& context, const ViewInput& input);
bool roofline_applies(const ViewInput& input);

Scene hierarchy_view(const ViewContext& context, const ViewInput& input);
bool hierarchy_applies(const ViewInput& input);

Scene sm_motion(const ViewContext& context, const ViewInput& input);
bool sm_motion_applies(const ViewInput& input);

Scene streams_view(const ViewContext& context, const ViewInput& input);
bool streams_applies(const ViewInput& input);

Scene transfers_view(const ViewContext& context, const ViewInput& input);
bool transfers_applies(const ViewInput& input);

Scene counters_view(const ViewContext& context, const ViewInput& input);
bool counters_applies(const ViewInput& input);

Scene threads_view(const ViewContext& context, const ViewInput& input);
bool threads_applies(const ViewInput& input);

Scene matrix_view(const ViewContext& context, const ViewInput& input);
bool matrix_applies(const ViewInput& input);

Scene fragments_view(const ViewContext& context, const ViewInput& input);
bool fragments_applies(const ViewInput& input);

Scene faults_view(const ViewContext& context, const ViewInput& input);
bool faults_applies(const ViewInput& input);

Scene time_parts_view(const ViewContext& context, const ViewInput& input);
bool time_parts_applies(const ViewInput& input);

Scene constants_view(const ViewContext& context, const ViewInput& input);
Scene exchanges_view(const ViewContext& context, const ViewInput& input);
bool exchanges_applies(const ViewInput& input);
bool constants_applies(const ViewInput& input);

Scene stalls_view(const ViewContext& context, const ViewInput& input);
bool stalls_applies(const ViewInput& input);

}  // namespace warplens::visual
