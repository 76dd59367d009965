#include "app/window/session/workbench.h"

#include <algorithm>
#include <limits>

#include "app/model/comments.h"
#include "app/model/give.h"
#include "app/model/kept_launch.h"
#include "app/model/picture.h"
#include "engine/analysis/modelled.h"
#include "engine/base/assets.h"

namespace warplens::window {
namespace {

// Seconds.
constexpr double kKeyPause = 0.3;  // after the last key, before an edit is compiled
constexpr double kToastTime = 5;
constexpr double kFrame = 1.0 / 60;
// A picture that is no older than this follows the hand: what comes and goes faster would only flicker.
constexpr double kFollows = 0.25;

}  // namespace

Workbench::Workbench(model::Gallery gallery, analysis::DeviceCatalogue devices, Engine engine,
                     std::function<void()> wake)
    : gallery_(std::move(gallery)),
      devices_(std::move(devices)),
      bind_(engine.bind),
      background_(wake),
      measurer_(engine, wake),
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
  if (name != device_) remember("");
  device_ = name;
  if (setup_.kernel) start();
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
  picture_ = {};
  picture_.serial = ++serial_;
  trail_.clear();
  swept_ = {};
  swept_slider_.clear();
  swept_of_ = {};
  ++sweep_serial_;
  timeline_ = {};
  stop_ = 0;
  phase_ = 1;
}

void Workbench::sweep_over(const std::string& name) {
  const model::Slider* s = slider(name);
  if (name == swept_slider_ || !s || !can_sweep(*setup_.kernel, *s)) return;
  swept_slider_ = name;
  start();
}

bool Workbench::open_kernel(const std::string& id) {
  const model::GalleryKernel* found = gallery_.find(id);
  if (!found) return false;
  if (setup_.kernel) remember("");
  setup_.kernel = *found;
  setup_.users_file.clear();
  setup_.compiler = {};
  setup_.assumed.clear();
  setup_.given.clear();
  setup_.values = model::default_values(*setup_.kernel);
  Result<std::string> text = read_text(setup_.kernel->file);
  language_ = settings.language;
  setup_.file_text = setup_.text =
      text ? model::comments_in(language_, *text, setup_.kernel->file) : std::string();
  error_.reset();
  fault_switch_.reset();
  view_options.row_widths.clear();
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
                          const model::SliderValues& set, CompilerChoices compiler) {
  Result<std::string> text = model::text_to_edit(path);
  if (!text) {
    error_ = text.error();
    changed_ = true;
    return;
  }
  if (setup_.kernel) remember("");
  setup_.users_file = path;
  setup_.users_kernel = kernel_name;
  setup_.kernel = model::GalleryKernel{};
  setup_.kernel->id = std::filesystem::path(path).filename().string();
  setup_.kernel->file = path;
  setup_.kernel->title["en"] = setup_.kernel->id;
  setup_.values = set;
  setup_.file_text = setup_.text = *text;
  setup_.compiler = std::move(compiler);
  setup_.assumed.clear();
  setup_.given.clear();
  error_.reset();
  fault_switch_.reset();
  view_options.row_widths.clear();
  forget_results();
  views_chosen_ = false;
  oldest_ticket_ = ticket_ + 1;
  start();
}

// The kernel is made from the file once more; sliders keep their values where these still exist.
void Workbench::adopt_again() {
  setup_.kernel->kernel.clear();
  oldest_ticket_ = ticket_ + 1;
  start();
}

void Workbench::compile_with(CompilerChoices compiler) {
  if (!is_users_file() || compiler == setup_.compiler) return;
  remember("");
  setup_.compiler = std::move(compiler);
  adopt_again();
}

Status Workbench::give(const std::string& what, const std::string& text) {
  if (!setup_.kernel) return Done{};
  model::Adopted adopted{*setup_.kernel, setup_.assumed, false};
  if (const Status fits = model::give(adopted, what, text); !fits) return fits;
  remember("");
  setup_.given[what] = text;
  setup_.kernel = std::move(adopted.kernel);
  setup_.assumed = std::move(adopted.assumed);
  // What was given wins over where the sliders stood.
  for (const model::Slider& s : setup_.kernel->sliders)
    if (s.name == what || !setup_.values.contains(s.name)) setup_.values[s.name] = s.value;
  start();
  return Done{};
}

void Workbench::take_back(const std::string& what) {
  if (!setup_.kernel || !setup_.given.contains(what)) return;
  remember("");
  setup_.given.erase(what);
  setup_.values.erase(what);
  adopt_again();
}

// What went wrong, then the kernel's own views, then those that have something to say about what ran.
void Workbench::choose_views() {
  if (!setup_.kernel) return;
  std::vector<std::string> chosen;
  const auto add = [&](const visual::View* view, bool must_apply) {
    if (!view || (must_apply && picture_.run && !view->applies(view_input()))) return;
    const std::string id(view->id);
    if (std::find(chosen.begin(), chosen.end(), id) == chosen.end()) chosen.push_back(id);
  };
  // What a clock or the hardware's counters say comes later than the first picture.
  const auto comes_later = [this](const visual::View* view) {
    if (!setup_.kernel->kind.empty()) return true;  // about copies or streams
    return view && view->basis == visual::Basis::Hardware && !measurement_.on.empty();
  };
  if (picture_.run && !picture_.report().faults.empty()) add(visual::find_view("faults"), true);
  for (const bool must_apply : {true, false}) {
    for (const std::string& id : setup_.kernel->views) {
      const visual::View* view = visual::find_view(id);
      add(view, must_apply && !comes_later(view));
    }
    for (const visual::View& view : visual::all_views()) add(&view, must_apply);
  }
  for (std::size_t i = 0; i < settings.views.size() && i < chosen.size(); ++i) settings.views[i] = chosen[i];
  views_we_chose_ = settings.views;
}

void Workbench::start() {
  if (!setup_.kernel) return;
  Job job;
  job.ticket = ++ticket_;
  job.kernel = *setup_.kernel;
  job.values = setup_.values;
  job.text = setup_.text;  // also when unchanged: the file may have changed on disk since
  // A user's file is adopted until it has run once, and again after each edit: its parameters may change.
  if (is_users_file()) {
    if (setup_.kernel->kernel.empty() || edited()) {
      job.adopt_file = setup_.users_file;
      job.kernel.kernel = setup_.users_kernel;
      job.given = setup_.given;
    }
    job.compiler = setup_.compiler;
    if (setup_.users_kernel.find('<') != std::string::npos) job.instances = {setup_.users_kernel};
  }
  job.device = device_;
  job.gpu = device();
  job.capability = capability();
  job.blocks = blocks_;
  // The curve over a slider is the same wherever that slider stands.
  if (swept_slider_.empty()) swept_slider_ = slider_to_sweep(*setup_.kernel);
  job.of = asked();
  job.check = looks_for_faults();
  job.row_widths = view_options.row_widths;
  if (swept_slider_ != swept_.slider || job.of.without_slider(swept_slider_) != swept_of_ || !swept_.complete)
    job.sweep = swept_slider_;
  runner_.submit(std::move(job));
  expect_measurement();
  glimpse();
  changed_ = true;
}

bool Workbench::looks_for_faults() const {
  if (fault_switch_) return *fault_switch_;
  if (is_users_file()) return true;
  if (!setup_.kernel) return false;
  const std::vector<std::string>& views = setup_.kernel->views;
  return std::find(views.begin(), views.end(), "faults") != views.end();
}

void Workbench::look_for_faults(bool on) {
  fault_switch_ = on;
  if (!on) picture_.checked.reset();
  if (setup_.kernel) start();
}

void Workbench::set_row_width(const std::string& parameter, std::int64_t width) {
  if (width > 0)
    view_options.row_widths[parameter] = width;
  else
    view_options.row_widths.erase(parameter);
  if (setup_.kernel) start();
}

// Another serial, so that what was drawn without them is drawn anew.
void Workbench::show_checked(std::shared_ptr<const Checked> checked) {
  picture_.checked = std::move(checked);
  picture_.serial = ++serial_;
  const bool found = picture_.checked->report.faults_total > 0;
  if (found && !views_chosen_ && settings.views == views_we_chose_) choose_views();
}

const model::Slider* Workbench::slider(const std::string& name) const {
  if (!setup_.kernel) return nullptr;
  for (const model::Slider& s : setup_.kernel->sliders) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

std::int64_t Workbench::value(const std::string& name) const {
  const auto it = setup_.values.find(name);
  return it == setup_.values.end() ? 0 : it->second;
}

void Workbench::set_value(const std::string& name, std::int64_t value) {
  const model::Slider* s = slider(name);
  if (!s) return;
  // The size that the clock needs lies beyond the slider's end, and can be gone to all the same.
  const auto measured = setup_.kernel->measure.find(name);
  if (measured == setup_.kernel->measure.end() || measured->second != value)
    value = model::nearest_allowed(*s, value);
  if (const auto it = setup_.values.find(name); it != setup_.values.end() && it->second == value) return;
  remember("value." + name);
  setup_.values[name] = value;
  start();
}

void Workbench::reset_value(const std::string& name) {
  if (const model::Slider* s = slider(name)) set_value(name, s->value);
}

void Workbench::notch(const std::string& name, int steps) {
  const model::Slider* s = slider(name);
  if (!s) return;
  const std::vector<std::int64_t> notches = model::notches_of(*s);
  if (notches.empty()) {
    set_value(name, value(name) + steps);
    return;
  }
  const auto at = std::find(notches.begin(), notches.end(), model::nearest_allowed(*s, value(name)));
  const auto index = std::clamp<std::ptrdiff_t>(at - notches.begin() + steps, 0,
                                                static_cast<std::ptrdiff_t>(notches.size()) - 1);
  set_value(name, notches[static_cast<std::size_t>(index)]);
}

void Workbench::set_text(std::string text, double now) {
  if (text == setup_.text) return;
  remember("text");
  setup_.text = std::move(text);
  text_due_ = now + kKeyPause;
  changed_ = true;
}

// Comments in the language of the window, those of an edited text too.
void Workbench::speak() {
  language_ = settings.language;
  const auto in_language = [&](Setup& setup) {
    if (!setup.kernel) return false;
    const std::string before = setup.text;
    for (std::string* text : {&setup.text, &setup.file_text})
      *text = model::comments_in(language_, *text, setup.kernel->file);
    return before != setup.text;
  };
  if (pinned_) {
    auto pinned = std::make_shared<Pinned>(*pinned_);
    if (in_language(pinned->setup)) pinned_ = std::move(pinned);
  }
  if (in_language(setup_)) start();
}

std::string Workbench::in_my_language(const std::string& text) const {
  return setup_.kernel ? model::comments_in(settings.language, text, setup_.kernel->file) : text;
}

void Workbench::revert_text() {
  if (!edited()) return;
  remember("");
  setup_.text = setup_.file_text;
  text_due_.reset();
  oldest_ticket_ = ticket_ + 1;
  start();
}

bool Workbench::settled() const {
  return !text_due_ && !runner_.busy() && !runner_.sweeping() && !measurer_.busy();
}

void Workbench::cancel() {
  if (!runner_.busy()) return;
  runner_.cancel();
  stopped_ticket_ = ticket_;
  if (picture_.run) note({"window.run.stopped", {}});
}

void Workbench::accept(Delivery delivery) {
  if (delivery.pinned) return accept_pinned(std::move(delivery));
  if (delivery.ticket < oldest_ticket_) return;
  changed_ = true;
  if (delivery.swept) {
    swept_ = std::move(*delivery.swept);
    swept_of_ = delivery.of.without_slider(swept_.slider);
    ++sweep_serial_;
    return;
  }
  if (delivery.checked) {
    if (delivery.of == picture_.of) show_checked(std::move(delivery.checked));
    return;
  }
  if (delivery.what_if) {
    if (delivery.of == picture_.modelled_of) picture_.what_if = *delivery.what_if;
    return;
  }
  if (delivery.modelled) {
    if (!(delivery.of == picture_.of)) return;
    picture_.modelled = *delivery.modelled;
    picture_.modelled_of = delivery.of;
    // Filling the shelf says the same once more.
    if (!(*delivery.modelled && !(*delivery.modelled)->shelf.empty())) picture_.what_if.reset();
    picture_.serial = ++serial_;  // what was drawn without it is drawn anew
    return;
  }
  if (delivery.adopted) {
    setup_.kernel = std::move(delivery.adopted->kernel);
    setup_.assumed = std::move(delivery.adopted->assumed);
    setup_.values = delivery.of.values;
  }
  if (delivery.error) {
    const ErrorKind kind = delivery.error->kind;
    outcome_ = kind == ErrorKind::Cancelled ? Pending::Stopped
               : delivery.program           ? Pending::Failed
                                            : Pending::NotCompiled;
    const bool by_user = delivery.ticket == stopped_ticket_ && !picture_.run;
    if (kind != ErrorKind::Cancelled || by_user) error_ = delivery.error;
    return;
  }
  error_.reset();
  const bool whole = delivery.whole;
  show(std::move(delivery));
  if (whole) measure();
}

Picture Workbench::picture_of(const Delivery& delivery) {
  Picture next;
  next.program = delivery.program;
  next.run = delivery.run;
  next.of = next.totals_of = delivery.of;
  next.whole = delivery.whole;
  next.data = delivery.data;
  next.serial = ++serial_;
  next.costs = line_costs(delivery.run->report);
  next.figures = headlines(delivery.run->report, 6);
  if (delivery.modelled) next.modelled = *delivery.modelled;
  next.modelled_of = delivery.of;
  return next;
}

void Workbench::show(Delivery delivery) {
  const bool first = !picture_.run;
  const std::uint32_t old_site =
      picture_.run && stop_ < timeline_.size() ? picture_.run->trace.steps()[timeline_.step(stop_)].site : 0;
  Picture next = picture_of(delivery);
  if (delivery.run->report.backend == "gpu")
    next.emulated = picture_.emulated ? picture_.emulated : picture_.run;
  if (delivery.of == picture_.of && delivery.whole) next.checked = picture_.checked;
  next.modelled = picture_.modelled;  // stands until the models have followed
  next.modelled_of = picture_.modelled_of;
  next.what_if = picture_.what_if;
  if (!delivery.whole && !first) {
    // Totals of a part would jump: the old ones stand until the exact ones are there.
    next.costs = picture_.costs;
    next.figures = picture_.figures;
    next.totals_of = picture_.totals_of;
  }
  if (delivery.whole) leave_trail(next);
  picture_ = std::move(next);
  if (measurement_.of == picture_.of.without_device()) picture_.time = measured_time();
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

void Workbench::select(const visual::Target& target) {
  changed_ = true;
  if (target.measure) {
    view_options.measure = static_cast<visual::Measure>(*target.measure);
    return;
  }
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

bool Workbench::tick(double now) {
  bool changed = std::exchange(changed_, false);
  const std::uint64_t before = picture_.serial + sweep_serial_;
  while (std::optional<Delivery> delivery = runner_.take()) {
    accept(std::move(*delivery));
    changed = true;
  }
  while (std::optional<Measured> measured = measurer_.take()) {
    accept_measured(std::move(*measured));
    changed = true;
  }
  if (language_ != settings.language) speak();
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
  if (follow_earlier(now, picture_.serial + sweep_serial_ != before)) changed = true;
  return advance(now) || changed;
}

double Workbench::next_wake(double now) const {
  double wait = std::numeric_limits<double>::infinity();
  if (playing_ || phase_ < 1) wait = kFrame;
  if (text_due_) wait = std::min(wait, *text_due_ - now);
  if (background_.seconds_running() > 0.1) wait = std::min(wait, 0.1);
  if (toast_) wait = std::min(wait, toast_->until - now);
  if (earlier_since_ && !looks_earlier_) wait = std::min(wait, *earlier_since_ + kFollows - now);
  // The progress of what takes long must move.
  if (measurer_.measuring()) wait = std::min(wait, 0.1);
  if (runner_.seconds_running() > 0.2)
    wait = std::min(wait, 0.05);
  else if (runner_.busy())
    wait = std::min(wait, 0.2);
  return std::max(0.0, wait);
}

Pending Workbench::pending() const {
  if (text_due_) return Pending::Typing;
  return runner_.busy() || runner_.sweeping() ? Pending::Running : outcome_;
}

std::optional<Earlier> Workbench::earlier(visual::Basis basis) const {
  const ResultKey now = asked();
  const auto unless = [&](const ResultKey& of, const ResultKey& wanted) {
    return of == wanted ? std::optional<Earlier>() : Earlier{of, pending()};
  };
  switch (basis) {
    case visual::Basis::Run:
      return picture_.run ? unless(picture_.of, now) : std::nullopt;
    case visual::Basis::Curve:
      if (swept()) return unless(swept_of_, now.without_slider(swept_.slider));
      [[fallthrough]];
    case visual::Basis::Hardware:
      return measurement_.on.empty() ? std::nullopt : unless(measurement_.of, now.without_device());
    case visual::Basis::Machine:
      return std::nullopt;
    case visual::Basis::Model:
      // Before anything was modelled the view says itself that it waits.
      return picture_.modelled ? unless(picture_.modelled_of, now) : std::nullopt;
  }
  return std::nullopt;
}

visual::Basis Workbench::basis_of(const visual::View& view) const {
  const bool modelled = view.id == "stalls" && measurement_.counters.empty() && picture_.modelled;
  return modelled ? visual::Basis::Model : view.basis;
}

std::string Workbench::earlier_line(visual::Basis basis, const Catalogue& text) const {
  const auto found = earlier(basis);
  return found ? earlier_words(*found, setup_, device_, text, settings.language) : std::string();
}

std::string Workbench::totals_line(const Catalogue& text) const {
  if (!totals_are_earlier()) return {};
  return earlier_words({picture_.totals_of, pending()}, setup_, device_, text, settings.language);
}

// Another text looks earlier at once: its lines are no longer those of the numbers beside them.
bool Workbench::follow_earlier(double now, bool delivered) {
  const auto run = earlier(visual::Basis::Run);
  const bool differs =
      run || totals_are_earlier() || earlier(visual::Basis::Curve) || earlier(visual::Basis::Model);
  if (!differs) {
    earlier_since_.reset();
    return std::exchange(looks_earlier_, false);
  }
  if (!earlier_since_ || delivered) earlier_since_ = now;
  const bool other_text = picture_.of.text != setup_.text || picture_.totals_of.text != setup_.text;
  const bool at_once = other_text || pending() != Pending::Running;
  const bool looks = at_once || now - *earlier_since_ >= kFollows;
  return std::exchange(looks_earlier_, looks) != looks;
}

void Workbench::show_run(std::shared_ptr<const model::Run> run) {
  Delivery delivery;
  delivery.whole = true;
  delivery.of = asked();
  delivery.data =
      std::make_shared<const model::ViewData>(model::make_view_data(*run, device(), capability()));
  delivery.timeline = Timeline(run->trace, {});
  delivery.run = std::move(run);
  show(std::move(delivery));
  changed_ = true;
}

void Workbench::save_picture(ExportJob job) {
  const Message what{"window.export.saving", {{"file", value_of(job.file.filename().string())}}};
  background_.add(what, [this, job = std::move(job)](Progress& progress) {
    const Status saved = write_export(job, progress);
    if (saved) return note({"window.stage.saved", {{"file", value_of(job.file.string())}}});
    if (saved.error().kind == ErrorKind::Cancelled) return note({"window.export.stopped", {}});
    note({"window.stage.not_saved", {{"reason", value_of(saved.error().text())}}});
  });
  changed_ = true;
}

void Workbench::note(Message text) {
  const std::lock_guard lock(notes_mutex_);
  note_ = std::move(text);
}

}  // namespace warplens::window
