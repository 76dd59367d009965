#include "app/window/session/workbench.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "app/model/run/kept_launch.h"
#include "app/model/study/occupancy_lab.h"
#include "app/model/study/relatives.h"
#include "app/model/text/comments.h"
#include "app/window/session/studies.h"

namespace warplens::window {
namespace {

// A view that asks is answered, also by an engine that tries nothing out: else it would ask for ever.
Engine answering(Engine engine) {
  if (!engine.occupancy)
    engine.occupancy = [](auto&&...) { return std::make_shared<const model::OccupancyTrials>(); };
  if (!engine.relatives)
    engine.relatives = [](auto&&...) { return std::make_shared<const model::Relatives>(); };
  return engine;
}

}  // namespace

Workbench::Workbench(model::Gallery gallery, analysis::DeviceCatalogue devices, Engine engine,
                     std::function<void()> wake)
    : program_(std::move(gallery)),
      launch_(program_, std::move(devices)),
      playback_(settings),
      views_(settings),
      background_(wake),
      measuring_(engine, wake, {program_, launch_, newest_, settings, view_options}),
      runner_(answering(std::move(engine)), std::move(wake)),
      belonging_({program_, launch_, newest_, comparison_, measuring_, runner_, settings}) {}

// ---- what is asked for, and taken back ----

void Workbench::remember(const std::string& key, const Moment& before) {
  if (before.setup.kernel) history_.remember(key, now_, before);
}

template <typename Change>
bool Workbench::change(const std::string& key, const Change& make) {
  const Moment before = moment();
  if (!make()) return false;
  remember(key, before);
  start();
  return true;
}

void Workbench::undo() {
  if (auto earlier = history_.undo(moment())) restore(std::move(*earlier));
}

void Workbench::redo() {
  if (auto later = history_.redo(moment())) restore(std::move(*later));
}

void Workbench::restore(Moment to) {
  const Setup& now = setup();
  const bool other_kernel = !to.setup.kernel || !now.kernel || to.setup.kernel->id != now.kernel->id ||
                            to.setup.users_file != now.users_file;
  program_.restore(std::move(to.setup));
  // What was taken back is not what the file holds; that is what saving and reverting are about.
  if (is_users_file())
    if (Result<std::string> text = model::text_to_edit(setup().users_file)) program_.found_on_disk(*text);
  comparison_.restore(std::move(to.pinned));
  launch_.choose_device(to.device);
  if (other_kernel) {
    forget_results();
    newest_.forget_error();
    if (kernel() && !is_users_file()) settings.kernel = kernel()->id;
  }
  start();
  catch_up();
}

void Workbench::forget_results() {
  launch_.forget_blocks_and_curve();
  newest_.forget();
  playback_.forget();
  selection_ = hover_ = {};
}

void Workbench::opened() {
  newest_.forget_error();
  launch_.forget_fault_switch();
  view_options.row_widths.clear();
  forget_results();
  views_.forget();
}

bool Workbench::open_kernel(const std::string& id) {
  const model::GalleryKernel* found = gallery().find(id);
  if (!found) return false;
  remember("", moment());
  const Status read = program_.open(*found);
  opened();
  if (!read) newest_.fail(read.error());
  settings.kernel = id;
  choose_views();
  start();
  return true;
}

void Workbench::open_file(const std::string& path, const std::string& kernel_name,
                          const model::SliderValues& set, CompilerChoices compiler) {
  const Moment before = moment();
  if (const Status read = program_.open_file(path, kernel_name, set, std::move(compiler)); !read) {
    newest_.fail(read.error());
    changed_ = true;
    return;
  }
  remember("", before);
  opened();
  start();
}

void Workbench::compile_with(CompilerChoices compiler) {
  change("", [&] { return program_.compile_with(std::move(compiler)); });
}

Status Workbench::give(const std::string& what, const std::string& text) {
  Status fits = Done{};
  if (kernel()) {
    change("", [&] {
      fits = program_.give(what, text);
      return fits.has_value();
    });
  }
  return fits;
}

void Workbench::take_back(const std::string& what) {
  change("", [&] { return program_.take_back(what); });
}

void Workbench::choose_device(const std::string& name) {
  change("", [&] { return launch_.choose_device(name); });
}

void Workbench::keep_target(const std::string& target) {
  if (launch_.keep_target(target) && program_.kernel()) start();
}

void Workbench::set_value(const std::string& name, std::int64_t value) {
  change("value." + name, [&] {
    if (!launch_.set_value(name, value)) return false;
    comparison_.follow(setup(), name, launch_.value(name));
    return true;
  });
  catch_up();
}

void Workbench::reset_value(const std::string& name) {
  if (const model::Slider* s = launch_.slider(name)) set_value(name, s->value);
}

void Workbench::notch(const std::string& name, int steps) {
  if (const model::Slider* s = launch_.slider(name)) set_value(name, launch_.notched(*s, steps));
}

void Workbench::set_text(std::string text, double now) {
  const Moment before = moment();
  if (!program_.set_text(std::move(text), now)) return;
  remember("text", before);
  changed_ = true;
}

void Workbench::revert_text() {
  change("", [&] { return program_.revert_text(); });
}

std::string Workbench::in_my_language(const std::string& text) const {
  return kernel() ? model::comments_in(settings.language, text, kernel()->file) : text;
}

void Workbench::speak() {
  program_.speak(settings.language);
  changed_ = true;
}

void Workbench::sweep_over(const std::string& name) {
  if (launch_.sweep_over(name)) start();
}

void Workbench::look_for_faults(bool on) {
  launch_.look_for_faults(on);
  if (!on) newest_.forget_faults();
  start();
}

void Workbench::trace_block(std::uint64_t block) {
  const auto& traced = launch_.blocks();
  if (traced.empty() ? block == 0 : traced.front() == block) return;
  launch_.trace_block(block);
  start();
}

void Workbench::set_row_width(const std::string& parameter, std::int64_t width) {
  if (width > 0)
    view_options.row_widths[parameter] = width;
  else
    view_options.row_widths.erase(parameter);
  start();
}

void Workbench::start() {
  if (!kernel()) return;
  Job job = launch_.job(view_options.row_widths, newest_.curve_of());
  job.better = seeks_what_if_;
  newest_.expect(job.of);
  runner_.submit(std::move(job));
  measuring_.expect();
  measuring_.glimpse();
  changed_ = true;
}

void Workbench::cancel() {
  if (!runner_.busy()) return;
  runner_.cancel();
  newest_.stopped_by_user();
  if (picture()) note({"window.run.stopped", {}});
}

// ---- what comes back ----

void Workbench::accept(Delivery delivery) {
  if (delivery.pinned) return accept_pinned(std::move(delivery));
  if (!newest_.wants(delivery)) return;
  changed_ = true;
  if (delivery.adopted) program_.adopt(std::move(*delivery.adopted), delivery.of.values);
  switch (newest_.accept(delivery)) {
    case NewestPicture::News::Nothing:
      return;
    case NewestPicture::News::Faults:
      if (views_.untouched()) choose_views();
      return;
    case NewestPicture::News::Run: {
      const bool whole = delivery.whole;
      show(std::move(delivery));
      if (whole) measuring_.measure();
    }
  }
}

void Workbench::accept(Measuring::News news) {
  if (news.inventory) {
    use_backend(measuring_.first_backend());
    // What can be measured is known only now; a view that somebody has chosen meanwhile stays.
    if (picture() && views_.untouched()) choose_views();
  }
  if (news.time) newest_.set_time(measuring_.time());
  if (news.other && pinned() && measuring_.is_of_other(*news.other, pinned()->picture)) {
    auto time = measuring_.time_of(*news.other);
    comparison_.measured(std::move(*news.other), std::move(time));
  }
  if (news.run) show(std::move(*news.run));
}

void Workbench::show(Delivery delivery) {
  const bool first = !picture();
  newest_.show(delivery, devices());
  if (holds(Product::Launch, measurement().of, {picture()->of})) newest_.set_time(measuring_.time());
  if (first && !views_.kept()) choose_views();
  playback_.show(std::move(delivery.run), std::move(delivery.timeline));
  // An edit or a slider made it wrong: that is what there is to see now.
  const bool was_wrong = first ? picture()->went_wrong() : went_wrong_;
  if (first || picture()->whole) went_wrong_ = picture()->went_wrong();
  const bool wrong_now = went_wrong_ && !was_wrong;
  if (!first && (views_.is_empty_of(view_input()) || (wrong_now && views_.untouched()))) choose_views();
}

void Workbench::show_run(std::shared_ptr<const model::Run> run) {
  Delivery delivery;
  delivery.whole = true;
  delivery.of = asked();
  delivery.data = std::make_shared<const model::ViewData>(
      model::make_view_data(*run, launch_.device(), launch_.capability()));
  delivery.timeline = Timeline(run->trace, {});
  delivery.run = std::move(run);
  show(std::move(delivery));
  changed_ = true;
}

void Workbench::choose_views() {
  if (kernel()) views_.choose(*kernel(), newest_.picture(), measurement(), view_input());
}

// ---- measuring ----

void Workbench::choose_backend(const Backend& wanted) {
  settings.runs_on = measuring_.wish_of(wanted);
  use_backend(wanted);
  start();  // what the hardware did is not what the emulator does, and the other way round
}

void Workbench::use_backend(const Backend& wanted) {
  // Modelled numbers are about the GPU that measures, where the list has it.
  if (const std::string listed = measuring_.use(wanted); !listed.empty()) launch_.choose_device(listed);
  measure_again();
}

void Workbench::set_cold(bool cold) {
  if (view_options.cold == cold) return;
  view_options.cold = cold;
  measure_again();
}

void Workbench::measure_again() {
  measuring_.forget();
  measuring_.expect();
  if (pinned()) comparison_.measured({}, std::nullopt);
  const Picture& now = newest_.picture();
  newest_.set_time(holds(Product::Launch, measurement().of, {now.of}) ? measuring_.time() : std::nullopt);
  if (now.whole) measuring_.measure();
  changed_ = true;
}

void Workbench::prefer_clock(bool on) {
  measuring_.prefer_clock(on);
  changed_ = true;
}

// ---- what the models propose ----

void Workbench::try_what_if() {
  const Picture& now = newest_.picture();
  if (!now.what_if || !(now.modelled_of == asked()) || !(now.of == asked())) return;
  const model::WhatIf better = *now.what_if;
  compare();
  if (!better.padding) return set_value(better.slider, better.value);
  if (const auto padded = model::with_padding(setup().text, {}, *better.padding))
    set_text(in_my_language(*padded), now_);
}

// ---- selection ----

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
  if (!picture()) return;
  const auto& traced = picture()->run->trace.blocks();
  if (target.block && std::ranges::none_of(traced, [&](const auto& b) { return b.block == *target.block; })) {
    trace_block(*target.block);
  } else if (target.step) {
    go_to_step(*target.step);
  } else {
    playback_.go_to_next(target);
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

// ---- time passes ----

bool Workbench::tick(double now) {
  now_ = now;
  bool changed = std::exchange(changed_, false);
  const std::uint64_t before = shown_serial();
  while (std::optional<Delivery> delivery = runner_.take()) {
    accept(std::move(*delivery));
    changed = true;
  }
  while (std::optional<Measuring::News> news = measuring_.take()) {
    accept(std::move(*news));
    changed = true;
  }
  if (time_pinned()) changed = true;
  if (program_.language() != settings.language) speak();
  if (program_.typed(now)) {
    start();
    changed = true;
  }
  if (notes_.tick(now)) changed = true;
  study();
  if (belonging_.follow(now, shown_serial() != before)) changed = true;
  return playback_.advance(now) || changed;
}

double Workbench::next_wake(double now) const {
  double wait = std::numeric_limits<double>::infinity();
  if (playback_.moving()) wait = kFrame;
  if (const auto due = program_.text_due()) wait = std::min(wait, *due - now);
  if (background_.seconds_running() > 0.1) wait = std::min(wait, 0.1);
  if (toast()) wait = std::min(wait, toast()->until - now);
  if (const auto due = belonging_.due()) wait = std::min(wait, *due - now);
  // The progress of what takes long must move.
  if (measuring()) wait = std::min(wait, 0.1);
  if (runner_.seconds_running() > 0.2)
    wait = std::min(wait, 0.05);
  else if (runner_.busy())
    wait = std::min(wait, 0.2);
  return std::max(0.0, wait);
}

bool Workbench::settled() const {
  return !program_.text_due() && runner_.idle() && !measuring_.busy() && !studies_due(*this).any();
}

// ---- what is drawn ----

// Modelled numbers and names of a picture are those of the device that it was made for.
Shown Workbench::shown(const Picture& picture, visual::Cursor cursor) const {
  Shown out;
  out.run = picture.run;
  out.data = picture.data;
  if (picture.run && picture.run->program) out.source = sources_.of(picture.run->program, settings.language);
  out.modelled = picture.modelled;
  if (picture.time) out.time = {picture.time->milliseconds, picture.time->note, picture.time->on};
  if (picture.checked) out.checked = {picture.checked, &picture.checked->report};
  out.cursor = cursor;
  const auto listed = devices().device(picture.run ? picture.of.device : device_name());
  if (!listed) return out;
  out.device = *listed;
  if (const auto found = devices().capability(out.device->cc)) out.capability = *found;
  return out;
}

Composition Workbench::composition(const Catalogue& text) const {
  const Picture& newest = newest_.picture();
  Composition out;
  out.b = shown(newest, cursor());
  if (pinned()) {
    Setup now = setup();
    if (newest.run) now.values = newest.of.values;
    const SideNames names = side_names(pinned()->shown(), now, text, settings.language);
    out.b.name = names.b;
    out.a = shown(pinned()->picture, pinned_cursor());
    out.a->name = names.a;
    out.a_earlier = belonging_.pinned_line(text);
  }
  out.selection = selection_;
  out.hover = hover_;
  const std::string evidence =
      measurement().evidence.key.empty() ? std::string() : text.text(measurement().evidence);
  out.sweep = sweep(text);
  out.roofline = newest_.roofline(newest, devices(), evidence);
  if (out.roofline) add_others(*out.roofline, text);
  out.lab = studied(text).lab;
  out.streams = measuring_.streams(text);
  out.transfers = measuring_.transfers(text);
  out.b.counters = measuring_.hardware(measurement(), newest, text);
  if (pinned()) out.a->counters = measuring_.hardware(pinned()->measurement, pinned()->picture, text);
  if (out.b.time) out.b.time->note = model::measured_note(*newest.time, evidence, text);
  for (const visual::Basis basis :
       {visual::Basis::Run, visual::Basis::Curve, visual::Basis::Hardware, visual::Basis::Model})
    out.earlier[static_cast<std::size_t>(basis)] = earlier_line(basis, text);
  out.options = view_options;
  out.reduce_motion = settings.reduce_motion;
  return out;
}

visual::ViewInput Workbench::view_input() const {
  Composition now;
  now.b = shown(newest_.picture(), cursor());
  now.selection = selection_;
  now.hover = hover_;
  now.options = view_options;
  return now.input(now.b);
}

void Workbench::save_picture(ExportJob job) {
  const Message what{"window.export.saving", {{"file", value_of(job.file.filename().string())}}};
  background_.add(what, [this, job = std::move(job)](Progress& progress) {
    const Status saved = write_export(job, progress);
    if (saved) return note({"window.stage.saved", {{"file", value_of(job.file.string())}}});
    if (saved.error().kind == ErrorKind::Cancelled) return note({"window.export.stopped", {}});
    note({"window.stage.not_saved", {{"reason", with_place(saved.error())}}});
  });
  changed_ = true;
}

}  // namespace warplens::window
