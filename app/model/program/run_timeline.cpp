#include "app/model/program/run_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/base/markup.h"
#include "engine/base/number_text.h"
#include "engine/base/time_text.h"

namespace warplens::model {
namespace {

using Json = RunEvents::Json;

constexpr double kWidth = 1000;   // of a row, in its own units
constexpr double kNarrowest = 1;  // what is narrower is drawn as wide as this
constexpr std::size_t kColours = 5;

// One rectangle; neighbours that the eye cannot tell apart become one.
struct Bar {
  double begin = 0, end = 0;
  std::string style;
  std::string what;  // of the first
  std::uint64_t count = 1;
};

class Rows {
 public:
  Rows(const TimelineRange& range, const Catalogue& text)
      : begin_(range.begin),
        scale_(range.end > range.begin ? kWidth / (range.end - range.begin) : 0),
        text_(text) {}

  void add(std::vector<Bar>& row, const Json& event, std::string style, std::string what) const {
    const double at = (event.value("begin", 0.0) - begin_) * scale_;
    const double begin = std::clamp(at, 0.0, kWidth - kNarrowest);
    const double end = std::max(begin + kNarrowest, at + event.value("seconds", 0.0) * scale_);
    if (!row.empty() && row.back().style == style && begin - row.back().end < kNarrowest / 2 &&
        end - begin <= 2 * kNarrowest) {
      row.back().end = std::max(row.back().end, end);
      ++row.back().count;
      return;
    }
    row.push_back({begin, end, std::move(style), std::move(what), 1});
  }

  std::string bars(const std::vector<Bar>& row, int y, int height) const {
    std::string out;
    for (const Bar& bar : row) {
      const std::string title =
          bar.count == 1
              ? bar.what
              : text_.text(Message{"run.page.several",
                                   {{"first", value_of(bar.what)}, {"count", value_of(bar.count - 1)}}});
      out += fmt::format(
          "<rect class=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\"><title>{}</title></rect>",
          bar.style, bar.begin, y, std::min(bar.end, kWidth) - bar.begin, height, escaped_markup(title));
    }
    return out;
  }

 private:
  double begin_, scale_;
  const Catalogue& text_;
};

struct Stream {
  std::vector<Bar> launches, transfers;
};

std::string svg(const std::string& bars, int height, const char* style) {
  return fmt::format("<svg class=\"{}\" viewBox=\"0 0 1000 {}\" preserveAspectRatio=\"none\">{}</svg>\n",
                     style, height, bars);
}

}  // namespace

std::string seconds_text(double seconds) {
  return time_text(1000 * seconds);
}

std::string precise_seconds_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.2f} µs", seconds * 1e6);
}

TimelineRange active_range(const RunEvents& events) {
  TimelineRange out{1e300, 0};
  for (const auto* list : {&events.launches, &events.transfers})
    for (const Json& one : *list) {
      if (!one.contains("seconds")) continue;
      const double begin = one.value("begin", 0.0);
      out.begin = std::min(out.begin, begin);
      out.end = std::max(out.end, begin + one.value("seconds", 0.0));
    }
  return out.end > out.begin ? out : TimelineRange{};
}

std::string timeline_html(const RunEvents& events, const std::vector<std::string>& kernels,
                          const TimelineRange& range, const Catalogue& text) {
  const Rows rows(range, text);
  const auto style_of = [&](const Json& launch) -> std::string {
    if (launch.value("ending", "") == "faulted") return "faulted";
    const auto at =
        static_cast<std::size_t>(std::ranges::find(kernels, launch.value("kernel", "")) - kernels.begin());
    return fmt::format("k{}", std::min(at, kColours));
  };
  std::map<std::uint64_t, Stream> streams;
  for (const Json& launch : events.launches) {
    if (const std::string ending = launch.value("ending", "");
        ending == "skipped" || ending == "not_measured")
      continue;
    rows.add(streams[launch.value("stream", std::uint64_t{0})].launches, launch, style_of(launch),
             fmt::format("#{} {}, {}", launch.value("index", 0), launch.value("kernel", ""),
                         seconds_text(launch.value("seconds", 0.0))));
  }
  for (const Json& one : events.transfers)
    rows.add(streams[one.value("stream", std::uint64_t{0})].transfers, one, "copy",
             fmt::format("{}, {}, {}", text.text("run.page.transfer." + one.value("kind", "")),
                         bytes_text(one.value("bytes", std::uint64_t{0})),
                         seconds_text(one.value("seconds", 0.0))));
  std::vector<Bar> waits;
  const auto lies_outside = [&](const Json& one) {
    const double begin = one.value("begin", 0.0);
    return begin > range.end || begin + one.value("seconds", 0.0) < range.begin;
  };
  for (const Json& one : events.waits) {
    if (lies_outside(one)) continue;
    rows.add(waits, one, "copy",
             fmt::format("{}, {}", one.value("call", ""), seconds_text(one.value("seconds", 0.0))));
  }

  std::string out = "<div class=\"time\">\n";
  for (const auto& [number, stream] : streams)
    out += fmt::format(
        "<div class=\"label\">{}</div>{}",
        escaped_markup(number == 0 ? text.text("run.page.default_stream")
                                   : text.text(Message{"run.page.stream", {{"number", value_of(number)}}})),
        svg(rows.bars(stream.launches, 3, 18) + rows.bars(stream.transfers, 24, 7), 34, "stream"));
  if (!waits.empty())
    out += fmt::format("<div class=\"label\">{}</div>{}", escaped_markup(text.text("run.page.waits")),
                       svg(rows.bars(waits, 4, 6), 14, "waits"));
  out += "<div></div><div class=\"axis\">";
  for (int i = 0; i <= 4; ++i)
    out += fmt::format("<span>{}</span>", i == 0 ? "0" : seconds_text((range.end - range.begin) * i / 4));
  out += "</div></div>\n<ul class=\"legend\">\n";
  const auto entry = [&](const std::string& style, const std::string& name) {
    out += fmt::format(
        "<li><svg viewBox=\"0 0 10 10\"><rect class=\"{}\" width=\"10\" height=\"10\" rx=\"2\"/></svg>"
        "{}</li>\n",
        style, escaped_markup(name));
  };
  for (std::size_t i = 0; i < std::min(kernels.size(), kColours); ++i)
    entry(fmt::format("k{}", i), kernels[i]);
  if (kernels.size() > kColours) entry("k5", text.text("run.page.other_kernels"));
  if (!events.transfers.empty()) entry("copy", text.text("run.page.transfers"));
  return out + "</ul>\n";
}

}  // namespace warplens::model
