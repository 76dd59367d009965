// The newest whole result, and what came in for it since: totals, faults, models, the counted curve. It stays
// until the next one is there, whatever goes wrong in between.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/model/study/roofline_chart.h"
#include "app/window/jobs/figures.h"
#include "app/window/jobs/inputs.h"
#include "app/window/jobs/runner.h"
#include "app/window/jobs/sweep.h"
#include "visual/view.h"

namespace warplens::window {

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
  // What views found out by trying, when somebody looked at them, and what of.
  std::shared_ptr<const model::OccupancyTrials> occupancy;
  std::shared_ptr<const model::Relatives> relatives;
  ResultKey occupancy_of, relatives_of;
  ResultKey shelf_of;  // what `modelled` is of where it is of every device; else of nothing
  std::shared_ptr<const Checked> checked;  // what looking for faults found; null: nobody has looked

  // Takes what is `modelled` on every device, should it still be that; then it is another picture.
  void put_on_shelf(const Delivery& delivery, std::uint64_t next_serial);
  // With every fault that is known.
  const analysis::Report& report() const { return checked ? checked->report : run->report; }
  // It was stopped, or has a loop without an end: the whole launch was not run.
  bool never_ended() const;
  bool went_wrong() const { return never_ended() || !report().faults.empty(); }
};

class NewestPicture {
 public:
  const Picture* get() const { return picture_.run ? &picture_ : nullptr; }
  const Picture& picture() const { return picture_; }  // its run may be null
  const Swept* swept() const { return swept_.points.empty() ? nullptr : &swept_; }
  // Nothing where no curve was counted, or a better one is still to come.
  std::optional<Inputs> curve_of() const;
  const Inputs& swept_of() const { return swept_of_; }
  std::uint64_t sweep_serial() const { return sweep_serial_; }
  const std::optional<Error>& error() const { return error_; }
  // It is of something else than this, as far as it came from a run.
  bool error_is_of_other(const ResultKey& asked) const {
    return error_ && error_of_ && !(*error_of_ == asked);
  }
  Pending outcome() const { return outcome_; }  // how the last run that gave nothing ended

  // This was submitted: results of another program are not wanted any more.
  void expect(const ResultKey& asked);
  void stopped_by_user() { stopped_ = true; }
  bool wants(const Delivery& delivery) const;
  enum class News : std::uint8_t { Nothing, Faults, Run };
  std::uint64_t next_serial() { return ++serial_; }
  // Of a run, which changes more than this, show() does the rest.
  News accept(Delivery& delivery);
  void show(const Delivery& delivery, const analysis::DeviceCatalogue& devices);
  // A picture of its own, for the other side of a comparison.
  Picture made(const Delivery& delivery);

  void fail(Error error) {
    error_ = std::move(error);
    error_of_.reset();
  }
  void forget_error() { error_.reset(); }
  void forget_faults() { picture_.checked.reset(); }
  void forget_curve();
  void forget();
  void put(Picture other);  // of the other side
  void set_time(std::optional<model::MeasuredTime> time) { picture_.time = std::move(time); }

  // Of a picture, with where what is open stood before.
  std::optional<visual::RooflineChart> roofline(const Picture& picture,
                                                const analysis::DeviceCatalogue& devices,
                                                const std::string& time_note) const;

 private:
  void leave_trail(const Picture& next, const analysis::DeviceCatalogue& devices);

  Picture picture_;
  std::uint64_t serial_ = 0;  // the last that was given out
  Swept swept_;               // points, and over which slider
  Inputs swept_of_;
  std::uint64_t sweep_serial_ = 0;
  std::vector<visual::RooflinePoint> trail_;  // where the kernel stood before, oldest first
  ResultKey asked_;                           // what was submitted last
  bool stopped_ = false;                      // by the user
  Pending outcome_ = Pending::Stopped;
  std::optional<Error> error_;
  std::optional<ResultKey> error_of_;  // nothing: of what could not even be asked for
};

}  // namespace warplens::window
