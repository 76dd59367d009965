#include "app/window/jobs/measurer.h"

#include <algorithm>
#include <utility>

#include "app/window/jobs/sweep.h"

namespace warplens::window {
namespace {

// The launch that is open is measured well, each point of a curve quickly.
constexpr int kRuns = 300, kSweepRuns = 40;
constexpr double kSeconds = 1.0, kSweepSeconds = 0.15;
// While a slider moves a time should stand there before the eye misses it.
constexpr int kGlimpseRuns = 8;
constexpr double kGlimpseSeconds = 0.03;
// A glimpse of a kernel that takes longer than this gives way to newer values.
constexpr std::chrono::milliseconds kGlimpsePatience{300};
// So long a hand has rested that moved a slider.
constexpr std::chrono::milliseconds kRest{250};

model::RunRequest request_of(const MeasureJob& job) {
  model::RunRequest request;
  request.program = job.program;
  request.launch = job.launch;
  request.device = job.device;
  request.recorder.max_bytes = kTraceBytes;
  request.recorder.chosen = job.blocks.empty() ? std::vector<std::uint64_t>{0} : job.blocks;
  return request;
}

}  // namespace

Measurer::Measurer(Engine engine, std::function<void()> wake)
    : engine_(std::move(engine)), wake_(std::move(wake)), thread_([this] { work(); }) {}

Measurer::~Measurer() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    if (progress_) progress_->cancel();
  }
  changed_.notify_all();
  thread_.join();
}

void Measurer::submit(MeasureJob job) {
  {
    const std::lock_guard lock(mutex_);
    drop();
    waiting_ = std::move(job);
  }
  changed_.notify_all();
}

void Measurer::time_other(MeasureJob job) {
  {
    const std::lock_guard lock(mutex_);
    other_ = std::move(job);
  }
  changed_.notify_all();
}

void Measurer::cancel_running() {
  if (!progress_) return;
  if (glimpses_ && std::chrono::steady_clock::now() - began_ < kGlimpsePatience) return;
  progress_->cancel();
}

void Measurer::cancel() {
  const std::lock_guard lock(mutex_);
  waiting_.reset();
  other_.reset();
  cancel_running();
  changed_.notify_all();
}

void Measurer::forget() {
  const std::lock_guard lock(mutex_);
  waiting_.reset();
  drop();
  changed_.notify_all();
}

void Measurer::drop() {
  cancel_running();
  wanted_ = false;
  std::erase_if(deliveries_, [](const Measured& m) { return !m.inventory && !m.glimpse && !m.other; });
}

bool Measurer::rests(const Progress& progress) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, kRest, [&] { return stop_ || waiting_ || progress.cancelled(); });
}

std::optional<Measured> Measurer::take() {
  const std::lock_guard lock(mutex_);
  if (deliveries_.empty()) return std::nullopt;
  Measured measured = std::move(deliveries_.front());
  deliveries_.pop_front();
  return measured;
}

bool Measurer::busy() const {
  const std::lock_guard lock(mutex_);
  return looking_ || waiting_ || other_ || progress_ || !deliveries_.empty();
}

bool Measurer::measuring() const {
  const std::lock_guard lock(mutex_);
  return waiting_ || progress_;
}

std::optional<MeasureStep> Measurer::step() const {
  const std::lock_guard lock(mutex_);
  return progress_ ? step_ : std::nullopt;
}

double Measurer::fraction() const {
  const std::lock_guard lock(mutex_);
  if (!progress_) return 0;
  return step_ == MeasureStep::Sweep ? swept_ : std::clamp(progress_->fraction(), 0.0, 1.0);
}

void Measurer::deliver(Measured measured) {
  {
    const std::lock_guard lock(mutex_);
    if (!wanted_ && !measured.inventory && !measured.glimpse && !measured.other) return;
    deliveries_.push_back(std::move(measured));
  }
  wake_();
}

bool Measurer::stale(const Progress& progress) const {
  const std::lock_guard lock(mutex_);
  return stop_ || waiting_ || progress.cancelled();
}

void Measurer::work() {
  Measured found;
  if (engine_.inventory) found.inventory = engine_.inventory();
  if (found.inventory) deliver(std::move(found));
  std::unique_lock lock(mutex_);
  looking_ = false;
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || waiting_ || other_; });
    if (stop_) return;
    const std::optional<MeasureJob> job = std::exchange(waiting_, std::nullopt);
    if (job) wanted_ = true;
    progress_ = std::make_shared<Progress>();
    step_.reset();
    began_ = std::chrono::steady_clock::now();
    glimpses_ =
        job && std::ranges::all_of(job->steps, [](MeasureStep s) { return s == MeasureStep::Glimpse; });
    const std::shared_ptr<Progress> progress = progress_;
    lock.unlock();
    Measured end;
    end.last = true;
    try {
      if (job)
        measure(*job, *progress);
      else
        time_beside(*progress);
    } catch (const std::exception& e) {
      end.error = told(ErrorKind::System, {"window.time.broke", {{"what", value_of(e.what())}}});
    }
    if (job && !glimpses_) deliver(std::move(end));
    lock.lock();
    progress_.reset();
    lock.unlock();
    wake_();
    lock.lock();
  }
}

void Measurer::measure(const MeasureJob& job, Progress& progress) {
  const model::RunRequest request = request_of(job);
  for (const MeasureStep step : job.steps) {
    const bool quick = step == MeasureStep::Glimpse || step == MeasureStep::Timing;
    if (job.moved && !quick && !rests(progress)) return;
    {
      const std::lock_guard lock(mutex_);
      step_ = step;
      swept_ = 0;
    }
    progress.report(0);
    if (!make(step, job, request, progress) || stale(progress)) return;
    if (step == MeasureStep::Timing && !time_beside(progress)) return;
  }
}

bool Measurer::time_beside(Progress& progress) {
  MeasureJob job;
  {
    const std::lock_guard lock(mutex_);
    if (!other_) return true;
    job = *other_;
  }
  const auto timing = timed_well(job, request_of(job), progress);
  Measured measured;
  measured.other = OtherTiming{job.of, {}, {}};
  if (timing)
    measured.other->timing = *timing;
  else
    measured.other->error = timing.error();
  {
    const std::lock_guard lock(mutex_);
    if (stop_ || waiting_ || progress.cancelled()) return false;
    if (!other_ || !(other_->of == job.of)) return true;  // not wanted any more
    other_.reset();
  }
  deliver(std::move(measured));
  return true;
}

bool Measurer::make(MeasureStep step, const MeasureJob& job, const model::RunRequest& request,
                    Progress& progress) {
  switch (step) {
    case MeasureStep::Glimpse:
      return glimpse(job, request, progress);
    case MeasureStep::Timing:
      return time(job, request, progress);
    case MeasureStep::Trace:
      return trace(job, request, progress);
    case MeasureStep::Sweep:
      return sweep(job, request, progress);
    case MeasureStep::Counters:
      return counters(job, request, progress);
    case MeasureStep::Transfers:
      return transfers(job, request, progress);
    case MeasureStep::Streams:
      return streams(job, request, progress);
  }
  return false;
}

// Whatever goes wrong is told by the timing that follows.
bool Measurer::glimpse(const MeasureJob& job, const model::RunRequest& request, Progress& progress) {
  gpu::TimingOptions options;
  options.warmup = 1;
  options.runs = kGlimpseRuns;
  options.max_seconds = kGlimpseSeconds;
  options.flush_l2 = job.cold;
  const auto timing = engine_.time(request, options, job.gpu, &progress);
  if (!timing || progress.cancelled()) return false;
  Measured measured;
  measured.glimpse = Nearby{timing->median, timing->milliseconds.size(), job.values, job.of};
  deliver(std::move(measured));
  return true;
}

Result<gpu::Timing> Measurer::timed_well(const MeasureJob& job, const model::RunRequest& request,
                                         Progress& progress) {
  gpu::TimingOptions options;
  options.runs = kRuns;
  options.max_seconds = kSeconds;
  options.flush_l2 = job.cold;
  return engine_.time(request, options, job.gpu, &progress);
}

bool Measurer::time(const MeasureJob& job, const model::RunRequest& request, Progress& progress) {
  const auto timing = timed_well(job, request, progress);
  if (stale(progress)) return false;
  Measured measured;
  if (timing) {
    measured.timing = *timing;
  } else {
    measured.error = timing.error();
  }
  deliver(std::move(measured));
  return timing.has_value();
}

bool Measurer::trace(const MeasureJob& job, const model::RunRequest& request, Progress& progress) {
  const auto run = engine_.trace(request, job.gpu, &progress);
  if (stale(progress)) return false;
  Measured measured;
  if (run) {
    measured.run = *run;
    measured.data =
        std::make_shared<const model::ViewData>(model::make_view_data(**run, job.facts, job.capability));
    measured.timeline = Timeline((*run)->trace, {});
  } else {
    measured.error = run.error();
  }
  deliver(std::move(measured));
  return run.has_value();
}

// The program of other slider values: another choice may be another instance or have other defines.
Result<std::shared_ptr<const model::Program>> Measurer::program_at(const MeasureJob& job,
                                                                   const model::RunRequest& request,
                                                                   const model::BoundLaunch& bound,
                                                                   Progress& progress) {
  model::ProgramRequest wanted = model::program_request(job.kernel, bound);
  const auto here = engine_.bind(job.kernel, job.values);
  if (here && wanted.defines == here->defines &&
      wanted.instances == model::program_request(job.kernel, *here).instances)
    return request.program;
  wanted.text = request.program->text;
  return engine_.load(wanted, &progress);
}

bool Measurer::sweep(const MeasureJob& job, const model::RunRequest& request, Progress& progress) {
  const model::Slider* const slider = job.kernel.slider(job.sweep);
  if (slider == nullptr) return true;
  gpu::TimingOptions options;
  options.warmup = 1;
  options.runs = kSweepRuns;
  options.max_seconds = kSweepSeconds;
  options.flush_l2 = job.cold;
  const std::vector<std::int64_t> all =
      model::curve_steps(*slider, job.values.contains(job.sweep) ? job.values.at(job.sweep) : slider->value);
  for (std::size_t i = 0; i < all.size(); ++i) {
    model::SliderValues values = job.values;
    values[job.sweep] = all[i];
    const auto bound = engine_.bind(job.kernel, values);
    if (!bound) continue;
    model::RunRequest one = request;
    one.launch = bound->launch;
    const auto program = program_at(job, request, *bound, progress);
    if (stale(progress)) return false;
    if (!program) continue;
    one.program = *program;
    const auto timing = engine_.time(one, options, job.gpu, &progress);
    if (stale(progress)) return false;
    {
      const std::lock_guard lock(mutex_);
      swept_ = static_cast<double>(i + 1) / static_cast<double>(all.size());
    }
    // A value that cannot run (a block too large, no memory) leaves a gap in the curve.
    if (!timing) continue;
    Measured measured;
    measured.point = MeasuredPoint{all[i], timing->median, timing->low, timing->high};
    deliver(std::move(measured));
  }
  return true;
}

// A refusal is said where the counters would stand; what else was measured is as good without them.
bool Measurer::counters(const MeasureJob& job, const model::RunRequest& request, Progress& progress) {
  if (!engine_.counters) return true;
  const auto reading = engine_.counters(request, job.gpu, &progress);
  if (stale(progress)) return false;
  Measured measured;
  if (reading) {
    measured.counters = *reading;
  } else {
    measured.counters_error = reading.error();
  }
  deliver(std::move(measured));
  return true;
}

bool Measurer::transfers(const MeasureJob& job, const model::RunRequest&, Progress& progress) {
  if (!engine_.transfers) return true;
  const auto rates = engine_.transfers(job.kernel, job.gpu, &progress);
  if (stale(progress)) return false;
  Measured measured;
  if (rates) {
    measured.transfers = *rates;
  } else {
    measured.error = rates.error();
  }
  deliver(std::move(measured));
  return true;
}

bool Measurer::streams(const MeasureJob& job, const model::RunRequest&, Progress& progress) {
  if (!engine_.streams) return true;
  const auto timeline = engine_.streams(job.kernel, job.values, job.gpu, &progress);
  if (stale(progress)) return false;
  Measured measured;
  if (timeline) {
    measured.streams = *timeline;
  } else {
    measured.error = timeline.error();
  }
  deliver(std::move(measured));
  return true;
}

}  // namespace warplens::window
