#include "app/window/sweep.h"

#include <algorithm>

#include "app/window/notches.h"
#include "app/window/setup.h"

namespace warplens::window {

std::vector<std::int64_t> sweep_values(const model::Slider& slider, std::size_t most) {
  std::vector<std::int64_t> all = notches_of(slider);
  if (all.empty()) {
    const auto span = static_cast<std::uint64_t>(std::max<std::int64_t>(0, slider.max - slider.min));
    const std::uint64_t count = std::min<std::uint64_t>(span + 1, most);
    for (std::uint64_t i = 0; i < count; ++i) {
      all.push_back(slider.min + static_cast<std::int64_t>(count == 1 ? 0 : span * i / (count - 1)));
    }
  }
  if (all.size() <= most) return all;
  std::vector<std::int64_t> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[(all.size() - 1) * i / (most - 1)]);
  return some;
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
