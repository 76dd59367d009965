#include "app/window/session/launch_choices.h"

#include <algorithm>

#include "app/window/jobs/sweep.h"

namespace warplens::window {

bool LaunchChoices::choose_device(const std::string& name) {
  if (name == device_) return false;
  device_ = name;
  return true;
}

const analysis::Device* LaunchChoices::device() const {
  const auto found = devices_.device(device_);
  return found ? *found : nullptr;
}

const analysis::ComputeCapability* LaunchChoices::capability() const {
  const analysis::Device* d = device();
  if (!d) return nullptr;
  const auto found = devices_.capability(d->cc);
  return found ? *found : nullptr;
}

std::string LaunchChoices::target() const {
  if (!kept_target_.empty()) return kept_target_;
  const analysis::Device* d = device();
  return d ? d->target() : model::ProgramRequest().arch;
}

bool LaunchChoices::keep_target(const std::string& target) {
  const std::string before = LaunchChoices::target();
  kept_target_ = target;
  return LaunchChoices::target() != before;
}

ResultKey LaunchChoices::asked_of(const Setup& setup) const {
  ResultKey out = key_of(setup, device_);
  out.target = target();
  return out;
}

const model::Slider* LaunchChoices::slider(const std::string& name) const {
  if (!program_.kernel()) return nullptr;
  for (const model::Slider& s : program_.kernel()->sliders) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

std::int64_t LaunchChoices::value(const std::string& name) const {
  const auto it = program_.setup().values.find(name);
  return it == program_.setup().values.end() ? 0 : it->second;
}

bool LaunchChoices::set_value(const std::string& name, std::int64_t value) {
  const model::Slider* s = slider(name);
  if (!s) return false;
  value = model::allowed_value(*program_.kernel(), *s, value);
  const model::SliderValues& values = program_.setup().values;
  if (const auto it = values.find(name); it != values.end() && it->second == value) return false;
  program_.set_value(name, value);
  return true;
}

std::int64_t LaunchChoices::notched(const model::Slider& s, int steps) const {
  const std::vector<std::int64_t> notches = model::notches_of(s);
  if (notches.empty()) return value(s.name) + steps;
  const auto at = std::find(notches.begin(), notches.end(), model::nearest_allowed(s, value(s.name)));
  const auto index = std::clamp<std::ptrdiff_t>(at - notches.begin() + steps, 0,
                                                static_cast<std::ptrdiff_t>(notches.size()) - 1);
  return notches[static_cast<std::size_t>(index)];
}

bool LaunchChoices::looks_for_faults() const {
  if (fault_switch_) return *fault_switch_;
  if (program_.is_users_file()) return true;
  if (!program_.kernel()) return false;
  const std::vector<std::string>& views = program_.kernel()->views;
  return std::find(views.begin(), views.end(), "faults") != views.end();
}

bool LaunchChoices::sweep_over(const std::string& name) {
  const model::Slider* s = slider(name);
  if (name == swept_slider_ || !s || !can_sweep(*program_.kernel(), *s)) return false;
  swept_slider_ = name;
  return true;
}

void LaunchChoices::forget_blocks_and_curve() {
  blocks_.clear();
  sweep_over_any();
}

Job LaunchChoices::job_of(const Setup& setup) const {
  Job job;
  job.kernel = *setup.kernel;
  job.values = setup.values;
  job.text = setup.text;  // also when unchanged: the file may have changed on disk since
  // A user's file is adopted until it has run once, and again after each edit: its parameters may change.
  if (!setup.users_file.empty()) {
    if (setup.kernel->kernel.empty() || setup.edited()) {
      job.adopt_file = setup.users_file;
      job.kernel.kernel = setup.users_kernel;
      job.given = setup.given;
    }
    job.compiler = setup.compiler;
    if (setup.users_kernel.find('<') != std::string::npos) job.instances = {setup.users_kernel};
  }
  job.device = device_;
  job.gpu = device();
  job.capability = capability();
  job.of = asked_of(setup);
  return job;
}

Job LaunchChoices::job(const model::RowWidths& row_widths, const std::optional<Inputs>& curve_of) {
  if (swept_slider_.empty()) swept_slider_ = slider_to_sweep(*program_.setup().kernel);
  Job job = job_of(program_.setup());
  job.blocks = blocks_;
  job.check = looks_for_faults();
  job.row_widths = row_widths;
  if (!curve_of || !holds(Product::Curve, *curve_of, inputs())) job.sweep = swept_slider_;
  return job;
}

}  // namespace warplens::window
