#include "app/cli/time_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/model/recording/sweep_effect.h"
#include "app/model/run/counters_table.h"
#include "engine/analysis/known_counts.h"
#include "engine/base/number_text.h"

namespace warplens::cli {
namespace {

using Json = nlohmann::ordered_json;
using model::Spread;

Json extent(Dim3 e) {
  return {e.x, e.y, e.z};
}

Json launch_json(const trace::Launch& launch) {
  return {{"grid", extent(launch.grid)}, {"block", extent(launch.block)}};
}

Json json_of(const Spread& s) {
  return {{"median_ms", s.median}, {"p5_ms", s.p5},  {"p25_ms", s.p25},          {"p75_ms", s.p75},
          {"p95_ms", s.p95},       {"runs", s.runs}, {"outliers_ms", s.outliers}};
}

// Says where a played number comes from; nothing for a measurement of here and now.
void add_origin(Json& json, const Origin& origin) {
  if (origin.recording == nullptr) return;
  const model::Recording& r = *origin.recording;
  json["recording"] = {{"date", r.day_of(origin.kernel)},
                       {"driver", r.driver},
                       {"toolkit", r.toolkit},
                       {"file", r.file.filename().string()},
                       {"sm_clock_mhz", {{"before", r.clock_before}, {"after", r.clock_after}}}};
}

Json warnings_of(const std::vector<Message>& warnings, const Catalogue& catalogue) {
  Json out = Json::array();
  for (const Message& message : warnings)
    out.push_back({{"key", message.key}, {"text", catalogue.text(message)}});
  return out;
}

// Bytes of the loads and stores of a whole launch: 32 x sectors, counted.
std::uint64_t bytes_moved(const TimedLaunch& timed) {
  if (!timed.counted) return 0;
  const analysis::Report& report = timed.counted->report;
  if (report.blocks_run != report.blocks_total) return 0;
  return 32 * (report.totals.global_load.sectors + report.totals.global_store.sectors);
}

Known known_of_bytes(const TimedLaunch& timed) {
  const analysis::KnownCounts known = analysis::known_counts(timed.counted->report);
  return weaker(known.of(known.global_load), known.of(known.global_store));
}

Json counters_json(const TimedLaunch& timed) {
  if (!timed.counters) return {{"reason", timed.counters_reason}};
  Json rows = Json::array(), stalls = Json::array(), raw = Json::object();
  const analysis::Report* report = timed.counted ? &timed.counted->report : nullptr;
  for (const visual::CounterLine& row : model::counters_table(*timed.counters, report))
    rows.push_back({{"metric", row.metric},
                    {"measured", row.measured},
                    {"counted", row.counted ? Json(*row.counted) : Json(nullptr)},
                    {"agrees", row.counted ? Json(row.agrees()) : Json(nullptr)}});
  for (const visual::StallLine& row : model::stall_table(*timed.counters))
    stalls.push_back({{"reason", row.reason}, {"warps", row.cycles}});
  for (const auto& [name, value] : timed.counters->values) raw[name] = value;
  return {{"rows", std::move(rows)}, {"stalls", std::move(stalls)}, {"all", std::move(raw)}};
}

std::string plain(double value, visual::CounterLine::Kind kind) {
  return kind == visual::CounterLine::Kind::Percent ? fmt::format("{:.1f} %", value)
                                                    : fmt::format("{:.0f}", value);
}

std::string counters_text(const TimedLaunch& timed, const Catalogue& catalogue) {
  if (!timed.counters) return fmt::format("  hardware counters: {}\n", timed.counters_reason);
  const analysis::Report* report = timed.counted ? &timed.counted->report : nullptr;
  std::string out = fmt::format("\n  {:<34}{:>14}{:>14}\n", "hardware counter", "measured", "counted");
  for (const visual::CounterLine& row : model::counters_table(*timed.counters, report))
    out += fmt::format("  {:<34}{:>14}{:>14}{}\n", catalogue.text(row.key), plain(row.measured, row.kind),
                       row.counted ? plain(*row.counted, row.kind) : "", row.agrees() ? "" : "   differs");
  const auto stalls = model::stall_table(*timed.counters);
  double all = 0;
  for (const visual::StallLine& stall : stalls) all += stall.cycles;
  if (all > 0)
    out += fmt::format("\n  of {:.1f} cycles from one instruction of a warp to its next (measured)\n", all);
  for (const visual::StallLine& stall : stalls)
    if (stall.cycles >= 0.001 * all)
      out += fmt::format("  {:>8.2f} {:>5.1f} %  {} ({})\n", stall.cycles, 100 * stall.cycles / all,
                         catalogue.text(stall.key), stall.reason);
  return out;
}

// One row a stream and engine, time to the right: what overlapped.
std::string drawn(const model::RecordedStreams& run) {
  constexpr std::size_t kColumns = 72;
  double end = 0;
  for (const visual::StreamSpan& span : run.spans) end = std::max(end, span.end_ms);
  if (end <= 0) return {};
  std::string out;
  for (int stream = 0; stream < run.streams; ++stream)
    for (const visual::StreamWork work :
         {visual::StreamWork::CopyIn, visual::StreamWork::Compute, visual::StreamWork::CopyOut}) {
      constexpr const char* kNames[] = {"in", "compute", "out"};
      std::string row(kColumns, '.');
      for (const visual::StreamSpan& span : run.spans) {
        if (span.stream != stream || span.work != work) continue;
        const auto from = static_cast<std::size_t>(span.begin_ms / end * (kColumns - 1));
        const auto to = static_cast<std::size_t>(span.end_ms / end * (kColumns - 1));
        for (std::size_t i = from; i <= to && i < kColumns; ++i)
          row[i] = static_cast<char>(span.chunk < 10 ? '0' + span.chunk : 'a' + span.chunk % 26 - 10);
      }
      out += fmt::format("  stream {} {:<8}{}\n", stream, kNames[static_cast<int>(work)], row);
    }
  return out;
}

}  // namespace

std::string TimeReport::evidence(const Origin& origin) const {
  return origin.recording == nullptr ? std::string("measured")
                                     : catalogue_.text(origin.recording->evidence(origin.kernel));
}

Answer TimeReport::launch(const TimedLaunch& timed, const Origin& origin) const {
  const gpu::Timing& t = timed.timing;
  const Spread spread = timed.spread ? *timed.spread : model::spread_of(t.milliseconds);
  const std::uint64_t moved = bytes_moved(timed);
  const double rate = t.median > 0 ? static_cast<double>(moved) / (t.median / 1000.0) : 0;
  Json json{{"schema", "warplens.timing/1"}, {"kernel", timed.kernel},
            {"device", timed.device.name},   {"launch", launch_json(timed.launch)},
            {"evidence", "measured"},        {"evidence_text", evidence(origin)}};
  add_origin(json, origin);
  json.update(json_of(spread));
  json["samples_ms"] = t.milliseconds;
  json["empty_kernel_ms"] = t.launch_overhead;
  json["l2"] = flushed_l2_ ? "flushed" : "warm";
  json["inputs_restored"] = t.inputs_restored;
  json["sm_clock_mhz"] = {{"before", t.sm_clock_before_mhz}, {"after", t.sm_clock_after_mhz}};
  json["bytes_moved"] = moved > 0 ? Json(moved) : Json(nullptr);
  json["bytes_moved_evidence"] = "counted";
  json["bytes_moved_known"] = moved > 0 ? Json(name(known_of_bytes(timed))) : Json(nullptr);
  json["bytes_per_second"] = moved > 0 ? Json(rate) : Json(nullptr);
  json["peak_bytes_per_second"] = t.peak_bytes_per_second;
  json["registers_per_thread"] =
      timed.registers_per_thread > 0 ? Json(timed.registers_per_thread) : Json(nullptr);
  json["warnings"] = warnings_of(t.warnings, catalogue_);
  const bool with_counters = timed.counters || !timed.counters_reason.empty();
  if (with_counters) json["counters"] = counters_json(timed);
  if (timed.instrumented)
    json["instrumented"] = {{"plain_ms", timed.instrumented->plain_ms},
                            {"totals_ms", timed.instrumented->totals_ms},
                            {"one_block_ms", timed.instrumented->one_block_ms},
                            {"records_ms", timed.instrumented->records_ms},
                            {"records_lost", timed.instrumented->records_lost}};

  std::string text = fmt::format(
      "{}\n  median        {:.4f} ms   (5 % to 95 %: {:.4f} to {:.4f} ms, {} runs, L2 {})   {}\n"
      "  empty kernel  {:.4f} ms\n",
      timed.device.name, t.median, t.low, t.high, spread.runs, flushed_l2_ ? "flushed" : "warm",
      evidence(origin), t.launch_overhead);
  if (!spread.outliers.empty())
    text += fmt::format("  outliers      {}, the slowest {:.4f} ms\n", spread.outliers.size(),
                        spread.outliers.front());
  if (moved > 0)
    text +=
        rate <= t.peak_bytes_per_second
            ? fmt::format("  moves         {:.1f} GB/s of {:.1f} GB/s that a copy reaches there\n",
                          rate / 1e9, t.peak_bytes_per_second / 1e9)
            : fmt::format(
                  "  asks for      {:.1f} GB/s; a copy reaches {:.1f} GB/s there, so caches serve the rest\n",
                  rate / 1e9, t.peak_bytes_per_second / 1e9);
  text += fmt::format("  SM clock      {} MHz before, {} MHz after\n", t.sm_clock_before_mhz,
                      t.sm_clock_after_mhz);
  for (const Message& warning : t.warnings) text += fmt::format("  warning: {}\n", catalogue_.text(warning));
  if (timed.instrumented)
    text += fmt::format(
        "  instrumented  {:.4f} ms counting, {:.4f} ms recording one block, {:.4f} ms recording all{}, of a "
        "single run of {:.4f} ms\n",
        timed.instrumented->totals_ms, timed.instrumented->one_block_ms, timed.instrumented->records_ms,
        timed.instrumented->records_lost ? " (as much as fits)" : "", timed.instrumented->plain_ms);
  if (with_counters) text += counters_text(timed, catalogue_);
  return {json.dump(2), text};
}

Answer TimeReport::sweep(const model::GalleryKernel& kernel, const std::string& slider,
                         const model::SliderValues& values, const std::vector<SweptPoint>& points,
                         const Origin& origin) const {
  Json rows = Json::array(), others = Json::object();
  for (const auto& [name, value] : values)
    if (name != slider) others[name] = value;
  double longest = 0;
  std::vector<Spread> spreads;
  for (const SweptPoint& point : points) {
    longest = std::max(longest, point.spread.median);
    spreads.push_back(point.spread);
  }
  const model::SweepEffect effect = model::effect_of(spreads);
  const model::Slider* const swept = kernel.slider(slider);
  const bool named = swept != nullptr && !swept->choices.empty();
  const auto called = [&](std::int64_t value) {
    return swept == nullptr ? std::to_string(value) : model::value_name(*swept, value, "en");
  };
  std::string text = fmt::format("{} on {}, {}\n  {:>{}}{:>12}{:>12}{:>12}\n", kernel.id, origin.device,
                                 evidence(origin), slider, named ? 26 : 10, "median ms", "5 %", "95 %");
  for (const SweptPoint& point : points) {
    Json row{{"value", point.value}};
    if (named) row["choice"] = swept->choices.at(static_cast<std::size_t>(point.value));
    row.update(json_of(point.spread));
    row["warnings"] = warnings_of(point.warnings, catalogue_);
    rows.push_back(std::move(row));
    const auto bar = static_cast<std::size_t>(longest > 0 ? 40 * point.spread.median / longest : 0);
    text += fmt::format("  {:>{}}{:>12.4f}{:>12.4f}{:>12.4f}  {}\n", called(point.value), named ? 26 : 10,
                        point.spread.median, point.spread.p5, point.spread.p95, std::string(bar, '#'));
  }
  const std::string reason = effect.informative ? std::string() : model::reason_of(kernel, slider, "en");
  text += fmt::format(
      "  {}: the slowest takes {:.2f} times as long as the fastest; a point spreads by {:.1f} %\n",
      effect.informative ? "it matters" : "no difference that can be told", effect.effect,
      100 * effect.noise);
  if (!reason.empty()) text += fmt::format("  {}\n", reason);
  // A warning that every point has is said once.
  if (!points.empty())
    for (const Message& warning : points.front().warnings)
      if (std::all_of(points.begin(), points.end(), [&](const SweptPoint& p) {
            return std::any_of(p.warnings.begin(), p.warnings.end(),
                               [&](const Message& m) { return m.key == warning.key; });
          }))
        text += fmt::format("  everywhere: {}\n", catalogue_.text(warning));
  Json json{{"schema", "warplens.sweep/1"}, {"kernel", kernel.id},
            {"device", origin.device},      {"slider", slider},
            {"others", std::move(others)},  {"l2", flushed_l2_ ? "flushed" : "warm"},
            {"evidence", "measured"},       {"evidence_text", evidence(origin)}};
  add_origin(json, origin);
  if (!points.empty()) {
    model::SliderValues at = values;
    at[slider] = points.front().value;
    if (const auto bound = model::launch_of(kernel, at)) json["launch"] = launch_json(bound->launch);
  }
  json["informative"] = effect.informative;
  json["effect"] = effect.effect;
  json["noise"] = effect.noise;
  if (!reason.empty()) json["reason"] = reason;
  json["points"] = std::move(rows);
  return {json.dump(2), text};
}

Answer TimeReport::transfers(const std::vector<model::RecordedTransfer>& rows, const Origin& origin) const {
  Json out = Json::array();
  std::string text =
      fmt::format("copies between host and {}, {}\n  {:>18}  {:<9} {:<10} {:>12} {:>10}\n", origin.device,
                  evidence(origin), "copies x size", "memory", "direction", "median ms", "GB/s");
  for (const model::RecordedTransfer& row : rows) {
    Json one{{"bytes", row.bytes},
             {"count", row.count},
             {"pinned", row.pinned},
             {"direction", row.to_device ? "host to device" : "device to host"},
             {"bytes_per_second", row.bytes_per_second()}};
    one.update(json_of(row.spread));
    out.push_back(std::move(one));
    text += fmt::format("  {:>18}  {:<9} {:<10} {:>12.4f} {:>10.2f}\n",
                        fmt::format("{} x {}", row.count, bytes_text(row.bytes)),
                        row.pinned ? "pinned" : "pageable", row.to_device ? "to GPU" : "from GPU",
                        row.spread.median, row.bytes_per_second() / 1e9);
  }
  Json json{{"schema", "warplens.transfers/1"},
            {"device", origin.device},
            {"evidence", "measured"},
            {"evidence_text", evidence(origin)}};
  add_origin(json, origin);
  json["rows"] = std::move(out);
  return {json.dump(2), text};
}

Answer TimeReport::streams(const std::vector<model::RecordedStreams>& runs, const Origin& origin) const {
  constexpr const char* kWork[] = {"copy in", "compute", "copy out"};
  Json out = Json::array();
  std::string text = fmt::format("{}, {}\n", origin.device, evidence(origin));
  for (const model::RecordedStreams& run : runs) {
    Json spans = Json::array();
    for (const visual::StreamSpan& span : run.spans)
      spans.push_back({{"work", kWork[static_cast<int>(span.work)]},
                       {"stream", span.stream},
                       {"chunk", span.chunk},
                       {"begin_ms", span.begin_ms},
                       {"end_ms", span.end_ms}});
    Json one{{"streams", run.streams}, {"chunks", run.chunks}, {"bytes", run.bytes}, {"clock", run.clock}};
    one.update(json_of(run.total));
    one["spans"] = std::move(spans);
    out.push_back(std::move(one));
    text += fmt::format(
        "{} stream{}, {} piece{} of {}: {:.3f} ms (5 % to 95 %: {:.3f} to {:.3f} ms, {} runs; spans by "
        "{})\n{}",
        run.streams, run.streams == 1 ? "" : "s", run.chunks, run.chunks == 1 ? "" : "s",
        bytes_text(run.bytes / static_cast<std::uint64_t>(run.chunks)), run.total.median, run.total.p5,
        run.total.p95, run.total.runs, run.clock, drawn(run));
  }
  if (origin.recording != nullptr && !runs.empty())
    if (const auto line = origin.recording->timeline(runs.front().streams, runs.front().chunks);
        line && line->one_stream_ms > 0)
      text += fmt::format("one stream, one piece: {:.3f} ms\n", line->one_stream_ms);
  Json json{{"schema", "warplens.streams/1"},
            {"device", origin.device},
            {"evidence", "measured"},
            {"evidence_text", evidence(origin)}};
  add_origin(json, origin);
  json["runs"] = std::move(out);
  return {json.dump(2), text};
}

}  // namespace warplens::cli
