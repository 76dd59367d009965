// The small bar under a view that has something to choose: latencies of the SM model, the measure that cells
// and lines are coloured by, accesses as written or as executed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/window/panels/ui.h"
#include "engine/analysis/modelled.h"
#include "engine/trace/executed_as.h"

namespace warplens::window {
namespace {

using visual::Choices;
using visual::Face;
using visual::Measure;
using visual::Rect;
using visual::Role;

// Places its parts from left to right and leaves out those for which there is no room.
class Row {
 public:
  Row(Ui& ui, Pen& pen, const Rect& box) : ui_(ui), pen_(pen), box_(box), x_(box.x) {}

  bool fits(float width) const { return x_ + width <= box_.right(); }

  void label(const std::string& text) {
    const float width = pen_.width(text, 11);
    if (!fits(width)) return;
    pen_.text({x_, box_.y, width + 2, box_.height}, text, {.size = 11, .role = Role::Dim});
    x_ += width + 8;
  }

  bool pill(const char* id, const std::string& text, bool lit, const std::string& tip) {
    const float width = pen_.width(text, 13, lit ? Face::SansBold : Face::Sans) + 18;
    if (!fits(width)) return false;
    const bool clicked = text_button(ui_, pen_, id, text, {x_, box_.y + 2, width, box_.height - 4}, lit, tip);
    x_ += width + 2;
    return clicked;
  }

  // Does something once: it looks like a button also before it is pointed at.
  bool action(const char* id, const std::string& text, const std::string& tip) {
    const float width = pen_.width(text, 13) + 18;
    if (!fits(width)) return false;
    const Rect box{x_, box_.y + 2, width, box_.height - 4};
    pen_.fill(box, Role::Raised, 6, 0.7f);
    const bool clicked = text_button(ui_, pen_, id, text, box, false, tip);
    x_ += width + 8;
    return clicked;
  }

  // A number with minus and plus; the wheel turns it too. Returns the change in steps.
  int number(const char* id, const std::string& name, const std::string& value, const std::string& tip) {
    const float name_width = pen_.width(name, 11),
                value_width = std::max(34.0f, pen_.width(value, 13, Face::Mono) + 8);
    if (!fits(name_width + value_width + 58)) return 0;
    label(name);
    int change = 0;
    const float h = box_.height - 4;
    const std::string base = id;
    if (icon_button(ui_, pen_, (base + ".less").c_str(), Icon::Minus, {x_, box_.y + 2, 20, h}, tip))
      change = -1;
    const Rect box{x_ + 20, box_.y + 2, value_width, h};
    pen_.text(box, value, {.face = Face::Mono, .align = visual::Align::Centre});
    const Hit at = hit(pen_, (base + ".value").c_str(), box);
    if (at.hovered) {
      tooltip(ui_, tip);
      if (const float wheel = ImGui::GetIO().MouseWheel; wheel != 0) change = wheel > 0 ? 1 : -1;
    }
    if (icon_button(ui_, pen_, (base + ".more").c_str(), Icon::Plus, {box.right(), box_.y + 2, 20, h}, tip))
      change = 1;
    x_ = box.right() + 30;
    return change;
  }

  bool icon(const char* id, Icon icon, const std::string& tip) {
    if (!fits(28)) return false;
    const bool clicked = icon_button(ui_, pen_, id, icon, {x_, box_.y + 2, 26, box_.height - 4}, tip);
    x_ += 32;
    return clicked;
  }

  void gap() { x_ += 12; }

  void sentence(const std::string& text, bool dim) {
    const Rect room{x_, box_.y, box_.right() - x_, box_.height};
    if (room.width < 60) return;
    pen_.text(room, text, {.role = dim ? Role::Dim : Role::Text});
    if (hit(pen_, "sentence", room).hovered) tooltip(ui_, text);
  }

 private:
  Ui& ui_;
  Pen& pen_;
  Rect box_;
  float x_;
};

// That an SM has room for.
int most_blocks(const Ui& ui) {
  const Picture* picture = ui.bench.picture();
  return picture ? std::max(1, picture->run->report.occupancy.blocks_per_sm) : 32;
}

int blocks_now(const Ui& ui) {
  const Picture* picture = ui.bench.picture();
  return picture && picture->modelled ? picture->modelled->sm.resident_blocks : 1;
}

void sm_controls(Ui& ui, Row& row) {
  visual::SmModel& sm = ui.bench.view_options.sm;
  if (row.pill("hide", ui.say("window.sm.hide"), sm.hide_latency, ui.say("window.sm.hide_tip")))
    sm.hide_latency = !sm.hide_latency;
  row.gap();
  const int later = row.number("memory", ui.say("window.sm.memory"), fmt::format("{:g}", sm.memory_latency),
                               ui.say("window.sm.memory_tip"));
  if (later != 0) sm.memory_latency = std::clamp(sm.memory_latency * std::exp2(later), 0.125, 8.0);
  const std::string blocks = sm.blocks > 0 ? fmt::format("{}", sm.blocks) : ui.say("window.sm.all_blocks");
  const int change = row.number("blocks", ui.say("window.sm.blocks"), blocks, ui.say("window.sm.blocks_tip"));
  if (change != 0)
    sm.blocks = std::clamp((sm.blocks > 0 ? sm.blocks : blocks_now(ui)) + change, 1, most_blocks(ui));
  if (!(sm == visual::SmModel{}) && row.icon("reset", Icon::Reset, ui.say("window.sm.reset"))) sm = {};
}

void measure_controls(Ui& ui, Row& row, bool ptx) {
  constexpr std::array<std::pair<Measure, const char*>, 6> kMeasures = {
      {{Measure::Automatic, "window.measure.automatic"},
       {Measure::Sectors, "window.measure.sectors"},
       {Measure::Wavefronts, "window.measure.passes"},
       {Measure::Constants, "window.measure.constants"},
       {Measure::IdleLanes, "window.measure.idle"},
       {Measure::Instructions, "window.measure.instructions"}}};
  ViewOptions& options = ui.bench.view_options;
  row.label(ui.say("window.measure.by"));
  const Picture* shown = ui.bench.picture();
  const bool constants = shown && shown->run && shown->run->report.totals.constant.requests > 0;
  for (const auto& [measure, key] : kMeasures) {
    if (measure == Measure::Constants && !constants && options.measure != measure) continue;
    if (row.pill(key, ui.say(key), options.measure == measure, ui.say(std::string(key) + "_tip")))
      options.measure = measure;
  }
  if (!ptx) return;
  row.gap();
  if (row.pill("ptx", ui.say("window.measure.ptx"), options.show_ptx.value_or(false),
               ui.say("window.measure.ptx_tip")))
    options.show_ptx = !options.show_ptx.value_or(false);
}

// Only where ptxas really changes something is there a choice to make.
bool forms_differ(const Ui& ui) {
  if (!ui.bench.picture()) return false;
  const auto& sites = ui.bench.picture()->run->trace.sites;
  return std::any_of(sites.begin(), sites.end(), [](const trace::Site& s) {
    if (s.kind == trace::SiteKind::Branch || s.kind == trace::SiteKind::Barrier) return false;
    return !is_executed(s) || is_resized(s);
  });
}

void form_controls(Ui& ui, Row& row, bool overlay) {
  ViewOptions& options = ui.bench.view_options;
  if (overlay) {
    if (row.pill("overlay", ui.say("window.form.overlay"), options.overlay,
                 ui.say("window.form.overlay_tip")))
      options.overlay = !options.overlay;
    row.gap();
  }
  if (!forms_differ(ui)) return;
  row.label(ui.say("window.form.accesses"));
  if (row.pill("executed", ui.say("window.form.executed"), options.as_executed,
               ui.say("window.form.executed_tip")))
    options.as_executed = true;
  if (row.pill("written", ui.say("window.form.written"), !options.as_executed,
               ui.say("window.form.written_tip")))
    options.as_executed = false;
}

// As many streams as were recorded; the others say so in the view.
void streams_controls(Ui& ui, Row& row) {
  int& streams = ui.bench.view_options.streams;
  row.label(ui.say("window.streams.count"));
  for (int i = 1; i <= 4; ++i) {
    const std::string number = fmt::format("{}", i);
    if (row.pill(("streams" + number).c_str(), number, streams == i, ui.say("window.streams.count_tip")))
      streams = i;
  }
}

// What is being measured and how far it is; a click stops it. Else: measure again.
void live_controls(Ui& ui, Row& row) {
  Workbench& bench = ui.bench;
  if (!bench.measurement().live) return;
  if (!bench.measuring()) {
    if (row.icon("again", Icon::Reset, ui.say("window.time.again"))) bench.measure_again();
    return;
  }
  constexpr std::array kSteps{"window.time.step_timing",   "window.time.step_timing",
                              "window.time.step_trace",    "window.time.step_sweep",
                              "window.time.step_counters", "window.time.step_transfers",
                              "window.time.step_streams"};
  const auto step = static_cast<std::size_t>(bench.measured_step().value_or(MeasureStep::Timing));
  const std::string done = ui.say(kSteps[step]) + fmt::format(" {:.0f} %", 100 * bench.measured_fraction());
  if (row.action("stop", ui.say({"window.time.stop", {{"done", value_of(done)}}}),
                 ui.say("window.time.stop_tip")))
    bench.cancel_measuring();
}

// To the nearest values of which there is something.
bool nearest_control(Ui& ui, Row& row, const std::optional<model::SliderValues>& nearest) {
  if (!nearest || !row.action("nearest", ui.say("window.time.nearest"), ui.say("window.time.nearest_tip")))
    return false;
  const model::SliderValues values = *nearest;  // set_value makes another measurement
  for (const auto& [name, value] : values) ui.bench.set_value(name, value);
  return true;
}

void counters_controls(Ui& ui, Row& row) {
  const Measurement& m = ui.bench.measurement();
  live_controls(ui, row);
  if (nearest_control(ui, row, m.counted_at)) return;
  // Why there are none says the view itself.
  if (!m.counters.empty()) row.sentence(ui.say("window.counters.how"), true);
}

void transfers_controls(Ui& ui, Row& row) {
  bool& to_device = ui.bench.view_options.to_device;
  if (row.pill("to", ui.say("window.transfers.to"), to_device, ui.say("window.transfers.to_tip")))
    to_device = true;
  if (row.pill("back", ui.say("window.transfers.back"), !to_device, ui.say("window.transfers.back_tip")))
    to_device = false;
  row.gap();
  if (ui.bench.kernel() && ui.bench.kernel()->kind == "transfers") live_controls(ui, row);
}

// Live: rerun, cold or warm, how far the curve is. Of a recording: cold or warm, and what is missing.
void timing_controls(Ui& ui, Row& row) {
  Workbench& bench = ui.bench;
  const Measurement& m = bench.measurement();
  row.label("L2");
  const bool cold = bench.view_options.cold;
  if (row.pill("warm", ui.say("window.time.warm"), !cold, ui.say("window.time.warm_tip")))
    bench.set_cold(false);
  if (row.pill("cold", ui.say("window.time.cold"), cold, ui.say("window.time.cold_tip")))
    bench.set_cold(true);
  row.gap();
  live_controls(ui, row);
  if (nearest_control(ui, row, m.nearest)) return;
  row.sentence(ui.say(m.timing ? m.evidence : m.reason), !m.timing);
}

// How long the rows of each buffer are; one that is no matrix yet becomes one.
void matrix_controls(Ui& ui, Row& row) {
  const Picture* picture = ui.bench.picture();
  if (!picture || !picture->data) return;
  constexpr std::int64_t kFirst = 32;
  row.label(ui.say("window.matrix.width"));
  for (const trace::BufferPlacement& buffer : picture->run->trace.buffers) {
    const auto& all = picture->data->matrices.all;
    const auto shape = std::find_if(
        all.begin(), all.end(), [&](const visual::MatrixShape& m) { return m.argument == buffer.argument; });
    const auto now = shape == all.end() ? std::int64_t{0} : static_cast<std::int64_t>(shape->columns);
    const int change = row.number(("width." + buffer.name).c_str(), buffer.name,
                                  now > 0 ? std::to_string(now) : "–", ui.say("window.matrix.width_tip"));
    if (change != 0)
      return ui.bench.set_row_width(buffer.name, now > 0 ? std::max<std::int64_t>(1, now + change) : kFirst);
  }
  if (!ui.bench.view_options.row_widths.empty() &&
      row.action("reset", ui.say("window.matrix.reset"), ui.say("window.matrix.reset_tip"))) {
    const model::RowWidths typed = ui.bench.view_options.row_widths;
    for (const auto& [name, width] : typed) ui.bench.set_row_width(name, 0);
  }
}

// The switch, and how much was looked at.
void faults_controls(Ui& ui, Row& row) {
  Workbench& bench = ui.bench;
  const bool on = bench.looks_for_faults();
  if (row.pill("look", ui.say("window.faults.look"), on, ui.say("window.faults.look_tip")))
    bench.look_for_faults(!on);
  row.gap();
  const Checked* checked = bench.picture() ? bench.picture()->checked.get() : nullptr;
  if (!on || !checked) {
    const bool endless = bench.picture() && bench.picture()->never_ended();
    row.sentence(ui.say(!on       ? "window.faults.off"
                        : endless ? "window.faults.never_ends"
                                  : "window.faults.soon"),
                 true);
    return;
  }
  const char* key = !checked->complete                        ? "window.faults.stopped"
                    : checked->ended                          ? "window.faults.ended"
                    : checked->blocks < checked->blocks_total ? "window.faults.some"
                                                              : "window.faults.all";
  row.sentence(ui.say({key, {{"n", value_of(checked->blocks)}, {"all", value_of(checked->blocks_total)}}}),
               true);
}

}  // namespace

float view_bar_height(const Ui& ui, const visual::View& view, float height) {
  const Choices choices = view.choices;
  if (choices == Choices::None || height < 200 || !ui.bench.picture()) return 0;
  // What two sides say is worth more to a speaker than what could be chosen.
  if (ui.state.presenting && ui.bench.pinned() && height < 420) return 0;
  if (choices == Choices::Streams && (!ui.bench.recording() || ui.bench.recording()->streams.empty()))
    return 0;
  // Its own sliders choose the timeline.
  if (choices == Choices::Streams && ui.bench.kernel() && ui.bench.kernel()->kind == "streams") return 0;
  const bool measured = choices == Choices::Timing || choices == Choices::Counters;
  if (measured && ui.bench.measurement().on.empty()) return 0;
  if (choices == Choices::Transfers && ui.bench.backend().kind == Backend::Kind::Emulator) return 0;
  return choices == Choices::Form && !forms_differ(ui) ? 0 : 32;
}

void draw_view_bar(Ui& ui, Pen& pen, const visual::View& view, const Rect& box) {
  if (box.height <= 0) return;
  ImGui::PushID(view.id.data(), view.id.data() + view.id.size());
  Row row(ui, pen, {box.x + 16, box.y, box.width - 32, box.height});
  switch (view.choices) {
    case Choices::SmModel:
      sm_controls(ui, row);
      break;
    case Choices::Measure:
    case Choices::MeasureAndPtx:
      measure_controls(ui, row, view.choices == Choices::MeasureAndPtx);
      break;
    case Choices::Form:
    case Choices::FormAndOverlay:
      form_controls(ui, row, view.choices == Choices::FormAndOverlay);
      break;
    case Choices::Timing:
      timing_controls(ui, row);
      break;
    case Choices::Streams:
      streams_controls(ui, row);
      break;
    case Choices::Counters:
      counters_controls(ui, row);
      break;
    case Choices::Transfers:
      transfers_controls(ui, row);
      break;
    case Choices::Matrix:
      matrix_controls(ui, row);
      break;
    case Choices::Faults:
      faults_controls(ui, row);
      break;
    case Choices::None:
      break;
  }
  ImGui::PopID();
}

}  // namespace warplens::window
