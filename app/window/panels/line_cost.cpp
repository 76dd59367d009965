#include "app/window/panels/line_cost.h"

#include <fmt/format.h>

#include "visual/layout.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Role;

constexpr float kCostRight = 12, kCostGap = 8;

const char* mark_key(analysis::AccessCost::Kind kind) {
  using Kind = analysis::AccessCost::Kind;
  return kind == Kind::Load    ? "window.source.load_mark"
         : kind == Kind::Store ? "window.source.store_mark"
                               : "window.source.atomic_mark";
}

std::string unit_of(const Ui& ui, const LineCost& cost) {
  return ui.say(cost.unit == LineCost::Unit::Divergence  ? "window.source.split"
                : cost.unit == LineCost::Unit::Sectors   ? "window.source.sectors"
                : cost.unit == LineCost::Unit::Addresses ? "window.source.addresses"
                                                         : "window.source.passes");
}

std::string number_of(const LineCost& cost, const CostMark& mark) {
  return cost.unit == LineCost::Unit::Divergence ? visual::percent_text(mark.value)
                                                 : fmt::format("{:.1f}", mark.value);
}

}  // namespace

std::string cost_tip(const Ui& ui, const LineCost& cost) {
  if (cost.unit == LineCost::Unit::Divergence)
    return ui.say({"window.source.divergent_tip",
                   {{"value", value_of(cost.value * 100)},
                    {"executions", value_of(cost.executions)},
                    {"known", known_after(cost.branches_known)}}});
  std::string out;
  for (const analysis::AccessCost& access : cost.accesses) out += ui.say(access_line(access)) + "\n";
  return out + ui.say({"window.source.line_tip",
                       {{"executions", value_of(cost.executions)}, {"share", value_of(cost.share * 100)}}});
}

float cost_width(const Ui& ui, const Pen& pen, const LineCost& cost, const CostLook& look) {
  float wide = kCostRight + pen.width(unit_of(ui, cost), look.small) + 4;
  for (const CostMark& mark : cost_marks(cost)) {
    wide += pen.width(number_of(cost, mark), look.size, Face::MonoBold) + kCostGap;
    if (mark.kind) wide += pen.width(ui.say(mark_key(*mark.kind)), look.small) + 1;
  }
  return wide;
}

void draw_cost(const Ui& ui, Pen& pen, const LineCost& cost, const CostLook& look, float right, float y) {
  const float alpha = look.earlier ? 0.5f : 1.0f;
  const std::string unit = unit_of(ui, cost);
  float x = right - kCostRight - pen.width(unit, look.small);
  pen.text({x, y, right - kCostRight - x + 2, look.line}, unit,
           {.size = look.small, .role = Role::Dim, .alpha = alpha});
  x -= 4;
  const std::vector<CostMark> marks = cost_marks(cost);
  for (std::size_t i = marks.size(); i-- > 0;) {
    const CostMark& mark = marks[i];
    const std::string number = number_of(cost, mark);
    const Role role = look.earlier ? Role::Dim : mark.worse ? Role::Warn : Role::Good;
    if (mark.kind) {
      const std::string arrow = ui.say(mark_key(*mark.kind));
      const float wide = pen.width(arrow, look.small);
      x -= wide;
      pen.text({x, y, wide + 2, look.line}, arrow, {.size = look.small, .role = role, .alpha = alpha});
      x -= 1;
    }
    const float wide = pen.width(number, look.size, Face::MonoBold);
    x -= wide;
    pen.text({x, y, wide + 2, look.line}, number,
             {.size = look.size, .face = Face::MonoBold, .role = role, .alpha = alpha});
    x -= kCostGap;
  }
}

}  // namespace warplens::window
