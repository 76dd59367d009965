#include "app/window/session/picture.h"

#include "engine/analysis/fault_text.h"
#include "engine/analysis/modelled.h"
#include "visual/warp_totals.h"

namespace warplens::window {
namespace {

constexpr std::size_t kTrail = 12;

// The hardware records chosen blocks; what every other warp does was counted in the emulator before.
std::shared_ptr<const model::ViewData> with_warps_of(const model::Run* emulated,
                                                     std::shared_ptr<const model::ViewData> data) {
  if (!emulated || !emulated->warps || !data || data->warps) return data;
  auto warps = std::make_shared<visual::WarpTotals>(*emulated->warps);
  warps->emulated = true;
  auto out = std::make_shared<model::ViewData>(*data);
  out->warps = std::move(warps);
  return out;
}

}  // namespace

void Picture::put_on_shelf(const Delivery& delivery, std::uint64_t next_serial) {
  if (!(delivery.of == modelled_of)) return;
  modelled = delivery.on_all_devices;
  shelf_of = delivery.of;
  serial = next_serial;
}

bool Picture::never_ended() const {
  return run->report.ending == analysis::Ending::Budget || analysis::goes_on_for_ever(run->report.faults);
}

std::optional<Inputs> NewestPicture::curve_of() const {
  return !swept_.slider.empty() && swept_.complete ? std::optional(swept_of_) : std::nullopt;
}

void NewestPicture::expect(const ResultKey& asked) {
  asked_ = asked;
  stopped_ = false;
}

bool NewestPicture::wants(const Delivery& delivery) const {
  return holds(Product::Program, {delivery.of}, {asked_});
}

NewestPicture::News NewestPicture::accept(Delivery& delivery) {
  if (delivery.swept) {
    swept_ = std::move(*delivery.swept);
    swept_of_ = {delivery.of, swept_.slider};
    ++sweep_serial_;
    return News::Nothing;
  }
  if (delivery.checked) {
    if (!(delivery.of == picture_.of)) return News::Nothing;
    picture_.checked = std::move(delivery.checked);
    picture_.serial = ++serial_;  // what was drawn without it is drawn anew
    return picture_.checked->report.faults_total > 0 ? News::Faults : News::Nothing;
  }
  if (delivery.what_if) {
    if (delivery.of == picture_.modelled_of) picture_.what_if = *delivery.what_if;
    return News::Nothing;
  }
  if (delivery.occupancy) {
    picture_.occupancy = std::move(delivery.occupancy);
    picture_.occupancy_of = delivery.of;
    picture_.serial = ++serial_;
    return News::Nothing;
  }
  if (delivery.relatives) {
    picture_.relatives = std::move(delivery.relatives);
    picture_.relatives_of = delivery.of;
    picture_.serial = ++serial_;
    return News::Nothing;
  }
  if (delivery.on_all_devices) {
    picture_.put_on_shelf(delivery, ++serial_);
    return News::Nothing;
  }
  if (delivery.modelled) {
    if (!(delivery.of == picture_.of)) return News::Nothing;
    picture_.modelled = *delivery.modelled;
    picture_.modelled_of = delivery.of;
    picture_.shelf_of = {};
    picture_.what_if.reset();
    picture_.serial = ++serial_;
    return News::Nothing;
  }
  if (delivery.error) {
    const ErrorKind kind = delivery.error->kind;
    outcome_ = kind == ErrorKind::Cancelled ? Pending::Stopped
               : delivery.program           ? Pending::Failed
                                            : Pending::NotCompiled;
    if (kind != ErrorKind::Cancelled || (stopped_ && !picture_.run)) {
      error_ = delivery.error;
      error_of_ = delivery.of;
    }
    return News::Nothing;
  }
  error_.reset();
  return News::Run;
}

Picture NewestPicture::made(const Delivery& delivery) {
  Picture next;
  next.program = delivery.program;
  next.run = delivery.run;
  next.of = next.totals_of = delivery.of;
  next.whole = delivery.whole;
  next.data = delivery.data;
  next.serial = ++serial_;
  next.costs = line_costs(delivery.run->report);
  next.figures = headlines(delivery.run->report, 6);
  if (delivery.modelled) next.modelled = *delivery.modelled;
  next.modelled_of = delivery.of;
  return next;
}

void NewestPicture::show(const Delivery& delivery, const analysis::DeviceCatalogue& devices) {
  Picture next = made(delivery);
  if (delivery.run->report.backend == trace::Backend::Gpu) {
    next.emulated = picture_.emulated ? picture_.emulated : picture_.run;
    next.data = with_warps_of(next.emulated.get(), next.data);
  }
  if (delivery.of == picture_.of && delivery.whole) next.checked = picture_.checked;
  next.modelled = picture_.modelled;  // stands until the models have followed
  next.modelled_of = picture_.modelled_of;
  next.shelf_of = picture_.shelf_of;
  next.what_if = picture_.what_if;
  next.occupancy = picture_.occupancy;
  next.occupancy_of = picture_.occupancy_of;
  next.relatives = picture_.relatives;
  next.relatives_of = picture_.relatives_of;
  if (!delivery.whole && picture_.run) {
    // Totals of a part would jump: the old ones stand until the exact ones are there.
    next.costs = picture_.costs;
    next.figures = picture_.figures;
    next.totals_of = picture_.totals_of;
  }
  if (delivery.whole) leave_trail(next, devices);
  picture_ = std::move(next);
}

void NewestPicture::forget_curve() {
  swept_ = {};
  swept_of_ = {};
  ++sweep_serial_;
}

void NewestPicture::forget() {
  picture_ = {};
  picture_.serial = ++serial_;
  trail_.clear();
  forget_curve();
}

void NewestPicture::put(Picture other) {
  picture_ = std::move(other);
  picture_.serial = ++serial_;
}

// A run on the GPU counts no operations, the emulator's of the same launch does.
std::optional<visual::RooflineChart> NewestPicture::roofline(const Picture& picture,
                                                             const analysis::DeviceCatalogue& devices,
                                                             const std::string& time_note) const {
  const auto listed = devices.device(picture.of.device);
  if (!picture.run || !listed) return std::nullopt;
  const visual::LevelTraffic* traffic =
      picture.data && picture.data->traffic ? &*picture.data->traffic : nullptr;
  std::optional<model::MeasuredTime> time = picture.time;
  if (time && !time_note.empty()) time->note = time_note;
  const auto& counted = picture.emulated ? picture.emulated : picture.run;
  return model::roofline_chart(*counted, **listed, traffic, trail_, time);
}

void NewestPicture::leave_trail(const Picture& next, const analysis::DeviceCatalogue& devices) {
  if (!picture_.run || !picture_.whole || picture_.of.values == next.of.values) return;
  const auto chart = roofline(picture_, devices, {});
  if (!chart || chart->points.size() <= trail_.size()) return;
  trail_.push_back(chart->points.back());
  if (trail_.size() > kTrail) trail_.erase(trail_.begin());
}

}  // namespace warplens::window
