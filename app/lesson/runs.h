// The runs that a lesson speaks of, each executed once and kept.
//
//   Runs runs(*gallery, recordings.best());
//   RunScope scope(runs, {.kernel = kernel, .values = values}, {{"wide", {...}}});
//   value_of("wide.time / time", scope);
//
// What a name means:
//   stride                          the value of a slider (of a choice: its number)
//   global.load.sectors             a number of the report by its path (docs/REPORT.md)
//   site("in[i]", load).sectors     the sites whose line contains the text, added up
//   output.matches                  1 when the outputs are those of the reference
//   faults                          how many faults the run met
//   checksum.NAME                   the checksum of the buffer that the parameter NAME points to
//   time, time_flushed              the recorded median, in microseconds, at the size it is timed at
//   library_time                    of the vendor's library for the same product of matrices
//   RUN.anything of these           the same of a named run
//
// A run happens when a number of it is asked for first; it may take seconds, so the window asks on a thread
// of its own. All members may be used from any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/lesson/formula.h"
#include "app/lesson/lesson.h"
#include "app/model/recording/recording.h"
#include "app/model/run/pipeline.h"
#include "engine/base/message.h"

namespace warplens::lesson {

// A kernel at values of its sliders; text: an editor's, instead of the kernel's own.
struct Subject {
  const model::GalleryKernel* kernel = nullptr;
  model::SliderValues values;
  std::optional<std::string> text = {};
  simt::Checks checks = simt::Checks::Memory;
  // Sliders that keep their value when it is timed; others stand where the kernel says that it is timed.
  std::vector<std::string> keep = {};
  // What its outputs are compared with; null: the kernel as it is in its file.
  std::shared_ptr<const Subject> reference = {};
  // The block whose steps are stored: where a cursor stands. Totals are those of all.
  std::uint64_t block = 0;
  // Thread instructions after which it is stopped, as it will not end; 0: as many as anything may take.
  std::uint64_t budget = 0;
};

struct Facts {
  std::shared_ptr<const model::Run> run;
  std::shared_ptr<const nlohmann::json> report;
};

class Runs {
 public:
  Runs(const model::Gallery& gallery, const model::Recording* recording)
      : gallery_(gallery), recording_(recording) {}

  Result<Facts> facts(const Subject& subject);
  // A run that is at hand already (what a window shows), so that it is not executed again.
  void add(const Subject& subject, std::shared_ptr<const model::Run> run);
  Result<double> time(const Subject& subject, bool flushed) const;
  // What the vendor's library took for the product of matrices that the kernel makes.
  Result<double> library_time(const Subject& subject) const;
  // Whether the outputs of both are the same: whole numbers exactly, others within what their type can hold
  // of a sum whose order differs.
  Result<bool> output_matches(const Subject& subject, const Subject& reference);
  // A run stops soon after this.
  void cancel() { progress_.cancel(); }
  const model::Gallery& gallery() const { return gallery_; }
  const model::Recording* recording() const { return recording_; }

 private:
  static std::string key_of(const Subject& subject);
  Result<std::shared_ptr<const model::Program>> program(const Subject& subject,
                                                        const model::BoundLaunch& bound);
  Result<Facts> execute(const Subject& subject);
  void keep(const std::string& key, const Facts& facts);

  const model::Gallery& gallery_;
  const model::Recording* recording_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const model::Program>> programs_;
  std::map<std::string, Facts> facts_;
  std::vector<std::string> order_;  // of facts_, the oldest first
  Progress progress_;
};

struct NamedSubject {
  std::string name;
  Subject subject;
};

class RunScope : public Scope {
 public:
  RunScope(Runs& runs, std::optional<Subject> current, std::vector<NamedSubject> named)
      : runs_(runs), current_(std::move(current)), named_(std::move(named)) {}
  Result<double> value(const Reference& reference) const override;
  Result<double> choice(const Reference& reference, const std::string& name) const override;
  // What it was asked the time of until now. They are timed at a size that a clock needs, which is seldom
  // that of the picture.
  const std::vector<Subject>& timed() const { return timed_; }

 private:
  struct Meant {
    const Subject* subject = nullptr;
    Reference rest;
  };
  Result<Meant> meant(const Reference& reference) const;

  Runs& runs_;
  std::optional<Subject> current_;
  std::vector<NamedSubject> named_;
  mutable std::vector<Subject> timed_;
};

// A state of a lesson, as something that can be run.
Result<Subject> subject_of(const Lesson& lesson, const model::Gallery& gallery, const State& state);
// Names of a step (null: of the lesson alone) with the runs of the lesson; `current` is what the plain names
// mean.
Result<RunScope> scope_of(Runs& runs, const Lesson& lesson, const Step* step, std::optional<Subject> current);
// The same with the current subject at a state of the lesson.
Result<RunScope> scope_at(Runs& runs, const Lesson& lesson, const Step* step, const State& state);

// What a curve is laid over: its kernel's recorded times. Nothing where the step has no such curve.
std::optional<Subject> timed_curve(const Lesson& lesson, const model::Gallery& gallery, const Step& step);

// Where and when the times were recorded, and the sizes that they are of where the picture has others: for
// under a text that quotes them. Nothing where no time was asked for.
std::optional<Message> timed_note(const model::Recording* recording, const std::vector<Subject>& timed,
                                  const std::string& language);

// The subject with the steps of the block where the cursor stands.
Subject standing(Subject subject, const std::optional<At>& at);
// The step of the trace where a cursor of a lesson stands. The error says which lines there are.
Result<std::size_t> find_step(const trace::Trace& trace, const At& at, std::string_view view);

}  // namespace warplens::lesson
