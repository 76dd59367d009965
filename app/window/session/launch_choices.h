// How what is open is launched and looked at: its sliders, the GPU of the list that modelled numbers are
// about, the blocks that are traced, whether faults are looked for, the slider of the curves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/model/gallery/slider_values.h"
#include "app/window/jobs/inputs.h"
#include "app/window/jobs/runner.h"
#include "app/window/session/open_program.h"
#include "engine/analysis/device.h"

namespace warplens::window {

class LaunchChoices {
 public:
  // The program outlives this; values of its sliders stand in its setup, so that undo and comparisons have
  // both.
  LaunchChoices(OpenProgram& program, analysis::DeviceCatalogue devices)
      : program_(program), devices_(std::move(devices)) {}

  const analysis::DeviceCatalogue& devices() const { return devices_; }
  const std::string& device_name() const { return device_; }
  bool choose_device(const std::string& name);
  const analysis::Device* device() const;
  const analysis::ComputeCapability* capability() const;
  // What kernels are compiled for: the device's, or always this one (none: the device's again).
  std::string target() const;
  bool keep_target(const std::string& target);

  const model::Slider* slider(const std::string& name) const;
  std::int64_t value(const std::string& slider) const;
  // To the nearest value that the slider allows.
  bool set_value(const std::string& slider, std::int64_t value);
  // So many allowed values away from where it stands.
  std::int64_t notched(const model::Slider& slider, int steps) const;

  const std::vector<std::uint64_t>& blocks() const { return blocks_; }
  void trace_block(std::uint64_t block) { blocks_ = {block}; }

  bool looks_for_faults() const;
  void look_for_faults(bool on) { fault_switch_ = on; }

  // Chosen by the user, else the slider that says most.
  const std::string& swept_slider() const { return swept_slider_; }
  bool sweep_over(const std::string& slider);
  void sweep_over_any() { swept_slider_.clear(); }

  void forget_blocks_and_curve();
  void forget_fault_switch() { fault_switch_.reset(); }

  ResultKey asked() const { return asked_of(program_.setup()); }
  Inputs inputs() const { return {asked(), swept_slider_}; }
  // A setup as it stands, on the chosen device: what to run for its picture.
  Job job_of(const Setup& setup) const;
  // The same of what is open, with all that is shown of it. A curve that `curve_of` says to be of something
  // else is asked for anew.
  Job job(const model::RowWidths& row_widths, const std::optional<Inputs>& curve_of);

 private:
  ResultKey asked_of(const Setup& setup) const;
  OpenProgram& program_;
  analysis::DeviceCatalogue devices_;
  std::string device_ = "H200 SXM", kept_target_;
  std::vector<std::uint64_t> blocks_;
  std::optional<bool> fault_switch_;  // of the user, for what is open
  std::string swept_slider_;
};

}  // namespace warplens::window
