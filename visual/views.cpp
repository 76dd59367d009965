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

const std::array kViews{
    View{.id = "address-map",
         .title_key = "view.address_map.title",
         .layout = guarded<address_map>,
         .applies = address_map_applies,
         .stops = kAccessStops,
         .shows = Shows::GlobalAndLocal,
         .choices = Choices::FormAndOverlay},
    View{.id = "bank-view",
         .title_key = "view.bank_view.title",
         .layout = guarded<bank_view>,
         .applies = bank_view_applies,
         .stops = kPassStops,
         .shows = Shows::Shared,
         .choices = Choices::Form},
    View{.id = "active-lanes",
         .title_key = "view.active_lanes.title",
         .layout = guarded<active_lanes_view>,
         .applies = active_lanes_applies,
         .of_lanes = true},
    View{.id = "occupancy",
         .title_key = "view.occupancy.title",
         .layout = guarded<occupancy_view>,
         .applies = occupancy_applies,
         .tries = Tries::OtherBlocks},
    View{.id = "grid-overview",
         .title_key = "view.grid.title",
         .layout = guarded<grid_overview>,
         .applies = grid_overview_applies,
         .choices = Choices::Measure,
         .of_many_blocks = true},
    View{.id = "source",
         .title_key = "view.source.title",
         .layout = guarded<source_view>,
         .applies = source_applies,
         .choices = Choices::MeasureAndPtx,
         .gives_away = false},
    View{.id = "timing",
         .title_key = "view.timing.title_plain",
         .layout = guarded<timing_view>,
         .applies = timing_applies,
         .basis = Curve,
         .of_measurements = true,
         .choices = Choices::Timing},
    View{.id = "roofline",
         .title_key = "view.roofline.title",
         .layout = guarded<roofline_view>,
         .applies = roofline_applies,
         .of_measurements = true,
         .tries = Tries::OtherChoices,
         .of_many_blocks = true,
         .of_own_size = true},
    View{.id = "hierarchy",
         .title_key = "view.hierarchy.title",
         .layout = guarded<hierarchy_view>,
         .applies = hierarchy_applies,
         .of_many_blocks = true,
         .gives_away = false},
    View{.id = "counters",
         .title_key = "view.counters.title",
         .layout = guarded<counters_view>,
         .applies = counters_applies,
         .basis = Hardware,
         .of_measurements = true,
         .choices = Choices::Counters},
    View{.id = "stalls",
         .title_key = "view.stalls.title",
         .layout = guarded<stalls_view>,
         .applies = stalls_applies,
         .basis = Hardware,
         .of_measurements = true,
         .modelled_otherwise = true,
         .choices = Choices::Counters},
    View{.id = "streams",
         .title_key = "view.streams.title",
         .layout = guarded<streams_view>,
         .applies = streams_applies,
         .basis = Machine,
         .of_measurements = true,
         .choices = Choices::Streams},
    View{.id = "transfers",
         .title_key = "view.transfers.title",
         .layout = guarded<transfers_view>,
         .applies = transfers_applies,
         .basis = Machine,
         .of_measurements = true,
         .choices = Choices::Transfers},
    View{.id = "matrix",
         .title_key = "view.matrix.title",
         .layout = guarded<matrix_view>,
         .applies = matrix_applies,
         .shows = Shows::Global,
         .choices = Choices::Matrix},
    View{.id = "threads",
         .title_key = "view.threads.title",
         .layout = guarded<threads_view>,
         .applies = threads_applies},
    View{.id = "fragments",
         .title_key = "view.fragments.title",
         .layout = guarded<fragments_view>,
         .applies = fragments_applies,
         .stops = kFragmentStops},
    View{.id = "faults",
         .title_key = "view.faults.title",
         .layout = guarded<faults_view>,
         .applies = faults_applies,
         .choices = Choices::Faults},
    View{.id = "time-parts",
         .title_key = "view.time.title",
         .layout = guarded<time_parts_view>,
         .applies = time_parts_applies,
         .basis = Model,
         .of_measurements = true},
    View{.id = "devices",
         .title_key = "view.shelf.title",
         .layout = guarded<shelf_view>,
         .applies = shelf_applies,
         .basis = Model,
         .tries = Tries::OtherDevices},
    View{.id = "sm-in-motion",
         .title_key = "view.sm.title",
         .layout = guarded<at_its_ends<sm_motion>>,
         .applies = sm_motion_applies,
         .stops = kPassStops,
         .basis = Model,
         .choices = Choices::SmModel},
    View{.id = "constants",
         .title_key = "view.constants.title",
         .layout = guarded<constants_view>,
         .applies = constants_applies,
         .stops = kPassStops,
         .shows = Shows::Constant,
         .choices = Choices::Form},
    View{.id = "exchanges",
         .title_key = "view.exchanges.title",
         .layout = guarded<exchanges_view>,
         .applies = exchanges_applies},
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
