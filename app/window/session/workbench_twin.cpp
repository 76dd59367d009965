// The workbench's second side and its memory: pin, swap, undo.
#include <algorithm>

#include "app/model/comments.h"
#include "app/window/session/matching_step.h"
#include "app/window/session/workbench.h"
#include "engine/base/assets.h"

namespace warplens::window {

void Workbench::remember(const std::string& key) {
  history_.remember(key, last_tick_.value_or(0), moment());
}

void Workbench::undo() {
  if (auto earlier = history_.undo(moment())) restore(std::move(*earlier));
}

void Workbench::redo() {
  if (auto later = history_.redo(moment())) restore(std::move(*later));
}

void Workbench::restore(Moment to) {
  const bool other_kernel = !to.setup.kernel || !setup_.kernel || to.setup.kernel->id != setup_.kernel->id ||
                            to.setup.users_file != setup_.users_file;
  const bool other_text = to.setup.text != setup_.text;
  setup_ = std::move(to.setup);
  pinned_ = std::move(to.pinned);
  device_ = std::move(to.device);
  pinning_ticket_ = 0;
  text_due_.reset();
  language_.clear();  // its comments may be in another one
  if (other_kernel) {
    forget_results();
    error_.reset();
    settings.kernel = setup_.kernel && !is_users_file() ? setup_.kernel->id : settings.kernel;
  }
  if (other_kernel || other_text) oldest_ticket_ = ticket_ + 1;
  start();
}

void Workbench::compare() {
  if (!picture_.run) return;
  remember("");
  auto pinned = std::make_shared<Pinned>();
  pinned->setup = setup_;
  pinned->setup.values = picture_.of.values;  // of what is shown, while a newer run may be on its way
  pinned->setup.text = picture_.of.text;
  pinned->picture = picture_;
  // What was modelled of an earlier value does not follow any more.
  if (!(picture_.modelled_of == picture_.of)) pinned->picture.modelled.reset();
  pinned->measurement = measurement_;
  pinned_ = std::move(pinned);
  pinning_ticket_ = 0;
  changed_ = true;
}

void Workbench::try_what_if() {
  if (!picture_.what_if || !(picture_.modelled_of == asked()) || !(picture_.of == asked())) return;
  const model::WhatIf better = *picture_.what_if;
  compare();
  set_value(better.slider, better.value);
}

bool Workbench::compare_with(const std::string& id, const model::SliderValues& set) {
  const model::GalleryKernel* found = gallery_.find(id);
  if (!found) return false;
  const Result<std::string> text = read_text(found->file);
  if (!text) {
    error_ = text.error();
    changed_ = true;
    return false;
  }
  pinning_ = {};
  pinning_.kernel = *found;
  pinning_.text = pinning_.file_text = model::comments_in(settings.language, *text, found->file);
  pinning_.values = model::default_values(*found);
  // Two kernels are compared on the same problem as far as both have a slider for it.
  for (const model::Slider& s : found->sliders) {
    if (const auto it = setup_.values.find(s.name); it != setup_.values.end() && s.choices.empty())
      pinning_.values[s.name] = model::nearest_allowed(s, it->second);
  }
  for (const auto& [name, value] : set) {
    if (pinning_.values.contains(name)) pinning_.values[name] = value;
  }
  Job job;
  job.pinned = true;
  job.ticket = pinning_ticket_ = ++ticket_;
  job.kernel = *found;
  job.values = pinning_.values;
  job.text = pinning_.text;
  job.device = device_;
  job.gpu = device();
  job.capability = capability();
  job.of = key_of(pinning_, device_);
  runner_.submit(std::move(job));
  changed_ = true;
  return true;
}

void Workbench::accept_pinned(Delivery delivery) {
  if (delivery.ticket != pinning_ticket_) return;
  changed_ = true;
  if (delivery.error) {
    error_ = delivery.error;
    pinning_ticket_ = 0;
    return;
  }
  if (!delivery.last) return;  // the exact totals follow
  remember("");
  auto pinned = std::make_shared<Pinned>();
  pinned->setup = pinning_;
  pinned->picture = picture_of(delivery);
  if (backend_.kind == Backend::Kind::Recording && recording()) {
    pinned->measurement = recorded(*recording(), *pinning_.kernel, pinning_.text, pinning_.values,
                                   delivery.run->report.launch, "", view_options.cold);
    pinned->measurement.of = delivery.of.without_device();
  }
  pinned_ = std::move(pinned);
  pinning_ticket_ = 0;
}

void Workbench::swap_sides() {
  if (!pinned_ || !picture_.run) return;
  remember("");
  auto other = std::make_shared<Pinned>();
  other->setup = setup_;
  other->setup.values = picture_.of.values;
  other->setup.text = picture_.of.text;
  other->picture = picture_;
  other->measurement = measurement_;
  const std::size_t step = pinned_cursor().step;
  setup_ = pinned_->setup;
  picture_ = pinned_->picture;
  picture_.serial = ++serial_;
  pinned_ = std::move(other);
  timeline_ = Timeline(picture_.run->trace, warp_);
  stop_ = timeline_.empty() ? 0 : timeline_.stop_at(step);
  phase_ = 1;
  error_.reset();
  selection_ = hover_ = {};
  oldest_ticket_ = ticket_ + 1;
  swept_ = {};
  swept_slider_.clear();
  ++sweep_serial_;
  start();
}

void Workbench::stop_comparing() {
  pinning_ticket_ = 0;
  if (!pinned_) return;
  remember("");
  pinned_.reset();
  changed_ = true;
}

visual::Cursor Workbench::pinned_cursor() const {
  if (!pinned_ || !picture_.run || timeline_.empty()) return {};
  const visual::Cursor here = cursor();
  return {matching_step(picture_.run->trace, here.step, pinned_->picture.run->trace,
                        same_program(setup_, pinned_->setup)),
          here.phase};
}

visual::Target Workbench::from_pinned(visual::Target target) const {
  if (!pinned_ || !picture_.run) return target;
  const bool same = same_program(setup_, pinned_->setup);
  if (target.step)
    target.step = matching_step(pinned_->picture.run->trace, *target.step, picture_.run->trace, same);
  if (!same) target.site.reset(), target.line.reset();
  target.sector.reset();  // an address in the other run's memory
  return target;
}

// Modelled numbers and names of a picture are those of the device that it was made for.
Shown Workbench::shown(const Picture& picture, visual::Cursor cursor) const {
  Shown out;
  out.run = picture.run;
  out.data = picture.data;
  out.modelled = picture.modelled;
  if (picture.time) out.time = {picture.time->milliseconds, picture.time->note, picture.time->on};
  if (picture.checked) out.checked = {picture.checked, &picture.checked->report};
  out.cursor = cursor;
  const auto listed = devices_.device(picture.run ? picture.of.device : device_);
  if (!listed) return out;
  out.device = *listed;
  if (const auto found = devices_.capability(out.device->cc)) out.capability = *found;
  return out;
}

Composition Workbench::composition(const Catalogue& text) const {
  Composition out;
  out.b = shown(picture_, cursor());
  if (pinned_) {
    Setup now = setup_;
    if (picture_.run) now.values = picture_.of.values;
    const SideNames names = side_names(pinned_->setup, now, text, settings.language);
    out.b.name = names.b;
    out.a = shown(pinned_->picture, pinned_cursor());
    out.a->name = names.a;
  }
  out.selection = selection_;
  out.hover = hover_;
  out.sweep = sweep(text);
  out.roofline = roofline(picture_, &text);
  out.streams = streams(text);
  out.transfers = transfers(text);
  out.b.counters = hardware(measurement_, picture_, text);
  if (pinned_) out.a->counters = hardware(pinned_->measurement, pinned_->picture, text);
  if (out.b.time)
    out.b.time->note = model::measured_note(*picture_.time, text.text(measurement_.evidence), text);
  for (const visual::Basis basis :
       {visual::Basis::Run, visual::Basis::Curve, visual::Basis::Hardware, visual::Basis::Model})
    out.earlier[static_cast<std::size_t>(basis)] = earlier_line(basis, text);
  out.options = view_options;
  out.reduce_motion = settings.reduce_motion;
  return out;
}

visual::ViewInput Workbench::view_input() const {
  Composition now;
  now.b = shown(picture_, cursor());
  now.selection = selection_;
  now.hover = hover_;
  now.options = view_options;
  return now.input(now.b);
}

}  // namespace warplens::window
