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

std::string said(const Catalogue& catalogue, const std::string& key,
                 std::vector<std::pair<std::string, MessageValue>> values = {}) {
  return catalogue.text(Message{"timing.text." + key, std::move(values)});
}

// "  median        0.0703 ms ...": what is behind a name, which is as wide as it is drawn (fmt's width).
std::string row_of(const Catalogue& catalogue, const std::string& key,
                   std::vector<std::pair<std::string, MessageValue>> values) {
  return fmt::format("  {:<14}{}\n", said(catalogue, key), said(catalogue, key + "_is", std::move(values)));
}

MessageValue fixed(double value, int digits) {
  return value_of(fmt::format("{:.{}f}", value, digits));
}

std::string plain(double value, visual::CounterLine::Kind kind) {
  return kind == visual::CounterLine::Kind::Percent ? fmt::format("{:.1f} %", value)
                                                    : fmt::format("{:.0f}", value);
}

std::string counters_text(const TimedLaunch& timed, const Catalogue& catalogue) {
  if (!timed.counters)
    return "  " + said(catalogue, "no_counters", {{"why", value_of(timed.counters_reason)}}) + "\n";
  const analysis::Report* report = timed.counted ? &timed.counted->report : nullptr;
  std::string out = fmt::format("\n  {:<34}{:>14}{:>14}\n", said(catalogue, "counter"),
                                said(catalogue, "measured"), said(catalogue, "counted"));
  for (const visual::CounterLine& row : model::counters_table(*timed.counters, report))
    out += fmt::format("  {:<34}{:>14}{:>14}{}\n", catalogue.text(row.key), plain(row.measured, row.kind),
                       row.counted ? plain(*row.counted, row.kind) : "",
                       row.agrees() ? "" : "   " + said(catalogue, "differs"));
  const auto stalls = model::stall_table(*timed.counters);
  double all = 0;
  for (const visual::StallLine& stall : stalls) all += stall.cycles;
  if (all > 0) out += "\n  " + said(catalogue, "of_cycles", {{"cycles", fixed(all, 1)}}) + "\n";
  for (const visual::StallLine& stall : stalls)
    if (stall.cycles >= 0.001 * all)
      out += fmt::format("  {:>8.2f} {:>5.1f} %  {} ({})\n", stall.cycles, 100 * stall.cycles / all,
                         catalogue.text(stall.key), stall.reason);
  return out;
}

// One row a stream and engine, time to the right: what overlapped.
std::string drawn(const model::RecordedStreams& run, const Catalogue& catalogue) {
  constexpr std::size_t kColumns = 72;
  double end = 0;
  for (const visual::StreamSpan& span : run.spans) end = std::max(end, span.end_ms);
  if (end <= 0) return {};
  std::string out;
  for (int stream = 0; stream < run.streams; ++stream)
    for (const visual::StreamWork work :
         {visual::StreamWork::CopyIn, visual::StreamWork::Compute, visual::StreamWork::CopyOut}) {
      constexpr const char* kNames[] = {"in", "compute", "out"};  // keys
      std::string row(kColumns, '.');
      for (const visual::StreamSpan& span : run.spans) {
        if (span.stream != stream || span.work != work) continue;
        const auto from = static_cast<std::size_t>(span.begin_ms / end * (kColumns - 1));
        const auto to = static_cast<std::size_t>(span.end_ms / end * (kColumns - 1));
        for (std::size_t i = from; i <= to && i < kColumns; ++i)
          row[i] = static_cast<char>(span.chunk < 10 ? '0' + span.chunk : 'a' + span.chunk % 26 - 10);
      }
      out += fmt::format("  {} {:<8}{}\n", said(catalogue, "stream", {{"number", value_of(stream)}}),
                         said(catalogue, kNames[static_cast<int>(work)]), row);
    }
  return out;
}

}  // namespace

std::string TimeReport::evidence(const Origin& origin) const {
  return origin.recording == nullptr ? said(catalogue_, "measured")
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

  std::string text = timed.device.name + "\n" +
                     row_of(catalogue_, "median",
                            {{"median", fixed(t.median, 4)},
                             {"low", fixed(t.low, 4)},
                             {"high", fixed(t.high, 4)},
                             {"runs", value_of(spread.runs)},
                             {"l2", value_of(said(catalogue_, flushed_l2_ ? "l2_flushed" : "l2_warm"))},
                             {"evidence", value_of(evidence(origin))}}) +
                     row_of(catalogue_, "empty", {{"time", fixed(t.launch_overhead, 4)}});
  if (!spread.outliers.empty())
    text +=
        row_of(catalogue_, "outliers",
               {{"count", value_of(spread.outliers.size())}, {"slowest", fixed(spread.outliers.front(), 4)}});
  if (moved > 0)
    text += row_of(catalogue_, rate <= t.peak_bytes_per_second ? "moves" : "asks",
                   {{"rate", fixed(rate / 1e9, 1)}, {"copy", fixed(t.peak_bytes_per_second / 1e9, 1)}});
  text += row_of(catalogue_, "clock",
                 {{"before", value_of(t.sm_clock_before_mhz)}, {"after", value_of(t.sm_clock_after_mhz)}});
  for (const Message& warning : t.warnings)
    text += "  " + said(catalogue_, "warning", {{"what", value_of(catalogue_.text(warning))}}) + "\n";
  if (timed.instrumented)
    text += row_of(catalogue_, "instrumented",
                   {{"counting", fixed(timed.instrumented->totals_ms, 4)},
                    {"block", fixed(timed.instrumented->one_block_ms, 4)},
                    {"all", fixed(timed.instrumented->records_ms, 4)},
                    {"lost", value_of(timed.instrumented->records_lost ? said(catalogue_, "as_much_as_fits")
                                                                       : std::string())},
                    {"plain", fixed(timed.instrumented->plain_ms, 4)}});
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
    return swept == nullptr ? std::to_string(value) : model::value_name(*swept, value, catalogue_.language());
  };
  std::string text = said(catalogue_, "sweep",
                          {{"kernel", value_of(kernel.id)},
                           {"device", value_of(origin.device)},
                           {"evidence", value_of(evidence(origin))}}) +
                     fmt::format("\n  {:>{}}{:>12}{:>12}{:>12}\n", slider, named ? 26 : 10,
                                 said(catalogue_, "median_ms"), "5 %", "95 %");
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
  const std::string reason =
      effect.informative ? std::string() : model::reason_of(kernel, slider, catalogue_.language());
  text += "  " +
          said(catalogue_, effect.informative ? "it_matters" : "no_difference",
               {{"times", fixed(effect.effect, 2)}, {"spread", fixed(100 * effect.noise, 1)}}) +
          "\n";
  if (!reason.empty()) text += fmt::format("  {}\n", reason);
  // A warning that every point has is said once.
  if (!points.empty())
    for (const Message& warning : points.front().warnings)
      if (std::all_of(points.begin(), points.end(), [&](const SweptPoint& p) {
            return std::any_of(p.warnings.begin(), p.warnings.end(),
                               [&](const Message& m) { return m.key == warning.key; });
          }))
        text += "  " + said(catalogue_, "everywhere", {{"what", value_of(catalogue_.text(warning))}}) + "\n";
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
  std::string text = said(catalogue_, "copies",
                          {{"device", value_of(origin.device)}, {"evidence", value_of(evidence(origin))}}) +
                     fmt::format("\n  {:>18}  {:<9} {:<10} {:>12} {:>10}\n", said(catalogue_, "copies_size"),
                                 said(catalogue_, "memory"), said(catalogue_, "direction"),
                                 said(catalogue_, "median_ms"), "GB/s");
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
                        said(catalogue_, row.pinned ? "pinned" : "pageable"),
                        said(catalogue_, row.to_device ? "to_gpu" : "from_gpu"), row.spread.median,
                        row.bytes_per_second() / 1e9);
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
  std::string text = said(catalogue_, "streams_on",
                          {{"device", value_of(origin.device)}, {"evidence", value_of(evidence(origin))}}) +
                     "\n";
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
    text += said(catalogue_, "pieces",
                 {{"streams", value_of(run.streams)},
                  {"pieces", value_of(run.chunks)},
                  {"bytes", value_of(bytes_text(run.bytes / static_cast<std::uint64_t>(run.chunks)))},
                  {"median", fixed(run.total.median, 3)},
                  {"low", fixed(run.total.p5, 3)},
                  {"high", fixed(run.total.p95, 3)},
                  {"runs", value_of(run.total.runs)},
                  {"clock", value_of(run.clock)}}) +
            "\n" + drawn(run, catalogue_);
  }
  if (origin.recording != nullptr && !runs.empty())
    if (const auto line = origin.recording->timeline(runs.front().streams, runs.front().chunks);
        line && line->one_stream_ms > 0)
      text += said(catalogue_, "one_stream", {{"time", fixed(line->one_stream_ms, 3)}}) + "\n";
  Json json{{"schema", "warplens.streams/1"},
            {"device", origin.device},
            {"evidence", "measured"},
            {"evidence_text", evidence(origin)}};
  add_origin(json, origin);
  json["runs"] = std::move(out);
  return {json.dump(2), text};
}

}  // namespace warplens::cli
