// What single views find out by trying, in the background and only while they are looked at: other block
// sizes and fewer registers for the occupancy, the kernel's other choices under the roof, other devices.
#include <utility>

#include "app/model/study/occupancy_lab.h"
#include "app/model/study/relatives.h"
#include "app/window/session/studies.h"
#include "app/window/session/workbench.h"
#include "engine/analysis/modelled.h"

namespace warplens::window {

namespace {

bool lacks_shelf(const Picture& picture) {
  return picture.run && picture.modelled && picture.modelled->time && picture.modelled_of == picture.of &&
         !(picture.shelf_of == picture.of);
}

std::shared_ptr<const model::Run> emulated(const Picture& picture) {
  return picture.emulated ? picture.emulated : picture.run;
}

}  // namespace

StudiesDue studies_due(const Workbench& bench) {
  const Picture* const now = bench.picture();
  if (!now || !now->whole || !(now->of == bench.asked()) || !bench.kernel() || !bench.device()) return {};
  if (!bench.devices().capability(bench.device()->cc)) return {};
  const auto looked_at = [&](visual::Tries tries) {
    return bench.settings.shows([tries](const visual::View& view) { return view.tries == tries; });
  };
  using enum visual::Tries;
  return {looked_at(OtherBlocks) && !(now->occupancy && now->occupancy_of == now->of),
          looked_at(OtherChoices) && !(now->relatives && now->relatives_of == now->of),
          looked_at(OtherDevices) && lacks_shelf(*now),
          looked_at(OtherDevices) && bench.pinned() && !bench.pinned()->behind() &&
              lacks_shelf(bench.pinned()->picture)};
}

void Workbench::study() {
  const StudiesDue due = studies_due(*this);
  if (!due.any() || !runner_.idle()) return;
  const Picture& now = newest_.picture();
  if (due.shelf_of_a) {
    Job other = launch_.job_of(pinned()->setup);
    other.pinned = true;
    other.of = pinned()->picture.of;
    other.studied = emulated(pinned()->picture);
    other.on_one_device = pinned()->picture.modelled;
    runner_.submit(std::move(other));
  }
  if (!due.of_open()) return;
  Job job = launch_.job(view_options.row_widths, newest_.curve_of());
  job.studied = emulated(now);
  job.try_occupancy = due.occupancy;
  job.try_relatives = due.relatives;
  if (due.shelf) job.on_one_device = now.modelled;
  runner_.submit(std::move(job));
}

const Workbench::Studied& Workbench::studied(const Catalogue& text) const {
  const Picture& now = newest_.picture();
  if (studied_.picture == now.serial && studied_.measured == measuring_.serial() &&
      studied_.language == text.language())
    return studied_;
  studied_ = {now.serial, measuring_.serial(), text.language(), nullptr, {}, {}, {}};
  if (!now.run || !kernel()) return studied_;
  const model::Recording* const played = measuring_.plays() ? measuring_.recording() : nullptr;
  const model::SliderValues& values = now.of.values;
  const auto same_but = [&](const ResultKey& then, const std::string& slider) {
    return then.device == now.of.device && holds(Product::Curve, {then, slider}, {now.of, slider});
  };
  if (now.occupancy && same_but(now.occupancy_of, now.occupancy->slider)) {
    auto lab = model::lab_of(*now.occupancy, *kernel(), values, played, now.of.text, text);
    if (!(now.occupancy_of == now.of)) lab.compiled.clear();  // of another block
    studied_.lab = std::make_shared<const visual::OccupancyLab>(std::move(lab));
  }
  const auto listed = devices().device(now.of.device);
  if (!played || !listed) return studied_;
  if (now.relatives && same_but(now.relatives_of, now.relatives->slider)) {
    const model::Relatives& all = *now.relatives;
    studied_.others = model::relative_points(all, *played, *kernel(), now.of.text, **listed, text);
    studied_.others_at =
        model::where_else(*kernel(), values, all.at, all.slider, std::string(text.language()));
    if (!studied_.others.empty()) studied_.library = played->library_roof(*kernel(), all.at);
  }
  // Warm and flushed apart, each under the roof that holds it.
  const auto& time = now.time;
  if (!time || !time->on.is(now.of.device)) return studied_;
  Picture other = now;
  other.time = model::other_l2(*played, *kernel(), now.of.text, values, time->flushed, text);
  if (!other.time) return studied_;
  if (auto chart = newest_.roofline(other, devices(), {}); chart && !chart->points.empty()) {
    chart->points.back().name = text.text(time->flushed ? "view.time.l2_warm" : "view.time.l2_flushed");
    studied_.others.push_back(std::move(chart->points.back()));
  }
  return studied_;
}

// What is shown at its own size, the others at the one that they were timed at, and what it is compared with.
void Workbench::add_others(visual::RooflineChart& chart, const Catalogue& text) const {
  const Studied& found = studied(text);
  chart.others = found.others;
  chart.others_at = found.others_at;
  if (found.library) chart.library = found.library;
  if (!pinned() || pinned()->picture.of.device != newest_.picture().of.device) return;
  auto side = newest_.roofline(pinned()->picture, devices(), {});
  if (!side || side->points.empty()) return;
  visual::RooflinePoint point = std::move(side->points.back());
  point.name = "A";
  chart.others.push_back(std::move(point));
}

}  // namespace warplens::window
