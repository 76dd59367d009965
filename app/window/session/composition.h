// What one picture on the stage is made of, held alive: the run or the two runs that it shows, where time
// stands in each, and what views need besides. The window, its exports and its tests draw through lay_out(),
// so that a saved picture is the picture on the screen.
//
//   const Composition now = bench.composition(text);
//   visual::Scene scene = now.lay_out(*visual::find_view("address-map"), {960, 540}, text, measure);
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "app/model/picture/view_data.h"
#include "app/window/jobs/setup.h"
#include "visual/hardware.h"
#include "visual/view.h"

namespace warplens::window {

// What a user can change about the views themselves.
struct ViewOptions {
  visual::SmModel sm;
  visual::Measure measure = visual::Measure::Automatic;
  bool as_executed = true;       // false: accesses as they are written in the PTX, before ptxas merges them
  bool overlay = true;           // address map: what this warp's other accesses use of the same sectors, too
  int streams = 4;               // of the recorded timeline of copies and kernels
  bool to_device = true;         // copies: to the GPU, or back
  bool cold = false;             // times with L2 flushed before each run
  model::RowWidths row_widths;   // matrices: how long rows are, where somebody has typed it
  std::optional<bool> show_ptx;  // beside the code of the source view; unset: where there is room

  bool operator==(const ViewOptions& o) const;
};

// What differs between two runs in one sentence, the greatest change first; says so when nothing does.
std::string twin_words(const analysis::Report& a, const analysis::Report& b, const SideNames& names,
                       const Catalogue& text);

struct Shown {
  visual::SideName name;                  // of a side of a comparison, in the user's language
  std::shared_ptr<const model::Run> run;  // null: nothing has run
  std::shared_ptr<const model::ViewData> data;
  std::shared_ptr<const visual::SourceText> source;  // in the user's language; null: that of `data`
  std::shared_ptr<const analysis::Report> checked;   // with the faults that were looked for; null: not done
  visual::Cursor cursor;
  std::optional<visual::HardwareCounters> counters;
  std::shared_ptr<const analysis::Modelled> modelled;  // null: nothing yet
  std::optional<visual::LaunchTime> time;
  const analysis::Device* device = nullptr;  // of the workbench, which must outlive this
  const analysis::ComputeCapability* capability = nullptr;
};

struct Composition {
  Shown b;                 // what is open
  std::optional<Shown> a;  // what it is compared with
  visual::Selection selection, hover;
  std::optional<visual::Sweep> sweep;
  std::optional<visual::StreamTimeline> streams;
  std::optional<visual::TransferRates> transfers;
  std::optional<visual::RooflineChart> roofline;    // of the open side, with its trail
  std::shared_ptr<const visual::OccupancyLab> lab;  // the same; null: nothing has been tried out
  // By visual::Basis: what b belongs to, where that is not what is asked for; empty: it is.
  std::array<std::string, 5> earlier;
  std::string a_earlier = {};  // the same of side A, whatever the view rests on
  ViewOptions options;
  bool reduce_motion = false;

  visual::ViewInput input(const Shown& side) const;
  visual::Scene lay_out(const visual::View& view, visual::Size size, const Catalogue& text,
                        const visual::TextMeasure& measure) const;
};

}  // namespace warplens::window
