// Predictions: the right answer, which the run gives, and what a guess is worth beside it.
//
//   const auto answer = answer_of(runs, lesson, step);         // runs the reveal; may take seconds
//   const Judgement told = judge(*step.predict, *answer, guess);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/lesson/lesson.h"
#include "app/lesson/runs.h"

namespace warplens::lesson {

using CurvePoints = std::vector<std::pair<std::int64_t, double>>;  // value of the slider -> number

// What may be painted, and what is right. A mark is a sector's first address, a bank or a lane.
struct Paintable {
  std::vector<std::uint64_t> offered;  // ascending
  std::set<std::uint64_t> right;
  std::map<std::uint64_t, LaneMask> lanes;  // of sectors and banks: whom each of them serves
  std::size_t step = 0;                     // of the trace
  std::string line;                         // of the source, trimmed
};

struct Answer {
  double number = 0;                                     // Number
  std::string option;                                    // Choice
  std::vector<std::string> order;                        // Order
  std::vector<std::pair<std::string, double>> measures;  // option -> its value
  Paintable paint;
  CurvePoints curve, measured;     // measured: microseconds, empty where nothing is recorded
  bool in_time = false;            // Curve, Order: it is made of times
  bool computed = false;           // Curve: from the launch's own numbers, without a run
  std::vector<std::string> timed;  // kernels whose recorded times are in it
};
Result<Answer> answer_of(Runs& runs, const Lesson& lesson, const Step& step);

struct Guess {
  std::optional<double> number;
  std::string option;
  std::vector<std::string> order;
  std::set<std::uint64_t> marks;
  CurvePoints curve;
  bool skipped = false;  // knowingly
};

struct Judgement {
  bool right = false;
  // Paint: marks that are right, that are missing, and that are too many. Curve: points that are near, of
  // all. Order: options that stand in their place, and those that do not.
  std::size_t hit = 0, missing = 0, extra = 0;
};
Judgement judge(const Predict& predict, const Answer& answer, const Guess& guess);

// A guess that is judged right, and one that is judged wrong (of the numbers on the buttons, where one of
// these is): for whoever plays lessons without a reader.
Guess right_guess(const Answer& answer);
Guess wrong_guess(const Predict& predict, const Answer& answer);

// What `### wrong NAME` is looked up by: "4" of a number, the option of a choice; empty otherwise.
std::string guess_name(const Predict& predict, const Guess& guess);

// The values of the slider that a curve goes through, ascending.
std::vector<std::int64_t> curve_values(const model::GalleryKernel& kernel, const std::string& slider,
                                       std::int64_t now);
// Points that lie within 15 % of the range of the right curve; of the guess's own values.
std::size_t points_near(const CurvePoints& guess, const CurvePoints& right);

// What may be painted of an access, and what of it is right.
Result<Paintable> paintable(const trace::Trace& trace, const Predict& predict);

}  // namespace warplens::lesson
