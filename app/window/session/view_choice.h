// Which views stand on the stage: those that suit the kernel and what came of it, until the user chooses.
#pragma once

#include <array>
#include <string>

#include "app/window/jobs/measurement.h"
#include "app/window/session/picture.h"
#include "app/window/session/settings.h"
#include "visual/view.h"

namespace warplens::window {

class ViewChoice {
 public:
  explicit ViewChoice(Settings& settings) : settings_(settings) {}

  // These stay, although others might suit better.
  void keep(const std::array<std::string, 2>& views);
  void forget() { kept_ = false; }
  bool kept() const { return kept_; }
  // Nobody has changed what was chosen here.
  bool untouched() const { return !kept_ && settings_.views == ours_; }
  // A view that is seen is one of its own choice, and has nothing to say of this run: another variant of the
  // kernel uses other memory.
  bool is_empty_of(const visual::ViewInput& input) const;
  // What went wrong, then the kernel's own views, then those that have something to say about what ran.
  void choose(const model::GalleryKernel& kernel, const Picture& picture, const Measurement& measurement,
              const visual::ViewInput& input);

 private:
  Settings& settings_;
  bool kept_ = false;
  decltype(Settings::views) ours_{};
};

}  // namespace warplens::window
