#include "app/window/jobs/runner.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "app/model/opened/give.h"
#include "app/model/run/sampling.h"
#include "app/model/study/modelled.h"
#include "app/model/study/occupancy_lab.h"
#include "app/model/study/relatives.h"
#include "app/window/jobs/background.h"
#include "engine/analysis/fault_text.h"

namespace warplens::window {
namespace {

constexpr std::size_t kCachedPrograms = 12;
// A launch of fewer blocks is run whole at once: the preview would not be faster.
constexpr std::uint64_t kPreviewBlocks = 16;
// A run that is older than this gives way to newer slider values.
constexpr double kPatience = 0.4;
// A curve over launches of at most so many threads counts them whole, else their first blocks.
constexpr std::uint64_t kSweptThreads = std::uint64_t{1} << 22;
// A run of which no block has ended for so long is stopped: most likely it never would.
constexpr double kBlockSeconds = 20, kSweptBlockSeconds = 2;
// Looking for faults takes ten times as long as a run: of a large launch some blocks are looked at.
constexpr std::uint64_t kCheckedThreads = std::uint64_t{1} << 15;

std::string key_of(const Job& job) {
  return job.kernel.id + '\n' + job.kernel.file.string() + '\n' + job.adopt_file + '\n' +
         job.text.value_or("");
}

// In any block: then it is the answer for all of them, and for every value of a curve it would take as long
// again.
bool never_ended(const model::Run& run) {
  return run.report.ending == analysis::Ending::Budget || analysis::goes_on_for_ever(run.report.faults);
}

// What ended a launch is its last fault: nothing is told of later blocks, though some may have run.
std::uint64_t last_faulty_block(const analysis::Report& report) {
  std::uint64_t last = 0;
  const Dim3& grid = report.launch.grid;
  for (const trace::Fault& fault : report.faults)
    last = std::max(last, fault.block.x + std::uint64_t{grid.x} *
                                              (fault.block.y + std::uint64_t{grid.y} * fault.block.z));
  return last;
}

// What walks the whole trace is done here and not in a frame.
void describe(const Job& job, const model::Run& run, Delivery& delivery) {
  delivery.data = std::make_shared<const model::ViewData>(
      model::make_view_data(run, job.gpu, job.capability, job.row_widths));
  delivery.timeline = Timeline(run.trace, {});
}

}  // namespace

Runner::Runner(Engine engine, std::function<void()> wake)
    : engine_(std::move(engine)), wake_(std::move(wake)), thread_([this] { work(); }) {}

Runner::~Runner() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    if (progress_) progress_->cancel();
    if (sweep_progress_) sweep_progress_->cancel();
  }
  changed_.notify_all();
  thread_.join();
}

void Runner::submit(Job job) {
  {
    const std::lock_guard lock(mutex_);
    job.ticket = ++submitted_;
    const bool same_side = running_pinned_ == job.pinned;
    const bool late = key_of(job) != running_key_ || (started_ && now() - *started_ > kPatience);
    if (progress_ && (same_side ? late : running_previewed_)) progress_->cancel();
    if (job.pinned) {
      waiting_pinned_ = std::move(job);
    } else {
      if (sweep_progress_) sweep_progress_->cancel();
      ran_.reset();
      waiting_ = std::move(job);
    }
  }
  changed_.notify_all();
}

void Runner::cancel() {
  const std::lock_guard lock(mutex_);
  waiting_.reset();
  waiting_pinned_.reset();
  if (progress_) progress_->cancel();
}

std::optional<Delivery> Runner::take() {
  const std::lock_guard lock(mutex_);
  if (deliveries_.empty()) return std::nullopt;
  Delivery delivery = std::move(deliveries_.front());
  deliveries_.pop_front();
  return delivery;
}

bool Runner::busy() const {
  const std::lock_guard lock(mutex_);
  return waiting_ || waiting_pinned_ || progress_ || !deliveries_.empty();
}

bool Runner::idle() const {
  const std::lock_guard lock(mutex_);
  return !waiting_ && !waiting_pinned_ && !progress_ && deliveries_.empty() && !sweep_progress_ && !ran_;
}

bool Runner::sweeping() const {
  const std::lock_guard lock(mutex_);
  return sweep_progress_ != nullptr || ran_;
}

bool Runner::compiling() const {
  const std::lock_guard lock(mutex_);
  return progress_ && compiling_;
}

void Runner::compiled() {
  const std::lock_guard lock(mutex_);
  compiling_ = false;
}

double Runner::fraction() const {
  const std::lock_guard lock(mutex_);
  return progress_ ? progress_->fraction() : 0;
}

int Runner::line() const {
  const std::lock_guard lock(mutex_);
  return progress_ ? progress_->line() : 0;
}

double Runner::seconds_running() const {
  const std::lock_guard lock(mutex_);
  return started_ ? now() - *started_ : 0;
}

void Runner::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || waiting_ || waiting_pinned_ || ran_; });
    if (stop_) return;
    if (!waiting_ && !waiting_pinned_) {
      finish(lock);
      continue;
    }
    std::optional<Job>& next = pinned_turn() ? waiting_pinned_ : waiting_;
    const Job job = std::move(*next);
    next.reset();
    if (job.studied) {
      sweep_progress_ = std::make_shared<Progress>();
      lock.unlock();
      study(job);
      lock.lock();
      sweep_progress_.reset();
      lock.unlock();
      wake_();
      lock.lock();
      continue;
    }
    running_pinned_ = last_was_pinned_ = job.pinned;
    running_previewed_ = job.pinned && job.previewed;
    progress_ = std::make_shared<Progress>();
    running_key_ = key_of(job);
    started_ = now();
    compiling_ = true;
    lock.unlock();
    const std::optional<Job> ran = run(job);
    lock.lock();
    progress_.reset();
    started_.reset();
    running_pinned_ = running_previewed_ = false;
    if (!job.pinned) {
      ran_.reset();
      if (ran && !waiting_ && (models(*ran) || ran->check || !ran->sweep.empty())) ran_ = ran;
    }
    lock.unlock();
    wake_();
    lock.lock();
  }
}

// What comes after the picture of what is open, while nothing else is asked for.
void Runner::finish(std::unique_lock<std::mutex>& lock) {
  const Job ran = std::move(*ran_);
  ran_.reset();
  sweep_progress_ = std::make_shared<Progress>();
  lock.unlock();
  wake_();
  if (models(ran)) model_it(ran);
  if (ran.check && !sweep_progress_->cancelled()) check(ran);
  if (!ran.sweep.empty() && !sweep_progress_->cancelled()) sweep(ran);
  if (ran.better && models(ran) && engine_.what_if && !sweep_progress_->cancelled()) look_for_better(ran);
  last_run_.reset();
  lock.lock();
  sweep_progress_.reset();
  lock.unlock();
  wake_();
  lock.lock();
}

// The side that ran last lets the other one go first, as long as that has no picture yet.
bool Runner::pinned_turn() const {
  return waiting_pinned_ && (!waiting_ || (!last_was_pinned_ && !waiting_pinned_->previewed));
}

void Runner::previewed(const Job& job) {
  const std::lock_guard lock(mutex_);
  running_previewed_ = job.pinned;
  if (job.pinned && waiting_ && progress_) progress_->cancel();
}

bool Runner::gives_way(const Job& original) {
  const std::lock_guard lock(mutex_);
  if (!original.pinned || stop_ || !(waiting_ || waiting_pinned_)) return false;
  if (!waiting_pinned_) {
    waiting_pinned_ = original;
    waiting_pinned_->previewed = true;
  }
  return true;
}

bool Runner::models(const Job& job) const {
  return engine_.models && job.gpu != nullptr && job.capability != nullptr;
}

// Always says something, so that what was modelled before does not stand for this run.
void Runner::model_it(const Job& job) {
  if (!last_run_) return;
  Delivery delivery;
  delivery.ticket = job.ticket;
  delivery.of = job.of;
  try {
    delivery.modelled = engine_.models(*last_run_, *job.gpu, *job.capability, sweep_progress_.get());
  } catch (const std::exception&) {
    delivery.modelled = nullptr;  // without memory for it nothing is said; the picture stands
  }
  if (!sweep_progress_->cancelled()) deliver(std::move(delivery));
}

void Runner::look_for_better(const Job& job) {
  if (!last_run_) return;
  Delivery delivery;
  delivery.ticket = job.ticket;
  delivery.of = job.of;
  const model::LoadProgram load = [&](const model::ProgramRequest& request, Progress* progress) {
    return program_for(job, request, progress);
  };
  try {
    delivery.what_if = engine_.what_if(job.kernel, *last_run_, job.values, *job.gpu, *job.capability, load,
                                       sweep_progress_.get());
  } catch (const std::exception&) {
    return;  // advice is a help, not a result
  }
  if (!sweep_progress_->cancelled()) deliver(std::move(delivery));
}

// Answers always, so that nobody asks again.
void Runner::study(const Job& job) {
  if (!job.gpu || !job.capability) return;
  const model::LoadProgram load = [&](const model::ProgramRequest& request, Progress* progress) {
    return program_for(job, request, progress);
  };
  Progress* const progress = sweep_progress_.get();
  Delivery delivery;
  delivery.ticket = job.ticket;
  delivery.pinned = job.pinned;
  delivery.of = job.of;
  const auto hand_over = [&] {
    if (!progress->cancelled()) deliver(delivery);
  };
  if (job.try_occupancy && engine_.occupancy) {
    try {
      delivery.occupancy =
          engine_.occupancy(job.kernel, *job.studied, job.values, *job.gpu, *job.capability, load, progress);
    } catch (const std::exception&) {
      delivery.occupancy = std::make_shared<const model::OccupancyTrials>();  // no memory for it
    }
    hand_over();
    delivery.occupancy.reset();
  }
  if (job.try_relatives && engine_.relatives && !progress->cancelled()) {
    try {
      delivery.relatives =
          engine_.relatives(job.kernel, job.values, *job.gpu, *job.capability, load, progress);
    } catch (const std::exception&) {
      delivery.relatives = std::make_shared<const model::Relatives>();
    }
    hand_over();
    delivery.relatives.reset();
  }
  if (job.on_one_device && engine_.shelf && !progress->cancelled()) {
    try {
      delivery.on_all_devices = engine_.shelf(*job.studied, job.on_one_device, progress);
    } catch (const std::exception&) {
      delivery.on_all_devices.reset();
    }
    if (!delivery.on_all_devices) delivery.on_all_devices = job.on_one_device;
    hand_over();
  }
}

bool Runner::superseded() const {
  const std::lock_guard lock(mutex_);
  return waiting_.has_value() || (progress_ && progress_->cancelled());
}

void Runner::deliver(Delivery delivery) {
  {
    const std::lock_guard lock(mutex_);
    // Of two results that nobody has looked at yet, the window wants only the newer one.
    std::erase_if(deliveries_, [&](const Delivery& old) {
      return old.pinned == delivery.pinned && old.ticket < delivery.ticket;
    });
    deliveries_.push_back(std::move(delivery));
  }
  wake_();
}

Result<std::shared_ptr<const model::Program>> Runner::program_for(const Job& job,
                                                                  model::ProgramRequest request,
                                                                  Progress* progress) {
  if (!request.text) request.text = job.text;  // else something is tried out
  request.arch = job.of.target.empty() ? request.arch : job.of.target;
  request.or_near = true;
  request.include_paths = job.compiler.include_paths;
  request.defines.insert(request.defines.end(), job.compiler.defines.begin(), job.compiler.defines.end());
  for (const std::string& instance : job.instances)
    if (std::ranges::find(request.instances, instance) == request.instances.end())
      request.instances.push_back(instance);
  std::string key = request.arch + '\n' + request.file + '\n' + request.text.value_or("");
  for (const auto& [name, value] : request.defines) key += '\n' + name + '=' + value;
  for (const std::string& instance : request.instances) key += '\n' + instance;
  for (const std::string& path : request.include_paths) key += "\n-I" + path;
  const auto cached =
      std::find_if(programs_.begin(), programs_.end(), [&](const CachedProgram& c) { return c.key == key; });
  if (cached != programs_.end()) return cached->program;
  auto program = engine_.load(request, progress);
  if (!program) return program;
  programs_.push_front({std::move(key), *program});
  if (programs_.size() > kCachedPrograms) {
    counted_.forget(programs_.back().program.get());
    programs_.pop_back();
  }
  return program;
}

std::optional<Job> Runner::run(const Job& original) {
  Job job = original;
  Delivery delivery;
  delivery.ticket = job.ticket;
  delivery.pinned = job.pinned;
  delivery.of = job.of;
  const auto fail = [&](const Error& error) -> std::optional<Job> {
    if (error.kind == ErrorKind::Cancelled && gives_way(original)) return std::nullopt;
    delivery.error = error;
    delivery.last = true;
    deliver(delivery);
    return std::nullopt;
  };
  const Error stopped = told(ErrorKind::Cancelled, {"window.run.was_stopped", {}});
  // An exception (out of memory, a broken invariant) becomes an error on the screen, never a crash.
  try {
    if (!job.adopt_file.empty()) {
      model::ProgramRequest request;
      request.file = job.adopt_file;
      auto program = program_for(job, std::move(request), progress_.get());
      if (!program) return fail(program.error());
      delivery.program = *program;
      auto adopted = engine_.adopt(**program, job.kernel.kernel);
      if (!adopted) return fail(adopted.error());
      // What an edit took away is not there to be given.
      for (const auto& [what, text] : job.given) (void)model::give(*adopted, what, text);
      job.kernel = adopted->kernel;
      job.values = model::default_values(job.kernel);
      for (const auto& [name, value] : original.values) {
        if (job.values.contains(name)) job.values[name] = value;
      }
      delivery.adopted = std::move(*adopted);
      delivery.of.values = job.of.values = job.values;
    }
    auto bound = engine_.bind(job.kernel, job.values);
    if (!bound) return fail(bound.error());
    auto program = program_for(job, model::program_request(job.kernel, *bound), progress_.get());
    if (!program) return fail(program.error());
    delivery.program = *program;
    compiled();

    model::RunRequest request;
    request.program = *program;
    request.launch = bound->launch;
    request.device = job.device;
    request.recorder.max_bytes = kTraceBytes;
    request.options.block_seconds = kBlockSeconds;
    const std::uint64_t total = request.launch.grid.volume();
    std::erase_if(job.blocks, [&](std::uint64_t b) { return b >= total; });
    if (job.blocks.empty()) job.blocks = {0};
    request.recorder.chosen = job.blocks;
    if (total >= kPreviewBlocks) {
      request.options.only_blocks = job.blocks;
      auto preview = engine_.execute(request, progress_.get());
      if (!preview) return fail(preview.error());
      if ((*preview)->report.ending == analysis::Ending::Cancelled) return fail(stopped);
      delivery.run = *preview;
      describe(job, **preview, delivery);
      // What did not end in one block will not in all of them: this is the whole answer.
      delivery.whole = never_ended(**preview);
      delivery.last = delivery.whole || (!job.pinned && superseded());
      if (!job.previewed || delivery.whole) deliver(delivery);
      if (delivery.last) return std::nullopt;
      previewed(job);
      progress_->report(0);
      request.options.only_blocks = model::sampled_blocks(request.launch, 0);
    }
    if (models(job)) request.model_words = model::ModelOptions{}.words;
    auto run = engine_.execute(request, progress_.get());
    if (!run) return fail(run.error());
    if ((*run)->report.ending == analysis::Ending::Cancelled) return fail(stopped);
    delivery.run = *run;
    describe(job, **run, delivery);
    delivery.whole = true;  // as much as is ever run of it; the report says which part
    delivery.last = true;
    if (job.pinned && models(job))
      delivery.modelled = engine_.models(**run, *job.gpu, *job.capability, progress_.get());
    if (progress_->cancelled() && gives_way(original)) return std::nullopt;
    deliver(delivery);
    if (job.pinned) return std::nullopt;
    last_run_ = *run;
    if (never_ended(**run)) return std::nullopt;  // no curve of such runs
    return job;
  } catch (const std::bad_alloc&) {
    return fail(told(ErrorKind::System, {"window.run.no_memory", {}}));
  } catch (const std::exception& e) {
    return fail(told(ErrorKind::System, {"window.run.failed", {{"what", value_of(e.what())}}}));
  }
}

// Values that cannot run (a grid of nothing, a block too large) are left out of the curve.
std::vector<Runner::SweepRun> Runner::sweep_runs(const Job& job, const model::Slider& slider) {
  std::vector<SweepRun> runs;
  for (const std::int64_t value :
       model::curve_steps(slider, job.values.contains(job.sweep) ? job.values.at(job.sweep) : slider.value)) {
    model::SliderValues values = job.values;
    values[job.sweep] = value;
    const auto bound = engine_.bind(job.kernel, values);
    if (!bound) continue;
    const auto program = program_for(job, model::program_request(job.kernel, *bound), sweep_progress_.get());
    if (!program) continue;
    SweepRun run{value, {program->get(), job.of.kernel, job.of.given, job.device, std::move(values)}, {}};
    run.request.program = *program;
    run.request.launch = bound->launch;
    run.request.device = job.device;
    run.request.recorder.blocks = 0;
    run.request.options.block_seconds = kSweptBlockSeconds;
    run.request.options.keep_buffers = false;
    runs.push_back(std::move(run));
  }
  return runs;
}

// The same launch with every check on, or its first blocks where it is large: what is wrong in one block
// mostly is wrong in each. Nobody waits for it.
void Runner::check(const Job& job) {
  const auto run = last_run_;
  if (!run) return;
  auto checked = std::make_shared<Checked>();
  checked->report = run->report;
  const trace::Launch& launch = run->report.launch;
  checked->blocks_total = launch.grid.volume();
  const std::uint64_t some =
      std::max<std::uint64_t>(2, kCheckedThreads / std::max<std::uint64_t>(1, launch.block.volume()));
  model::RunRequest request;
  request.program = run->program;
  request.launch = launch;
  request.device = job.device;
  request.recorder.blocks = 0;
  request.options.checks = simt::Checks::All;
  request.options.block_seconds = kSweptBlockSeconds;
  if (checked->blocks_total > some)
    for (std::uint64_t b = 0; b < some; ++b) request.options.only_blocks.push_back(b);
  checked->blocks = std::min(some, checked->blocks_total);
  try {
    const auto found = engine_.execute(request, sweep_progress_.get());
    if (sweep_progress_->cancelled() || !found) return;
    const analysis::Report& report = (*found)->report;
    checked->complete =
        report.ending == analysis::Ending::Completed || report.ending == analysis::Ending::Faulted;
    if (report.ending == analysis::Ending::Faulted && report.blocks_run < checked->blocks) {
      checked->ended = true;
      checked->blocks = last_faulty_block(report);
    }
    if (report.faults_total > 0 || run->report.faults_total == 0) {
      checked->report.faults = report.faults;
      checked->report.faults_total = report.faults_total;
    }
  } catch (const std::exception&) {
    return;  // without memory for it nothing is said; the picture stands
  }
  Delivery delivery;
  delivery.ticket = job.ticket;
  delivery.of = job.of;
  delivery.checked = std::move(checked);
  deliver(std::move(delivery));
  wake_();
}

// First of one block each, which takes a blink; then of the whole launches where that does not take long.
void Runner::sweep(const Job& job) {
  const model::Slider* const slider = job.kernel.slider(job.sweep);
  if (slider == nullptr) return;
  Delivery delivery;
  delivery.ticket = job.ticket;
  delivery.of = job.of;
  const auto count = [&](std::vector<SweepRun>& runs, bool whole) {
    Swept swept{job.sweep, {}, whole};
    for (SweepRun& run : runs) {
      run.key.whole = whole;
      if (const SweptPoint* const known = counted_.find(run.key)) {
        swept.points.push_back(*known);
        swept.points.back().value = run.value;  // it may have been counted on another slider's curve
        continue;
      }
      run.request.options.only_blocks.clear();
      if (!whole) run.request.options.only_blocks = {0};
      const auto result = engine_.execute(run.request, sweep_progress_.get());
      if (sweep_progress_->cancelled()) return false;
      // What faulted half way has no cost to compare.
      if (!result || (*result)->report.ending == analysis::Ending::Faulted) continue;
      swept.points.push_back(swept_point(run.value, (*result)->report));
      // What took too long may end another time.
      if ((*result)->report.ending == analysis::Ending::Completed)
        counted_.keep(run.key, swept.points.back());
    }
    delivery.swept = std::move(swept);
    return true;
  };
  try {
    std::vector<SweepRun> runs = sweep_runs(job, *slider);
    const bool cheap = std::all_of(runs.begin(), runs.end(), [](const SweepRun& run) {
      const trace::Launch& l = run.request.launch;
      return l.grid.volume() * l.block.volume() <= kSweptThreads;
    });
    const bool known = cheap && std::all_of(runs.begin(), runs.end(), [this](SweepRun& run) {
                         run.key.whole = true;
                         return counted_.find(run.key) != nullptr;
                       });
    if (!known) {
      if (!count(runs, false)) return;
      delivery.swept->complete = !cheap;
      deliver(delivery);
      if (!cheap) return;
      wake_();
    }
    if (!count(runs, true)) return;
    delivery.swept->complete = true;
  } catch (const std::exception&) {
    return;  // a curve is a help, not a result: without memory for it there is none
  }
  deliver(std::move(delivery));
}

}  // namespace warplens::window
