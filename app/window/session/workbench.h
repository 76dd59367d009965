// Everything the window shows and everything a user can do to it, without a window: what is open, the
// sliders, the text, the newest picture, the time cursor, the selection. Panels read it and call it; tests
// drive it with an Engine of their own.
//
//   Workbench bench(gallery, devices, Engine::real(), wake);
//   bench.open_kernel("copy_strided");
//   bench.set_value("stride", 8);
//   while (!bench.settled()) bench.tick(now);
//   bench.picture()->run->report ...
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/model/roofline_chart.h"
#include "app/model/slider_values.h"
#include "app/window/jobs/background.h"
#include "app/window/jobs/earlier.h"
#include "app/window/jobs/figures.h"
#include "app/window/jobs/measurer.h"
#include "app/window/jobs/runner.h"
#include "app/window/jobs/setup.h"
#include "app/window/jobs/timeline.h"
#include "app/window/session/composition.h"
#include "app/window/session/export_view.h"
#include "app/window/session/history.h"
#include "app/window/session/settings.h"
#include "engine/analysis/device.h"
#include "visual/view.h"

namespace warplens::window {

// The newest whole result. It stays until the next one is there, whatever goes wrong in between.
struct Picture {
  std::shared_ptr<const model::Program> program;
  std::shared_ptr<const model::Run> run;
  ResultKey of;
  bool whole = false;  // totals cover the whole launch; else only the traced blocks
  std::vector<LineCost> costs;
  std::vector<Headline> figures;
  ResultKey totals_of;  // of costs and figures: exact ones stand until the new exact ones are there
  std::shared_ptr<const model::ViewData> data;
  std::shared_ptr<const model::Run> emulated;          // of the same launch, when `run` is the hardware's
  std::optional<model::MeasuredTime> time;             // of this launch
  std::uint64_t serial = 0;                            // another one, another number
  std::shared_ptr<const analysis::Modelled> modelled;  // null: nothing yet, or nothing can be said
  ResultKey modelled_of;                               // what it was made of, which may be earlier
  std::optional<model::WhatIf> what_if;                // of the same
  std::shared_ptr<const Checked> checked;  // what looking for faults found; null: nobody has looked

  // With every fault that is known.
  const analysis::Report& report() const { return checked ? checked->report : run->report; }
};

// Side A of a comparison: how it was set up and what it gave. Side B is what is open.
struct Pinned {
  Setup setup;
  Picture picture;
  Measurement measurement;
};

struct Toast {
  Message text;
  double until = 0;
};

class Workbench {
 public:
  Workbench(model::Gallery gallery, analysis::DeviceCatalogue devices, Engine engine,
            std::function<void()> wake);

  Settings settings;         // theme, language, views and layout: panels change them directly
  ViewOptions view_options;  // what views show and assume; panels change them directly

  // What is open.
  const model::Gallery& gallery() const { return gallery_; }
  const analysis::DeviceCatalogue& devices() const { return devices_; }
  bool open_kernel(const std::string& id);
  void open_file(const std::string& path, const std::string& kernel_name, const model::SliderValues& set = {},
                 CompilerChoices compiler = {});
  // Of a user's file: what the compiler is given besides; what is put in place of something assumed
  // (model::give()), and taken back. Errors say what was expected.
  void compile_with(CompilerChoices compiler);
  Status give(const std::string& what, const std::string& text);
  void take_back(const std::string& what);
  const model::GalleryKernel* kernel() const { return setup_.kernel ? &*setup_.kernel : nullptr; }
  const Setup& setup() const { return setup_; }
  bool is_users_file() const { return !setup_.users_file.empty(); }
  // These views stay when the kernel has run, although others might suit it better.
  void keep_views(const std::array<std::string, 2>& views);
  void choose_device(const std::string& name);
  const std::string& device_name() const { return device_; }
  const analysis::Device* device() const;
  const analysis::ComputeCapability* capability() const;

  // Sliders. Values are clamped to what the slider allows.
  const model::SliderValues& values() const { return setup_.values; }
  std::int64_t value(const std::string& slider) const;
  void set_value(const std::string& slider, std::int64_t value);
  void reset_value(const std::string& slider);
  void notch(const std::string& slider, int steps);  // arrow keys: to the next allowed value

  // The source text. An edit is compiled when no key was pressed for a moment.
  const std::string& text() const { return setup_.text; }
  bool edited() const { return setup_.edited(); }
  void set_text(std::string text, double now);
  void revert_text();
  // Writes the text to a file; where that is the open one, nothing is edited any more.
  Status save_text(const std::string& path);
  // The user's file as it stands on the disk now. What has been typed stays; then revert_text() goes there.
  void read_again();
  // A recording's times of the size that a clock needs, also where it has some of the picture's: what a
  // lesson says of time it says of that size.
  void prefer_clock(bool on);
  // A text of the open kernel with its comments in the language of the window.
  std::string in_my_language(const std::string& text) const;

  // Pins what is shown as side A and goes to the value that would do the same in less time; nothing where no
  // such value was found.
  void try_what_if();

  // Two sides: A is pinned as it is now, B is what sliders and edits go on changing.
  const Pinned* pinned() const { return pinned_.get(); }
  void compare();  // pins what is shown; nothing while there is no picture
  // Pins a kernel of the gallery, on the same problem as far as it has the same sliders. False: no such
  // kernel.
  bool compare_with(const std::string& kernel_id, const model::SliderValues& set = {});
  void swap_sides();
  void stop_comparing();
  visual::Cursor pinned_cursor() const;  // where A does what B does at the cursor

  // What runs the kernel and where times come from. Null until it is known what there is.
  const Inventory* inventory() const { return inventory_ ? &*inventory_ : nullptr; }
  const Backend& backend() const { return backend_; }
  void choose_backend(const Backend& backend);
  const gpu::DeviceInfo* gpu() const;         // the chosen one
  const model::Recording* recording() const;  // the one that would be played
  const Measurement& measurement() const { return measurement_; }
  bool measuring() const { return measurer_.measuring(); }
  std::optional<MeasureStep> measured_step() const { return measurer_.step(); }
  double measured_fraction() const { return measurer_.fraction(); }
  void measure_again();
  void cancel_measuring() { measurer_.cancel(); }
  void set_cold(bool cold);
  // The picture's numbers and the measured ones among them, in the order in which they are shown.
  std::vector<Headline> figures() const;
  // The curves over the swept slider: measured time first, where there is one.
  std::optional<visual::Sweep> sweep(const Catalogue& text) const;

  // Whether races, unwritten memory and the like are looked for once the picture is there: by default in
  // files of the user and in kernels that are about faults.
  bool looks_for_faults() const;
  void look_for_faults(bool on);

  // How many elements a row of a matrix has, where neither the kernel nor a guess says it rightly; 0 forgets.
  void set_row_width(const std::string& parameter, std::int64_t width);

  // Takes back and repeats what changed the setup or the comparison.
  bool can_undo() const { return history_.can_undo(); }
  bool can_redo() const { return history_.can_redo(); }
  void undo();
  void redo();

  // Shows a run that came from elsewhere, in place of what the open kernel gave.
  void show_run(std::shared_ptr<const model::Run> run);

  // Results.
  const Picture* picture() const { return picture_.run ? &picture_ : nullptr; }
  // What the launch costs over all values of one slider; null until it is known.
  const Swept* swept() const { return swept_.points.empty() ? nullptr : &swept_; }
  std::uint64_t sweep_serial() const { return sweep_serial_; }
  void sweep_over(const std::string& slider);
  const std::optional<Error>& error() const { return error_; }
  bool busy() const { return runner_.busy(); }
  double fraction() const { return runner_.fraction(); }
  double seconds_running() const { return runner_.seconds_running(); }
  bool compiling() const { return runner_.compiling(); }
  void cancel();  // the run; what is shown stays, and it is said
  // What is asked for. What is shown and has another key is earlier, and says so.
  ResultKey asked() const { return key_of(setup_, device_); }
  // Of a view as it stands: what the hardware has not counted is modelled.
  visual::Basis basis_of(const visual::View& view) const;
  // What a view with this basis belongs to, where that is not what is asked for.
  std::optional<Earlier> earlier(visual::Basis basis) const;
  // The same in words; empty: it is of what is asked for. While the picture follows a hand closely nothing is
  // said on the screen; exports always say it.
  std::string earlier_line(visual::Basis basis, const Catalogue& text) const;
  bool looks_earlier() const { return looks_earlier_; }
  std::string totals_line(const Catalogue& text) const;  // of the numbers on the bench
  // Numbers and costs a line, which may be those of the picture before.
  bool totals_are_earlier() const { return picture_.run && picture_.totals_of != asked(); }
  // Lines of the text that ran, in the text that is open.
  LineMap lines() const { return picture_.run ? LineMap(picture_.of.text, setup_.text) : LineMap(); }
  LineMap cost_lines() const {
    return picture_.run ? LineMap(picture_.totals_of.text, setup_.text) : LineMap();
  }
  // A number that was measured on another GPU than the modelled numbers are about.
  bool is_of_other_device(const MeasuredOn& on) const { return !on.empty() && !on.is(device_); }
  // Nothing is waiting or running: what is shown is what was asked for.
  bool settled() const;

  // Saves a picture or a film in the background; a note says where it went.
  void save_picture(ExportJob job);
  const Background& exports() const { return background_; }
  void cancel_export() { background_.cancel(); }

  // Time.
  const Timeline& timeline() const { return timeline_; }
  std::size_t stop() const { return stop_; }
  visual::Cursor cursor() const;
  bool playing() const { return playing_; }
  void play(bool on);
  void go_to_stop(std::size_t stop, bool animate);
  void go_to_step(std::size_t step);
  // One step on; during the motion of a step, to where it pauses next.
  void next();
  void back();
  void faster(int notches);
  std::optional<std::uint32_t> followed_warp() const { return warp_; }
  void follow_warp(std::optional<std::uint32_t> warp);
  int current_line() const;  // source line under the cursor, in the text that ran; 0 unknown

  // One selection and one hover for every view, the source pane and the numbers.
  const visual::Selection& selection() const { return selection_; }
  const visual::Selection& hover() const { return hover_; }
  void select(const visual::Target& target);
  void clear_selection();
  void set_hover(const visual::Target& target);
  // What a thing on side A is called on side B: its step is another, its sites are only those of one program.
  visual::Target from_pinned(visual::Target target) const;

  // Takes results, follows debounces and moves time. True when something to be seen changed.
  bool tick(double now);
  // Seconds until tick() has something to do; infinite when only input or a result can change anything.
  double next_wake(double now) const;

  const std::optional<Toast>& toast() const { return toast_; }
  // Says something for a few seconds; may be called from any thread.
  void note(Message text);

  // What a view needs to be laid out now.
  visual::ViewInput view_input() const;
  // The same with both sides of a comparison, alive for as long as it is held: exports work on it.
  Composition composition(const Catalogue& text) const;

 private:
  const model::Slider* slider(const std::string& name) const;
  struct Moment {
    Setup setup;
    std::shared_ptr<const Pinned> pinned;
    std::string device;
  };
  Moment moment() const { return {setup_, pinned_, device_}; }
  void remember(const std::string& key);
  void restore(Moment moment);
  void accept_pinned(Delivery delivery);
  Picture picture_of(const Delivery& delivery);
  void use_backend(const Backend& backend);
  Backend first_backend() const;
  void expect_measurement();
  void measure();
  void glimpse();
  bool runs_the_same_program(const model::SliderValues& values) const;
  std::string elsewhere(const model::SliderValues& values) const;
  std::string at_other_values(const model::SliderValues& values, const Catalogue& text) const;
  std::vector<MeasureStep> steps_to_measure(bool same_curve) const;
  bool shows(std::string_view view) const;
  std::optional<visual::HardwareCounters> hardware(const Measurement& measurement, const Picture& picture,
                                                   const Catalogue& text) const;
  std::optional<model::MeasuredTime> measured_time() const;
  Shown shown(const Picture& picture, visual::Cursor cursor) const;
  Pending pending() const;
  bool follow_earlier(double now, bool delivered);
  std::optional<visual::TransferRates> transfers(const Catalogue& text) const;
  std::optional<visual::StreamTimeline> streams(const Catalogue& text) const;
  std::optional<visual::RooflineChart> roofline(const Picture& picture, const Catalogue* text) const;
  Swept swept_through_now() const;
  void leave_trail(const Picture& next);
  void accept_measured(Measured measured);
  model::SliderValues others_of(const std::string& slider) const;
  void forget_results();
  void adopt_again();
  void start();  // submits what is open as it stands
  void speak();
  void accept(Delivery delivery);
  void show_checked(std::shared_ptr<const Checked> checked);
  void show(Delivery delivery);
  void choose_views();
  std::size_t first_stop() const;
  bool advance(double now);
  bool animate(double passed);
  const visual::Stop* next_rest() const;

  model::Gallery gallery_;
  analysis::DeviceCatalogue devices_;
  std::string device_ = "H200 SXM";
  Setup setup_;
  std::string language_;  // of the comments in it
  std::shared_ptr<const Pinned> pinned_;
  Setup pinning_;                     // waits for its picture
  std::uint64_t stopped_ticket_ = 0;  // the last job that the user stopped
  std::uint64_t pinning_ticket_ = 0;  // 0: none waits
  History<Moment> history_;
  std::optional<double> text_due_;
  std::vector<std::uint64_t> blocks_;
  std::uint64_t ticket_ = 0, oldest_ticket_ = 0;  // results of older tickets belong to another kernel or text

  Picture picture_;
  std::uint64_t serial_ = 0;  // the last that was given out
  Swept swept_;               // points, and over which slider
  std::string swept_slider_;  // the wanted one
  ResultKey swept_of_;
  std::uint64_t sweep_serial_ = 0;
  std::function<Result<model::BoundLaunch>(const model::GalleryKernel&, const model::SliderValues&)> bind_;
  std::optional<Inventory> inventory_;
  Backend backend_;
  Measurement measurement_;
  std::vector<visual::RooflinePoint> trail_;     // where the kernel stood before, oldest first
  std::uint64_t measure_ticket_ = 0;             // 0: nothing is being measured
  std::uint64_t oldest_glimpse_ = 0;             // of the chosen GPU and L2
  std::optional<visual::TransferRates> copied_;  // live, of the chosen GPU
  Message no_counters_{"", {}};  // the system refused them: not asked again until the user asks
  std::string measured_slider_, measured_text_;  // what the measured curve is of
  model::SliderValues measured_values_, measured_others_;
  Pending outcome_ = Pending::Stopped;   // how the last run that gave nothing ended
  std::optional<double> earlier_since_;  // what is shown is not what is asked for, and nothing newer came
  bool looks_earlier_ = false;
  std::optional<Error> error_;
  std::optional<bool> fault_switch_;  // of the user, for what is open
  Timeline timeline_;
  std::optional<std::uint32_t> warp_;
  std::size_t stop_ = 0;
  float phase_ = 1;
  double resting_ = 0;  // seconds left of a pause inside the step
  double held_ = 0;     // seconds that the finished step has been standing
  bool playing_ = false;
  std::optional<double> last_tick_;
  visual::Selection selection_, hover_;
  std::mutex notes_mutex_;
  std::optional<Message> note_;  // said since the last tick
  std::optional<Toast> toast_;
  bool changed_ = false, clock_first_ = false;
  bool views_chosen_ = false;                   // by the user, for this kernel
  decltype(Settings::views) views_we_chose_{};  // as choose_views() left them
  Background background_;                       // its tasks call note()
  // Last: their threads must end before what they deliver to.
  Measurer measurer_;
  Runner runner_;
};

}  // namespace warplens::window
