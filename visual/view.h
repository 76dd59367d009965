// The contract of every view: a pure function of data, selection, time and size.
//
//   Scene scene = address_map(context, input);
//
// Same arguments, same Scene: nothing is remembered between frames, so a frame is a function of trace and
// cursor. To add a view: write layout in its own file pair, add a row to views.cpp, its texts to
// assets/messages.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/report.h"
#include "engine/base/message.h"
#include "engine/trace/trace.h"
#include "visual/scene.h"

namespace warplens::visual {

// Where time stands: on a step of the trace, and how far into its animation (0 start to 1 end; 1 is the
// still).
struct Cursor {
  std::size_t step = 0;
  float phase = 1.0f;
};

// The one selection that all views share; hover has the same form.
using Selection = Target;

struct ViewInput {
  const analysis::Report* report = nullptr;  // null: nothing has run yet
  const trace::Trace* trace = nullptr;       // null or empty: nothing was traced
  const analysis::Device* device = nullptr;
  const analysis::ComputeCapability* capability = nullptr;
  Cursor cursor;
  Selection selection, hover;
};

struct ViewContext {
  Size size;
  const Catalogue& text;
  const TextMeasure& measure;
  bool as_executed = true;  // false: show accesses as written in the PTX
  bool reduce_motion = false;
};

// Where an animation rests, and what has just happened there: the transport pauses at each, in order.
struct Stop {
  float phase = 1;
  std::string_view key;  // message key of one or two words: "view.stop.coalesce"
};

struct View {
  std::string_view id;         // "address-map"
  std::string_view title_key;  // message key of the question
  Scene (*layout)(const ViewContext& context, const ViewInput& input);
  // Does this view have something to say about this run? Used to choose what to show first.
  bool (*applies)(const ViewInput& input);
  std::span<const Stop> stops = {};  // empty: the view has no animation inside a step
};

std::span<const View> all_views();
const View* find_view(std::string_view id);

// The step that a view wants to show when the cursor stands on a step it cannot draw (a bank view on a global
// load): the nearest earlier one that fits, else the nearest later one; trace.size() when there is none.
std::size_t nearest_step(const trace::Trace& trace, std::size_t step, std::span<const trace::Space> spaces);

}  // namespace warplens::visual
