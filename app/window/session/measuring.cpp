#include "app/window/session/measuring.h"

#include <utility>

#include "app/model/recording/measured_on.h"

namespace warplens::window {
namespace {

const std::string kRecordingOf = "recording of ";  // in the settings, then the GPU

constexpr const char* kSoon = "window.time.soon";  // why there is no time: nothing has come in yet

Message time_failed(const MeasuredOn& on, const Error& error) {
  return {"window.time.failed", {{"device", value_of(on.hardware)}, {"message", value_of(error)}}};
}

}  // namespace

Measuring::Measuring(const Engine& engine, std::function<void()> wake, Reads reads)
    : reads_(reads), bind_(engine.bind), measurer_(engine, std::move(wake)) {}

const model::Recording* Measuring::recording() const {
  if (!inventory_) return nullptr;
  const model::Recordings& there = inventory_->recordings;
  if (backend_.kind == Backend::Kind::Recording && backend_.recording < there.all.size())
    return &there.all[backend_.recording];
  return there.best();
}

const gpu::DeviceInfo* Measuring::gpu() const {
  if (!inventory_ || backend_.kind != Backend::Kind::Gpu) return nullptr;
  for (const gpu::DeviceInfo& d : inventory_->found.devices)
    if (d.ordinal == backend_.gpu) return &d;
  return nullptr;
}

Backend Measuring::first_backend() const {
  const bool has_gpu = !inventory_->found.devices.empty(), has_recording = recording() != nullptr;
  Backend out;
  if (has_gpu) out.gpu = inventory_->found.devices.front().ordinal;
  const std::string& wish = reads_.settings.runs_on;
  if (has_gpu && (wish == "gpu" || wish.empty())) {
    out.kind = Backend::Kind::Gpu;
  } else if (has_recording && wish != "emulator") {
    out.kind = Backend::Kind::Recording;
    out.recording = static_cast<std::size_t>(recording() - inventory_->recordings.all.data());
    for (std::size_t i = 0; i < inventory_->recordings.all.size(); ++i)
      if (wish == kRecordingOf + inventory_->recordings.all[i].device.name) out.recording = i;
  }
  return out;
}

std::string Measuring::wish_of(const Backend& wanted) const {
  if (wanted.kind == Backend::Kind::Gpu) return "gpu";
  if (wanted.kind == Backend::Kind::Emulator) return "emulator";
  const bool several = inventory_ && inventory_->recordings.all.size() > 1;
  return several && wanted.recording < inventory_->recordings.all.size()
             ? kRecordingOf + inventory_->recordings.all[wanted.recording].device.name
             : "recording";
}

// "NVIDIA H200" is "H200 SXM" in the list.
std::string Measuring::use(const Backend& wanted) {
  backend_ = wanted;
  const gpu::DeviceInfo* measures = gpu();
  if (!measures && plays()) measures = &recording()->device;
  return measures ? model::measured_on(*measures).device : std::string();
}

Inputs Measuring::inputs() const {
  Inputs out = reads_.launch.inputs();
  if (gpu())
    out.clock = "gpu " + std::to_string(backend_.gpu);
  else if (plays())
    out.clock = "recording " + std::to_string(backend_.recording);
  if (!out.clock.empty() && reads_.options.cold) out.clock += ", L2 flushed";
  return out;
}

std::optional<model::MeasuredTime> Measuring::time_of(const Measurement& m) const {
  if (!m.timing) return std::nullopt;
  model::MeasuredTime out{m.timing->median, {}, m.on, reads_.options.cold, m.library_roof};
  // Roofs that were measured on that GPU, whoever took this time.
  if (const model::Recording* const known = recording();
      known && out.on.is(model::measured_on(known->device).device))
    out.reached = known->ceilings;
  return out;
}

void Measuring::forget() {
  curve_of_.reset();
  no_counters_ = {};
  copied_.reset();
  other_asked_ = {};
  measurement_ = {};
}

Measurement Measuring::coming(const gpu::DeviceInfo& from) const {
  Measurement out;
  out.on = model::measured_on(from);
  out.live = true;
  out.cold = reads_.options.cold;
  out.evidence = {"window.time.live", {{"device", value_of(from.name)}}};
  out.reason = {kSoon, {{"device", value_of(from.name)}}};
  return out;
}

void Measuring::prefer_clock(bool on) {
  if (std::exchange(clock_first_, on) == on || !reads_.program.kernel() || gpu()) return;
  expect();
}

void Measuring::expect() {
  const Inputs now = inputs();
  // Another block to look at is no other launch.
  if (measurement_.timing && measurement_.live && holds(Product::Time, measurement_.of, now)) return;
  std::optional<Nearby> nearby = std::move(measurement_.nearby);
  if (const auto& t = measurement_.timing; t && measurement_.live)
    nearby = Nearby{t->median, t->milliseconds.size(), measurement_.of.values, measurement_.of};
  std::vector<MeasuredPoint> points;
  if (curve_of_ && holds(Product::TimedCurve, *curve_of_, now)) points = std::move(measurement_.points);
  if (!measurement_.on.empty() || backend_.kind != Backend::Kind::Emulator) ++serial_;
  measurement_ = {};
  measurer_.forget();
  const Setup& setup = reads_.program.setup();
  if (!setup.kernel) return;
  if (const gpu::DeviceInfo* info = gpu()) {
    measurement_ = coming(*info);
    if (nearby && holds(Product::Glimpse, nearby->of, now)) measurement_.nearby = std::move(nearby);
    measurement_.swept_slider = now.slider;
    measurement_.points = std::move(points);
    measurement_.counters_evidence = measurement_.evidence;
    measurement_.counters_reason = no_counters_;
    measurement_.counters_coming = no_counters_.key.empty();
    if (measurement_.counters_coming) measurement_.counters_reason = {"window.counters.soon", {}};
  } else if (plays()) {
    const auto bound = bind_(*setup.kernel, setup.values);
    if (!bound) return;
    measurement_ = recorded(*recording(), *setup.kernel, setup.text, setup.values, bound->launch, now.slider,
                            reads_.options.cold, clock_first_);
  }
  measurement_.of = now;
}

MeasureJob Measuring::job(model::SliderValues values, const trace::Launch& launch) const {
  MeasureJob job;
  job.kernel = *reads_.program.kernel();
  job.values = std::move(values);
  job.program = picture().program;
  job.launch = launch;
  job.device = reads_.launch.device_name();
  job.facts = reads_.launch.device();
  job.capability = reads_.launch.capability();
  job.gpu = backend_.gpu;
  job.cold = reads_.options.cold;
  job.blocks = reads_.launch.blocks();
  job.of = inputs();
  return job;
}

// Whether these values need no other code than the picture's.
bool Measuring::runs_the_same_program(const model::SliderValues& values) const {
  const Setup& setup = reads_.program.setup();
  if (!picture().program || picture().program->text != setup.text || reads_.program.text_due()) return false;
  const auto then = bind_(*setup.kernel, picture().of.values), now = bind_(*setup.kernel, values);
  if (!then || !now) return false;
  const auto a = model::program_request(*setup.kernel, *then),
             b = model::program_request(*setup.kernel, *now);
  return a.defines == b.defines && a.instances == b.instances;
}

void Measuring::glimpse() {
  const Setup& setup = reads_.program.setup();
  if (!gpu() || !setup.kernel || !setup.kernel->kind.empty() || measurement_.timing) return;
  if (picture().of.values == setup.values || !runs_the_same_program(setup.values)) return;
  const auto bound = bind_(*setup.kernel, setup.values);
  if (!bound) return;
  MeasureJob one = job(setup.values, bound->launch);
  one.steps = {MeasureStep::Glimpse};
  measurer_.submit(std::move(one));
}

void Measuring::measure() {
  if (!gpu() || !reads_.program.kernel() || !picture().program || !picture().run || measurement_.timing)
    return;
  const Inputs now = inputs();
  if (!holds(Product::Launch, {picture().of}, now)) return;
  MeasureJob all = job(picture().of.values, picture().run->report.launch);
  all.moved = measurement_.nearby.has_value();
  // The curve only when it is of something else than the one that is there.
  const bool same_curve =
      curve_of_ && holds(Product::TimedCurve, *curve_of_, now) && !measurement_.points.empty();
  if (!same_curve) {
    measurement_.points.clear();
    curve_of_ = now;
    all.sweep = now.slider;
  }
  all.steps = steps_to_measure(same_curve);
  measurer_.submit(std::move(all));
}

// What is looked at comes first; counters that nobody looks at come last, so that they are there when
// somebody does.
std::vector<MeasureStep> Measuring::steps_to_measure(bool same_curve) const {
  std::vector<MeasureStep> steps{MeasureStep::Timing};
  const bool counters = no_counters_.key.empty();
  const bool looked_at =
      reads_.settings.shows([](const visual::View& v) { return v.basis == visual::Basis::Hardware; });
  if (counters && looked_at) steps.push_back(MeasureStep::Counters);
  steps.push_back(MeasureStep::Trace);
  const std::string& kind = reads_.program.kernel()->kind;
  if (kind == "streams") steps.push_back(MeasureStep::Streams);
  if (kind == "transfers" && !copied_) steps.push_back(MeasureStep::Transfers);
  if (!same_curve) steps.push_back(MeasureStep::Sweep);
  if (counters && !looked_at) steps.push_back(MeasureStep::Counters);
  return steps;
}

std::optional<Measuring::News> Measuring::take() {
  std::optional<Measured> measured = measurer_.take();
  if (!measured) return std::nullopt;
  return accept(std::move(*measured));
}

Measuring::News Measuring::accept(Measured measured) {
  News news;
  if (measured.inventory) {
    inventory_ = std::move(measured.inventory);
    news.inventory = true;
    return news;
  }
  if (measured.glimpse) {
    // Values may have moved on meanwhile; another text, GPU or L2 makes it worthless.
    if (measurement_.live && !measurement_.timing && holds(Product::Glimpse, measured.glimpse->of, inputs()))
      measurement_.nearby = std::move(measured.glimpse);
    return news;
  }
  if (measured.other) {
    // Who measures may have changed meanwhile.
    if (!gpu() || measured.other->of.clock != inputs().clock) return news;
    ++serial_;
    news.other = coming(*gpu());
    news.other->of = measured.other->of;
    news.other->timing = std::move(measured.other->timing);
    news.other->reason =
        measured.other->error ? time_failed(news.other->on, *measured.other->error) : Message{"", {}};
    return news;
  }
  ++serial_;
  if (measured.timing) {
    measurement_.timing = std::move(measured.timing);
    measurement_.nearby.reset();
    measurement_.reason = {};
    news.time = true;
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
    news.run.emplace();
    news.run->whole = true;
    news.run->of = picture().of;
    news.run->program = picture().program;
    news.run->run = std::move(measured.run);
    news.run->data = std::move(measured.data);
    news.run->timeline = std::move(measured.timeline);
  }
  if (measured.error && measured.error->kind != ErrorKind::Cancelled) {
    measurement_.reason = time_failed(measurement_.on, *measured.error);
    if (measurement_.counters_coming) {
      measurement_.counters_coming = false;
      measurement_.counters_reason = counters_refusal(*measured.error);
    }
  }
  if (measured.last) {
    // A curve that was stopped half way is not taken for a whole one.
    if (measurement_.points.size() < 2) curve_of_.reset();
    if (measurement_.counters_coming) {
      measurement_.counters_coming = false;
      measurement_.counters_reason = {"window.counters.stopped", {}};
    }
  }
  return news;
}

bool Measuring::is_of_other(const Measurement& measurement, const Picture& picture) const {
  return holds(Product::Time, measurement.of, {picture.of, {}, inputs().clock});
}

std::optional<Measurement> Measuring::of_other(const Setup& setup, const Picture& picture,
                                               const Measurement& have) {
  const gpu::DeviceInfo* const live = gpu();
  const Inputs of{picture.of, {}, inputs().clock};
  if (is_of_other(have, picture) &&
      (!live || have.timing || have.reason.key != kSoon || holds(Product::Time, other_asked_, of)))
    return std::nullopt;
  ++serial_;
  Measurement out;
  if (live) {
    out = coming(*live);
    MeasureJob job;
    job.kernel = *setup.kernel;
    job.values = picture.of.values;
    job.program = picture.program;
    job.launch = picture.run->report.launch;
    job.device = picture.of.device;
    job.gpu = backend_.gpu;
    job.cold = reads_.options.cold;
    job.of = other_asked_ = of;
    measurer_.time_other(std::move(job));
  } else if (plays()) {
    out = recorded(*recording(), *setup.kernel, setup.text, picture.of.values, picture.run->report.launch, "",
                   reads_.options.cold);
  }
  out.of = of;
  return out;
}

}  // namespace warplens::window
