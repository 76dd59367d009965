// How near the roof does this kernel run? The ceilings of the device, and the kernel as a point under them;
// while a slider moves, the points before it remain as a trail.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visual/layout.h"
#include "visual/plot.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

class RooflineView {
 public:
  RooflineView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (!input_.roofline || input_.roofline->ceilings.empty()) return empty();
    chart_ = *input_.roofline;
    std::erase_if(chart_.points,
                  [](const RooflinePoint& p) { return !(p.flop_per_byte > 0) || !(p.gflops > 0); });
    find_roof();
    if (!(flat_ > 0) || !(steep_ > 0)) return empty();
    Rect rest = header();
    const std::string why = reason();
    const float height = draft_.sentence_height(why, rest.width, 2);
    if (height > 0 && rest.height > 200) draft_.sentence("why", take_bottom(rest, height, 12), why);
    chart(rest);
    return draft_.finish(why.empty() ? draft_.say("view.roofline.no_point") : why);
  }

 private:
  Scene empty() {
    Rect rest = draft_.header({.title = draft_.say("view.roofline.title")});
    draft_.empty(rest, draft_.say("view.empty.headline"), draft_.say("view.roofline.none_advice"));
    return draft_.finish(draft_.say("view.empty.headline"));
  }

  // The roof is the lowest slanted ceiling, that of DRAM, under the highest flat one.
  void find_roof() {
    for (const RooflineCeiling& c : chart_.ceilings) {
      if (c.gbps > 0) steep_ = steep_ > 0 ? std::min(steep_, c.gbps) : c.gbps;
      flat_ = std::max(flat_, c.gflops);
    }
  }
  double roof(double intensity) const { return std::min(flat_, steep_ * intensity); }
  const RooflinePoint* now() const { return chart_.points.empty() ? nullptr : &chart_.points.back(); }

  Rect header() {
    const RooflinePoint* p = now();
    Heading heading{.title = draft_.say("view.roofline.title"), .about = chart_.device};
    if (p) {
      heading.answer =
          draft_.say("view.roofline.of_roof", {{"share", percent_text(p->gflops / roof(p->flop_per_byte))}});
      heading.sub = draft_.say("view.roofline.point", {{"intensity", plain_number(p->flop_per_byte)},
                                                       {"gflops", plain_number(p->gflops)}});
      heading.evidence = p->evidence;
    }
    return draft_.header(heading);
  }

  std::string reason() const {
    const RooflinePoint* p = now();
    if (!p) return {};
    const double ridge = flat_ / steep_;
    return draft_.say(p->flop_per_byte < ridge ? "view.roofline.memory_side" : "view.roofline.compute_side",
                      {{"intensity", plain_number(p->flop_per_byte)},
                       {"ridge", plain_number(std::round(ridge * 10) / 10)},
                       {"roof", plain_number(std::round(roof(p->flop_per_byte)))},
                       {"gflops", plain_number(p->gflops)}});
  }

  void chart(const Rect& r) {
    const double ridge = flat_ / steep_;
    PlotRange range{.x_min = std::pow(10, std::floor(std::log10(ridge / 200))),
                    .x_max = std::pow(10, std::ceil(std::log10(ridge * 20))),
                    .y_min = flat_ / 2e3,
                    .y_max = flat_ * 2,
                    .log_x = true,
                    .log_y = true};
    for (const RooflinePoint& p : chart_.points) {
      range.x_min = std::min(range.x_min, p.flop_per_byte / 2);
      range.x_max = std::max(range.x_max, p.flop_per_byte * 2);
      range.y_min = std::min(range.y_min, p.gflops / 3);
    }
    range.y_min = std::pow(10, std::floor(std::log10(range.y_min)));
    Plot plot(draft_, "roof", r, range, draft_.say("view.roofline.axis_x"),
              draft_.say("view.roofline.axis_y"));
    for (std::size_t i = 0; i < chart_.ceilings.size(); ++i) ceiling(plot, range, i);
    trail(plot);
  }

  void ceiling(Plot& plot, const PlotRange& range, std::size_t i) {
    const RooflineCeiling& c = chart_.ceilings[i];
    const bool slanted = c.gbps > 0;
    const double top = flat_;
    const double from = slanted ? std::max(range.x_min, range.y_min / c.gbps) : range.x_min;
    const double to = slanted ? top / c.gbps : range.x_max;
    if (!(to > from)) return;
    const double start = slanted ? c.gbps * from : c.gflops, end = slanted ? top : c.gflops;
    const bool is_roof = slanted ? c.gbps <= steep_ : c.gflops >= flat_;
    // The flat roof begins where the lowest slope meets it.
    const double flat_from = slanted ? from : std::max(range.x_min, c.gflops / fastest());
    const PlotPoint a{slanted ? from : flat_from, start}, b{to, end};
    const std::string limit =
        slanted ? draft_.say("view.roofline.gbps", {{"name", c.name}, {"n", plain_number(c.gbps)}})
                : draft_.say("view.roofline.gflops", {{"name", c.name}, {"n", plain_number(c.gflops)}});
    plot.line({a, b}, Ink::of(is_roof ? Role::Text : Role::Dim, is_roof ? 0.9f : 0.7f), !is_roof, limit);
    const Point pa = plot.at(a), pb = plot.at(b);
    const float wide = draft_.width(limit, kTiny) + 4;
    if (!slanted) {
      if (pb.x - wide > plot.inner().x)
        draft_.text("ceiling." + c.name, {pb.x - wide, pb.y - 17, wide, 15}, limit, dim(kTiny, Align::Right));
      return;
    }
    // Along the slope, the lowest one below its line and the others above theirs.
    const float along = is_roof ? 0.14f : 0.6f;
    const Point at{pa.x + (pb.x - pa.x) * along, pa.y + (pb.y - pa.y) * along};
    if (is_roof && at.y + 18 < plot.inner().bottom())
      draft_.text("ceiling." + c.name, {at.x + 10, at.y + 1, wide, 15}, limit, dim(kTiny));
    else if (!is_roof && at.x - wide - 8 > plot.inner().x)
      draft_.text("ceiling." + c.name, {at.x - wide - 8, at.y - 16, wide, 15}, limit,
                  dim(kTiny, Align::Right));
  }

  double fastest() const {
    double out = steep_;
    for (const RooflineCeiling& c : chart_.ceilings) out = std::max(out, c.gbps);
    return out;
  }

  void trail(Plot& plot) {
    constexpr std::size_t kMost = 200;
    const std::size_t first = chart_.points.size() > kMost ? chart_.points.size() - kMost : 0;
    std::vector<PlotPoint> path;
    for (std::size_t i = first; i < chart_.points.size(); ++i)
      path.push_back({chart_.points[i].flop_per_byte, chart_.points[i].gflops});
    if (path.size() > 1)
      plot.line(path, Ink::of(Role::Accent, 0.5f), false, draft_.say("view.roofline.trail"));
    Rect taken{};
    for (std::size_t i = path.size(); i-- > 0;) {
      const RooflinePoint& p = chart_.points[first + i];
      const std::string tip = p.name + "\n" +
                              draft_.say("view.roofline.point", {{"intensity", plain_number(p.flop_per_byte)},
                                                                 {"gflops", plain_number(p.gflops)}});
      const bool last = i + 1 == path.size();
      if (last) {
        plot.mark(path[i], tip);
      } else {
        plot.dot(path[i], ink_of(p.evidence), 4, tip);
      }
      if (path.size() > 12 && !last) continue;
      const Point at = plot.at(path[i]);
      const float wide = draft_.width(p.name, kSmall, last ? Face::SansBold : Face::Sans) + 4;
      const Rect label{std::min(at.x + 10, plot.inner().right() - wide), at.y + 4, wide, 18};
      if (label.bottom() > plot.inner().bottom() || (taken.width > 0 && label.overlaps(taken))) continue;
      draft_.text(
          fmt::format("point.{}", i), label, p.name,
          {kSmall, last ? Face::SansBold : Face::Sans, Ink::of(last ? Role::Text : Role::Dim), Align::Left});
      taken = label;
    }
  }

  Draft draft_;
  const ViewInput& input_;
  RooflineChart chart_;
  double steep_ = 0, flat_ = 0;  // GB/s, GFLOP/s
};

}  // namespace

Scene roofline_view(const ViewContext& context, const ViewInput& input) {
  return RooflineView(context, input).run();
}

bool roofline_applies(const ViewInput& input) {
  return input.roofline && !input.roofline->ceilings.empty();
}

}  // namespace warplens::visual
