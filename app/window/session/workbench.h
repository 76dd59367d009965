// Everything the window shows and everything a user can do to it, without a window. The state is in parts,
// each with a header of its own: what is open (open_program.h), how it is launched (launch_choices.h), its
// newest picture (picture.h), time (playback.h), what clocks say (measuring.h), the other side
// (comparison.h), the views (view_choice.h). The workbench wires them: a change to one of them is remembered
// for undo, submitted, and what comes back is handed round. What each result depends on is declared in
// jobs/inputs.h. Panels read it and call it; tests drive it with an Engine of their own.
//
//   Workbench bench(gallery, devices, Engine::real(), wake);
//   bench.open_kernel("copy_strided");
//   bench.set_value("stride", 8);
//   while (!bench.settled()) bench.tick(now);
//   bench.picture()->run->report ...
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/window/jobs/background.h"
#include "app/window/jobs/runner.h"
#include "app/window/session/belonging.h"
#include "app/window/session/comparison.h"
#include "app/window/session/composition.h"
#include "app/window/session/export_view.h"
#include "app/window/session/history.h"
#include "app/window/session/launch_choices.h"
#include "app/window/session/measuring.h"
#include "app/window/session/notes.h"
#include "app/window/session/open_program.h"
#include "app/window/session/picture.h"
#include "app/window/session/playback.h"
#include "app/window/session/settings.h"
#include "app/window/session/spoken_sources.h"
#include "app/window/session/view_choice.h"

namespace warplens::window {

class Workbench {
 public:
  Workbench(model::Gallery gallery, analysis::DeviceCatalogue devices, Engine engine,
            std::function<void()> wake);

  Settings settings;         // theme, language, views and layout: panels change them directly
  ViewOptions view_options;  // what views show and assume; panels change them directly

  // What is open.
  const model::Gallery& gallery() const { return program_.gallery(); }
  const analysis::DeviceCatalogue& devices() const { return launch_.devices(); }
  bool open_kernel(const std::string& id);
  void open_file(const std::string& path, const std::string& kernel_name, const model::SliderValues& set = {},
                 CompilerChoices compiler = {});
  // Of a user's file: what the compiler is given besides; what is put in place of something assumed
  // (model::give()), and taken back. Errors say what was expected.
  void compile_with(CompilerChoices compiler);
  Status give(const std::string& what, const std::string& text);
  void take_back(const std::string& what);
  const model::GalleryKernel* kernel() const { return program_.kernel(); }
  const Setup& setup() const { return program_.setup(); }
  bool is_users_file() const { return program_.is_users_file(); }
  // These views stay when the kernel has run, although others might suit it better.
  void keep_views(const std::array<std::string, 2>& views) { views_.keep(views); }
  void choose_device(const std::string& name);
  // Kernels are compiled for this target, whatever device is chosen; empty: for the device's.
  void keep_target(const std::string& target);
  const std::string& device_name() const { return launch_.device_name(); }
  const analysis::Device* device() const { return launch_.device(); }

  // Sliders. Values are clamped to what the slider allows.
  const model::SliderValues& values() const { return setup().values; }
  std::int64_t value(const std::string& slider) const { return launch_.value(slider); }
  void set_value(const std::string& slider, std::int64_t value);
  void reset_value(const std::string& slider);
  void notch(const std::string& slider, int steps);  // arrow keys: to the next allowed value

  // The source text. An edit is compiled when no key was pressed for a moment.
  // As the editor shows it, with its comments in the language of the window where the program knows them.
  const std::string& text() const { return program_.text(); }
  bool edited() const { return setup().edited(); }
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

  // Pins what is shown as side A and goes to the value, or the padded text, that would do the same in less
  // time; nothing where nothing was found.
  void try_what_if();
  // Off while a lesson stands where its sentence would: it takes seconds, and everything else waits for it.
  void seek_what_if(bool on) { seeks_what_if_ = on; }

  // Two sides: A is pinned as it is now, B is what sliders and edits go on changing.
  const Pinned* pinned() const { return comparison_.pinned(); }
  void compare();  // pins what is shown; nothing while there is no picture
  // Pins a kernel of the gallery, on the same problem as far as it has the same sliders. False: no such
  // kernel.
  bool compare_with(const std::string& kernel_id, const model::SliderValues& set = {});
  // While they are linked a slider that both have moves both, unless it is what is compared.
  void link_sides(bool on);
  bool moves_both(const std::string& slider) const { return comparison_.moves_both(setup(), slider); }
  void swap_sides();
  void stop_comparing();
  visual::Cursor pinned_cursor() const;  // where A does what B does at the cursor

  // What runs the kernel and where times come from. Null until it is known what there is.
  const Inventory* inventory() const { return measuring_.inventory(); }
  const Backend& backend() const { return measuring_.backend(); }
  void choose_backend(const Backend& backend);
  const gpu::DeviceInfo* gpu() const { return measuring_.gpu(); }
  const model::Recording* recording() const { return measuring_.recording(); }
  const Measurement& measurement() const { return measuring_.measurement(); }
  bool measuring() const { return measuring_.measuring(); }
  std::optional<MeasureStep> measured_step() const { return measuring_.step(); }
  double measured_fraction() const { return measuring_.fraction(); }
  void measure_again();
  void cancel_measuring() { measuring_.cancel(); }
  void set_cold(bool cold);
  std::vector<Headline> figures() const { return measuring_.figures(); }
  std::optional<visual::Sweep> sweep(const Catalogue& text) const { return measuring_.sweep(text); }

  // The block whose steps are shown: the first until another is chosen.
  void trace_block(std::uint64_t block);

  // Whether races, unwritten memory and the like are looked for once the picture is there: by default in
  // files of the user and in kernels that are about faults.
  bool looks_for_faults() const { return launch_.looks_for_faults(); }
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
  const Picture* picture() const { return newest_.get(); }
  // What the launch costs over all values of one slider; null until it is known.
  const Swept* swept() const { return newest_.swept(); }
  std::uint64_t sweep_serial() const { return newest_.sweep_serial() + measuring_.serial(); }
  void sweep_over(const std::string& slider);
  const std::optional<Error>& error() const { return newest_.error(); }
  bool busy() const { return runner_.busy(); }
  double fraction() const { return runner_.fraction(); }
  double seconds_running() const { return runner_.seconds_running(); }
  int line_running() const { return runner_.line(); }  // of a loop that it is in for long; 0: of none
  bool compiling() const { return runner_.compiling(); }
  void cancel();  // the run; what is shown stays, and it is said
  // What is asked for. What is shown and has another key is earlier, and says so.
  ResultKey asked() const { return launch_.asked(); }
  visual::Basis basis_of(const visual::View& view) const { return belonging_.basis_of(view); }
  std::optional<Earlier> earlier(visual::Basis basis) const { return belonging_.earlier(basis); }
  std::string earlier_line(visual::Basis basis, const Catalogue& text) const {
    return belonging_.line(basis, text);
  }
  bool looks_earlier() const { return belonging_.looks_earlier(); }
  std::string totals_line(const Catalogue& text) const { return belonging_.totals_line(text); }
  std::string pinned_line(const Catalogue& text) const { return belonging_.pinned_line(text); }
  bool totals_are_earlier() const { return belonging_.totals_are_earlier(); }
  bool error_is_earlier() const { return belonging_.error_is_earlier(); }
  // Lines of the text that ran, in the text that is open.
  LineMap lines() const { return picture() ? LineMap(picture()->of.text, setup().text) : LineMap(); }
  LineMap cost_lines() const {
    return picture() ? LineMap(picture()->totals_of.text, setup().text) : LineMap();
  }
  // A number that was measured on another GPU than the modelled numbers are about.
  bool is_of_other_device(const MeasuredOn& on) const { return !on.empty() && !on.is(device_name()); }
  // Nothing is waiting or running: what is shown is what was asked for.
  bool settled() const;

  // Saves a picture or a film in the background; a note says where it went.
  void save_picture(ExportJob job);
  const Background& exports() const { return background_; }
  void cancel_export() { background_.cancel(); }

  // Time. Panels that do nothing else take it alone.
  Playback& playback() { return playback_; }
  const Timeline& timeline() const { return playback_.timeline(); }
  std::size_t stop() const { return playback_.stop(); }
  visual::Cursor cursor() const { return playback_.cursor(); }
  bool playing() const { return playback_.playing(); }
  void play(bool on) { playback_.play(on); }
  void go_to_stop(std::size_t stop, bool animate) { playback_.go_to_stop(stop, animate); }
  void go_to_step(std::size_t step) { playback_.go_to_step(step); }
  void next() { playback_.next(); }
  void back() { playback_.back(); }
  void faster(int notches) { playback_.faster(notches); }
  std::optional<std::uint32_t> followed_warp() const { return playback_.followed_warp(); }
  void follow_warp(std::optional<std::uint32_t> warp) { playback_.follow_warp(warp); }
  int current_line() const { return playback_.current_line(); }

  // One selection and one hover for every view, the source pane and the numbers.
  const visual::Selection& selection() const { return selection_; }
  const visual::Selection& hover() const { return hover_; }
  void select(const visual::Target& target);
  void clear_selection();
  void set_hover(const visual::Target& target);
  visual::Target from_pinned(visual::Target target) const {
    return comparison_.from_pinned(setup(), newest_.picture(), target);
  }

  // Takes results, follows debounces and moves time. True when something to be seen changed.
  bool tick(double now);
  // Seconds until tick() has something to do; infinite when only input or a result can change anything.
  double next_wake(double now) const;

  const std::optional<Toast>& toast() const { return notes_.toast(); }
  // Says something for a few seconds; may be called from any thread.
  void note(Message text) { notes_.say(std::move(text)); }

  // What a view needs to be laid out now.
  visual::ViewInput view_input() const;
  // The same with both sides of a comparison, alive for as long as it is held: exports work on it.
  Composition composition(const Catalogue& text) const;

 private:
  // What undo brings back.
  struct Moment {
    Setup setup;
    std::shared_ptr<const Pinned> pinned;
    std::string device;
  };
  Moment moment() const { return {setup(), comparison_.side(), device_name()}; }
  void remember(const std::string& key, const Moment& before);
  // Makes a change, which says whether it was one; then what was before it is remembered and what is open now
  // runs. Changes with the same key that follow each other are taken back together.
  template <typename Change>
  bool change(const std::string& key, const Change& make);
  void restore(Moment moment);
  void opened();  // another program
  void forget_results();
  void start();  // submits what is open as it stands
  void speak();
  void accept(Delivery delivery);
  void accept_pinned(Delivery delivery);
  void accept_following(Delivery delivery);
  void catch_up();     // submits side A where it is behind what is asked of it
  bool time_pinned();  // has it timed by who times what is open; true: something is known that was not
  void accept(Measuring::News news);
  void show(Delivery delivery);
  void choose_views();
  void use_backend(const Backend& backend);
  Shown shown(const Picture& picture, visual::Cursor cursor) const;
  std::uint64_t shown_serial() const {
    return newest_.picture().serial + sweep_serial() + (pinned() ? pinned()->picture.serial : 0);
  }
  // What single views ask about the picture that nobody has found out yet (workbench_studies.cpp).
  void study();
  // What studies found, in the shape that views want; made once for as long as nothing of it changes.
  struct Studied {
    std::uint64_t picture = 0, measured = 0;
    std::string language;
    std::shared_ptr<const visual::OccupancyLab> lab;
    std::vector<visual::RooflinePoint> others;
    std::string others_at;
    std::optional<visual::RooflineCeiling> library;  // at that size
  };
  const Studied& studied(const Catalogue& text) const;
  void add_others(visual::RooflineChart& chart, const Catalogue& text) const;

  bool seeks_what_if_ = true;
  OpenProgram program_;
  LaunchChoices launch_;
  NewestPicture newest_;
  Playback playback_;
  ViewChoice views_;
  Comparison comparison_;
  History<Moment> history_;
  visual::Selection selection_, hover_;
  mutable Studied studied_;
  mutable SpokenSources sources_;
  bool went_wrong_ = false;  // the last whole run
  bool changed_ = false;
  double now_ = 0;  // of the last tick
  Notes notes_;
  Background background_;  // its tasks call note()
  // Last: their threads must end before what they deliver to.
  Measuring measuring_;
  Runner runner_;
  Belonging belonging_;
};

}  // namespace warplens::window
