#include "visual/occupancy_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/analysis/occupancy.h"
#include "visual/plot.h"
#include "visual/run_times.h"

namespace warplens::visual {
namespace {

using analysis::KernelResources;
using analysis::Occupancy;
using analysis::SmResource;

constexpr double kNear = 1.02;  // of the best time: no clock tells these apart for long

std::vector<double> quarters(int whole) {
  return {0, whole * 0.25, whole * 0.5, whole * 0.75, static_cast<double>(whole)};
}

// A place on the ramp for each resource that can rule.
struct Ruler {
  SmResource resource;
  int lane;
};
constexpr std::array<Ruler, 5> kRulers{{{SmResource::Warps, 3},
                                        {SmResource::Registers, 12},
                                        {SmResource::Shared, 21},
                                        {SmResource::Blocks, 31},
                                        {SmResource::Barriers, 26}}};

class OccupancyCurves {
 public:
  OccupancyCurves(Draft& draft, const OccupancyFacts& facts) : draft_(draft), facts_(facts) {}

  void draw(Rect r) {
    draft_.caption("caption.curves", take_top(r, 16, 6), draft_.say("view.caption.curves"));
    const bool wide = r.width > 860;
    const Rect threads = take_left(r, r.width * (wide ? 0.44f : 0.36f), 24);
    const Rect registers = take_left(r, r.width * (wide ? 0.58f : 0.5f), 24);
    over_threads(threads);
    std::vector<PlotPoint> points;
    for (int n = 8; n <= cc().registers_per_thread; ++n)
      points.push_back({double(n), warps_with([n](auto& k) { k.registers_per_thread = n; })});
    over_registers(registers, points);
    points.clear();
    const int most = std::max(cc().shared_per_block_optin, cc().shared_per_block);
    for (int b = 0; b <= most; b += 1024)
      points.push_back({b / 1024.0, warps_with([b](auto& k) {
                          k.static_shared = 0;
                          k.dynamic_shared = b;
                        })});
    curve("shared", r, points, static_cast<double>(kernel().static_shared + kernel().dynamic_shared) / 1024);
  }

 private:
  const analysis::ComputeCapability& cc() const { return facts_.capability; }
  const KernelResources& kernel() const { return facts_.kernel; }
  const Occupancy& state() const { return facts_.state; }
  double all_warps() const { return static_cast<double>(cc().warps_per_sm); }

  template <typename Change>
  Occupancy with(const Change& change) const {
    KernelResources k = kernel();
    change(k);
    return analysis::occupancy(cc(), k);
  }
  template <typename Change>
  double warps_with(const Change& change) const {
    return static_cast<double>(with(change).warps_per_sm);
  }

  Plot plot_of(const std::string& id, const Rect& r, double from, double to, const char* y_name) {
    return Plot(draft_, "curve." + id, r,
                {.x_min = from,
                 .x_max = to,
                 .y_min = 0,
                 .y_max = all_warps(),
                 .y_ticks = quarters(cc().warps_per_sm)},
                draft_.say("view.occupancy.axis_" + id), draft_.say(y_name));
  }

  std::string here_text(double here) const {
    return draft_.say("view.occupancy.here",
                      {{"x", plain_number(here)}, {"n", value_of(state().warps_per_sm)}});
  }

  // ---- block size ----

  const Ruler& ruler_of(const Occupancy& o) const {
    for (const Ruler& ruler : kRulers)
      if (o.is_limited_by(ruler.resource)) return ruler;
    return kRulers.front();
  }

  bool has_times() const { return facts_.lab && (facts_.lab->modelled || facts_.lab->measured); }

  void over_threads(Rect r) {
    const Rect legend = r.height > 190 ? take_bottom(r, 18, 0) : Rect{};
    const Rect note = r.height > 130 ? take_bottom(r, 18, 0) : Rect{};
    Plot plot = plot_of("threads", r, 0, cc().threads_per_block + 16,
                        has_times() ? "view.occupancy.axis_speed" : "view.occupancy.axis_warps");
    std::vector<const Ruler*> ruling;
    for (int t = 32; t <= cc().threads_per_block; t += 32) {
      const Ruler& ruler = bar(plot, t);
      if (std::ranges::find(ruling, &ruler) == ruling.end()) ruling.push_back(&ruler);
    }
    if (facts_.lab && facts_.lab->modelled) times(plot, *facts_.lab->modelled, false);
    if (facts_.lab && facts_.lab->measured) times(plot, *facts_.lab->measured, true);
    const int suggested = analysis::suggested_block(cc(), kernel());
    if (suggested > 0) suggestion(plot, suggested);
    const double here = kernel().threads_per_block;
    plot.mark({here, static_cast<double>(state().warps_per_sm)}, here_text(here));
    if (note.height > 0) sizes(note, suggested);
    if (legend.height > 0) legend_of(legend, ruling);
  }

  std::string name_of(SmResource resource) const {
    return draft_.say("view.occupancy.name_" + std::string(name(resource)));
  }

  const Ruler& bar(const Plot& plot, int threads) {
    const Occupancy o = with([threads](auto& k) { k.threads_per_block = threads; });
    const Ruler& ruler = ruler_of(o);
    const bool here = threads == (kernel().threads_per_block + 31) / 32 * 32;
    const Point top = plot.at({double(threads), double(o.warps_per_sm)}),
                foot = plot.at({double(threads), 0});
    const float pitch = plot.at({64, 0}).x - plot.at({32, 0}).x;
    const float wide = std::max(1.5f, pitch - (pitch > 5 ? 1.5f : 0.5f));
    Shape& shape = draft_.box(fmt::format("threads.{}", threads),
                              {foot.x - wide / 2, top.y, wide, std::max(0.5f, foot.y - top.y)},
                              Ink::of_lane(ruler.lane, here ? 0.95f : 0.5f), 1);
    std::string limits;
    const auto limit = [&](SmResource resource, int blocks) {
      if (blocks == Occupancy::kNoLimit) return;
      limits +=
          "\n" + draft_.say("view.occupancy.limit_of", {{"name", name_of(resource)},
                                                        {"blocks", value_of(blocks)},
                                                        {"warps", value_of(blocks * o.warps_per_block)}});
    };
    limit(SmResource::Warps, o.limit_warps);
    limit(SmResource::Registers, o.limit_registers);
    limit(SmResource::Shared, o.limit_shared);
    limit(SmResource::Blocks, o.limit_blocks);
    limit(SmResource::Barriers, o.limit_barriers);
    shape.tooltip = draft_.say("view.occupancy.size_tip", {{"threads", value_of(threads)},
                                                           {"warps", value_of(o.warps_per_sm)},
                                                           {"what", name_of(ruler.resource)}}) +
                    limits;
    return ruler;
  }

  // As speed: the best size of each curve stands at the top, one that takes twice as long at half of it.
  void times(Plot& plot, const BlockSizeTimes& curve, bool measured) {
    const Ink ink = Ink::of(measured ? Role::Text : Role::Modelled);
    const double best = curve.best().us;
    std::vector<PlotPoint> points;
    for (const BlockSizeTime& t : curve.times)
      points.push_back({double(t.threads), all_warps() * best / t.us});
    const char* const key = measured ? "view.occupancy.speed_measured" : "view.occupancy.speed_modelled";
    const std::string name = draft_.say(key) + (curve.note.empty() ? std::string() : "\n" + curve.note);
    plot.line(points, ink, !measured, name);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const BlockSizeTime& t = curve.times[i];
      const bool is_best = t.us == best;
      Shape& dot = draft_.disc(fmt::format("speed.{}.{}", measured ? "clock" : "model", t.threads),
                               plot.at(points[i]), is_best ? 4.5f : 2.5f, ink);
      dot.tooltip = draft_.say("view.occupancy.speed_tip",
                               {{"threads", value_of(t.threads)},
                                {"time", time_text(t.us / 1e3)},
                                {"times", plain_number(std::round(t.us / best * 100) / 100)}}) +
                    "\n" + name;
    }
  }

  void suggestion(const Plot& plot, int threads) {
    const Point at = plot.at({double(threads), warps_with([&](auto& k) { k.threads_per_block = threads; })});
    Shape& mark =
        draft_.polygon("suggested", {{at.x, at.y - 6}, {at.x + 6, at.y}, {at.x, at.y + 6}, {at.x - 6, at.y}},
                       Ink::of(Role::Ground));
    mark.stroke = Ink::of(Role::Good);
    mark.stroke_width = 2.5f;
    mark.tooltip = draft_.say("view.occupancy.suggested_means", {{"n", value_of(threads)}});
  }

  static int near(const BlockSizeTimes& curve) {
    const double best = curve.best().us;
    return static_cast<int>(
        std::ranges::count_if(curve.times, [&](const BlockSizeTime& t) { return t.us <= best * kNear; }));
  }

  // "runtime's rule 1,024 · model 256 · clock 96 (8 within 2 %)"
  void sizes(const Rect& r, int suggested) {
    std::string brief, full, all;
    const auto add = [&](const std::string& key, int n, int close) {
      const auto say = [&](const std::string& which) {
        return draft_.say(which, {{"n", value_of(n)}, {"near", value_of(close)}});
      };
      const std::string shown = say(key), whole = close > 1 ? say(key + "_near") : shown;
      brief += (brief.empty() ? "" : " · ") + shown;
      full += (full.empty() ? "" : " · ") + whole;
      all += (all.empty() ? "" : "\n") + whole;
    };
    if (suggested > 0) add("view.occupancy.by_runtime", suggested, 0);
    const OccupancyLab* lab = facts_.lab;
    if (lab && lab->modelled)
      add("view.occupancy.by_model", lab->modelled->best().threads, near(*lab->modelled));
    if (lab && lab->measured)
      add("view.occupancy.by_clock", lab->measured->best().threads, near(*lab->measured));
    if (brief.empty()) return;
    if (lab && lab->measured) all += "\n" + lab->measured->note;
    draft_
        .text("sizes", r, draft_.fits(full, r.width) ? full : brief,
              dim(draft_.fits(brief, r.width) ? kSmall : kTiny))
        .tooltip = all;
  }

  void legend_of(Rect r, const std::vector<const Ruler*>& ruling) {
    for (const Ruler* ruler : ruling) {
      const std::string words = name_of(ruler->resource);
      const std::string id = "rules." + std::string(name(ruler->resource));
      const float wide = draft_.width(words, kTiny) + 2;
      if (wide + 14 > r.width) return;
      const Rect box = take_left(r, 10, 4);
      draft_.box(id, {box.x, box.y + 4, 10, 10}, Ink::of_lane(ruler->lane, 0.7f), 2);
      draft_.text(id + ".name", take_left(r, wide, 12), words, dim(kTiny));
    }
    const std::string words = draft_.say("view.occupancy.rules");
    if (draft_.fits(words, r.width, kTiny)) draft_.text("rules", r, words, dim(kTiny));
  }

  // ---- registers and shared memory ----

  void curve(const std::string& id, Rect r, const std::vector<PlotPoint>& points, double here) {
    if (points.size() < 2) return;
    const std::string next = next_step(id, points, here), fall = next_fall(id, points, here);
    const Rect second = r.height > 190 ? take_bottom(r, 18, 0) : Rect{};
    const Rect note = r.height > 130 ? take_bottom(r, 18, 0) : Rect{};
    Plot plot = plot_of(id, r, points.front().x, points.back().x, "view.occupancy.axis_warps");
    steps(plot, id, points, here, next, fall);
    if (note.height > 0 && !next.empty()) draft_.text("curve." + id + ".next", note, next, dim(kSmall));
    if (second.height > 0 && !fall.empty()) draft_.text("curve." + id + ".fall", second, fall, dim(kSmall));
  }

  void steps(Plot& plot, const std::string& id, const std::vector<PlotPoint>& points, double here,
             const std::string& next, const std::string& fall) {
    plot.steps(points, Ink::of(Role::Modelled), true, draft_.say("view.occupancy.curve"));
    edges(plot, id, points);
    plot.mark({here, static_cast<double>(state().warps_per_sm)},
              here_text(here) + (next.empty() ? "" : "\n" + next) + (fall.empty() ? "" : "\n" + fall));
  }

  void over_registers(Rect r, const std::vector<PlotPoint>& points) {
    const double here = kernel().registers_per_thread;
    const std::string next = next_step("registers", points, here),
                      fall = next_fall("registers", points, here);
    const std::vector<CompiledBound> none;
    const std::vector<CompiledBound>& compiled = facts_.lab ? facts_.lab->compiled : none;
    if (compiled.size() > 1 && r.height > 260 && r.width > 300) {
      const auto rows = std::min(compiled.size() + 1, static_cast<std::size_t>((r.height - 190) / 18));
      if (rows > 2) table(take_bottom(r, 18 * static_cast<float>(rows), 6), compiled);
    }
    const std::string tried = tried_text(compiled, r.width);
    const Rect third = r.height > 210 && !tried.empty() ? take_bottom(r, 18, 0) : Rect{};
    const Rect second = r.height > 190 ? take_bottom(r, 18, 0) : Rect{};
    const Rect note = r.height > 130 ? take_bottom(r, 18, 0) : Rect{};
    Plot plot = plot_of("registers", r, points.front().x, points.back().x, "view.occupancy.axis_warps");
    steps(plot, "registers", points, here, next, fall);
    for (const CompiledBound& bound : compiled) compiled_dot(plot, bound);
    // What was really tried comes before what would be by the rules.
    const bool room = third.height > 0 || tried.empty();
    const auto line = [&](const char* id, const Rect& at, const std::string& words) {
      if (at.height > 0 && !words.empty()) draft_.text(id, at, words, dim(kSmall)).tooltip = words;
    };
    line("curve.registers.next", note, room || second.height > 0 ? next : tried);
    line("curve.registers.fall", second, room ? fall : tried);
    line("curve.registers.tried", third, tried);
  }

  double warps_of(const CompiledBound& bound) const {
    return warps_with([&](auto& k) { k.registers_per_thread = bound.registers; });
  }

  std::string name_of(const CompiledBound& bound) const {
    switch (bound.kind) {
      case CompiledBound::Kind::LaunchBounds:
        return fmt::format("__launch_bounds__({}, {})", kernel().threads_per_block, bound.bound);
      case CompiledBound::Kind::MostRegisters:
        return fmt::format("--maxrregcount={}", bound.bound);
      case CompiledBound::Kind::AsWritten:
        break;
    }
    return draft_.say("view.occupancy.as_written");
  }

  static int spilled(const CompiledBound& bound) { return bound.spill_stores + bound.spill_loads; }

  std::string spill_text(const CompiledBound& bound) const {
    return bound.spills() ? draft_.say("view.occupancy.spills", {{"stores", value_of(bound.spill_stores)},
                                                                 {"loads", value_of(bound.spill_loads)}})
                          : draft_.say("view.occupancy.no_spills");
  }

  void compiled_dot(const Plot& plot, const CompiledBound& bound) {
    const PlotPoint at{double(bound.registers), warps_of(bound)};
    draft_
        .disc(fmt::format("ptxas.{}.{}", static_cast<int>(bound.kind), bound.bound), plot.at(at), 4.5f,
              Ink::of(bound.spills() ? Role::Warn : Role::Good))
        .tooltip = name_of(bound) + "\n" +
                   draft_.say("view.occupancy.compiled_tip",
                              {{"registers", value_of(bound.registers)}, {"warps", plain_number(at.y)}}) +
                   "\n" + spill_text(bound);
  }

  // What fewer registers cost, in one line: the fullest SM without spills, else the first that spills.
  std::string tried_text(const std::vector<CompiledBound>& compiled, float room) const {
    if (facts_.lab && compiled.empty()) return facts_.lab->no_compiler;
    if (compiled.empty()) return {};
    const CompiledBound* best = nullptr;
    for (const CompiledBound& bound : compiled)
      if (bound.kind == CompiledBound::Kind::LaunchBounds && warps_of(bound) > warps_of(compiled.front()) &&
          (best == nullptr || (best->spills() && !bound.spills()) ||
           (best->spills() == bound.spills() && !bound.spills() && warps_of(bound) > warps_of(*best))))
        best = &bound;
    if (best == nullptr) return draft_.say("view.occupancy.ptxas_no_more");
    const std::string whole =
        draft_.say("view.occupancy.ptxas_found", {{"bound", name_of(*best)},
                                                  {"registers", value_of(best->registers)},
                                                  {"warps", plain_number(warps_of(*best))},
                                                  {"spills", spill_text(*best)}});
    if (draft_.fits(whole, room)) return whole;
    return draft_.say("view.occupancy.ptxas_found_short",
                      {{"bound", value_of(best->bound)},
                       {"registers", value_of(best->registers)},
                       {"spills", draft_.say(best->spills() ? "view.occupancy.spills_short"
                                                            : "view.occupancy.no_spills")}});
  }

  // What ptxas made of each bound, as many rows as there is room for.
  void table(Rect r, const std::vector<CompiledBound>& compiled) {
    const float name = r.width * 0.5f, number = r.width * 0.15f;
    const auto row = [&](const std::string& id, const std::array<std::string, 4>& words,
                         const TextStyle& style, const std::string& tip) {
      Rect line = take_top(r, 18);
      TextStyle right = style;
      right.align = Align::Right;
      draft_.text(id + ".name", take_left(line, name), words[0], style).tooltip = tip;
      draft_.text(id + ".registers", take_left(line, number), words[1], right);
      draft_.text(id + ".warps", take_left(line, number), words[2], right);
      draft_.text(id + ".spills", line, words[3], right).tooltip = tip;
    };
    row("bound.head",
        {draft_.say("view.occupancy.by_ptxas"), draft_.say("view.occupancy.head_registers"),
         draft_.say("view.occupancy.axis_warps"), draft_.say("view.occupancy.head_spills")},
        dim(kTiny), {});
    for (std::size_t i = 0; i < compiled.size() && r.height >= 18; ++i) {
      const CompiledBound& bound = compiled[i];
      row(fmt::format("bound.{}", i),
          {name_of(bound), std::to_string(bound.registers), plain_number(warps_of(bound)),
           bound.spills() ? bytes_text(static_cast<std::uint64_t>(spilled(bound))) : std::string("–")},
          {kTiny, Face::Mono, Ink::of(bound.spills() ? Role::Warn : Role::Text), Align::Left},
          name_of(bound) + "\n" + spill_text(bound));
    }
  }

  // Each step of a curve can be pointed at and says why it is there: a whole block more or less, after
  // rounding.
  void edges(Plot& plot, const std::string& id, const std::vector<PlotPoint>& points) {
    int drawn = 0;
    for (std::size_t i = 0; i + 1 < points.size() && drawn < 40; ++i) {
      if (points[i].y == points[i + 1].y) continue;
      ++drawn;
      plot.dot(points[i], Ink::of(Role::Modelled), 2.5f,
               draft_.say("view.occupancy.edge_" + id,
                          {{"x", plain_number(points[i].x)},
                           {"n", plain_number(points[i].y)},
                           {"blocks", plain_number(points[i].y / std::max(1, state().warps_per_block))},
                           {"less", plain_number(points[i + 1].y)},
                           {"unit", id == "registers" ? value_of(cc().register_unit_per_warp)
                                                      : MessageValue(bytes_text(static_cast<std::uint64_t>(
                                                            std::max(0, cc().shared_unit))))}}));
    }
  }

  // How much more of a resource is free: up to where nothing changes, and what one register less would give.
  std::string next_fall(const std::string& id, const std::vector<PlotPoint>& points, double here) const {
    if (state().warps_per_sm <= 0) return {};
    const auto worse = std::find_if(points.begin(), points.end(), [&](const PlotPoint& p) {
      return p.x > here && p.y < state().warps_per_sm;
    });
    std::string out;
    if (id == "registers" && here > points.front().x) {
      const auto less =
          std::find_if(points.begin(), points.end(), [&](const PlotPoint& p) { return p.x >= here - 1; });
      if (less != points.end())
        out = less->y > state().warps_per_sm
                  ? draft_.say("view.occupancy.one_less", {{"n", plain_number(less->y)}})
                  : draft_.say("view.occupancy.one_less_same");
    }
    if (worse == points.end()) return out;
    if (!out.empty()) out += draft_.say("view.occupancy.and_then");
    return out + draft_.say((worse->y > 0 ? "view.occupancy.fall_" : "view.occupancy.fall_to_none_") + id,
                            {{"x", plain_number(worse->x)}, {"n", plain_number(worse->y)}});
  }

  // Where the next higher step starts: the nearest value that gives more warps.
  std::string next_step(const std::string& id, const std::vector<PlotPoint>& points, double here) const {
    const PlotPoint* best = nullptr;
    for (const PlotPoint& p : points)
      if (p.y > state().warps_per_sm && (!best || std::abs(p.x - here) < std::abs(best->x - here))) best = &p;
    if (!best)
      return state().theoretical >= 1 ? draft_.say("view.occupancy.top")
                                      : draft_.say("view.occupancy.no_step_" + id);
    return draft_.say("view.occupancy.step_" + id,
                      {{"x", plain_number(best->x)}, {"n", plain_number(best->y)}});
  }

  Draft& draft_;
  const OccupancyFacts& facts_;
};

}  // namespace

void draw_occupancy_curves(Draft& draft, Rect area, const OccupancyFacts& facts) {
  OccupancyCurves(draft, facts).draw(area);
}

}  // namespace warplens::visual
