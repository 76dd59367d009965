#include "app/window/session/composition.h"

#include <algorithm>

#include "engine/base/typography.h"
#include "visual/twin.h"

namespace warplens::window {

bool ViewOptions::operator==(const ViewOptions& o) const {
  return sm == o.sm && measure == o.measure && as_executed == o.as_executed && overlay == o.overlay &&
         streams == o.streams && to_device == o.to_device && cold == o.cold && row_widths == o.row_widths &&
         show_ptx == o.show_ptx;
}

std::string twin_words(const analysis::Report& a, const analysis::Report& b, const SideNames& names,
                       const Catalogue& text) {
  const auto changes = visual::differences(a, b);
  if (changes.empty()) return text.text("view.twin.same");
  // What both have compares as a ratio; what only one has at all is said after it.
  const auto both = std::find_if(changes.begin(), changes.end(),
                                 [](const visual::Difference& d) { return std::min(d.a, d.b) > 0; });
  const auto alone = std::find_if(changes.begin(), changes.end(),
                                  [](const visual::Difference& d) { return std::min(d.a, d.b) <= 0; });
  std::string out;
  if (both != changes.end()) out = visual::difference_words(*both, names.a, names.b, text);
  if (alone != changes.end()) append_sentence(out, visual::difference_words(*alone, names.a, names.b, text));
  return out;
}

visual::ViewInput Composition::input(const Shown& side) const {
  visual::ViewInput input;
  if (side.run) {
    input.report = side.checked ? side.checked.get() : &side.run->report;
    input.trace = &side.run->trace;
    if (side.data) side.data->attach(input);
    if (side.source) input.source = side.source.get();
  }
  input.device = side.device;
  input.capability = side.capability;
  input.cursor = side.cursor;
  input.selection = selection;
  input.hover = hover;
  input.sweep = sweep ? &*sweep : nullptr;
  input.streams = streams ? &*streams : nullptr;
  input.transfers = transfers ? &*transfers : nullptr;
  input.counters = side.counters ? &*side.counters : nullptr;
  input.modelled = side.modelled.get();
  input.time = side.time ? &*side.time : nullptr;
  if (roofline && &side == &b) input.roofline = &*roofline;
  if (&side == &b) input.lab = lab.get();
  input.overlay = options.overlay;
  input.sm = options.sm;
  input.measure = options.measure;
  input.show_ptx = options.show_ptx;
  return input;
}

visual::Scene Composition::lay_out(const visual::View& view, visual::Size size, const Catalogue& text,
                                   const visual::TextMeasure& measure) const {
  visual::ViewContext context{size, text, measure};
  context.as_executed = options.as_executed;
  context.reduce_motion = reduce_motion;
  visual::ViewInput open = input(b);
  const bool counted = open.counters && !open.counters->stalls.empty();
  open.earlier = earlier[static_cast<std::size_t>(view.basis_where(counted, open.modelled != nullptr))];
  if (!a) return view.layout(context, open);
  visual::ViewInput other = input(*a);
  other.earlier = a_earlier;
  return visual::twin(view, context, {a->name, std::move(other)}, {b.name, open});
}

}  // namespace warplens::window
