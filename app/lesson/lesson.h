// A lesson, a challenge or a claim as its folder describes it: lesson.toml is what happens, en.md and zh.md
// are what is said. docs/LESSONS.md is the format.
//
//   const auto gallery = model::load_gallery();
//   const Reading reading = read_lesson("assets/lessons/coalescing", *gallery);
//   if (reading.lesson) play(*reading.lesson);
//
// Plain data that owns itself; expressions are texts here and parsed where they are evaluated (formula.h).
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/lesson/words.h"
#include "app/model/gallery/gallery.h"
#include "engine/base/result.h"

namespace warplens::lesson {

inline constexpr int kClassMinutes = 45;  // in which all of a lesson is shown

enum class Kind { Lesson, Challenge, Claim };

// A kernel at values of all of its sliders.
struct State {
  std::string kernel;  // of the lesson itself, else of the gallery
  model::SliderValues values;
  bool all_checks = false;  // races and unwritten memory are looked for too
  bool operator==(const State&) const = default;
};

// Where the cursor stands: the execution of a site by a warp. What is not given: the first.
struct At {
  std::string text;   // part of the source line; empty: the step that tells most in the view
  std::string op;     // "load", ...; empty: any
  std::string space;  // "global", ...; empty: any
  std::uint64_t block = 0;
  std::uint32_t warp = 0;
  std::uint64_t execution = 0;  // of this warp, counted from 0
  std::optional<int> lane;
  Place place;
};

struct NamedRun {
  std::string name;
  State state;
  std::string faults;  // the fault that this run must end with; empty: none
  Place place;
};

enum class PredictKind { Number, Choice, Paint, Curve, Order };
std::string_view name(PredictKind kind);

enum class Painted { Sectors, Banks, Lanes };

struct Predict {
  PredictKind kind = PredictKind::Number;
  State then;                      // of the reveal
  bool moves = false;              // whether the reveal differs from what is seen while one thinks
  std::vector<std::string> views;  // of the reveal
  std::optional<At> then_at;       // where the cursor stands then
  std::string faults;              // the fault that the reveal is about; empty: none
  std::string value;               // Number, Curve
  double tolerance = 0;
  std::vector<double> guesses;
  std::vector<std::string> options;                           // Choice, Order
  std::string right, check;                                   // Choice by name and proof
  enum class By { Right, Most, Least } by = By::Right;        // how a Choice is decided
  std::vector<std::pair<std::string, std::string>> measures;  // option -> expression, of Most, Least, Order
  Painted of = Painted::Sectors;
  At at;                    // Paint: the access painted
  std::optional<int> rows;  // Paint, Sectors: 128-byte lines offered
  std::string over;         // Curve: the slider
  bool measured = false;    // Curve: lay the recorded time over it
  Place place;

  // The answer is in what is seen while one thinks, or is given there.
  bool covers() const { return !moves || kind == PredictKind::Paint || kind == PredictKind::Curve; }
};

struct Why {
  std::vector<std::string> options;
  std::string right;
  Place place;
};

enum class Play { No, Once, On };

// What a teacher shows who has not the time for all of it.
struct Plan {
  int minutes = 0;  // of the class
  std::vector<std::string> steps;
  Place place;
};

struct Step {
  std::string id;
  int minutes = 0;  // in a class, with what is asked and said; 0: not told
  State state;
  std::vector<std::string> views;
  std::optional<At> at;
  std::string over;  // the slider of the plot of times; empty: the kernel's first
  Play play = Play::No;
  double pace = 1;
  std::optional<State> compare;  // side A
  std::optional<Predict> predict;
  std::optional<Why> why;
  std::string goal;    // an expression; empty: none
  State goal_reached;  // values of the sliders where it holds: the proof that it can be reached
  Place goal_place;
  std::vector<NamedRun> runs;  // its own; those of the lesson come on top
  Place place;

  // What is seen once it was revealed, and in which views.
  const State& revealed() const { return predict ? predict->then : state; }
  const std::vector<std::string>& revealed_views() const { return predict ? predict->views : views; }
};

// A solution must reach `value wanted`, as in "global.load.sectors_per_request" "<= 4".
struct Goal {
  std::map<std::string, std::string> text;
  std::string value, wanted;
  std::string statement() const { return "(" + value + ") " + wanted; }
  Place place;
};

struct Claim {
  std::string holds, depends;     // expressions; depends may be empty
  std::vector<std::string> show;  // the evidence
  State then;                     // what is seen with the verdict
  std::vector<std::string> views;
  std::optional<At> at;
  std::string faults;  // the fault that is seen there; empty: none
  Place place;
};

struct Lesson {
  std::string name;
  std::filesystem::path folder;
  Kind kind = Kind::Lesson;
  std::string topic;
  Place topic_place;
  int minutes = 0;
  std::vector<std::string> catalogue;
  std::vector<model::GalleryKernel> kernels;  // its own
  std::vector<Place> kernel_places;           // of each
  std::vector<NamedRun> runs;
  std::vector<Step> steps;
  std::vector<Plan> plans;  // shorter ones first
  // Challenges: kernels holds the start; the reference has the same sliders.
  std::optional<model::GalleryKernel> reference;
  bool reference_decides = false;
  std::vector<Goal> goals;
  std::string stars_by;                           // an expression: less is better
  std::map<std::string, std::string> stars_text;  // what it counts, by language
  Claim claim;
  std::map<std::string, Words> words;  // language -> text

  const model::GalleryKernel* own_kernel(std::string_view id) const;
  // The words of a language, else the English ones, else whichever there are.
  const Words& text(const std::string& language) const;
};

struct Reading {
  std::optional<Lesson> lesson;  // whenever the folder could be read at all
  std::vector<Error> problems;   // file, line and column of everything that is wrong
  bool ok() const { return lesson && problems.empty(); }
};
// An error that has no place yet happened at this one.
Error at_place(Error error, const Place& place);
Reading read_lesson(const std::filesystem::path& folder, const model::Gallery& gallery);

// The kernel that a state means; null when there is none (which read_lesson has said).
const model::GalleryKernel* kernel_of(const Lesson& lesson, const model::Gallery& gallery,
                                      const State& state);

// What the pages of a plan take together.
int minutes_of(const Lesson& lesson, const Plan& plan);

// The label of a claim's evidence, counted from 1; null when there is none.
const std::string* show_label(const Words& words, std::size_t number);

}  // namespace warplens::lesson
