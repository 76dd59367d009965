#include "visual/views.h"

#include <algorithm>
#include <array>

#include "visual/earlier.h"
#include "visual/layout.h"
#include "visual/model_views.h"

namespace warplens::visual {
namespace {

// The stops of the address map; the numbers are the ends of its phases.
constexpr std::array<Stop, 4> kAccessStops{{{0.42f, "view.stop.issue"},
                                            {0.62f, "view.stop.coalesce"},
                                            {0.76f, "view.stop.fetch"},
                                            {1.0f, "view.stop.use"}}};

constexpr std::array<Stop, 1> kPassStops{{{1.0f, "view.stop.served"}}};

constexpr std::array<Stop, 3> kFragmentStops{
    {{0.3f, "view.stop.name"}, {0.7f, "view.stop.served"}, {1.0f, "view.stop.hold"}}};

// Below this a picture could only be wrong: the pane keeps the question and the answer.
constexpr Size kLeast{280, 160};

template <Scene (*layout)(const ViewContext&, const ViewInput&)>
Scene in_its_size(const ViewContext& context, const ViewInput& input) {
  if (context.size.width >= kLeast.width && context.size.height >= kLeast.height)
    return layout(context, input);
  ViewContext roomy{{640, 360}, context.text, context.measure, context.as_executed, context.reduce_motion};
  const Scene whole = layout(roomy, input);
  Draft draft(context);
  draft.header(
      {.title = whole.title,
       .answer = whole.answer,
       .worse = whole.answer_is_worse,
       .evidence = context.size.width >= 120 && context.size.height >= 60 ? whole.evidence : std::nullopt,
       .evidence_of = whole.evidence_of});
  Scene scene = draft.finish(whole.transcript);
  scene.evidence = whole.evidence;
  return scene;
}

template <Scene (*layout)(const ViewContext&, const ViewInput&)>
Scene guarded(const ViewContext& context, const ViewInput& input) {
  Scene scene = in_its_size<layout>(context, input);
  if (!input.earlier.empty()) mark_as_earlier(scene, context, input.earlier);
  return scene;
}

// With reduced motion a step of one single stop does not move: it is at its start, then at its end.
template <Scene (*layout)(const ViewContext&, const ViewInput&)>
Scene at_its_ends(const ViewContext& context, const ViewInput& input) {
  if (!context.reduce_motion || input.cursor.phase >= 1) return layout(context, input);
  ViewInput start = input;
  start.cursor.phase = 0;
  return layout(context, start);
}

using enum Basis;
constexpr std::span<const Stop> kStill;
constexpr bool kMeasured = true, kOwn = false;  // View::of_measurements
constexpr bool kModelledOtherwise = true;

const std::array kViews{
    View{"address-map", "view.address_map.title", guarded<address_map>, address_map_applies, kAccessStops,
         Run, kOwn, Shows::GlobalAndLocal},
    View{"bank-view", "view.bank_view.title", guarded<bank_view>, bank_view_applies, kPassStops, Run, kOwn,
         Shows::Shared},
    View{"active-lanes", "view.active_lanes.title", guarded<active_lanes_view>, active_lanes_applies},
    View{"occupancy", "view.occupancy.title", guarded<occupancy_view>, occupancy_applies, kStill, Run, kOwn,
         Shows::Any, Tries::OtherBlocks},
    View{"grid-overview", "view.grid.title", guarded<grid_overview>, grid_overview_applies},
    View{"source", "view.source.title", guarded<source_view>, source_applies},
    View{"timing", "view.timing.title_plain", guarded<timing_view>, timing_applies, kStill, Curve, kMeasured},
    View{"roofline", "view.roofline.title", guarded<roofline_view>, roofline_applies, kStill, Run, kMeasured,
         Shows::Any, Tries::OtherChoices},
    View{"hierarchy", "view.hierarchy.title", guarded<hierarchy_view>, hierarchy_applies},
    View{"counters", "view.counters.title", guarded<counters_view>, counters_applies, kStill, Hardware,
         kMeasured},
    View{"stalls", "view.stalls.title", guarded<stalls_view>, stalls_applies, kStill, Hardware, kMeasured,
         Shows::Any, Tries::Nothing, kModelledOtherwise},
    View{"streams", "view.streams.title", guarded<streams_view>, streams_applies, kStill, Machine, kMeasured},
    View{"transfers", "view.transfers.title", guarded<transfers_view>, transfers_applies, kStill, Machine,
         kMeasured},
    View{"matrix", "view.matrix.title", guarded<matrix_view>, matrix_applies, kStill, Run, kOwn,
         Shows::Global},
    View{"threads", "view.threads.title", guarded<threads_view>, threads_applies},
    View{"fragments", "view.fragments.title", guarded<fragments_view>, fragments_applies, kFragmentStops},
    View{"faults", "view.faults.title", guarded<faults_view>, faults_applies},
    View{"time-parts", "view.time.title", guarded<time_parts_view>, time_parts_applies, kStill, Model,
         kMeasured},
    View{"devices", "view.shelf.title", guarded<shelf_view>, shelf_applies, kStill, Model, kOwn, Shows::Any,
         Tries::OtherDevices},
    View{"sm-in-motion", "view.sm.title", guarded<at_its_ends<sm_motion>>, sm_motion_applies, kPassStops,
         Model},
    View{"constants", "view.constants.title", guarded<constants_view>, constants_applies, kPassStops, Run,
         kOwn, Shows::Constant},
    View{"exchanges", "view.exchanges.title", guarded<exchanges_view>, exchanges_applies},
};

}  // namespace

std::span<const View> all_views() {
  return kViews;
}

const View* find_view(std::string_view id) {
  const auto found = std::find_if(kViews.begin(), kViews.end(), [id](const View& v) { return v.id == id; });
  return found == kViews.end() ? nullptr : &*found;
}

bool is_view_of(std::string_view id, Basis basis) {
  const View* const view = find_view(id);
  return view != nullptr && view->basis == basis;
}

}  // namespace warplens::visual
