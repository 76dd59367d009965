#include "app/window/sweep.h"

#include <algorithm>

#include "app/window/setup.h"

namespace warplens::window {

std::vector<std::int64_t> sweep_values(const model::Slider& slider, std::int64_t now) {
  // Values of a range too wide to try each are few, so that the curve is there soon.
  constexpr std::size_t kSome = 33;
  const bool every = model::count_of_values(slider) <= model::kEveryValue;
  return model::slider_steps(slider, every ? model::kEveryValue : kSome, model::Steps::Notable, now);
}

SweptPoint swept_point(std::int64_t value, const analysis::Report& report) {
  SweptPoint point;
  point.value = value;
  const analysis::Totals& t = report.totals;
  analysis::GlobalCounts global = t.global_load;
  global += t.global_store;
  global += t.global_atomic;
  global += t.global_reduction;
  analysis::SharedCounts shared = t.shared_load;
  shared += t.shared_store;
  shared += t.shared_atomic;
  if (global.requests > 0)
    point.sectors = static_cast<double>(global.sectors) / static_cast<double>(global.requests);
  if (shared.requests > 0) {
    point.passes = static_cast<double>(shared.wavefronts) / static_cast<double>(shared.requests);
  }
  point.lanes = report.execution.average_active_lanes();
  return point;
}

bool can_sweep(const model::GalleryKernel& kernel, const model::Slider& s) {
  if (!s.choices.empty() || (s.values.empty() && s.max <= s.min)) return false;
  const bool recompiles = std::any_of(kernel.defines.begin(), kernel.defines.end(), [&](const auto& define) {
    return define.second.find(s.name) != std::string::npos;
  });
  return !recompiles && kernel.kernel.find("{" + s.name) == std::string::npos;
}

std::string slider_to_sweep(const model::GalleryKernel& kernel) {
  const auto first = std::find_if(kernel.sliders.begin(), kernel.sliders.end(),
                                  [&](const model::Slider& s) { return can_sweep(kernel, s); });
  return first == kernel.sliders.end() ? std::string() : first->name;
}

visual::Sweep named_sweep(const Swept& swept, const model::GalleryKernel& kernel, std::int64_t now,
                          const Catalogue& text, const std::string& language) {
  visual::Sweep sweep;
  sweep.x_name = swept.slider;
  for (const model::Slider& s : kernel.sliders) {
    if (s.name == swept.slider) sweep.x_name = localized(s.title, language, s.name);
  }
  sweep.x_now = static_cast<double>(now);
  const auto add = [&](const char* key, const std::optional<double> SweptPoint::*member) {
    std::string name = text.text(key);
    if (!swept.whole) name = text.text({"window.sweep.block_0", {{"what", value_of(name)}}});
    visual::SweepSeries series{std::move(name), "", Evidence::Counted, {}};
    for (const SweptPoint& p : swept.points) {
      const auto x = static_cast<double>(p.value);
      if (const auto& y = p.*member) series.points.push_back({x, *y, *y, *y});
    }
    if (series.points.size() > 1) sweep.series.push_back(std::move(series));
  };
  add("window.figure.sectors", &SweptPoint::sectors);
  add("window.figure.passes", &SweptPoint::passes);
  return sweep;
}

}  // namespace warplens::window
