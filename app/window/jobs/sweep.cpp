#include "app/window/jobs/sweep.h"

#include <algorithm>
#include <array>

#include "app/model/gallery/slider_values.h"
#include "app/window/jobs/figures.h"
#include "app/window/jobs/setup.h"

namespace warplens::window {
namespace {

// A number that changes the program is tried at so many values: each takes the compiler.
constexpr std::uint64_t kFewPrograms = 8;

}  // namespace

SweptPoint swept_point(std::int64_t value, const analysis::Report& report) {
  SweptPoint point{value, analysis::access_costs(report), {}};
  point.focus = analysis::focus_of(point.accesses, report.about);
  return point;
}

bool can_sweep(const model::GalleryKernel& kernel, const model::Slider& s) {
  if (!s.choices.empty()) return s.choices.size() > 1;
  if (s.values.empty() && s.max <= s.min) return false;
  if (model::count_of_values(s) <= kFewPrograms) return true;
  return std::none_of(kernel.defines.begin(), kernel.defines.end(),
                      [&](const auto& define) { return define.second.find(s.name) != std::string::npos; });
}

std::string slider_to_sweep(const model::GalleryKernel& kernel) {
  const auto first = std::find_if(kernel.sliders.begin(), kernel.sliders.end(),
                                  [&](const model::Slider& s) { return can_sweep(kernel, s); });
  return first == kernel.sliders.end() ? std::string() : first->name;
}

namespace {

using analysis::AccessCost;
using analysis::Memory;

// Several groups of one place, when copies cost differently: the worst stands for it, as in the focus.
const AccessCost* at_same_place(const SweptPoint& point, const AccessCost& wanted) {
  const AccessCost* out = nullptr;
  for (const AccessCost& a : point.accesses)
    if (a.same_place(wanted) && (!out || a.waste() > out->waste())) out = &a;
  return out;
}

// The access that the curve follows; null where each point follows its own.
const AccessCost* followed(const Swept& swept, Memory memory, std::int64_t now) {
  const auto point = std::find_if(swept.points.begin(), swept.points.end(),
                                  [&](const SweptPoint& p) { return p.value == now; });
  if (point == swept.points.end() || !point->focus.of(memory)) return nullptr;
  const AccessCost& wanted = *point->focus.of(memory);
  const bool everywhere = std::all_of(swept.points.begin(), swept.points.end(), [&](const SweptPoint& p) {
    return at_same_place(p, wanted) != nullptr;
  });
  return everywhere ? &wanted : nullptr;
}

visual::SweepSeries series_of(const Swept& swept, Memory memory, const AccessCost* of, std::string name) {
  visual::SweepSeries series{std::move(name), "", Evidence::Counted, {}};
  Known known = Known::MachineCode;  // of all points: the least known
  for (const SweptPoint& p : swept.points) {
    const std::optional<AccessCost>& focus = p.focus.of(memory);
    const AccessCost* here = of ? at_same_place(p, *of) : focus ? &*focus : nullptr;
    if (!here) continue;
    const double x = static_cast<double>(p.value), y = here->per_request();
    series.points.push_back({x, y, y, y});
    known = weaker(known, here->known);
  }
  series.evidence = counted(known);
  return series;
}

}  // namespace

visual::Sweep named_sweep(const Swept& swept, const model::GalleryKernel& kernel, std::int64_t now,
                          const Catalogue& text, const std::string& language) {
  visual::Sweep sweep;
  sweep.x_name = swept.slider;
  bool choice = false;
  for (const model::Slider& s : kernel.sliders) {
    if (s.name != swept.slider) continue;
    sweep.x_name = model::title_of(s, language);
    choice = !s.choices.empty();
    for (std::size_t i = 0; i < s.choices.size(); ++i)
      sweep.x_names.push_back(model::value_name(s, static_cast<std::int64_t>(i), language));
  }
  sweep.x_now = static_cast<double>(now);
  const auto add = [&](Memory memory) {
    const AccessCost* of = choice ? nullptr : followed(swept, memory, now);
    std::string name = text.text(figure_key(memory));
    if (of)
      name = text.text({"window.sweep.of_access",
                        {{"what", value_of(name)}, {"access", value_of(text.text(access_name(*of)))}}});
    if (!swept.whole) name = text.text({"window.sweep.block_0", {{"what", value_of(name)}}});
    visual::SweepSeries series = series_of(swept, memory, of, std::move(name));
    if (series.points.size() > 1) sweep.series.push_back(std::move(series));
  };
  // First shared and constant memory where the kernel is about them at any of the points; then global memory.
  const auto rank = [&](Memory memory) {
    const bool about =
        std::ranges::any_of(swept.points, [&](const SweptPoint& p) { return p.focus.main == memory; });
    return memory == Memory::Global ? 1 : about ? 0 : 2;
  };
  std::array order{Memory::Shared, Memory::Constant, Memory::Global};
  std::ranges::stable_sort(order, {}, rank);
  for (const Memory memory : order) add(memory);
  return sweep;
}

}  // namespace warplens::window
