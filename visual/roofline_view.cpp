// How near the roof does this kernel run? The ceilings of the device, and the kernel as a point under them;
// while a slider moves, the points before it remain as a trail. The bytes of one run are another number at
// every level of the memory, so the run is a row of points at one height: the level whose line it touches is
// what holds it.
//
// A height that no clock has given is the most the ceilings allow; it is drawn as an outline and says so.
// Small panes lose the sentence, then the names along the lines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/typography.h"
#include "visual/layout.h"
#include "visual/other_device.h"
#include "visual/plot.h"
#include "visual/run_times.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

using analysis::Roof;

// Units and levels are written as data sheets write them, the same in every language.
std::string_view on_data_sheet(Roof roof) {
  static constexpr std::array<std::string_view, 8> kNames{"FP32", "FP64", "FP16", "Tensor FP16",
                                                          "DRAM", "L2",   "L1",   "Shared"};
  return kNames[static_cast<std::size_t>(roof)];
}

std::string rate_text(double gflops) {
  return gflops >= 1000 ? plain_number(gflops / 1000) + " TFLOP/s" : plain_number(gflops) + " GFLOP/s";
}

std::string bandwidth_text(double gbps) {
  return gbps >= 1000 ? plain_number(gbps / 1000) + " TB/s" : plain_number(gbps) + " GB/s";
}

class RooflineView {
 public:
  RooflineView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (!input_.roofline || input_.roofline->ceilings.empty()) return empty();
    chart_ = *input_.roofline;
    computes_ = chart_.points.empty() || chart_.points.back().flop_per_byte > 0;
    const auto nowhere = [](const RooflinePoint& p) { return !(p.flop_per_byte > 0) || !(p.gflops > 0); };
    std::erase_if(chart_.points, nowhere);
    std::erase_if(chart_.others, nowhere);
    find_roof();
    if (!(flat_ > 0) || !(steep_ > 0)) return empty();
    Rect rest = header();
    std::string why = with_time_elsewhere(reason());
    append_sentence(why, about_others());
    const float height =
        draft_.sentence_height(why, rest.width, chart_.elsewhere || !about_others().empty() ? 4 : 3);
    if (height > 0 && rest.height - height > 150)
      draft_.sentence("why", take_bottom(rest, height, 12), why);
    else if (chart_.elsewhere)
      say_other_device(draft_, rest, input_, chart_.elsewhere->on);
    chart(rest);
    return draft_.finish(why.empty() ? draft_.say("view.roofline.no_point") : why);
  }

 private:
  Scene empty() {
    Rect rest = draft_.header({.title = draft_.say("view.roofline.title")});
    draft_.empty(rest, draft_.say("view.empty.headline"), draft_.say("view.roofline.none_advice"));
    return draft_.finish(draft_.say("view.empty.headline"));
  }

  // DRAM's slope under the highest flat ceiling that this kernel's units have.
  void find_roof() {
    double any = 0;
    for (const RooflineCeiling& c : chart_.ceilings) {
      if (c.gbps > 0) steep_ = steep_ > 0 ? std::min(steep_, c.gbps) : c.gbps;
      fastest_ = std::max(fastest_, c.gbps);
      any = std::max(any, c.gflops);
      if (c.of_kernel) flat_ = std::max(flat_, c.gflops);
    }
    if (!(flat_ > 0)) flat_ = any;
    highest_ = any;
  }
  // Null where the run does no arithmetic or nobody counted it: what came before is not its place.
  const RooflinePoint* now() const {
    return !computes_ || chart_.points.empty() ? nullptr : &chart_.points.back();
  }
  double roof_of(const RooflinePoint& p) const {
    return p.roof > 0 ? p.roof : std::min(flat_, steep_ * p.flop_per_byte);
  }
  // Shared memory has a name in every language.
  std::string word(Roof roof) const {
    return roof == Roof::Shared ? draft_.say("view.hierarchy.name_shared") : std::string(on_data_sheet(roof));
  }
  std::string word(const RooflineCeiling& c) const {
    std::string out;
    for (const Roof roof : c.roofs) out += (out.empty() ? "" : ", ") + word(roof);
    return out;
  }
  static std::string id_of(const RooflineCeiling& c) {
    std::string out = "ceiling.";
    for (const Roof roof : c.roofs)
      out += (roof == c.roofs.front() ? "" : ", ") + std::string(on_data_sheet(roof));
    return out;
  }
  static std::string id_of(const RooflineLevel& level) {
    return "level." + std::string(on_data_sheet(level.level));
  }
  const RooflineCeiling* ceiling_of(std::optional<Roof> roof) const {
    for (const RooflineCeiling& c : chart_.ceilings)
      if (roof && std::ranges::find(c.roofs, *roof) != c.roofs.end()) return &c;
    return nullptr;
  }
  static bool is_measured(const RooflinePoint& p) { return p.evidence == Evidence::Measured; }

  Rect header() {
    const RooflinePoint* p = now();
    Heading heading{
        .title = draft_.say("view.roofline.title"), .about = chart_.device, .about_in_full = true};
    if (!p) {
      if (!computes_) {
        heading.answer = draft_.say("view.roofline.no_flop");
        heading.evidence = counted(Known::AsWritten);  // arithmetic is counted in the PTX
      }
      return draft_.header(heading);
    }
    if (!p->name.empty()) heading.about += " · " + p->name;
    const double share = p->gflops / roof_of(*p);
    heading.answer = is_measured(*p) ? draft_.say("view.roofline.of_roof", {{"share", percent_text(share)}})
                                     : draft_.say("view.roofline.at_most", {{"rate", rate_text(p->gflops)}});
    heading.sub = is_measured(*p) ? rate_text(p->gflops) + " · " : std::string();
    heading.sub += !p->bound_by
                       ? draft_.say("view.roofline.intensity", {{"n", plain_number(p->flop_per_byte)}})
                       : draft_.say("view.roofline.held_by", {{"what", word(*p->bound_by)}});
    if (!p->note.empty()) heading.about += " · " + p->note;
    heading.worse = is_measured(*p) && share < 0.5;
    heading.evidence = p->evidence;
    return draft_.header(heading);
  }

  std::string reason() const {
    if (!computes_) return draft_.say("view.roofline.only_moves");
    const RooflinePoint* p = now();
    if (!p) return {};
    const RooflineCeiling* bound = ceiling_of(p->bound_by);
    const bool by_memory = bound ? bound->gbps > 0 : p->flop_per_byte < flat_ / steep_;
    const double slope = bound && bound->gbps > 0 ? bound->gbps : steep_;
    const std::string level = bound ? word(*p->bound_by) : draft_.say("view.roofline.memory");
    std::string out =
        by_memory ? draft_.say("view.roofline.memory_side", {{"level", level},
                                                             {"bandwidth", bandwidth_text(slope)},
                                                             {"intensity", plain_number(p->flop_per_byte)},
                                                             {"roof", rate_text(roof_of(*p))},
                                                             {"peak", rate_text(flat_)}})
                  : draft_.say("view.roofline.compute_side", {{"level", bound ? word(*bound) : "FP32"},
                                                              {"intensity", plain_number(p->flop_per_byte)},
                                                              {"roof", rate_text(roof_of(*p))}});
    if (is_measured(*p))
      append_sentence(
          out, draft_.say("view.roofline.reached", {{"rate", rate_text(p->gflops)},
                                                    {"share", percent_text(p->gflops / roof_of(*p))}}));
    else if (!chart_.elsewhere)
      append_sentence(out, draft_.say("view.roofline.not_measured"));
    return out;
  }

  // At which size the named points were timed, where that is not the one that is shown.
  std::string about_others() const {
    if (chart_.others.empty() || chart_.others_at.empty()) return {};
    return draft_.say("view.roofline.others_at", {{"at", chart_.others_at}});
  }

  // Another GPU's time is said and not drawn: these roofs do not hold it.
  std::string with_time_elsewhere(const std::string& why) const {
    if (!chart_.elsewhere) return why;
    const MeasuredOn& on = chart_.elsewhere->on;
    std::string words =
        draft_.say(on.device.empty() ? "view.roofline.elsewhere_unlisted" : "view.roofline.elsewhere",
                   {{"time", time_text(chart_.elsewhere->milliseconds)},
                    {"hardware", on.hardware},
                    {"listed", on.device},
                    {"device", chart_.device}});
    append_sentence(words, why);
    return words;
  }

  // Wide enough for every point and for the corner where the kernel's roof turns flat.
  PlotRange range() const {
    // Where nothing stands under the roofs yet, there is room for what may come.
    const bool stands = !chart_.points.empty() || !chart_.others.empty();
    double low = 0.2, high = flat_ / steep_ * 4, bottom = flat_ / (stands ? 50 : 500);
    for (const RooflinePoint& p : chart_.points) {
      low = std::min(low, p.flop_per_byte / 2);
      high = std::max(high, p.flop_per_byte * 2);
      bottom = std::min(bottom, p.gflops / 3);
      for (const RooflineLevel& level : p.levels)
        if (level.flop_per_byte > 0) {
          low = std::min(low, level.flop_per_byte / 2);
          high = std::max(high, std::min(level.flop_per_byte * 2, flat_ / steep_ * 1e4));
        }
    }
    for (const RooflinePoint& p : chart_.others) {
      low = std::min(low, p.flop_per_byte / 2);
      high = std::max(high, p.flop_per_byte * 2);
      bottom = std::min(bottom, p.gflops / 3);
    }
    return {.x_min = std::pow(10, std::floor(std::log10(low))),
            .x_max = std::pow(10, std::ceil(std::log10(high))),
            .y_min = std::pow(10, std::floor(std::log10(bottom))),
            .y_max = highest_ * 1.9,
            .log_x = true,
            .log_y = true};
  }

  void chart(const Rect& r) {
    const PlotRange limits = range();
    Plot plot(draft_, "roof", r, limits, draft_.say("view.roofline.axis_x"),
              draft_.say("view.roofline.axis_y"));
    if (const RooflinePoint* p = now()) {
      double left = p->flop_per_byte, right = left;
      for (const RooflineLevel& level : p->levels)
        if (level.flop_per_byte > 0)
          left = std::min(left, level.flop_per_byte), right = std::max(right, level.flop_per_byte);
      const Point from = plot.at({left, p->gflops}), to = plot.at({right, p->gflops});
      row_ = {from.x - 16, from.y - 12, to.x - from.x + 32, 40};
      if (p->levels.empty()) row_.width += draft_.width(p->name, kSmall, Face::SansBold);
      if (loses(*p)) {
        const Point roof = plot.at({p->flop_per_byte, roof_of(*p)});
        rise_ = {roof.x - 4, roof.y, 8, plot.at({p->flop_per_byte, p->gflops}).y - roof.y};
      }
    }
    const std::vector<Rect> marks = place_others(plot);
    std::vector<double> flats;
    for (const RooflineCeiling& c : chart_.ceilings)
      if (c.gflops > 0) flat(plot, limits, c, flats);
    for (const RooflineCeiling& c : chart_.ceilings)
      if (c.gbps > 0) slope(plot, limits, c);
    if (chart_.library) library(plot, limits, *chart_.library);
    trail(plot);
    if (const RooflinePoint* p = now()) present(plot, limits, *p);
    others(plot, marks);
    // A line's name can stand anywhere along it.
    int slopes = 0;
    for (const RooflineCeiling& c : chart_.ceilings)
      if (c.gbps > 0) name_slope(plot, limits, c, slopes++);
  }

  // No label lies under one of them.
  std::vector<Rect> place_others(const Plot& plot) {
    constexpr float kHalf = 5;
    std::vector<Rect> marks;
    for (const RooflinePoint& p : chart_.others) {
      const Point at = plot.at({p.flop_per_byte, p.gflops});
      marks.push_back({at.x - kHalf, at.y - kHalf, 2 * kHalf, 2 * kHalf});
    }
    labels_.insert(labels_.end(), marks.begin(), marks.end());
    return marks;
  }

  // The kernel's other choices, the other state of L2, the other side: each a square with its name, wherever
  // there is a place beside it.
  void others(Plot& plot, const std::vector<Rect>& marks) {
    for (std::size_t i = 0; i < marks.size(); ++i) {
      const RooflinePoint& p = chart_.others[i];
      const bool measured = is_measured(p);
      Shape& mark = draft_.box(fmt::format("other.{}", i), marks[i],
                               measured ? ink_of(p.evidence) : Ink::of(Role::Ground), 2);
      mark.stroke = ink_of(p.evidence);
      mark.stroke_width = measured ? 0 : 2;
      mark.tooltip = tip(p);
      if (p.bound_by)
        mark.tooltip += "\n" + draft_.say("view.roofline.held_by", {{"what", word(*p.bound_by)}});
      if (!p.note.empty()) mark.tooltip += "\n" + p.note;
      name_other(plot, p, marks[i], i);
    }
  }

  void name_other(const Plot& plot, const RooflinePoint& p, const Rect& mark, std::size_t i) {
    const float size = is_roomy(plot) ? kSmall : kTiny, tall = size + 4;
    const float wide = draft_.width(p.name, size) + 4;
    const Point centre{mark.x + mark.width / 2, mark.y + mark.height / 2};
    // Beside it, else further up or down, and then a line leads to it that runs through nobody's name, if
    // that can be had.
    for (const bool strict : {true, false})
      for (const int row : {0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5})
        for (const float x : {mark.right() + 4, mark.x - wide - 4, centre.x - wide / 2}) {
          const Rect label{x, centre.y - tall / 2 + static_cast<float>(row) * (tall + 2), wide, tall};
          if (label.x < plot.inner().x || label.y < plot.inner().y || !free(plot, label)) continue;
          if (in_the_way(label)) continue;
          const Point end{std::clamp(centre.x, label.x, label.right()), row < 0 ? label.bottom() : label.y};
          if (strict && std::abs(row) > 1 && is_crossed(centre, end, mark)) continue;
          labels_.push_back(label);
          if (std::abs(row) > 1)
            draft_.line(fmt::format("other.{}.lead", i), {centre, end}, Ink::of(Role::Dim, 0.7f), 1);
          draft_.box(fmt::format("other.{}.ground", i), label, Ink::of(Role::Ground, 0.8f), 2);
          draft_.text(fmt::format("other.{}.name", i), label, p.name, {size, Face::Sans});
          return;
        }
  }

  // Whether a name or a mark other than `own` lies between two points.
  bool is_crossed(Point from, Point to, const Rect& own) const {
    constexpr int kParts = 24;
    for (int i = 1; i < kParts; ++i) {
      const float t = static_cast<float>(i) / kParts;
      const Rect at{from.x + (to.x - from.x) * t - 1, from.y + (to.y - from.y) * t - 1, 2, 2};
      if (!at.overlaps(own) &&
          std::any_of(labels_.begin(), labels_.end(), [&](const Rect& l) { return l.overlaps(at); }))
        return true;
    }
    return false;
  }

  std::string source_of(const RooflineCeiling& c) const {
    return c.source.empty() ? std::string() : "\n" + draft_.say("view.roofline.source_" + c.source);
  }

  // The ceilings that hold this kernel are strong, those of units and levels it does not use are faint.
  void draw(Plot& plot, PlotPoint a, PlotPoint b, const RooflineCeiling& c, const std::string& words) {
    const RooflinePoint* p = now();
    const bool holds = p && ceiling_of(p->bound_by) == &c;
    const Ink ink = Ink::of(holds ? Role::Text : Role::Dim, holds || c.of_kernel ? 1.0f : 0.5f);
    plot.line({a, b}, ink, false, words + source_of(c));
  }

  static bool is_roomy(const Plot& plot) { return plot.inner().width > 720 && plot.inner().height > 280; }
  static float label_size(const Plot& plot) { return plot.inner().width > 1700 ? kBody : kTiny; }

  void flat(Plot& plot, const PlotRange& limits, const RooflineCeiling& c, std::vector<double>& taken) {
    const double from = std::max(limits.x_min, c.gflops / fastest_);
    if (from >= limits.x_max || c.gflops <= limits.y_min) return;
    const std::string words = word(c) + " " + rate_text(c.gflops);
    draw(plot, {from, c.gflops}, {limits.x_max, c.gflops}, c, words);
    const Point end = plot.at({limits.x_max, c.gflops});
    const float size = label_size(plot), wide = draft_.width(words, size) + 4;
    constexpr float kBeyond = 24;  // so much longer than its line a label may be
    if (end.x - wide < plot.at({from, c.gflops}).x - kBeyond) return;
    if (std::any_of(taken.begin(), taken.end(), [&](double y) { return std::abs(y - end.y) < 16; })) return;
    Rect label{end.x - wide, end.y - size - 6, wide, size + 4};
    // Under its line where the library's would go through it.
    if (chart_.library) {
      const float other = plot.at({limits.x_max, chart_.library->gflops}).y;
      if (other > label.y - 1 && other < label.y + label.height + 1) label.y = end.y + 3;
    }
    if (in_the_way(label)) return;
    taken.push_back(end.y);
    labels_.push_back(label);
    draft_.text(id_of(c), label, words, dim(size, Align::Right)).tooltip = words + source_of(c);
  }

  // No ceiling: what somebody reached. Its name stands at the left, where no other line has one.
  void library(Plot& plot, const PlotRange& limits, const RooflineCeiling& c) {
    if (c.gflops <= limits.y_min || c.gflops >= limits.y_max) return;
    const std::string words =
        c.library + " " + rate_text(c.gflops) + (chart_.others_at.empty() ? "" : " · " + chart_.others_at);
    plot.line({{limits.x_min, c.gflops}, {limits.x_max, c.gflops}}, Ink::of(Role::Text, 0.7f), true,
              words + source_of(c));
    const Point from = plot.at({limits.x_min, c.gflops});
    const float size = label_size(plot);
    const Rect label{from.x + 6, from.y - size - 6, draft_.width(words, size) + 4, size + 4};
    if (!free(plot, label)) return;
    labels_.push_back(label);
    draft_.box("library.ground", label, Ink::of(Role::Ground, 0.8f), 2);
    draft_.text("library", label, words, {size, Face::Sans, Ink::of(Role::Text), Align::Left});
  }

  bool in_the_way(const Rect& label) const { return label.overlaps(row_) || label.overlaps(rise_); }

  void slope(Plot& plot, const PlotRange& limits, const RooflineCeiling& c) {
    const double from = std::max(limits.x_min, limits.y_min / c.gbps), to = flat_ / c.gbps;
    if (to > from) draw(plot, {from, c.gbps * from}, {to, flat_}, c, word(c) + " " + bandwidth_text(c.gbps));
  }

  // The name sits on its line, each line's further along, so that near lines do not share a place.
  void name_slope(const Plot& plot, const PlotRange& limits, const RooflineCeiling& c, int number) {
    const double from = std::max(limits.x_min, limits.y_min / c.gbps), to = flat_ / c.gbps;
    if (!(to > from)) return;
    const std::string words = word(c) + " " + bandwidth_text(c.gbps);
    const Point a = plot.at({from, c.gbps * from}), b = plot.at({to, flat_});
    const std::string label = is_roomy(plot) ? words : word(c);
    const float size = label_size(plot);
    const float wide = draft_.width(label, size) + 8;
    // Further up where the present run or the way up to its roof is.
    float along = 0.12f + 0.17f * static_cast<float>(number % 3);
    const auto label_at = [&](float t) {
      return Rect{a.x + (b.x - a.x) * t - wide / 2, a.y + (b.y - a.y) * t - (size + 3) / 2, wide, size + 3};
    };
    const auto taken = [&](float t) { return in_the_way(label_at(t)) || !free(plot, label_at(t)); };
    while (along < 0.8f && taken(along)) along += 0.04f;
    const Rect at = label_at(along);
    // In a low pane there may be no place at all: the line still says its name when it is pointed at.
    if (at.x < plot.inner().x || b.x - a.x < wide * 2 || taken(along)) return;
    labels_.push_back(at);
    draft_.box(id_of(c) + ".ground", at, Ink::of(Role::Ground), 2);
    draft_.text(id_of(c), at, label, dim(size, Align::Centre)).tooltip = words + source_of(c);
  }

  // A measured run below its roof: the way up is drawn.
  bool loses(const RooflinePoint& p) const { return is_measured(p) && roof_of(p) > p.gflops * 1.02; }

  std::string tip(const RooflinePoint& p) const {
    std::string out = p.name + "\n" +
                      draft_.say("view.roofline.point", {{"intensity", plain_number(p.flop_per_byte)},
                                                         {"rate", rate_text(p.gflops)}});
    if (!is_measured(p)) out += "\n" + draft_.say("view.roofline.not_measured");
    return out;
  }

  void trail(Plot& plot) {
    constexpr std::size_t kMost = 200;
    const std::size_t last = chart_.points.size() - (now() ? 1 : 0);
    const std::size_t first = last > kMost ? last - kMost : 0;
    std::vector<PlotPoint> path;
    for (std::size_t i = first; i < chart_.points.size(); ++i)
      path.push_back({chart_.points[i].flop_per_byte, chart_.points[i].gflops});
    if (path.size() > 1)
      plot.line(path, Ink::of(Role::Accent, 0.5f), false, draft_.say("view.roofline.trail"));
    Rect taken{};
    for (std::size_t i = last; i-- > first;) {
      const RooflinePoint& p = chart_.points[i];
      plot.dot({p.flop_per_byte, p.gflops}, ink_of(p.evidence), 3.5f, tip(p));
      if (last - first > 12) continue;
      const Point at = plot.at({p.flop_per_byte, p.gflops});
      const float wide = draft_.width(p.name, kTiny) + 4;
      const Rect label{at.x + 8, at.y + 6, wide, 15};
      if (!free(plot, label) || (taken.width > 0 && label.overlaps(taken))) continue;
      draft_.text(fmt::format("point.{}", i), label, p.name, dim(kTiny));
      taken = label;
      labels_.push_back(label);
    }
  }

  bool free(const Plot& plot, const Rect& r) const {
    return r.right() <= plot.inner().right() && r.bottom() <= plot.inner().bottom() &&
           std::none_of(labels_.begin(), labels_.end(), [&](const Rect& l) { return l.overlaps(r); });
  }

  // The row of points of this run, the way up to its roof, and its own ring on top.
  void present(Plot& plot, const PlotRange& limits, const RooflinePoint& p) {
    const Ink ink = ink_of(p.evidence);
    double left = p.flop_per_byte, right = p.flop_per_byte;
    for (const RooflineLevel& level : p.levels) {
      if (!(level.flop_per_byte > 0)) continue;
      left = std::min(left, level.flop_per_byte);
      right = std::max(right, std::min(level.flop_per_byte, limits.x_max));
    }
    if (right > left)
      plot.line({{left, p.gflops}, {right, p.gflops}}, Ink::of(ink.role, 0.55f), !is_measured(p),
                draft_.say("view.roofline.row"));
    if (loses(p))
      plot.line({{p.flop_per_byte, p.gflops}, {p.flop_per_byte, roof_of(p)}}, Ink::of(Role::Warn), true,
                draft_.say("view.roofline.lost", {{"times", plain_number(roof_of(p) / p.gflops)}}));
    for (const RooflineLevel& level : p.levels) level_dot(plot, limits, p, level);
    Shape& ring = draft_.disc("roof.mark", plot.at({p.flop_per_byte, p.gflops}), 6,
                              is_measured(p) ? ink : Ink::of(Role::Ground));
    ring.stroke = ink;
    ring.stroke_width = 2.5f;
    ring.dashed = !is_measured(p);
    ring.tooltip = tip(p);
    if (p.levels.empty()) name_point(plot, p);
  }

  void name_point(const Plot& plot, const RooflinePoint& p) {
    const Point at = plot.at({p.flop_per_byte, p.gflops});
    const float wide = draft_.width(p.name, kSmall, Face::SansBold) + 4;
    const Rect label{std::min(at.x + 10, plot.inner().right() - wide), at.y + 6, wide, 18};
    if (wide < plot.inner().width && free(plot, label))
      draft_.text("point.now", label, p.name, {kSmall, Face::SansBold});
  }

  void level_dot(Plot& plot, const PlotRange& limits, const RooflinePoint& p, const RooflineLevel& level) {
    if (!(level.flop_per_byte > 0) || level.flop_per_byte > limits.x_max) return;
    const bool holds = p.bound_by == level.level;
    const Point at = plot.at({level.flop_per_byte, p.gflops});
    const std::string words = draft_.say(
        "view.roofline.level", {{"level", word(level.level)}, {"n", plain_number(level.flop_per_byte)}});
    const std::string evidence =
        draft_.say(std::string("view.evidence.") + std::string(name(level.evidence)) + "_means");
    Shape& s = draft_.disc(id_of(level), at, holds ? 5.0f : 4.0f, ink_of(level.evidence));
    s.tooltip = words + "\n" + evidence;
    // Below the row or above it, whichever is free; in small panes the level alone.
    const std::string shown = is_roomy(plot) ? words : word(level.level);
    const float size = label_size(plot), tall = size + 3;
    const float wide = draft_.width(shown, size, holds ? Face::SansBold : Face::Sans) + 4;
    for (const float below : {9.0f, -9.0f - tall, 9.0f + tall}) {
      const Rect label{std::clamp(at.x - wide / 2, plot.inner().x, plot.inner().right() - wide), at.y + below,
                       wide, tall};
      if (!free(plot, label)) continue;
      labels_.push_back(label);
      draft_.box(id_of(level) + ".ground", label, Ink::of(Role::Ground, 0.85f), 2);
      draft_
          .text(id_of(level) + ".name", label, shown,
                {size, holds ? Face::SansBold : Face::Sans, Ink::of(holds ? Role::Text : Role::Dim),
                 Align::Centre})
          .tooltip = words + "\n" + evidence;
      return;
    }
  }

  Draft draft_;
  const ViewInput& input_;
  RooflineChart chart_;
  bool computes_ = true;  // false: the present run does no floating-point work
  double steep_ = 0, fastest_ = 0, flat_ = 0, highest_ = 0;  // GB/s, GB/s, GFLOP/s, GFLOP/s
  std::vector<Rect> labels_;
  Rect row_;   // of the points of the present run and their names
  Rect rise_;  // of the line from its point up to its roof
};

}  // namespace

Scene roofline_view(const ViewContext& context, const ViewInput& input) {
  return RooflineView(context, input).run();
}

bool roofline_applies(const ViewInput& input) {
  return input.roofline && !input.roofline->ceilings.empty() && input.report && input.report->flop &&
         input.report->flop->total() > 0;
}

}  // namespace warplens::visual
