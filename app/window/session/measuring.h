// What clocks and hardware say of what is open: by which GPU or recording, asked for when, and what came of
// it. measuring.cpp asks and takes, measuring_shown.cpp says it in the shape that views and numbers want.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/window/jobs/measurer.h"
#include "app/window/session/composition.h"
#include "app/window/session/launch_choices.h"
#include "app/window/session/picture.h"
#include "app/window/session/settings.h"

namespace warplens::window {

class Measuring {
 public:
  // What it reads of the rest of the workbench; outlives this.
  struct Reads {
    const OpenProgram& program;
    const LaunchChoices& launch;
    const NewestPicture& newest;
    const Settings& settings;
    const ViewOptions& options;
  };
  Measuring(const Engine& engine, std::function<void()> wake, Reads reads);

  const Inventory* inventory() const { return inventory_ ? &*inventory_ : nullptr; }
  const Backend& backend() const { return backend_; }
  const gpu::DeviceInfo* gpu() const;         // the chosen one
  const model::Recording* recording() const;  // the one that would be played
  bool plays() const { return backend_.kind == Backend::Kind::Recording && recording(); }
  // The GPU that is there, else what was recorded of one; what the user chose the last time comes before
  // both.
  Backend first_backend() const;
  // What the settings keep of a choice.
  std::string wish_of(const Backend& wanted) const;
  // Returns the GPU of the list that now measures; empty: none.
  std::string use(const Backend& backend);

  const Measurement& measurement() const { return measurement_; }
  std::uint64_t serial() const { return serial_; }  // of everything that a plot shows of it
  // Of what is open, with who measures it.
  Inputs inputs() const;
  // In the shape that views want; nothing where there is no timing.
  std::optional<model::MeasuredTime> time() const { return time_of(measurement_); }
  std::optional<model::MeasuredTime> time_of(const Measurement& measurement) const;

  bool busy() const { return measurer_.busy(); }
  bool measuring() const { return measurer_.measuring(); }
  std::optional<MeasureStep> step() const { return measurer_.step(); }
  double fraction() const { return measurer_.fraction(); }
  void cancel() { measurer_.cancel(); }

  // Everything is measured anew.
  void forget();
  void prefer_clock(bool on);
  // Something else was asked for: what was measured stays only where it is of that. A recording answers at
  // once.
  void expect();
  // While a slider moves: a few runs of the program that is there, at once; the counts follow.
  void glimpse();
  // Times what is shown, unless it is a picture that came late and the sliders have moved on.
  void measure();

  struct News {
    bool inventory = false, time = false;
    std::optional<Delivery> run;       // what the warps did on the hardware
    std::optional<Measurement> other;  // of the other side of a comparison
  };
  std::optional<News> take();  // nothing came in
  // Of the other side of a comparison, by who measures what is open. Nothing while `have` is that already;
  // else what is known at once. A GPU's time follows as news.
  std::optional<Measurement> of_other(const Setup& setup, const Picture& picture, const Measurement& have);
  bool is_of_other(const Measurement& measurement, const Picture& picture) const;

  // The picture's numbers and the measured ones among them, in the order in which they are shown.
  std::vector<Headline> figures() const;
  // The curves over the swept slider: measured time first, where there is one.
  std::optional<visual::Sweep> sweep(const Catalogue& text) const;
  bool compiled_as_measured(const Measurement& measurement, const Picture& picture) const;
  std::optional<visual::HardwareCounters> hardware(const Measurement& measurement, const Picture& picture,
                                                   const Catalogue& text) const;
  std::optional<visual::TransferRates> transfers(const Catalogue& text) const;
  std::optional<visual::StreamTimeline> streams(const Catalogue& text) const;

 private:
  const Picture& picture() const { return reads_.newest.picture(); }
  MeasureJob job(model::SliderValues values, const trace::Launch& launch) const;
  bool runs_the_same_program(const model::SliderValues& values) const;
  std::vector<MeasureStep> steps_to_measure(bool same_curve) const;
  News accept(Measured measured);
  Measurement coming(const gpu::DeviceInfo& from) const;  // of nothing yet
  std::string elsewhere(const model::SliderValues& values) const;
  std::string at_values(const model::SliderValues& values, const std::string& note,
                        const Catalogue& text) const;
  Swept swept_through_now() const;

  Reads reads_;
  std::function<Result<model::BoundLaunch>(const model::GalleryKernel&, const model::SliderValues&)> bind_;
  std::optional<Inventory> inventory_;
  Backend backend_;
  Measurement measurement_;
  std::optional<Inputs> curve_of_;  // of the measured points; nothing: there is no curve
  std::uint64_t serial_ = 0;
  std::optional<visual::TransferRates> copied_;  // live, of the chosen GPU
  Message no_counters_{"", {}};  // the system refused them: not asked again until the user asks
  Inputs other_asked_;           // what was last timed, or is being timed, of the other side
  bool clock_first_ = false;
  Measurer measurer_;  // last: its thread ends first
};

}  // namespace warplens::window
