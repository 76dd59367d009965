// The other side: a setup with its picture and its times, pinned beside what is open, and one that is on its
// way.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/window/jobs/measurement.h"
#include "app/window/session/launch_choices.h"
#include "app/window/session/picture.h"

namespace warplens::window {

// Side A of a comparison: how it was set up and what it gave. Side B is what is open.
struct Pinned {
  Setup setup;
  Picture picture;
  Measurement measurement;
};

// What is shown, ready to be pinned: of its own values and text, while a newer run may be on its way.
Pinned side_of(Setup setup, const Picture& picture, const Measurement& measurement);

class Comparison {
 public:
  const Pinned* pinned() const { return pinned_.get(); }
  // For undo; a side that is on its way is then not wanted any more.
  std::shared_ptr<const Pinned> side() const { return pinned_; }
  void restore(std::shared_ptr<const Pinned> side);
  void pin(Pinned side);
  void stop() { restore(nullptr); }

  // A kernel of the gallery, on the same problem as far as it has the same sliders: what to run for it. It is
  // pinned when that is there.
  Result<Job> ask(const model::GalleryKernel& kernel, const LaunchChoices& launch, const Setup& open,
                  const model::SliderValues& set, const std::string& language);
  bool waits_for(const Delivery& delivery) const { return waiting_ && delivery.of == waiting_of_; }
  const Setup* waiting() const { return waiting_ ? &*waiting_ : nullptr; }
  void give_up() { waiting_.reset(); }

  // Comments of the pinned side in this language.
  void speak(const std::string& language);

  // Where A does what the open side does at its cursor.
  visual::Cursor cursor(const Setup& open, const Picture& picture, visual::Cursor here) const;
  // What a thing on side A is called on side B: its step is another, its sites are only those of one program.
  visual::Target from_pinned(const Setup& open, const Picture& picture, visual::Target target) const;

 private:
  std::shared_ptr<const Pinned> pinned_;
  std::optional<Setup> waiting_;
  ResultKey waiting_of_;
};

}  // namespace warplens::window
