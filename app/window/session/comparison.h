// The other side: a setup with its picture and its times, pinned beside what is open, and one that is on its
// way. While the sides are linked a slider that both have moves both; what is compared stays apart: the
// sliders in which the sides differed when they were linked, else the first that is moved afterwards.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "app/window/jobs/measurement.h"
#include "app/window/session/launch_choices.h"
#include "app/window/session/picture.h"

namespace warplens::window {

// Side A of a comparison: how it was set up and what it gave. Side B is what is open.
struct Pinned {
  Setup setup;      // as it is asked for
  Picture picture;  // the newest that came of it
  Measurement measurement;
  bool linked = true;
  std::set<std::string> apart = {};  // sliders that are compared

  Setup shown() const;  // as it was when the picture was made
  // Its exact numbers, or its picture too, are of earlier values than those that are asked for.
  bool behind() const {
    return !picture.whole || setup.values != picture.totals_of.values || setup.values != picture.of.values;
  }
};

// The number of side A that stands beside this one of side B: none beside a time of other values, which says
// itself where it was taken.
std::optional<Headline> beside(const Headline& figure, const Pinned& a);

// What is shown, ready to be pinned: of its own values and text, while a newer run may be on its way.
Pinned side_of(Setup setup, const Picture& picture, const Measurement& measurement);

class Comparison {
 public:
  const Pinned* pinned() const { return pinned_.get(); }
  // For undo; a side that is on its way is then not wanted any more.
  std::shared_ptr<const Pinned> side() const { return pinned_; }
  void restore(std::shared_ptr<const Pinned> side);
  void pin(Pinned side, const Setup& open);
  void swap(Pinned side);  // for what was open; what is compared stays
  void stop() { restore(nullptr); }

  // A kernel of the gallery, on the same problem as far as it has the same sliders: what to run for it. It is
  // pinned when that is there.
  Result<Job> ask(const model::GalleryKernel& kernel, const LaunchChoices& launch, const Setup& open,
                  const model::SliderValues& set);
  bool waits_for(const Delivery& delivery) const { return waiting_ && delivery.of == waiting_of_; }
  const Setup* waiting() const { return waiting_ ? &*waiting_ : nullptr; }
  void give_up() { waiting_.reset(); }

  // Whether this slider of the open side moves the pinned one as well.
  bool moves_both(const Setup& open, const std::string& slider) const;
  // A slider of the open side is about to move: to which value side A follows, or that it is compared.
  void follow(const Setup& open, const std::string& slider, std::int64_t value);
  // What is asked for differs from now on as it stands now: that is what is compared.
  void link(bool on, const Setup& open);
  // What to run for a side that is behind; nothing while it is not.
  std::optional<Job> catch_up(const LaunchChoices& launch, const model::RowWidths& row_widths);
  // A picture on the way there is worth showing, too: it is of the same program.
  bool follows(const Delivery& delivery) const {
    return pinned_ && holds(Product::Program, {delivery.of}, {following_of_});
  }
  void show(const Delivery& delivery, Picture picture);
  // What the models say of it on every device.
  void put_on_shelf(const Delivery& delivery, std::uint64_t next_serial);
  // What a clock says of the side as its picture is.
  void measured(Measurement measurement, std::optional<model::MeasuredTime> time);

  // Where A does what the open side does at its cursor.
  visual::Cursor cursor(const Setup& open, const Picture& picture, visual::Cursor here) const;
  // What a thing on side A is called on side B: its step is another, its sites are only those of one program.
  visual::Target from_pinned(const Setup& open, const Picture& picture, visual::Target target) const;

 private:
  std::shared_ptr<const Pinned> pinned_;
  std::optional<Setup> waiting_;
  ResultKey waiting_of_, following_of_;
};

}  // namespace warplens::window
