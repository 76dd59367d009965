#include "app/window/workbench.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/model/picture.h"
#include "engine/base/assets.h"

namespace warplens::window {
namespace {

// Seconds.
constexpr double kKeyPause = 0.3;    // after the last key, before an edit is compiled
constexpr double kStepMotion = 0.8;  // one step of the animation at speed 1
constexpr double kStepHold = 0.45;   // and how long it then stands still
constexpr double kRestHold = 0.5;    // how long it rests at each stop inside a step
constexpr double kToastTime = 5;
constexpr double kFrame = 1.0 / 60;
constexpr double kSpeeds[] = {0.25, 0.5, 1, 2, 4, 8, 16, 64, 256};

}  // namespace

std::string localized(const std::map<std::string, std::string>& texts, const std::string& language,
                      const std::string& fallback) {
  for (const std::string& key : {language, std::string("en")}) {
    if (const auto it = texts.find(key); it != texts.end()) return it->second;
  }
  return texts.empty() ? fallback : texts.begin()->second;
}

Workbench::Workbench(model::Gallery gallery, analysis::DeviceCatalogue devices, Engine engine,
                     std::function<void()> wake)
    : gallery_(std::move(gallery)),
      devices_(std::move(devices)),
      runner_(std::move(engine), std::move(wake)) {}

const analysis::Device* Workbench::device() const {
  const auto found = devices_.device(device_);
  return found ? *found : nullptr;
}

const analysis::ComputeCapability* Workbench::capability() const {
  const analysis::Device* d = device();
  if (!d) return nullptr;
  const auto found = devices_.capability(d->cc);
  return found ? *found : nullptr;
}

void Workbench::choose_device(const std::string& name) {
  device_ = name;
  if (kernel_) start();
}

void Workbench::keep_views(const std::array<std::string, 2>& views) {
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (visual::find_view(views[i])) settings.views[i] = views[i];
  }
  views_chosen_ = true;
}

void Workbench::forget_results() {
  text_due_.reset();
  blocks_.clear();
  warp_.reset();
  selection_ = hover_ = {};
  playing_ = false;
  Picture none;
  none.serial = picture_.serial + 1;
  picture_ = std::move(none);
  swept_ = {};
  swept_slider_.clear();
  swept_text_.clear();
  ++sweep_serial_;
  timeline_ = {};
  stop_ = 0;
  phase_ = 1;
}

void Workbench::sweep_over(const std::string& name) {
  const model::Slider* s = slider(name);
  if (name == swept_slider_ || !s || !can_sweep(*kernel_, *s)) return;
  swept_slider_ = name;
  start();
}

bool Workbench::open_kernel(const std::string& id) {
  const model::GalleryKernel* found = gallery_.find(id);
  if (!found) return false;
  kernel_ = *found;
  users_file_.clear();
  values_ = model::default_values(*kernel_);
  Result<std::string> text = read_text(kernel_->file);
  file_text_ = text_ = text ? *text : std::string();
  error_.reset();
  if (!text) error_ = text.error();
  forget_results();
  settings.kernel = id;
  views_chosen_ = false;
  choose_views();
  oldest_ticket_ = ticket_ + 1;
  start();
  return true;
}

void Workbench::open_file(const std::string& path, const std::string& kernel_name,
                          const model::SliderValues& set) {
  Result<std::string> text = read_text(path);
  if (!text) {
    error_ = text.error();
    changed_ = true;
    return;
  }
  users_file_ = path;
  users_kernel_ = kernel_name;
  kernel_ = model::GalleryKernel{};
  kernel_->id = std::filesystem::path(path).filename().string();
  kernel_->file = path;
  kernel_->title["en"] = kernel_->id;
  values_ = set;
  file_text_ = text_ = *text;
  error_.reset();
  forget_results();
  views_chosen_ = false;
  oldest_ticket_ = ticket_ + 1;
  start();
}

// The kernel's own views first, then those that have something to say about what ran.
void Workbench::choose_views() {
  if (!kernel_) return;
  std::vector<std::string> chosen;
  const auto add = [&](const visual::View* view, bool must_apply) {
    if (!view || (must_apply && picture_.run && !view->applies(view_input()))) return;
    const std::string id(view->id);
    if (std::find(chosen.begin(), chosen.end(), id) == chosen.end()) chosen.push_back(id);
  };
  for (const bool must_apply : {true, false}) {
    for (const std::string& id : kernel_->views) add(visual::find_view(id), must_apply);
    for (const visual::View& view : visual::all_views()) add(&view, must_apply);
  }
  for (std::size_t i = 0; i < settings.views.size() && i < chosen.size(); ++i) settings.views[i] = chosen[i];
}

void Workbench::start() {
  if (!kernel_) return;
  Job job;
  job.ticket = ++ticket_;
  job.kernel = *kernel_;
  job.values = values_;
  job.text = text_;  // also when unchanged: the file may have changed on disk since
  // A user's file is adopted until it has run once, and again after each edit: its parameters may change.
  if (is_users_file() && (kernel_->kernel.empty() || edited())) {
    job.adopt_file = users_file_;
    job.kernel.kernel = users_kernel_;
  }
  job.device = device_;
  job.gpu = device();
  job.capability = capability();
  job.blocks = blocks_;
  // The curve over a slider is the same wherever that slider stands.
  if (swept_slider_.empty()) swept_slider_ = slider_to_sweep(*kernel_);
  model::SliderValues others = values_;
  others.erase(swept_slider_);
  if (swept_slider_ != swept_.slider || others != swept_values_ || text_ != swept_text_)
    job.sweep = swept_slider_;
  runner_.submit(std::move(job));
  changed_ = true;
}

const model::Slider* Workbench::slider(const std::string& name) const {
  if (!kernel_) return nullptr;
  for (const model::Slider& s : kernel_->sliders) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

std::int64_t Workbench::value(const std::string& name) const {
  const auto it = values_.find(name);
  return it == values_.end() ? 0 : it->second;
}

void Workbench::set_value(const std::string& name, std::int64_t value) {
  const model::Slider* s = slider(name);
  if (!s) return;
  value = nearest_allowed(*s, value);
  if (const auto it = values_.find(name); it != values_.end() && it->second == value) return;
  values_[name] = value;
  start();
}

void Workbench::reset_value(const std::string& name) {
  if (const model::Slider* s = slider(name)) set_value(name, s->value);
}

void Workbench::notch(const std::string& name, int steps) {
  const model::Slider* s = slider(name);
  if (!s) return;
  const std::vector<std::int64_t> notches = notches_of(*s);
  if (notches.empty()) {
    set_value(name, value(name) + steps);
    return;
  }
  const auto at = std::find(notches.begin(), notches.end(), nearest_allowed(*s, value(name)));
  const auto index = std::clamp<std::ptrdiff_t>(at - notches.begin() + steps, 0,
                                                static_cast<std::ptrdiff_t>(notches.size()) - 1);
  set_value(name, notches[static_cast<std::size_t>(index)]);
}

void Workbench::set_text(std::string text, double now) {
  if (text == text_) return;
  text_ = std::move(text);
  text_due_ = now + kKeyPause;
  changed_ = true;
}

void Workbench::revert_text() {
  if (!edited()) return;
  text_ = file_text_;
  text_due_.reset();
  oldest_ticket_ = ticket_ + 1;
  start();
}

bool Workbench::settled() const {
  return !text_due_ && !runner_.busy() && !runner_.sweeping();
}

void Workbench::accept(Delivery delivery) {
  if (delivery.ticket < oldest_ticket_) return;
  changed_ = true;
  if (delivery.swept) {
    swept_ = std::move(*delivery.swept);
    swept_values_ = delivery.values;
    swept_values_.erase(swept_.slider);
    swept_text_ = text_;
    ++sweep_serial_;
    return;
  }
  if (delivery.adopted) {
    kernel_ = *delivery.adopted;
    values_ = delivery.values;
  }
  if (delivery.error) {
    if (delivery.error->kind != ErrorKind::Cancelled) error_ = delivery.error;
    return;
  }
  error_.reset();
  show(std::move(delivery));
}

void Workbench::show(Delivery delivery) {
  const bool first = !picture_.run;
  const std::uint32_t old_site =
      picture_.run && stop_ < timeline_.size() ? picture_.run->trace.steps()[timeline_.step(stop_)].site : 0;
  Picture next;
  next.program = delivery.program;
  next.run = delivery.run;
  next.values = delivery.values;
  next.whole = delivery.whole;
  next.data = delivery.data;
  next.serial = picture_.serial + 1;
  if (delivery.whole || first) {
    next.costs = line_costs(delivery.run->report);
    next.figures = headlines(delivery.run->report, 6);
  } else {
    // Totals of a part would jump: the old ones stand until the exact ones are there.
    next.costs = picture_.costs;
    next.figures = picture_.figures;
  }
  picture_ = std::move(next);
  timeline_ = warp_ ? Timeline(picture_.run->trace, warp_) : std::move(delivery.timeline);
  if (first && !views_chosen_) choose_views();
  const bool same_place = !first && stop_ < timeline_.size() &&
                          picture_.run->trace.steps()[timeline_.step(stop_)].site == old_site;
  if (!same_place) {
    stop_ = first_stop();
    phase_ = 1;
  }
  if (!timeline_.empty()) stop_ = std::min(stop_, timeline_.size() - 1);
}

// Where to look first: the access that is furthest from its ideal.
std::size_t Workbench::first_stop() const {
  if (timeline_.empty()) return 0;
  return timeline_.stop_at(model::telling_step(picture_.run->trace, settings.views[0]));
}

visual::Cursor Workbench::cursor() const {
  if (timeline_.empty()) return {};
  return {timeline_.step(stop_), phase_};
}

void Workbench::play(bool on) {
  if (timeline_.empty()) on = false;
  if (on && stop_ + 1 >= timeline_.size() && phase_ >= 1) go_to_stop(0, true);
  playing_ = on;
  held_ = 0;
  changed_ = true;
}

void Workbench::go_to_stop(std::size_t stop, bool animate) {
  if (timeline_.empty()) return;
  stop = std::min(stop, timeline_.size() - 1);
  if (stop == stop_ && !animate) phase_ = 1;
  if (stop != stop_ || animate) phase_ = animate && !settings.reduce_motion && stop != stop_ ? 0.0f : 1.0f;
  stop_ = stop;
  held_ = resting_ = 0;
  changed_ = true;
}

void Workbench::go_to_step(std::size_t step) {
  if (!timeline_.empty()) go_to_stop(timeline_.stop_at(step), false);
}

void Workbench::back() {
  playing_ = false;
  // In the middle of a step, back means its beginning.
  if (stop_ > 0) go_to_stop(stop_ - 1, false);
}

void Workbench::faster(int notches) {
  const auto at = std::min_element(std::begin(kSpeeds), std::end(kSpeeds), [&](double a, double b) {
    return std::abs(a - settings.speed) < std::abs(b - settings.speed);
  });
  const auto last = static_cast<std::ptrdiff_t>(std::size(kSpeeds)) - 1;
  settings.speed = kSpeeds[std::clamp<std::ptrdiff_t>(at - std::begin(kSpeeds) + notches, 0, last)];
  changed_ = true;
}

void Workbench::follow_warp(std::optional<std::uint32_t> warp) {
  if (warp == warp_ || !picture_.run) return;
  const std::size_t step = cursor().step;
  warp_ = warp;
  timeline_ = Timeline(picture_.run->trace, warp_);
  stop_ = timeline_.empty() ? 0 : timeline_.stop_at(step);
  phase_ = 1;
  changed_ = true;
}

int Workbench::current_line() const {
  if (!picture_.run || timeline_.empty()) return 0;
  const std::uint32_t site = picture_.run->trace.steps()[timeline_.step(stop_)].site;
  const auto& sites = picture_.run->trace.sites;
  return site < sites.size() ? sites[site].line : 0;
}

void Workbench::select(const visual::Target& target) {
  changed_ = true;
  if (target == selection_) {
    selection_ = {};
    return;
  }
  selection_ = target;
  if (!picture_.run) return;
  const trace::Trace& trace = picture_.run->trace;
  if (target.block && std::none_of(trace.blocks().begin(), trace.blocks().end(),
                                   [&](const trace::BlockSteps& b) { return b.block == *target.block; })) {
    blocks_ = {*target.block};
    start();
    return;
  }
  if (target.step) {
    go_to_step(*target.step);
    return;
  }
  // A line or an instruction: time goes to where it next happens, from here onwards and then from the start.
  const auto matches = [&](std::size_t stop) {
    const trace::Step& step = trace.steps()[timeline_.step(stop)];
    if (step.site >= trace.sites.size()) return false;
    if (target.warp && step.warp != *target.warp) return false;
    if (target.site) return step.site == *target.site;
    return target.line && trace.sites[step.site].line == *target.line;
  };
  if (!target.site && !target.line) return;
  for (std::size_t i = 0; i < timeline_.size(); ++i) {
    const std::size_t stop = (stop_ + i) % timeline_.size();
    if (matches(stop)) {
      if (stop != stop_) go_to_stop(stop, false);
      return;
    }
  }
}

void Workbench::clear_selection() {
  selection_ = {};
  changed_ = true;
}

void Workbench::set_hover(const visual::Target& target) {
  if (target == hover_) return;
  hover_ = target;
  changed_ = true;
}

// Where the first view pauses next inside this step: issue, coalesce, fetch, use.
const visual::Stop* Workbench::next_rest() const {
  const visual::View* view = visual::find_view(settings.views[0]);
  if (!view) return nullptr;
  const auto next = std::find_if(view->stops.begin(), view->stops.end(),
                                 [&](const visual::Stop& s) { return s.phase > phase_ + 1e-4f; });
  return next == view->stops.end() ? nullptr : &*next;
}

void Workbench::next() {
  if (phase_ < 1) {
    // In the middle of a step: at once to where it would pause next.
    const visual::Stop* rest = next_rest();
    phase_ = rest ? rest->phase : 1.0f;
    resting_ = 2 * kRestHold;
    changed_ = true;
    return;
  }
  go_to_stop(stop_ + 1, true);
}

// Moves inside a step; true when the picture changed.
bool Workbench::animate(double passed) {
  if (resting_ > 0) {
    resting_ -= passed;
    return false;
  }
  const visual::Stop* rest = next_rest();
  const float goal = rest ? rest->phase : 1.0f;
  phase_ = std::min(goal, phase_ + static_cast<float>(passed / kStepMotion));
  if (phase_ >= goal && goal < 1) resting_ = kRestHold;
  return true;
}

bool Workbench::advance(double now) {
  const double passed = last_tick_ ? std::clamp(now - *last_tick_, 0.0, 0.25) : 0;
  last_tick_ = now;
  if (timeline_.empty() || (!playing_ && phase_ >= 1)) return false;
  const double speed = settings.speed;
  if (phase_ < 1) return animate(passed * speed);
  held_ += passed * speed;
  const double hold = settings.reduce_motion ? kStepHold + kStepMotion / 2 : kStepHold;
  if (held_ < hold) return false;
  if (stop_ + 1 >= timeline_.size()) {
    playing_ = false;
    return true;
  }
  // Faster than the screen: several stops a frame, each standing still.
  const bool rush = (kStepMotion + kStepHold) / speed < 6 * kFrame;
  const std::size_t steps = rush ? std::max<std::size_t>(1, static_cast<std::size_t>(held_ / hold)) : 1;
  go_to_stop(stop_ + steps, !rush);
  return true;
}

bool Workbench::tick(double now) {
  bool changed = std::exchange(changed_, false);
  while (std::optional<Delivery> delivery = runner_.take()) {
    accept(std::move(*delivery));
    changed = true;
  }
  if (text_due_ && now >= *text_due_) {
    text_due_.reset();
    oldest_ticket_ = ticket_ + 1;
    start();
    changed = true;
  }
  {
    const std::lock_guard lock(notes_mutex_);
    if (note_) {
      toast_ = Toast{std::move(*note_), now + kToastTime};
      note_.reset();
      changed = true;
    }
  }
  if (toast_ && now >= toast_->until) {
    toast_.reset();
    changed = true;
  }
  return advance(now) || changed;
}

double Workbench::next_wake(double now) const {
  double wait = std::numeric_limits<double>::infinity();
  if (playing_ || phase_ < 1) wait = kFrame;
  if (text_due_) wait = std::min(wait, *text_due_ - now);
  if (toast_) wait = std::min(wait, toast_->until - now);
  // The progress line of a run that takes long must move.
  if (runner_.seconds_running() > 0.2)
    wait = std::min(wait, 0.05);
  else if (runner_.busy())
    wait = std::min(wait, 0.2);
  return std::max(0.0, wait);
}

void Workbench::note(Message text) {
  const std::lock_guard lock(notes_mutex_);
  note_ = std::move(text);
}

visual::ViewInput Workbench::view_input() const {
  visual::ViewInput input;
  if (picture_.run) {
    input.report = &picture_.run->report;
    input.trace = &picture_.run->trace;
    if (picture_.data) picture_.data->attach(input);
  }
  input.device = device();
  input.capability = capability();
  input.cursor = cursor();
  input.selection = selection_;
  input.hover = hover_;
  return input;
}

}  // namespace warplens::window
