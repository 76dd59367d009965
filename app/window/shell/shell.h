// The running window: draws a frame from the workbench, reads the keyboard, and sleeps while nothing moves.
#pragma once

#include <optional>

#include "app/window/panels/lesson_panels.h"
#include "app/window/panels/program_panels.h"
#include "app/window/panels/ui.h"
#include "app/window/session/scrub_bench.h"
#include "app/window/session/user_files.h"
#include "app/window/shell/platform.h"
#include "app/window/shell/script.h"
#include "app/window/window.h"

namespace warplens::window {

// Frames drawn after an event: hover, popups and freshly built fonts settle within these.
inline constexpr int kFramesAfterInput = 3;

class Shell {
 public:
  Shell(Platform& platform, Workbench& bench, Fonts& fonts, const AppOptions& options);

  // The lessons that the window shows; without them it is the gallery alone. Must outlive the shell.
  void use(LessonSession& lessons);
  // The whole program that it can run. Must outlive the shell.
  void use(ProgramSession& program) { program_ = &program; }

  // Until the window is closed.
  Status run();
  // Waits for the run, draws `frames` frames a sixtieth of a second apart, writes the back buffer.
  Status screenshot(const std::string& file, int frames);
  // Plays a script (script.h) in real time, then leaves. Reports go to standard output.
  Status play(ScriptPlayer player);
  // Draws `frames` frames while the cursor runs over a trace of so many accesses.
  Result<ScrubResult> scrub(std::size_t accesses, int frames);

 private:
  void frame(double now, double seconds);
  void use_language();
  void need_characters();
  void keyboard(Ui& ui);
  void drop(const std::string& file);
  void draw_place(Ui& ui, bool lesson);  // program, lesson or bench
  bool escape_program();
  void leave_program();
  float scale() const;
  double presenting() const;
  bool blank_keys();
  // Keys of the page that is open: a clicker turns it. False: the key is somebody else's.
  bool lesson_keys();
  bool tick(double now);
  void follow_file(double now);
  bool settled() const;
  double next_wake(double now) const;
  double next_draw(
      double now) const;  // seconds until something on the screen changes by itself, at the latest
  // A key or a click of a script: pressed in one frame, let go in the next.
  void give(const ScriptInput& input, double now);
  // One frame of random input; standard error names each gesture as it begins, so that a crash can be
  // followed.
  void give(Monkey& monkey);

  Platform& platform_;
  Workbench& bench_;
  Fonts& fonts_;
  const AppOptions& options_;
  ImGuiTextMeasure measure_;
  std::optional<Catalogue> catalogue_;
  std::string language_;
  std::size_t text_size_ = 0;  // of the source whose characters the atlas holds
  PanelState state_;
  FileWatch watch_;
  std::string last_file_;  // of the user's, that was open last
  bool blank_ = false;     // the screen is dark
  LessonSession* lessons_ = nullptr;
  LessonPanelState lesson_state_;
  std::optional<LessonStage> lesson_stage_;
  ProgramSession* program_ = nullptr;
  ProgramPanelState program_state_;
  std::string lesson_language_;             // whose characters of the lessons the atlas holds
  std::function<void(ImGuiIO&)> pretend_;   // input of a script, set behind the window system's
  std::optional<visual::Point> points_at_;  // where a script has left the mouse, logical pixels
};

}  // namespace warplens::window
