// The workbench and the other side of a comparison: put there, followed, swapped and taken away.
#include <utility>

#include "app/window/session/workbench.h"

namespace warplens::window {

void Workbench::accept_pinned(Delivery delivery) {
  if (delivery.on_all_devices) {
    comparison_.put_on_shelf(delivery, newest_.next_serial());
    changed_ = true;
    return;
  }
  if (!comparison_.waits_for(delivery)) {
    if (comparison_.follows(delivery)) accept_following(std::move(delivery));
    return;
  }
  changed_ = true;
  if (delivery.error) {
    newest_.fail(*delivery.error);
    comparison_.give_up();
    return;
  }
  if (!delivery.last) return;  // the exact totals follow
  remember("", moment());
  const Setup setup = *comparison_.waiting();
  comparison_.pin({setup, newest_.made(delivery), {}}, program_.setup());
}

// Side A went along with a slider. What was before that is remembered already.
void Workbench::accept_following(Delivery delivery) {
  changed_ = true;
  if (delivery.error) {
    if (delivery.error->kind != ErrorKind::Cancelled)
      note({"window.twin.a_failed", {{"why", value_of(*delivery.error)}}});
    return;
  }
  comparison_.show(delivery, newest_.made(delivery));
  catch_up();  // it may have been taken back meanwhile
}

void Workbench::catch_up() {
  if (std::optional<Job> job = comparison_.catch_up(launch_, view_options.row_widths))
    runner_.submit(std::move(*job));
}

bool Workbench::time_pinned() {
  if (!pinned() || pinned()->behind()) return false;
  std::optional<Measurement> known =
      measuring_.of_other(pinned()->setup, pinned()->picture, pinned()->measurement);
  if (!known) return false;
  auto time = measuring_.time_of(*known);
  comparison_.measured(std::move(*known), std::move(time));
  return true;
}

void Workbench::link_sides(bool on) {
  if (!pinned() || pinned()->linked == on) return;
  remember("", moment());
  comparison_.link(on, setup());
  changed_ = true;
}

void Workbench::compare() {
  if (!picture()) return;
  remember("", moment());
  Pinned side = side_of(setup(), *picture(), measurement());
  // What was modelled of an earlier value does not follow any more.
  if (!(side.picture.modelled_of == side.picture.of)) side.picture.modelled.reset();
  comparison_.pin(std::move(side), setup());
  catch_up();
  changed_ = true;
}

bool Workbench::compare_with(const std::string& id, const model::SliderValues& set) {
  const model::GalleryKernel* found = gallery().find(id);
  if (!found) return false;
  changed_ = true;
  Result<Job> job = comparison_.ask(*found, launch_, setup(), set);
  if (job)
    runner_.submit(std::move(*job));
  else
    newest_.fail(job.error());
  return job.has_value();
}

void Workbench::swap_sides() {
  if (!pinned() || !picture()) return;
  remember("", moment());
  const std::size_t step = pinned_cursor().step;
  const std::shared_ptr<const Pinned> other = comparison_.side();
  Pinned open = side_of(setup(), *picture(), measurement());
  open.setup.values = setup().values;  // as asked for, should it be on its way still
  comparison_.swap(std::move(open));
  program_.restore(other->setup);
  newest_.put(other->picture);
  newest_.forget_error();
  newest_.forget_curve();
  launch_.sweep_over_any();
  playback_.show_at(picture()->run, step);
  selection_ = hover_ = {};
  start();
  catch_up();
}

void Workbench::stop_comparing() {
  const Moment before = moment();
  comparison_.stop();
  if (!before.pinned) return;
  remember("", before);
  changed_ = true;
}

visual::Cursor Workbench::pinned_cursor() const {
  return timeline().empty() ? visual::Cursor{} : comparison_.cursor(setup(), newest_.picture(), cursor());
}

}  // namespace warplens::window
