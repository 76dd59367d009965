#include "app/window/session/comparison.h"

#include "app/model/text/comments.h"
#include "app/window/session/matching_step.h"
#include "engine/base/assets.h"

namespace warplens::window {

std::optional<Headline> beside(const Headline& figure, const Pinned& a) {
  if (figure.provisional) return std::nullopt;
  for (const auto& list : {a.picture.figures, measured_figures(a.measurement, &a.picture.run->report)}) {
    for (const Headline& other : list)
      if (other.name_key == figure.name_key && !other.missing && !other.provisional) return other;
  }
  return std::nullopt;
}

Pinned side_of(Setup setup, const Picture& picture, const Measurement& measurement) {
  setup.values = picture.of.values;
  setup.text = picture.of.text;
  return {std::move(setup), picture, measurement};
}

namespace {

const model::Slider* slider_of(const Setup& setup, const std::string& name) {
  if (!setup.kernel) return nullptr;
  for (const model::Slider& s : setup.kernel->sliders)
    if (s.name == name) return &s;
  return nullptr;
}

// Names of choices say what a value means; a number means the same in every kernel.
bool both_have(const Setup& a, const Setup& b, const std::string& name) {
  const model::Slider *x = slider_of(a, name), *y = slider_of(b, name);
  return x && y && x->choices == y->choices;
}

std::set<std::string> differing(const Setup& a, const Setup& b) {
  std::set<std::string> out;
  for (const auto& [name, value] : b.values)
    if (const auto it = a.values.find(name); it != a.values.end() && it->second != value) out.insert(name);
  return out;
}

bool another_program(const Setup& a, const Setup& b) {
  return !a.kernel || !b.kernel || a.kernel->id != b.kernel->id || a.users_file != b.users_file ||
         a.text != b.text || a.compiler != b.compiler;
}

}  // namespace

Setup Pinned::shown() const {
  Setup out = setup;
  out.values = picture.of.values;
  return out;
}

void Comparison::restore(std::shared_ptr<const Pinned> side) {
  pinned_ = std::move(side);
  waiting_.reset();
  following_of_ = {};
}

void Comparison::pin(Pinned side, const Setup& open) {
  if (side.linked) side.apart = differing(side.setup, open);
  restore(std::make_shared<const Pinned>(std::move(side)));
}

void Comparison::swap(Pinned side) {
  side.linked = pinned_->linked;
  side.apart = pinned_->apart;
  restore(std::make_shared<const Pinned>(std::move(side)));
}

bool Comparison::moves_both(const Setup& open, const std::string& slider) const {
  if (!pinned_ || !pinned_->linked || pinned_->apart.contains(slider)) return false;
  return both_have(pinned_->setup, open, slider) &&
         (!pinned_->apart.empty() || another_program(pinned_->setup, open));
}

void Comparison::follow(const Setup& open, const std::string& slider, std::int64_t value) {
  if (!pinned_ || !pinned_->linked || pinned_->apart.contains(slider)) return;
  Pinned side = *pinned_;
  if (moves_both(open, slider))
    side.setup.values[slider] =
        model::allowed_value(*side.setup.kernel, *slider_of(side.setup, slider), value);
  else
    side.apart.insert(slider);
  pinned_ = std::make_shared<const Pinned>(std::move(side));
}

void Comparison::link(bool on, const Setup& open) {
  if (!pinned_) return;
  Pinned side = *pinned_;
  side.linked = on;
  side.apart = on ? differing(side.setup, open) : std::set<std::string>();
  pinned_ = std::make_shared<const Pinned>(std::move(side));
}

std::optional<Job> Comparison::catch_up(const LaunchChoices& launch, const model::RowWidths& row_widths) {
  if (!pinned_ || !pinned_->behind()) {
    following_of_ = {};  // what was on its way is not wanted any more
    return std::nullopt;
  }
  Job job = launch.job_of(pinned_->setup);
  if (job.of == following_of_) return std::nullopt;  // it is on its way
  job.pinned = true;
  job.row_widths = row_widths;
  job.blocks = launch.blocks();
  following_of_ = job.of;
  return job;
}

// Totals of a part would jump: those that stand there stay until the new exact ones are there.
void Comparison::show(const Delivery& delivery, Picture picture) {
  Pinned side = *pinned_;
  if (!delivery.whole) {
    picture.costs = side.picture.costs;
    picture.figures = side.picture.figures;
    picture.totals_of = side.picture.totals_of;
  }
  side.picture = std::move(picture);
  pinned_ = std::make_shared<const Pinned>(std::move(side));
}

void Comparison::put_on_shelf(const Delivery& delivery, std::uint64_t next_serial) {
  if (!pinned_) return;
  Pinned side = *pinned_;
  side.picture.put_on_shelf(delivery, next_serial);
  pinned_ = std::make_shared<const Pinned>(std::move(side));
}

void Comparison::measured(Measurement measurement, std::optional<model::MeasuredTime> time) {
  Pinned side = *pinned_;
  side.measurement = std::move(measurement);
  side.picture.time = std::move(time);
  pinned_ = std::make_shared<const Pinned>(std::move(side));
}

Result<Job> Comparison::ask(const model::GalleryKernel& kernel, const LaunchChoices& launch,
                            const Setup& open, const model::SliderValues& set) {
  const Result<std::string> text = read_text(kernel.file);
  if (!text) return text.error();
  Setup setup;
  setup.kernel = kernel;
  setup.text = setup.file_text = model::comments_in("en", *text, kernel.file);
  setup.values = model::default_values(kernel);
  for (const model::Slider& s : kernel.sliders) {
    if (const auto it = open.values.find(s.name); it != open.values.end() && s.choices.empty())
      setup.values[s.name] = model::nearest_allowed(s, it->second);
  }
  for (const auto& [name, value] : set) {
    if (setup.values.contains(name)) setup.values[name] = value;
  }
  Job job = launch.job_of(setup);
  job.pinned = true;
  waiting_of_ = job.of;
  waiting_ = std::move(setup);
  return job;
}

visual::Cursor Comparison::cursor(const Setup& open, const Picture& picture, visual::Cursor here) const {
  if (!pinned_ || !picture.run) return {};
  return {matching_step(picture.run->trace, here.step, pinned_->picture.run->trace,
                        same_program(open, pinned_->shown())),
          here.phase};
}

visual::Target Comparison::from_pinned(const Setup& open, const Picture& picture,
                                       visual::Target target) const {
  if (!pinned_ || !picture.run) return target;
  const bool same = same_program(open, pinned_->shown());
  if (target.step)
    target.step = matching_step(pinned_->picture.run->trace, *target.step, picture.run->trace, same);
  if (!same) target.site.reset(), target.line.reset();
  target.sector.reset();  // an address in the other run's memory
  return target;
}

}  // namespace warplens::window
