// The lesson that is open in the window: its pages, the reader's predictions, what they are worth, goals that
// are reached. No ImGui; panels read it and call it, tests drive it on a workbench with an engine of theirs.
//
//   LessonSession session(bench, lesson::load_shelf(gallery), progress_file(), wake);
//   session.open("coalescing");
//   session.next();                       // from the introduction to the first step
//   session.guess_number(8);
//   session.reveal();                     // the sliders move, the outcome is told
//
// Pages of a lesson: 0 the introduction, then one a step, then what to remember. Challenges and claims are
// one page. What needs a run is worked out on a thread; until it is there, its place is empty.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/lesson/answers.h"
#include "app/lesson/grade.h"
#include "app/lesson/shelf.h"
#include "app/window/jobs/lesson_worker.h"
#include "app/window/session/lesson_progress.h"
#include "app/window/session/workbench.h"

namespace warplens::window {

// The kernels of lessons' own, under names that cannot be those of the gallery; topics do not list them.
void add_lesson_kernels(const lesson::Shelf& shelf, model::Gallery& gallery);

// A text of a page with its numbers, and what of it are times.
struct LessonText {
  std::string text;
  std::vector<lesson::Subject> times;
};

class LessonSession {
 public:
  enum class Mode { Explore, Lessons, Challenges };

  // progress: the file that is read and written; empty: neither.
  LessonSession(Workbench& bench, lesson::Shelf shelf, std::filesystem::path progress,
                std::function<void()> wake);

  Mode mode() const { return mode_; }
  void show(Mode mode) { mode_ = mode; }
  const lesson::Shelf& shelf() const { return shelf_; }
  const ProgressBook& progress() const { return book_; }

  // Goes on where the reader was. False: there is none of this name.
  bool open(const std::string& name);
  void close();  // back to the shelf
  const lesson::Lesson* lesson() const { return lesson_; }
  // The page takes the place of the bench.
  bool takes_bench() const { return mode_ != Mode::Explore; }

  // ---- pages ----
  int page() const { return page_; }
  std::uint64_t visit() const { return ticket_; }  // another number each time that a page is entered
  int pages() const;
  const lesson::Step* step() const;  // of this page; null on the first and the last
  void go_to(int page);
  // What a clicker does: reveals what was guessed, then turns the page. An open question is not passed by,
  // but for who was told so and asks once more: that skips the guess.
  void next();
  void back();
  bool nudged() const { return nudged_; }  // next() was asked for before an answer

  // ---- texts, with their numbers filled in; empty until they are known or where there is none ----
  std::string text(const std::string& kind, const std::string& name = {}) const;
  std::string section(const std::string& id) const;  // "remember", "hint 1", "solution"
  std::string title() const;
  std::string body() const;
  // Where and when the times that stand on the page by now were recorded, and at which size where it is not
  // that of the picture; nothing where none stands there.
  std::optional<Message> timed() const;
  // What `### wrong ...` says to this guess.
  std::string wrong_text() const;

  // ---- what the reader changed ----
  // Text and sliders stay live: what the page says is of the kernel and the values that the lesson set.
  enum class Strayed { No, Values, Code, Kernel };
  Strayed strayed() const;
  const lesson::State* spoken_of() const;  // what the text of this page is about; null where it is nothing
  void restore();
  // Which accesses, or that the lanes part, this page is about: where its cursor stands, else what its first
  // view shows. Empty: what the kernel is about.
  std::vector<analysis::About> page_about() const;

  // ---- predictions ----
  bool asks() const;  // this page asks for one
  bool told() const { return told_; }
  // The stage must not show the answer.
  bool covers() const;
  const lesson::Guess& guess() const { return guess_; }
  bool guessed() const;  // enough to be told
  void guess_number(std::optional<double> value);
  void guess_option(const std::string& option);
  void guess_order(const std::string& option);  // the next one of the order; one that is in it is taken out
  // To this place of the order, counted from 0, or behind the last; none: out of it.
  void place(const std::string& option, std::optional<std::size_t> at);
  // The card that was put in place last goes up (-1) or down (1). False: there is none to move.
  bool move_last(int by);
  // What next() puts in place; back() marks another. Empty until next() was asked for once.
  std::string marked() const;
  bool marks_skip() const;  // next() skips the guess
  void toggle(std::uint64_t mark);
  void draw(std::int64_t x, double y);
  // What a script answers: as it is right, or wrong on purpose. False: the answer is not there yet.
  bool answer_for_me(bool right);
  void reveal();
  void skip();
  // Once it was worked out; what it holds is shown only when told.
  const lesson::Answer* answer() const { return answer_ ? &*answer_ : nullptr; }
  lesson::Judgement judgement() const;
  // Once a painted or drawn guess was told: the board with both, or the view behind it.
  bool shows_board() const { return board_; }
  void show_board(bool on) { board_ = on; }
  // Why it cannot be told: a run of the lesson failed.
  const std::optional<Error>& trouble() const { return trouble_; }

  // The answer of this number, from 1, to what the page asks: a guess offered, an option, a verdict, a
  // reason. False: there is none, as where one paints.
  bool pick(int number);
  const std::string& chosen_why() const { return why_; }
  void choose_why(const std::string& option);
  bool goal_reached() const { return goal_reached_; }

  // ---- challenges ----
  int hints() const { return hints_; }
  void hint();
  const lesson::Grade* grade() const { return grade_ ? &*grade_ : nullptr; }
  // What ran before the last change of text or sliders; null until something was changed in this visit. A
  // text that does not compile on the way is no run.
  const lesson::Grade* former() const { return former_ ? &*former_ : nullptr; }
  // What the reference counts; null until it was worked out.
  const lesson::Grade* of_reference() const { return of_reference_ ? &*of_reference_ : nullptr; }
  void show_reference();  // the caller has asked for confirmation
  bool reference_shown() const { return reference_shown_; }

  // ---- claims ----
  static constexpr lesson::Verdict kVerdicts[] = {lesson::Verdict::Holds, lesson::Verdict::Depends,
                                                  lesson::Verdict::Refuted};  // as they are offered
  const lesson::Judged* judged() const { return judged_ ? &*judged_ : nullptr; }

  // Takes what came in and follows the workbench; true when something to be seen changed.
  bool tick(double now);
  bool busy() const { return worker_.busy() || cursor_due_; }
  // For scripts and tests.
  nlohmann::json report() const;

 private:
  using Texts = std::map<std::string, LessonText>;  // by "kind name"
  void enter();
  void leave();
  bool orders() const;
  void nudge();
  std::vector<std::string> unplaced() const;
  void put_marked();
  bool mark_another();
  std::string bench_kernel(const std::string& kernel) const;
  bool on_introduction() const;
  std::vector<std::string> shown_views() const;
  const lesson::At* shown_at() const;
  bool shows_fault() const;
  void show_state(const lesson::State& state);
  void stand();
  void ask_for_texts();
  void ask_for_answer();
  void follow_goal();
  void follow_challenge();
  void ask_for_reference();
  void ask_for_verdict();
  bool on_challenge() const;
  void keep_solution();
  void save();
  const lesson::Section* words() const;
  const LessonText* find_text(const std::string& key) const;
  std::vector<std::string> texts_in_sight() const;  // their keys
  std::string wrong_key() const;                    // of what this guess is told; empty: nothing
  lesson::Subject subject() const;                  // what is open now

  Workbench& bench_;
  lesson::Shelf shelf_;
  std::filesystem::path progress_;
  ProgressBook book_;
  Mode mode_ = Mode::Explore;
  const lesson::Lesson* lesson_ = nullptr;
  int page_ = 0;
  bool nudged_ = false, told_ = false, goal_reached_ = false, reference_shown_ = false;
  bool cursor_due_ = false, board_ = true, said_not_kept_ = false;
  int hints_ = 0;
  std::uint64_t ticket_ = 0;  // of the page; what belongs to an earlier one is dropped
  std::string language_;
  lesson::Guess guess_;
  std::optional<std::size_t> marked_;  // of unplaced(); behind its last: to skip
  std::string placed_last_;
  std::optional<lesson::Answer> answer_;
  std::optional<Error> trouble_;
  std::string why_;
  Texts before_, after_, done_;  // texts at the step's state, at the reveal, where the goal was reached
  std::optional<lesson::Subject> timed_curve_;   // what the page's curve is laid over, once it is told
  const model::Recording* recording_ = nullptr;  // that the times come from; of the worker's
  std::optional<lesson::Grade> grade_, former_, of_reference_;
  std::optional<lesson::Judged> judged_;
  std::optional<ResultKey> followed_;  // what goal or grade was last looked at
  std::optional<ResultKey> asked_;     // of the bench, since:
  double asked_at_ = 0;
  double speed_ = 1;     // of the transport, as the user left it
  bool cold_ = false;    // times with a flushed L2, as the user left it
  LessonWorker worker_;  // last: its thread ends first
};

}  // namespace warplens::window
