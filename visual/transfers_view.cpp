// How fast do bytes reach the GPU? Copies between host and device over their size, from pinned and from
// pageable host memory, both axes logarithmic: small copies lie on the line of the time that every copy takes
// however small it is, large ones under the roof of the link. Below, one size sent whole and in pieces.
//
// Small panes lose, in this order: the sentence, the pieces. Wide panes show both directions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/typography.h"
#include "visual/hardware.h"
#include "visual/layout.h"
#include "visual/other_device.h"
#include "visual/plot.h"
#include "visual/run_times.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

constexpr float kBothWidth = 1100;

std::string gigabytes(double rate) {
  return fmt::format("{:.{}f} GB/s", rate, rate >= 10 ? 1 : 2);
}

const TransferPoint* fastest(const TransferSeries& s) {
  const auto found = std::max_element(s.single.begin(), s.single.end(),
                                      [](const auto& a, const auto& b) { return a.rate() < b.rate(); });
  return found == s.single.end() ? nullptr : &*found;
}

// What a copy takes however small it is, from whatever memory.
double floor_ms(const std::vector<TransferSeries>& series, bool to_device) {
  double least = 0;
  for (const TransferSeries& s : series)
    for (const TransferPoint& p : s.single)
      if (s.to_device == to_device && p.median_ms > 0 && (least == 0 || p.median_ms < least))
        least = p.median_ms;
  return least;
}

// The size from which on half the best rate is reached; between two sizes on the line that joins them.
double half_size(const TransferSeries& s) {
  const TransferPoint* best = fastest(s);
  if (!best) return 0;
  const double goal = best->rate() / 2;
  for (std::size_t i = 0; i < s.single.size(); ++i) {
    const double y = s.single[i].rate();
    if (y < goal) continue;
    const auto x = static_cast<double>(s.single[i].bytes);
    if (i == 0) return x;
    const double x0 = std::log(static_cast<double>(s.single[i - 1].bytes)),
                 y0 = std::log(s.single[i - 1].rate());
    const double part = std::log(y) > y0 ? (std::log(goal) - y0) / (std::log(y) - y0) : 1;
    return std::exp(x0 + (std::log(x) - x0) * part);
  }
  return 0;
}

class TransfersView {
 public:
  TransfersView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (!transfers_applies(input_)) return empty();
    to_device_ = rates().to_device;
    if (!find(true, to_device_) && !find(false, to_device_)) to_device_ = !to_device_;
    Rect rest = header();
    say_other_device(draft_, rest, input_, rates().on);
    const std::string why = reason();
    const float height = draft_.sentence_height(why, rest.width, 3);
    if (height > 0 && rest.height - height > 210) draft_.sentence("why", take_bottom(rest, height, 12), why);
    const bool both = rest.width >= kBothWidth && (find(true, !to_device_) || find(false, !to_device_));
    if (!both) {
      direction(rest, to_device_, false);
    } else {
      const float half = (rest.width - 40) / 2;
      direction({rest.x, rest.y, half, rest.height}, true, true);
      direction({rest.x + half + 40, rest.y, half, rest.height}, false, true);
    }
    return draft_.finish(why.empty() ? draft_.say("view.transfers.title") : why);
  }

 private:
  const TransferRates& rates() const { return *input_.transfers; }

  Scene empty() {
    Rect rest = draft_.header({.title = draft_.say("view.transfers.title")});
    draft_.empty(rest, draft_.say("view.transfers.none"), draft_.say("view.transfers.none_advice"));
    return draft_.finish(draft_.say("view.transfers.none"));
  }

  const TransferSeries* find(bool pinned, bool to_device) const {
    for (const TransferSeries& s : rates().series)
      if (s.pinned == pinned && s.to_device == to_device && !s.single.empty()) return &s;
    return nullptr;
  }
  std::string memory(bool pinned) const {
    return draft_.say(pinned ? "view.transfers.pinned" : "view.transfers.pageable");
  }

  Rect header() {
    const TransferSeries* pinned = find(true, to_device_);
    const TransferSeries* pageable = find(false, to_device_);
    const TransferSeries* first = pinned ? pinned : pageable;
    Heading heading{.title = draft_.say(to_device_ ? "view.transfers.title" : "view.transfers.title_back"),
                    .about = rates().note,
                    .about_in_full = true,
                    .answer = gigabytes(fastest(*first)->rate()),
                    .evidence = rates().evidence};
    heading.evidence_of = other_device(input_, rates().on);
    heading.sub = memory(pinned != nullptr);
    if (pinned && pageable)
      heading.sub = draft_.say("view.transfers.sub", {{"rate", gigabytes(fastest(*pageable)->rate())}});
    return draft_.header(heading);
  }

  std::string reason() const {
    const TransferSeries* pinned = find(true, to_device_);
    if (!pinned) return {};
    std::string out =
        draft_.say("view.transfers.why", {{"floor", time_text(floor_ms(rates().series, to_device_))},
                                          {"half", bytes_text(rounded(half_size(*pinned)))}});
    if (pinned->pieces.size() < 2) return out;
    const TransferPoint &whole = pinned->pieces.front(), &last = pinned->pieces.back();
    append_sentence(
        out,
        draft_.say("view.transfers.why_pieces",
                   {{"n", group_digits(static_cast<std::uint64_t>(last.count))},
                    {"bytes", bytes_text(last.bytes)},
                    {"times", plain_number(std::round(last.median_ms / std::max(1e-9, whole.median_ms)))}}));
    return out;
  }

  // Two digits are all that an interpolation is good for.
  static std::uint64_t rounded(double bytes) {
    if (!(bytes > 0)) return 0;
    const double kilo = bytes / 1024, step = std::pow(10, std::floor(std::log10(std::max(1.0, kilo))) - 1);
    return static_cast<std::uint64_t>(std::round(kilo / step) * step * 1024);
  }

  void direction(Rect r, bool to_device, bool named) {
    const std::string id = to_device ? "to" : "from";
    if (named)
      draft_.caption(id + ".caption", take_top(r, 16, 4),
                     draft_.say(to_device ? "view.transfers.to" : "view.transfers.from"));
    std::vector<const TransferSeries*> shown;
    for (const bool pinned : {true, false})
      if (const TransferSeries* s = find(pinned, to_device)) shown.push_back(s);
    if (shown.empty()) return;
    std::size_t rows = 0;
    for (const TransferSeries* s : shown) rows = std::max(rows, s->pieces.size());
    const float wanted = 24 + 34.0f * static_cast<float>(rows);
    if (rows > 1 && r.height - wanted > 190) pieces(id, take_bottom(r, wanted, 16), shown);
    curves(id, r, shown);
  }

  static Ink ink_of(bool pinned) { return pinned ? Ink::of(Role::Accent) : Ink::of_lane(27); }

  // `height` of the axes: over the roof of the link there is room for a row of text.
  static PlotRange range(const std::vector<const TransferSeries*>& shown, float height) {
    double low = 1e300, high = 0, least = 1e300, most = 0;
    for (const TransferSeries* s : shown)
      for (const TransferPoint& p : s->single) {
        if (!(p.rate() > 0)) continue;
        low = std::min(low, static_cast<double>(p.bytes));
        high = std::max(high, static_cast<double>(p.bytes));
        least = std::min(least, p.rate());
        most = std::max(most, p.rate());
      }
    PlotRange out{.x_min = low, .x_max = std::max(high, low * 2), .log_x = true, .log_y = true};
    const double row = 24 / std::max(48.0, static_cast<double>(height) - 24);
    out.y_max = most * std::max(1.6, std::pow(most / least, row));
    // 1, 2, 5, 10, ...: a whole decade below the slowest copy would be empty.
    for (double decade = std::pow(10, std::floor(std::log10(least))); decade <= out.y_max; decade *= 10)
      for (const double tick : {decade, 2 * decade, 5 * decade})
        if (tick <= out.y_max) out.y_ticks.push_back(tick);
    while (out.y_ticks.size() > 2 && out.y_ticks[1] <= least * 0.95) out.y_ticks.erase(out.y_ticks.begin());
    out.y_min = out.y_ticks.front();
    for (std::uint64_t bytes = 1024; static_cast<double>(bytes) <= out.x_max; bytes *= 16)
      for (const std::uint64_t tick : {bytes, bytes * 4})
        if (static_cast<double>(tick) >= out.x_min && static_cast<double>(tick) <= out.x_max)
          out.x_ticks.emplace_back(static_cast<double>(tick), bytes_text(tick));
    return out;
  }

  void curves(const std::string& id, Rect r, const std::vector<const TransferSeries*>& shown) {
    legend(id, take_top(r, 18, 8), shown);
    const PlotRange limits = range(shown, r.height - 44);
    Plot plot(draft_, id, r, limits, draft_.say("view.transfers.size"), "GB/s");
    latency(id, plot, limits, *shown.front());
    for (std::size_t i = shown.size(); i-- > 0;) curve(plot, *shown[i]);
  }

  // Every copy takes so long: no size does better than this line.
  void latency(const std::string& id, Plot& plot, const PlotRange& limits, const TransferSeries& s) {
    const double ms = floor_ms(rates().series, s.to_device);
    if (!(ms > 0)) return;
    const auto rate = [&](double bytes) { return bytes / ms / 1e6; };
    const double from = std::max(limits.x_min, limits.y_min * ms * 1e6);
    const double to = std::min(limits.x_max, limits.y_max * ms * 1e6);
    if (!(to > from)) return;
    const std::string words = draft_.say("view.transfers.floor", {{"t", time_text(ms)}});
    plot.line({{from, rate(from)}, {to, rate(to)}}, Ink::of(Role::Dim), true, words);
    const Point end = plot.at({to, rate(to)});
    const float wide = draft_.width(words, kTiny) + 2;
    // Beside the upper end of the line, where no copy is: above the roof of the link.
    if (end.x + 10 + wide < plot.inner().right()) {
      // Over a line of the grid.
      draft_.box(id + ".floor.ground", {end.x + 8, plot.inner().y + 1, wide + 4, 14}, Ink::of(Role::Ground));
      draft_.text(id + ".floor", {end.x + 10, plot.inner().y, wide, 16}, words, dim(kTiny));
    }
    const double half = half_size(s);
    if (!(half > limits.x_min) || half >= limits.x_max || plot.inner().height < 150) return;
    const TransferPoint* best = fastest(s);
    const Point at = plot.at({half, best->rate() / 2});
    const std::string says = draft_.say("view.transfers.half", {{"bytes", bytes_text(rounded(half))}});
    draft_.line(id + ".half", {at, {at.x, plot.inner().bottom()}}, Ink::of(Role::Text, 0.5f), 1).dashed =
        true;
    const float room = draft_.width(says, kTiny) + 2;
    if (at.x + 8 + room < plot.inner().right())
      draft_.text(id + ".half.name", {at.x + 8, plot.inner().bottom() - 20, room, 16}, says, dim(kTiny));
  }

  void curve(Plot& plot, const TransferSeries& s) {
    std::vector<PlotPoint> points, low, high;
    for (const TransferPoint& p : s.single) {
      if (!(p.rate() > 0)) continue;
      const auto x = static_cast<double>(p.bytes);
      points.push_back({x, p.rate()});
      low.push_back({x, p.high_ms > 0 ? x / p.high_ms / 1e6 : p.rate()});
      high.push_back({x, p.low_ms > 0 ? x / p.low_ms / 1e6 : p.rate()});
    }
    const Ink ink = ink_of(s.pinned);
    plot.band(low, high, {ink.role, 0.18f, ink.lane});
    plot.line(points, ink, !s.pinned, memory(s.pinned));
    std::size_t i = 0;
    for (const TransferPoint& p : s.single) {
      if (!(p.rate() > 0)) continue;
      plot.dot(points[i++], ink, 3,
               draft_.say("view.transfers.tip", {{"memory", memory(s.pinned)},
                                                 {"bytes", bytes_text(p.bytes)},
                                                 {"t", time_text(p.median_ms)},
                                                 {"low", time_text(p.low_ms)},
                                                 {"high", time_text(p.high_ms)},
                                                 {"rate", gigabytes(p.rate())}}));
    }
  }

  void legend(const std::string& id, Rect r, const std::vector<const TransferSeries*>& shown) {
    const auto words_of = [&](const TransferSeries& s, bool in_full) {
      return in_full ? draft_.say(s.pinned ? "view.transfers.pinned_long" : "view.transfers.pageable_long")
                     : memory(s.pinned);
    };
    // Each has its words, or all of them have short ones.
    float in_full = 0;
    for (const TransferSeries* s : shown) in_full += draft_.width(words_of(*s, true)) + 52;
    for (const TransferSeries* s : shown) {
      const std::string words = words_of(*s, in_full <= r.width);
      const float wide = draft_.width(words) + 2;
      if (r.width < wide + 34) return;
      const Rect key = take_left(r, 24, 6);
      const std::string name = id + (s->pinned ? ".legend.pinned" : ".legend.pageable");
      draft_.line(name, {{key.x, key.y + 9}, {key.right(), key.y + 9}}, ink_of(s->pinned), 2).dashed =
          !s->pinned;
      draft_.text(name + ".name", take_left(r, wide, 20), words, {kSmall});
    }
  }

  // One total, whole and in ever smaller pieces: the length is the time.
  void pieces(const std::string& id, Rect r, const std::vector<const TransferSeries*>& shown) {
    const TransferPoint& whole = shown.front()->pieces.front();
    draft_.caption(
        id + ".pieces", take_top(r, 16, 8),
        draft_.say("view.transfers.pieces",
                   {{"bytes", bytes_text(whole.bytes * static_cast<std::uint64_t>(whole.count))}}));
    double longest = 0;
    std::size_t rows = 0;
    for (const TransferSeries* s : shown) {
      rows = std::max(rows, s->pieces.size());
      for (const TransferPoint& p : s->pieces) longest = std::max(longest, p.median_ms);
    }
    if (!(longest > 0)) return;
    float names = 0;
    for (const TransferPoint& p : shown.front()->pieces) names = std::max(names, draft_.width(piece_name(p)));
    names = std::min(names + 14, r.width * 0.4f);
    for (std::size_t row = 0; row < rows; ++row) {
      Rect line = take_top(r, 30, 4);
      const TransferPoint& named = shown.front()->pieces[std::min(row, shown.front()->pieces.size() - 1)];
      draft_.text(fmt::format("{}.piece.{}", id, row), {line.x, line.y + 6, names - 8, 18}, piece_name(named),
                  {kSmall});
      take_left(line, names);
      for (const TransferSeries* s : shown) {
        if (row >= s->pieces.size()) continue;
        piece(fmt::format("{}.piece.{}.{}", id, row, s->pinned ? "pinned" : "pageable"),
              take_top(line, 14, 2), *s, s->pieces[row], longest);
      }
    }
  }

  std::string piece_name(const TransferPoint& p) const {
    return fmt::format("{} × {}", group_digits(static_cast<std::uint64_t>(p.count)), bytes_text(p.bytes));
  }

  void piece(const std::string& id, const Rect& r, const TransferSeries& s, const TransferPoint& p,
             double longest) {
    const std::string words =
        time_text(p.median_ms) + " · " +
        draft_.say(
            "view.transfers.times",
            {{"times",
              plain_number(std::round(10 * p.median_ms / std::max(1e-9, s.pieces.front().median_ms)) / 10)}});
    const float room = draft_.width(words, kTiny, Face::Mono) + 10;
    const float wide = std::max(2.0f, (r.width - room) * static_cast<float>(p.median_ms / longest));
    const Ink ink = ink_of(s.pinned);
    Shape& bar = s.pinned ? draft_.box(id, {r.x, r.y + 2, wide, 10}, ink, 2)
                          : draft_.frame(id, {r.x, r.y + 2, wide, 10}, ink, 1.5f, 2);
    bar.tooltip = draft_.say("view.transfers.tip", {{"memory", memory(s.pinned)},
                                                    {"bytes", piece_name(p)},
                                                    {"t", time_text(p.median_ms)},
                                                    {"low", time_text(p.low_ms)},
                                                    {"high", time_text(p.high_ms)},
                                                    {"rate", gigabytes(p.rate())}});
    draft_.text(id + ".time", {r.x + wide + 8, r.y, room, 14}, words,
                {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Left});
  }

  Draft draft_;
  const ViewInput& input_;
  bool to_device_ = true;
};

}  // namespace

Scene transfers_view(const ViewContext& context, const ViewInput& input) {
  return TransfersView(context, input).run();
}

bool transfers_applies(const ViewInput& input) {
  return input.transfers &&
         std::any_of(input.transfers->series.begin(), input.transfers->series.end(),
                     [](const TransferSeries& s) { return fastest(s) && fastest(s)->rate() > 0; });
}

}  // namespace warplens::visual
