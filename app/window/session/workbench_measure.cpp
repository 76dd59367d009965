// What the workbench knows from clocks and hardware: which GPU or recording, and what it says of what is
// open.
#include <algorithm>

#include "app/model/counters_table.h"
#include "app/model/measured_on.h"
#include "app/model/roofline_chart.h"
#include "app/window/session/workbench.h"

namespace warplens::window {
namespace {

constexpr std::size_t kTrail = 12;

std::string name_of(Backend::Kind kind) {
  return kind == Backend::Kind::Gpu ? "gpu" : kind == Backend::Kind::Recording ? "recording" : "emulator";
}

// What a measurement is of, but for its values: two kernels of one file have the same text.
std::string measured_of(const Setup& setup) {
  return setup.kernel ? setup.kernel->id + "\n" + setup.kernel->kernel + "\n" + setup.text : std::string();
}

}  // namespace

const model::Recording* Workbench::recording() const {
  return inventory_ ? inventory_->recordings.best() : nullptr;
}

const gpu::DeviceInfo* Workbench::gpu() const {
  if (!inventory_ || backend_.kind != Backend::Kind::Gpu) return nullptr;
  for (const gpu::DeviceInfo& d : inventory_->found.devices)
    if (d.ordinal == backend_.gpu) return &d;
  return nullptr;
}

void Workbench::choose_backend(const Backend& wanted) {
  settings.runs_on = name_of(wanted.kind);
  use_backend(wanted);
  if (setup_.kernel) start();  // what the hardware did is not what the emulator does, and the other way round
}

void Workbench::use_backend(const Backend& wanted) {
  backend_ = wanted;
  copied_.reset();
  // Modelled numbers are about the GPU that measures, where the list has it: "NVIDIA H200" is "H200 SXM".
  const gpu::DeviceInfo* measures = gpu();
  if (!measures && backend_.kind == Backend::Kind::Recording && recording()) measures = &recording()->device;
  if (measures) {
    const std::string listed = model::measured_on(*measures).device;
    if (!listed.empty()) device_ = listed;
  }
  measure_again();
}

// The GPU that is there, else what was recorded of one; what the user chose the last time comes before both.
Backend Workbench::first_backend() const {
  const bool has_gpu = !inventory_->found.devices.empty(), has_recording = recording() != nullptr;
  Backend out;
  if (has_gpu) out.gpu = inventory_->found.devices.front().ordinal;
  const std::string& wish = settings.runs_on;
  if (has_gpu && (wish == "gpu" || wish.empty())) {
    out.kind = Backend::Kind::Gpu;
  } else if (has_recording && wish != "emulator") {
    out.kind = Backend::Kind::Recording;
  }
  return out;
}

void Workbench::set_cold(bool cold) {
  if (view_options.cold == cold) return;
  view_options.cold = cold;
  measure_again();
}

void Workbench::measure_again() {
  measured_text_.clear();  // points of a curve, too, are measured anew
  oldest_glimpse_ = ticket_ + 1;
  no_counters_ = {};
  copied_.reset();
  measurement_ = {};
  expect_measurement();
  // A recording's time is that of the picture only when no other text or values are on their way.
  const bool current = !text_due_ && (!runner_.busy() || runner_.sweeping()) &&
                       picture_.of.without_device() == asked().without_device();
  picture_.time = current ? measured_time() : std::nullopt;
  if (picture_.run && picture_.whole) measure();
  changed_ = true;
}

void Workbench::prefer_clock(bool on) {
  if (std::exchange(clock_first_, on) == on || !setup_.kernel || gpu()) return;
  expect_measurement();
  changed_ = true;
}

// What was measured belongs to what was open before. A recording answers at once.
void Workbench::expect_measurement() {
  // Another block to look at is no other launch.
  if (gpu() && measurement_.live && measurement_.timing && measured_values_ == setup_.values &&
      measured_text_ == measured_of(setup_))
    return;
  const bool same_curve = measured_slider_ == swept_slider_ && measured_text_ == measured_of(setup_) &&
                          measured_others_ == others_of(swept_slider_) && !measured_text_.empty();
  std::optional<Nearby> nearby = std::move(measurement_.nearby);
  if (const auto& t = measurement_.timing; t && measurement_.live)
    nearby = Nearby{t->median, t->milliseconds.size(), measured_values_, measured_text_};
  std::vector<MeasuredPoint> points;
  if (same_curve) points = std::move(measurement_.points);
  if (!measurement_.on.empty() || backend_.kind != Backend::Kind::Emulator) ++sweep_serial_;
  measurement_ = {};
  measurer_.cancel();
  measure_ticket_ = 0;
  if (!setup_.kernel) return;
  if (const gpu::DeviceInfo* info = gpu()) {
    measurement_.on = model::measured_on(*info);
    measurement_.live = true;
    if (nearby && nearby->of == measured_of(setup_)) measurement_.nearby = std::move(nearby);
    measurement_.cold = view_options.cold;
    measurement_.evidence = {"window.time.live", {{"device", value_of(info->name)}}};
    measurement_.reason = {"window.time.soon", {{"device", value_of(info->name)}}};
    measurement_.swept_slider = swept_slider_;
    measurement_.points = std::move(points);
    measurement_.counters_evidence = measurement_.evidence;
    measurement_.counters_reason = no_counters_;
    measurement_.counters_coming = no_counters_.key.empty();
    if (measurement_.counters_coming) measurement_.counters_reason = {"window.counters.soon", {}};
  } else if (backend_.kind == Backend::Kind::Recording && recording()) {
    const auto bound = bind_(*setup_.kernel, setup_.values);
    if (!bound) return;
    measurement_ = recorded(*recording(), *setup_.kernel, setup_.text, setup_.values, bound->launch,
                            swept_slider_, view_options.cold, clock_first_);
  }
  measurement_.of = asked().without_device();
}

std::optional<model::MeasuredTime> Workbench::measured_time() const {
  if (!measurement_.timing) return std::nullopt;
  return model::MeasuredTime{
      measurement_.timing->median, {}, measurement_.on, view_options.cold, measurement_.library_roof};
}

model::SliderValues Workbench::others_of(const std::string& slider) const {
  model::SliderValues others = setup_.values;
  others.erase(slider);
  return others;
}

// Whether these values need no other code than the picture's.
bool Workbench::runs_the_same_program(const model::SliderValues& values) const {
  if (!picture_.program || picture_.program->text != setup_.text || text_due_) return false;
  const auto then = bind_(*setup_.kernel, picture_.of.values), now = bind_(*setup_.kernel, values);
  if (!then || !now) return false;
  const auto a = model::program_request(*setup_.kernel, *then),
             b = model::program_request(*setup_.kernel, *now);
  return a.defines == b.defines && a.instances == b.instances;
}

// While a slider moves: a few runs of the program that is there, at once; the counts follow.
void Workbench::glimpse() {
  if (!gpu() || !setup_.kernel || !setup_.kernel->kind.empty() || measurement_.timing) return;
  if (picture_.of.values == setup_.values || !runs_the_same_program(setup_.values)) return;
  const auto bound = bind_(*setup_.kernel, setup_.values);
  if (!bound) return;
  MeasureJob job;
  job.ticket = ++ticket_;
  job.steps = {MeasureStep::Glimpse};
  job.kernel = *setup_.kernel;
  job.values = setup_.values;
  job.program = picture_.program;
  job.launch = bound->launch;
  job.device = device_;
  job.gpu = backend_.gpu;
  job.cold = view_options.cold;
  job.of = measured_of(setup_);
  measurer_.submit(std::move(job));
}

// "stride 7": the sliders that stood elsewhere, and where.
std::string Workbench::elsewhere(const model::SliderValues& values) const {
  std::string out;
  for (const model::Slider& s : setup_.kernel->sliders) {
    const auto there = values.find(s.name);
    if (there == values.end() || there->second == value(s.name)) continue;
    out += (out.empty() ? "" : ", ") + localized(s.title, settings.language, s.name) + " " +
           model::value_name(s, there->second, settings.language);
  }
  return out;
}

// Times what is shown, unless it is a picture that came late and the sliders have moved on; the curve only
// when it is of something else than the one that is there.
void Workbench::measure() {
  if (!gpu() || !setup_.kernel || !picture_.program || !picture_.run || measurement_.timing) return;
  if (picture_.of.without_device() != asked().without_device()) return;
  MeasureJob job;
  job.ticket = measure_ticket_ = ++ticket_;
  job.kernel = *setup_.kernel;
  job.values = picture_.of.values;
  job.program = picture_.program;
  job.launch = picture_.run->report.launch;
  job.device = device_;
  job.facts = device();
  job.capability = capability();
  job.gpu = backend_.gpu;
  job.cold = view_options.cold;
  job.blocks = blocks_;
  job.moved = measurement_.nearby.has_value();
  const bool same_curve = measured_slider_ == swept_slider_ && measured_text_ == measured_of(setup_) &&
                          measured_others_ == others_of(swept_slider_) && !measurement_.points.empty();
  if (!same_curve) {
    measurement_.points.clear();
    measured_slider_ = job.sweep = swept_slider_;
    measured_text_ = measured_of(setup_);
    measured_others_ = others_of(swept_slider_);
  }
  measured_values_ = job.values;
  job.steps = steps_to_measure(same_curve);
  measurer_.submit(std::move(job));
}

bool Workbench::shows(std::string_view view) const {
  return settings.views[0] == view || (settings.two_views && settings.views[1] == view);
}

// What is looked at comes first; counters that nobody looks at come last, so that they are there when
// somebody does.
std::vector<MeasureStep> Workbench::steps_to_measure(bool same_curve) const {
  std::vector<MeasureStep> steps{MeasureStep::Timing};
  const bool counters = no_counters_.key.empty();
  const bool looked_at = shows("counters") || shows("stalls");
  if (counters && looked_at) steps.push_back(MeasureStep::Counters);
  steps.push_back(MeasureStep::Trace);
  if (setup_.kernel->kind == "streams") steps.push_back(MeasureStep::Streams);
  if (setup_.kernel->kind == "transfers" && !copied_) steps.push_back(MeasureStep::Transfers);
  if (!same_curve) steps.push_back(MeasureStep::Sweep);
  if (counters && !looked_at) steps.push_back(MeasureStep::Counters);
  return steps;
}

void Workbench::accept_measured(Measured measured) {
  changed_ = true;
  if (measured.inventory) {
    inventory_ = std::move(measured.inventory);
    use_backend(first_backend());
    // What can be measured is known only now; a view that somebody has chosen meanwhile stays.
    if (!views_chosen_ && picture_.run && settings.views == views_we_chose_) choose_views();
    return;
  }
  if (measured.glimpse) {
    // Values may have moved on meanwhile; another text, GPU or L2 makes it worthless.
    const bool of_this = measured.glimpse->of == measured_of(setup_) && measured.ticket >= oldest_glimpse_;
    if (of_this && measurement_.live && !measurement_.timing)
      measurement_.nearby = std::move(measured.glimpse);
    return;
  }
  if (measured.ticket != measure_ticket_) return;
  ++sweep_serial_;
  if (measured.timing) {
    measurement_.timing = std::move(measured.timing);
    measurement_.nearby.reset();
    measurement_.reason = {};
    picture_.time = measured_time();
  }
  if (measured.point) measurement_.points.push_back(*measured.point);
  if (measured.counters) measurement_.counters = std::move(measured.counters->values);
  if (measured.counters_error) {
    const Message why = counters_refusal(*measured.counters_error);
    // What the system refuses once it refuses always; a fault belongs to this launch.
    if (measured.counters_error->kind == ErrorKind::System) no_counters_ = why;
    measurement_.counters_reason = why;
  }
  if (measured.counters || measured.counters_error) measurement_.counters_coming = false;
  if (measured.counters) measurement_.counters_reason = {};
  if (measured.transfers) copied_ = std::move(measured.transfers);
  if (measured.streams) measurement_.streams = std::move(measured.streams);
  if (measured.run) {
    Delivery delivery;
    delivery.whole = true;
    delivery.of = picture_.of;
    delivery.program = picture_.program;
    delivery.run = std::move(measured.run);
    delivery.data = std::move(measured.data);
    delivery.timeline = std::move(measured.timeline);
    show(std::move(delivery));
  }
  if (measured.error && measured.error->kind != ErrorKind::Cancelled) {
    measurement_.reason = {
        "window.time.failed",
        {{"device", value_of(measurement_.on.hardware)}, {"message", value_of(measured.error->message)}}};
    if (measurement_.counters_coming) {
      measurement_.counters_coming = false;
      measurement_.counters_reason = counters_refusal(*measured.error);
    }
  }
  if (measured.last) {
    // A curve that was stopped half way is not taken for a whole one.
    if (measurement_.points.size() < 2) measured_text_.clear();
    measure_ticket_ = 0;
    if (measurement_.counters_coming) {
      measurement_.counters_coming = false;
      measurement_.counters_reason = {"window.counters.stopped", {}};
    }
  }
}

// ", for turns 1024": where the sliders stood, when elsewhere than now.
std::string Workbench::at_other_values(const model::SliderValues& values, const Catalogue& text) const {
  const std::string there = elsewhere(values);
  return there.empty() ? there : ", " + text.text({"window.time.curve_at", {{"at", value_of(there)}}});
}

// Beside what was counted only where that is of the same launch.
std::optional<visual::HardwareCounters> Workbench::hardware(const Measurement& measurement,
                                                            const Picture& picture,
                                                            const Catalogue& text) const {
  if (measurement.on.empty()) return std::nullopt;
  if (!measurement.counters.empty()) {
    const bool same = measurement.counters_are_of_this() && picture.run && picture.whole &&
                      picture.of.without_device() == measurement.of;
    std::string note = text.text(measurement.counters_evidence);
    if (measurement.counted_at) note += at_other_values(*measurement.counted_at, text);
    return model::hardware_counters({measurement.counters, 0}, same ? &picture.run->report : nullptr, note,
                                    measurement.on);
  }
  visual::HardwareCounters out;
  out.coming = measurement.counters_coming;
  if (!measurement.counters_reason.key.empty()) out.missing = text.text(measurement.counters_reason);
  return out;
}

std::optional<visual::TransferRates> Workbench::transfers(const Catalogue& text) const {
  std::optional<visual::TransferRates> out;
  const model::Recording* played = recording();
  if (copied_ && gpu()) {
    out = copied_;
    out->on = model::measured_on(*gpu());
    out->note = text.text(Message{"window.time.live", {{"device", value_of(gpu()->name)}}});
  } else if (played && backend_.kind != Backend::Kind::Emulator && !played->transfers.empty()) {
    out = played->transfer_rates();
    out->note = text.text(played->evidence());
  }
  if (out) out->to_device = view_options.to_device;
  return out;
}

std::optional<visual::StreamTimeline> Workbench::streams(const Catalogue& text) const {
  if (measurement_.streams) {
    std::optional<visual::StreamTimeline> out = measurement_.streams;
    out->note = text.text(measurement_.evidence);
    out->on = measurement_.on;
    return out;
  }
  const model::Recording* played = recording();
  if (!played || backend_.kind == Backend::Kind::Emulator) return std::nullopt;
  // A kernel about streams says with its sliders which timeline is meant.
  const auto slid = [this](const char* name, int otherwise) {
    const auto found = setup_.values.find(name);
    return found == setup_.values.end() ? otherwise : static_cast<int>(found->second);
  };
  const bool about_streams = setup_.kernel && setup_.kernel->kind == "streams";
  std::optional<visual::StreamTimeline> out =
      about_streams ? played->timeline(slid("streams", view_options.streams), slid("chunks", 0))
                    : played->timeline(view_options.streams);
  if (out) out->note = text.text(played->evidence());
  return out;
}

// What is shown, and how it got there; a run on the GPU counts no operations, the emulator's of the same
// launch does.
std::optional<visual::RooflineChart> Workbench::roofline(const Picture& picture,
                                                         const Catalogue* text) const {
  const auto listed = devices_.device(picture.of.device);
  if (!picture.run || !listed) return std::nullopt;
  const analysis::Device* about = *listed;
  const visual::LevelTraffic* traffic =
      picture.data && picture.data->traffic ? &*picture.data->traffic : nullptr;
  std::optional<model::MeasuredTime> time = picture.time;
  if (time && text && !measurement_.evidence.key.empty()) time->note = text->text(measurement_.evidence);
  const auto& counted = picture.emulated ? picture.emulated : picture.run;
  return model::roofline_chart(*counted, *about, traffic, trail_, time);
}

void Workbench::leave_trail(const Picture& next) {
  if (!picture_.run || !picture_.whole || picture_.of.values == next.of.values) return;
  const auto chart = roofline(picture_, nullptr);
  if (!chart || chart->points.size() <= trail_.size()) return;
  trail_.push_back(chart->points.back());
  if (trail_.size() > kTrail) trail_.erase(trail_.begin());
}

std::vector<Headline> Workbench::figures() const {
  if (!picture_.run) return {};
  std::vector<Headline> out = picture_.figures;
  for (Headline& figure : out) figure.earlier = totals_are_earlier();
  const bool of_this = picture_.whole && picture_.of == asked() && picture_.time;
  const auto& nearby = measurement_.nearby;
  const auto measured = measured_figures(measurement_, of_this ? &picture_.run->report : nullptr,
                                         nearby ? elsewhere(nearby->values) : std::string());
  const bool old_time = measurement_.of != asked().without_device();
  // Time stands third, where it is seen in every size of the window; the rate under it.
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const std::size_t place = std::min(out.size(), i == 0 ? std::size_t{2} : std::size_t{5});
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(place), measured[i])->earlier = old_time;
  }
  return out;
}

// A curve over a wide range leaves values out; the one that is shown is counted anyway.
Swept Workbench::swept_through_now() const {
  Swept out = swept_;
  if (!out.whole || !picture_.whole || picture_.of.without_device() != asked().without_device()) return out;
  const std::int64_t now = value(out.slider);
  const auto at = std::lower_bound(out.points.begin(), out.points.end(), now,
                                   [](const SweptPoint& p, std::int64_t v) { return p.value < v; });
  if (at == out.points.end() || at->value != now)
    out.points.insert(at, swept_point(now, picture_.run->report));
  return out;
}

std::optional<visual::Sweep> Workbench::sweep(const Catalogue& text) const {
  if (!setup_.kernel) return std::nullopt;
  const std::string& slider = swept() ? swept_.slider : measurement_.swept_slider;
  if (slider.empty()) return std::nullopt;
  visual::Sweep out = named_sweep(swept() ? swept_through_now() : Swept{slider, {}, true, true},
                                  *setup_.kernel, value(slider), text, settings.language);
  if (measurement_.points.size() > 1 && measurement_.swept_slider == slider) {
    visual::SweepSeries time{text.text("window.figure.time"), "ms", Evidence::Measured, {}};
    for (const MeasuredPoint& p : measurement_.points)
      time.points.push_back({static_cast<double>(p.value), p.median, p.low, p.high});
    out.series.insert(out.series.begin(), std::move(time));
    out.note = text.text(measurement_.evidence);
    out.library = measurement_.library;
    if (measurement_.curve_at) {
      model::SliderValues others = *measurement_.curve_at;
      others.erase(slider);
      out.note += at_other_values(others, text);
    }
  }
  out.on = measurement_.on;
  if (measurement_.timing) {
    for (const Message& warning : measurement_.timing->warnings) out.warnings.push_back(text.text(warning));
    // A recording keeps the outliers alone: they are no picture of the runs.
    if (measurement_.live) out.runs = measurement_.timing->milliseconds;
    out.spread = measurement_.spread;
  }
  if (out.series.empty()) return std::nullopt;
  return out;
}

}  // namespace warplens::window
