// What a user would do in the window, from a file: one action a line, for demonstrations that run by
// themselves and for tests of the whole window. Time is real; an action begins when the one before it has
// ended.
//
//   # a speaker drags the stride, then looks at the counters
//   open copy_strided
//   wait settled
//   drag stride 1 32 2.5        from 1 to 32 in two and a half seconds
//   view counters stalls
//   wait settled 30             at most so many seconds; else the script fails on this line
//   screenshot strided.png
//   lesson coalescing           then next, back, guess 8, skip, why span (script_lesson.cpp)
//   press escape                a key, as on the keyboard; "ctrl+s", "shift+b"
//   write sums.cu               characters, to whatever takes them
//   point 640 320               the mouse goes there, in logical pixels of the window
//   click 640 320               and its left button
//   pull 600 200 900 300 0.5    the same held from one point to the other, for so many seconds
//   monkey 7 60 files           random input from seed 7 for a minute, which also drops files of that folder
//   report                      what is shown, as a line of JSON on standard output
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/session/lesson_session.h"
#include "app/window/session/program_session.h"
#include "app/window/session/workbench.h"
#include "app/window/shell/monkey.h"

namespace warplens::window {

struct ScriptAction {
  std::string verb;
  std::vector<std::string> words;
  int line = 0;
};

// What the window is to take for a key or a click.
struct ScriptInput {
  std::optional<int> key;  // GLFW's number
  bool ctrl = false, shift = false;
  std::string typed;
  std::optional<visual::Point> at;  // where the mouse goes
  bool clicks = false;
  std::optional<visual::Point> hand;  // where it is for as long as its action lasts
  bool held = false;                  // with the left button down
  std::string term;                   // whose card opens, as if it had been clicked
};

// What the window itself is at, for reports.
struct WindowSeen {
  std::set<std::string> cut;   // texts that had no room in the last frame
  float hidden_below = 0;      // of a lesson's page, under its lower edge, logical pixels
  bool line_in_sight = false;  // the code shows the line that the cursor is at
  bool presents = false, fills_screen = false, dark = false;
  int atlases = 0;           // that were made for the fonts
  std::string term;          // whose card is open
  bool term_written = true;  // its names, of both scripts, with glyphs of their own
  float term_bottom = 0;     // where the card ends, logical pixels of the window
};

// A word that is a number, any that a whole one can be made of.
std::optional<double> script_number(std::string_view word);

// Unknown verbs and a wrong number of words are errors with their line.
Result<std::vector<ScriptAction>> parse_script(std::string_view text, const std::string& file);

// Plays a script on a workbench, a bit at each frame.
class ScriptPlayer {
 public:
  explicit ScriptPlayer(std::vector<ScriptAction> actions, std::string file)
      : actions_(std::move(actions)), file_(std::move(file)) {}

  // The lessons that its actions play; without them these fail.
  void use(LessonSession& lessons) { lessons_ = &lessons; }
  // The same of the whole program.
  void use(ProgramSession& program) { program_ = &program; }
  bool done() const { return next_ >= actions_.size(); }
  // How many actions have ended.
  std::size_t at() const { return next_; }
  // The action in hand does nothing but wait.
  bool waits() const { return !done() && actions_[next_].verb == "wait"; }
  // Does what is due at `now`. A screenshot is left to the caller, who takes it of the next whole frame.
  Status advance(Workbench& bench, double now);
  std::optional<std::string> take_screenshot() { return std::exchange(screenshot_, std::nullopt); }
  std::optional<ScriptInput> take_input() { return std::exchange(input_, std::nullopt); }
  // Random input while an action asks for it, else none.
  Monkey* monkey() { return monkey_ ? &*monkey_ : nullptr; }
  std::vector<std::string> take_reports() { return std::exchange(reports_, {}); }
  // How long frames took while the script ran, seconds; reports carry the longest since the last one.
  void drew(double seconds) { longest_frame_ = std::max(longest_frame_, seconds); }
  // Of the last frame, for the reports.
  void saw(WindowSeen seen) { seen_ = std::move(seen); }

 private:
  using Handler = Result<bool> (ScriptPlayer::*)(Workbench&, const ScriptAction&, double);
  friend Result<std::vector<ScriptAction>> parse_script(std::string_view, const std::string&);
  struct Verb {
    const char* name;
    std::size_t least, most;  // words after it
    Handler handler;
  };
  static const std::vector<Verb>& verbs();
  // Each says whether it has ended.
  Result<bool> open(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> file(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> give(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> choose(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> set(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> drag(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> view(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> device(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> modelled(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> type(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> revert(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> look(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> measure(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> wait(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> screenshot(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> press(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> write(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> point(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> term(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> click(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> pull(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> monkey(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> lesson(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> program(Workbench& bench, const ScriptAction& action, double now);
  Result<bool> report(Workbench& bench, const ScriptAction& action, double now);
  Error wrong(const ScriptAction& action, Message what) const;
  Error wrong(const ScriptAction& action, const Error& why) const;

  LessonSession* lessons_ = nullptr;
  ProgramSession* program_ = nullptr;
  std::vector<ScriptAction> actions_;
  std::string file_;
  std::size_t next_ = 0;
  std::optional<double> began_;  // the action in hand
  std::optional<std::string> screenshot_;
  std::optional<ScriptInput> input_;
  std::optional<Monkey> monkey_;
  std::vector<std::string> reports_;
  double longest_frame_ = 0;
  WindowSeen seen_;
  int pulled_ = 0, stayed_ = 0;  // frames of the pull in hand; of them, at its end
};

}  // namespace warplens::window
