#include "app/window/session/comparison.h"

#include "app/model/comments.h"
#include "app/window/session/matching_step.h"
#include "engine/base/assets.h"

namespace warplens::window {

Pinned side_of(Setup setup, const Picture& picture, const Measurement& measurement) {
  setup.values = picture.of.values;
  setup.text = picture.of.text;
  return {std::move(setup), picture, measurement};
}

void Comparison::restore(std::shared_ptr<const Pinned> side) {
  pinned_ = std::move(side);
  waiting_.reset();
}

void Comparison::pin(Pinned side) {
  restore(std::make_shared<const Pinned>(std::move(side)));
}

Result<Job> Comparison::ask(const model::GalleryKernel& kernel, const LaunchChoices& launch,
                            const Setup& open, const model::SliderValues& set, const std::string& language) {
  const Result<std::string> text = read_text(kernel.file);
  if (!text) return text.error();
  Setup setup;
  setup.kernel = kernel;
  setup.text = setup.file_text = model::comments_in(language, *text, kernel.file);
  setup.values = model::default_values(kernel);
  for (const model::Slider& s : kernel.sliders) {
    if (const auto it = open.values.find(s.name); it != open.values.end() && s.choices.empty())
      setup.values[s.name] = model::nearest_allowed(s, it->second);
  }
  for (const auto& [name, value] : set) {
    if (setup.values.contains(name)) setup.values[name] = value;
  }
  Job job;
  job.pinned = true;
  job.kernel = kernel;
  job.values = setup.values;
  job.text = setup.text;
  job.device = launch.device_name();
  job.gpu = launch.device();
  job.capability = launch.capability();
  job.of = waiting_of_ = key_of(setup, launch.device_name());
  waiting_ = std::move(setup);
  return job;
}

void Comparison::speak(const std::string& language) {
  if (!pinned_) return;
  Pinned side = *pinned_;
  if (window::speak(side.setup, language)) pinned_ = std::make_shared<const Pinned>(std::move(side));
}

visual::Cursor Comparison::cursor(const Setup& open, const Picture& picture, visual::Cursor here) const {
  if (!pinned_ || !picture.run) return {};
  return {matching_step(picture.run->trace, here.step, pinned_->picture.run->trace,
                        same_program(open, pinned_->setup)),
          here.phase};
}

visual::Target Comparison::from_pinned(const Setup& open, const Picture& picture,
                                       visual::Target target) const {
  if (!pinned_ || !picture.run) return target;
  const bool same = same_program(open, pinned_->setup);
  if (target.step)
    target.step = matching_step(pinned_->picture.run->trace, *target.step, picture.run->trace, same);
  if (!same) target.site.reset(), target.line.reset();
  target.sector.reset();  // an address in the other run's memory
  return target;
}

}  // namespace warplens::window
