// The file of a recording: JSON whose lists are columns, one point a line, microseconds with three decimals.
//
//   {"schema": "warplens.recording/1", "date": "2026-11-20", "device": {"name": "NVIDIA H200", ...}, ...
//    "kernels": [
//     {"kernel": "copy", "source": "0123456789abcdef", "sliders": ["n", "block"],
//      "sm_clock_mhz": [1980, 1980],
//      "counters": {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 8192},
//      "points": [
//       [[262144, 256], [3.2, 3.1, 3.2, 3.2, 3.3, 30, 5.1], [4.1, ...]], ...   values, warm L2, flushed L2
// A spread is [median, p5, p25, p75, p95, runs, outliers...].
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "app/model/recording/recording.h"
#include "engine/base/json_text.h"
#include "engine/base/message.h"

namespace warplens::model {
namespace {

using RecordingJson = nlohmann::json;
using Written = nlohmann::ordered_json;  // members in the order in which they are put

constexpr std::string_view kSchema = "warplens.recording/1";
// More than any real recording holds: what is above is damage or malice.
constexpr std::size_t kMostItems = 200'000;
constexpr std::size_t kSpreadColumns = 6;
constexpr std::size_t kMostRuns = 10'000;
constexpr double kLongestMicroseconds = 1e12;
constexpr double kMostWhole = 9e15;  // that a double holds exactly
// Members of the whole that begin a line; the others follow the one in front of them.
const std::set<std::string_view> kBeginALine{"date", "device", "sm_clock_mhz", "note", "counters_reason"};
constexpr std::array<std::string_view, 3> kWork{"in", "compute", "out"};
constexpr std::array kCeilings{"dram", "l2", "l1", "shared", "fp32", "fp64"};

// Reads with defaults and keeps the first thing that is wrong; `at` says where in the file.
class RecordingReader {
 public:
  explicit RecordingReader(const std::filesystem::path& file) : file_(file) {}

  // `key` is below file.recording.
  void fail(const char* key, std::vector<std::pair<std::string, MessageValue>> values = {}) {
    if (!problem_) problem_ = Message{std::string("file.recording.") + key, std::move(values)};
  }
  bool good() const { return !problem_; }
  Error error() const {
    return told(ErrorKind::Usage,
                {"file.recording.wrong", {{"what", value_of(problem_.value_or(Message{}))}}},
                {file_.string()});
  }

  const RecordingJson& part(const RecordingJson& from, const char* key) {
    static const RecordingJson nothing;
    const auto found = from.is_object() ? from.find(key) : from.end();
    return from.is_object() && found != from.end() ? *found : nothing;
  }
  const RecordingJson& list(const RecordingJson& from, const char* key) {
    static const RecordingJson none = RecordingJson::array();
    const RecordingJson& found = part(from, key);
    if (found.is_null()) return none;
    if (found.is_array() && found.size() <= kMostItems) return found;
    fail("long_list", {{"key", value_of(key)}, {"most", value_of(kMostItems)}});
    return none;
  }
  std::string text(const RecordingJson& from, const char* key) {
    const RecordingJson& found = part(from, key);
    if (found.is_string() && found.get_ref<const std::string&>().size() < 4096)
      return found.get<std::string>();
    if (!found.is_null()) fail("no_text", {{"key", value_of(key)}});
    return {};
  }
  double number(const RecordingJson& value, const char* what, double most) {
    if (value.is_number()) {
      const double n = value.get<double>();
      if (std::isfinite(n) && n >= 0 && n <= most) return n;
    }
    fail("range", {{"key", value_of(what)}, {"most", value_of(most)}});
    return 0;
  }
  double number_of(const RecordingJson& from, const char* key, double most) {
    const RecordingJson& found = part(from, key);
    return found.is_null() ? 0 : number(found, key, most);
  }
  int small(const RecordingJson& from, const char* key) {
    return static_cast<int>(number_of(from, key, 1e9));
  }

  std::vector<std::int64_t> values(const RecordingJson& row, std::size_t count) {
    std::vector<std::int64_t> out;
    if (!row.is_array() || row.size() != count) {
      fail("slider_values");
      return out;
    }
    for (const RecordingJson& value : row) {
      if (!value.is_number_integer()) fail("whole_values");
      out.push_back(value.is_number_integer() ? value.get<std::int64_t>() : 0);
    }
    return out;
  }

  Spread spread(const RecordingJson& row) {
    Spread out;
    if (!row.is_array() || row.size() < kSpreadColumns || row.size() > 64) {
      fail("spread");
      return out;
    }
    std::vector<double> milliseconds;
    for (std::size_t i = 0; i < row.size(); ++i)
      milliseconds.push_back(number(row[i], "spread", kLongestMicroseconds) / 1000.0);
    out.median = milliseconds[0];
    out.p5 = milliseconds[1];
    out.p25 = milliseconds[2];
    out.p75 = milliseconds[3];
    out.p95 = milliseconds[4];
    out.runs = static_cast<int>(std::min(1e9, number(row[5], "runs", 1e9)));
    out.outliers.assign(milliseconds.begin() + kSpreadColumns, milliseconds.end());
    if (out.runs < 1 || out.p5 > out.median || out.median > out.p95 || out.p25 > out.median ||
        out.median > out.p75)
      fail("spread_order");
    return out;
  }

 private:
  std::filesystem::path file_;
  std::optional<Message> problem_;
};

RecordedPoint read_point(RecordingReader& reader, const RecordingJson& row, std::size_t sliders) {
  RecordedPoint out;
  if (!row.is_array() || row.size() < 2 || row.size() > 4) {
    reader.fail("point");
    return out;
  }
  out.values = reader.values(row[0], sliders);
  out.warm = reader.spread(row[1]);
  if (row.size() > 2 && !row[2].is_null()) out.cold = reader.spread(row[2]);
  if (row.size() > 3 && row[3].is_array() && row[3].size() <= kMostRuns)
    for (const RecordingJson& run : row[3])
      out.runs.push_back(reader.number(run, "runs", kLongestMicroseconds) / 1000.0);
  return out;
}

RecordedCounters read_counters(RecordingReader& reader, const RecordingJson& row, std::size_t sliders,
                               const std::vector<std::string>& names) {
  RecordedCounters out;
  if (!row.is_array() || row.size() != 2 || !row[1].is_array() || row[1].size() != names.size()) {
    reader.fail("counters");
    return out;
  }
  out.values = reader.values(row[0], sliders);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!row[1][i].is_null())
      out.reading.values.emplace_back(names[i], reader.number(row[1][i], "counters", 1e300));
  return out;
}

std::pair<int, int> read_clocks(RecordingReader& reader, const RecordingJson& from) {
  const RecordingJson& clocks = reader.list(from, "sm_clock_mhz");
  if (clocks.size() != 2) return {0, 0};
  return {static_cast<int>(reader.number(clocks[0], "sm_clock_mhz", 1e6)),
          static_cast<int>(reader.number(clocks[1], "sm_clock_mhz", 1e6))};
}

RecordedKernel read_kernel(RecordingReader& reader, const RecordingJson& json,
                           const std::vector<std::string>& counters) {
  RecordedKernel out;
  out.id = reader.text(json, "kernel");
  out.source = reader.text(json, "source");
  if (out.id.empty() || out.source.empty()) reader.fail("nameless_kernel");
  for (const RecordingJson& slider : reader.list(json, "sliders")) {
    if (!slider.is_string()) reader.fail("names", {{"key", value_of("sliders")}});
    out.sliders.push_back(slider.is_string() ? slider.get<std::string>() : std::string());
  }
  if (out.sliders.size() > 64) reader.fail("many_sliders");
  out.date = reader.text(json, "date");
  out.counters_date = reader.text(json, "counters_date");
  std::tie(out.clock_before, out.clock_after) = read_clocks(reader, json);
  for (const RecordingJson& row : reader.list(json, "points")) {
    if (!reader.good()) return out;
    out.points.push_back(read_point(reader, row, out.sliders.size()));
  }
  const auto less = [](const RecordedPoint& a, const RecordedPoint& b) { return a.values < b.values; };
  std::stable_sort(out.points.begin(), out.points.end(), less);
  out.points.erase(
      std::unique(out.points.begin(), out.points.end(),
                  [](const RecordedPoint& a, const RecordedPoint& b) { return a.values == b.values; }),
      out.points.end());
  for (const RecordingJson& row : reader.list(json, "counters"))
    if (reader.good()) out.counters.push_back(read_counters(reader, row, out.sliders.size(), counters));
  return out;
}

RecordedStreams read_streams(RecordingReader& reader, const RecordingJson& json) {
  RecordedStreams out;
  out.streams = reader.small(json, "streams");
  out.chunks = reader.small(json, "chunks");
  out.bytes = static_cast<std::uint64_t>(reader.number_of(json, "bytes", 1e15));
  out.total = reader.spread(reader.part(json, "total"));
  out.clock = reader.text(json, "clock");
  if (out.streams < 1 || out.streams > 64 || out.chunks < 1) reader.fail("streams");
  for (const RecordingJson& row : reader.list(json, "spans")) {
    const bool shaped = row.is_array() && row.size() == 5 && row[0].is_string();
    const auto work =
        shaped ? std::find(kWork.begin(), kWork.end(), row[0].get_ref<const std::string&>()) : kWork.end();
    if (work == kWork.end()) reader.fail("span");
    if (!reader.good()) return out;
    visual::StreamSpan span;
    span.work = static_cast<visual::StreamWork>(work - kWork.begin());
    span.stream = static_cast<int>(reader.number(row[1], "stream", 63));
    span.chunk = static_cast<int>(reader.number(row[2], "chunk", 1e6));
    span.begin_ms = reader.number(row[3], "begin", kLongestMicroseconds) / 1000.0;
    span.end_ms = reader.number(row[4], "end", kLongestMicroseconds) / 1000.0;
    if (span.stream >= out.streams || span.chunk >= out.chunks || span.end_ms < span.begin_ms)
      reader.fail("span_outside");
    out.spans.push_back(span);
  }
  return out;
}

RecordedTransfer read_transfer(RecordingReader& reader, const RecordingJson& json) {
  RecordedTransfer out;
  out.bytes = static_cast<std::uint64_t>(reader.number_of(json, "bytes", 1e15));
  out.count = reader.small(json, "count");
  const RecordingJson& pinned = reader.part(json, "pinned");
  const RecordingJson& to_device = reader.part(json, "to_device");
  if (!pinned.is_boolean() || !to_device.is_boolean() || out.count < 1 || out.bytes < 1)
    reader.fail("transfer");
  out.pinned = pinned.is_boolean() && pinned.get<bool>();
  out.to_device = to_device.is_boolean() && to_device.get<bool>();
  out.spread = reader.spread(reader.part(json, "time"));
  return out;
}

RecordedProduct read_product(RecordingReader& reader, const RecordingJson& json) {
  RecordedProduct out;
  out.size = {reader.small(json, "m"), reader.small(json, "n"), reader.small(json, "k")};
  out.library = reader.text(json, "library");
  out.date = reader.text(json, "date");
  out.time = reader.spread(reader.part(json, "time"));
  if (out.size.m < 1 || out.size.n < 1 || out.size.k < 1 || out.library.empty()) reader.fail("product");
  return out;
}

RecordedUpdate read_update(RecordingReader& reader, const RecordingJson& json) {
  RecordedUpdate out;
  out.date = reader.text(json, "date");
  out.driver = reader.text(json, "driver");
  out.toolkit = reader.text(json, "toolkit");
  out.points = reader.small(json, "points");
  out.counters = reader.small(json, "counters");
  out.transfers = reader.small(json, "transfers");
  out.streams = reader.small(json, "streams");
  out.products = reader.small(json, "products");
  return out;
}

gpu::DeviceInfo read_device(RecordingReader& reader, const RecordingJson& json) {
  gpu::DeviceInfo out;
  out.name = reader.text(json, "name");
  if (out.name.empty()) reader.fail("no_device");
  out.cc_major = reader.small(json, "cc_major");
  out.cc_minor = reader.small(json, "cc_minor");
  out.sms = reader.small(json, "sms");
  out.memory_bytes = static_cast<std::uint64_t>(reader.number_of(json, "memory_bytes", 1e15));
  out.l2_bytes = static_cast<std::uint64_t>(reader.number_of(json, "l2_bytes", 1e15));
  out.clock_khz = reader.small(json, "clock_khz");
  out.memory_clock_khz = reader.small(json, "memory_clock_khz");
  return out;
}

// With at most three decimals; whole numbers without a point.
Written rounded(double value) {
  const double to_thousandths = std::round(value * 1000.0) / 1000.0;
  if (to_thousandths == std::trunc(to_thousandths) && std::abs(to_thousandths) < kMostWhole)
    return static_cast<std::int64_t>(to_thousandths);
  return to_thousandths;
}
Written microseconds(double milliseconds) {
  return rounded(milliseconds * 1000.0);
}

Written spread_row(const Spread& s) {
  Written out = Written::array();
  for (const double ms : {s.median, s.p5, s.p25, s.p75, s.p95}) out.push_back(microseconds(ms));
  out.push_back(s.runs);
  for (const double ms : s.outliers) out.push_back(microseconds(ms));
  return out;
}

Written point_row(const RecordedPoint& point) {
  Written out = {point.values, spread_row(point.warm)};
  if (point.cold || !point.runs.empty()) out.push_back(point.cold ? spread_row(*point.cold) : Written());
  Written runs = Written::array();
  for (const double ms : point.runs) runs.push_back(microseconds(ms));
  if (!runs.empty()) out.push_back(std::move(runs));
  return out;
}

Written counters_row(const RecordedCounters& counters, const std::vector<std::string>& names) {
  Written numbers = Written::array();
  for (const std::string& name : names)
    numbers.push_back(counters.reading.has(name) ? rounded(counters.reading.value(name)) : Written());
  return {counters.values, std::move(numbers)};
}

template <typename T, typename F>
Written listed(const std::vector<T>& items, F row) {
  Written out = Written::array();
  for (const T& item : items) out.push_back(row(item));
  return out;
}

Written written(const RecordedKernel& kernel, const std::vector<std::string>& names) {
  Written out{{"kernel", kernel.id},
              {"source", kernel.source},
              {"sliders", kernel.sliders},
              {"sm_clock_mhz", {kernel.clock_before, kernel.clock_after}}};
  if (!kernel.date.empty()) out["date"] = kernel.date;
  if (!kernel.counters_date.empty()) out["counters_date"] = kernel.counters_date;
  if (!kernel.counters.empty())
    out["counters"] =
        listed(kernel.counters, [&](const RecordedCounters& row) { return counters_row(row, names); });
  out["points"] = listed(kernel.points, point_row);
  return out;
}

Written written(const RecordedStreams& run) {
  Written spans = Written::array();
  for (const visual::StreamSpan& s : run.spans)
    spans.push_back({kWork[static_cast<std::size_t>(s.work)], s.stream, s.chunk, microseconds(s.begin_ms),
                     microseconds(s.end_ms)});
  return {{"streams", run.streams}, {"chunks", run.chunks},           {"bytes", run.bytes},
          {"clock", run.clock},     {"total", spread_row(run.total)}, {"spans", std::move(spans)}};
}

Written written(const RecordedTransfer& t) {
  return {{"bytes", t.bytes},
          {"count", t.count},
          {"pinned", t.pinned},
          {"to_device", t.to_device},
          {"time", spread_row(t.spread)}};
}

Written written(const RecordedProduct& p) {
  Written out{{"m", p.size.m}, {"n", p.size.n}, {"k", p.size.k}, {"library", p.library}};
  if (!p.date.empty()) out["date"] = p.date;
  out["time"] = spread_row(p.time);
  return out;
}

Written written(const RecordedUpdate& u) {
  return {{"date", u.date},       {"driver", u.driver},     {"toolkit", u.toolkit},
          {"points", u.points},   {"counters", u.counters}, {"transfers", u.transfers},
          {"streams", u.streams}, {"products", u.products}};
}

Written written(const gpu::DeviceInfo& d) {
  return {{"name", d.name},
          {"cc_major", d.cc_major},
          {"cc_minor", d.cc_minor},
          {"sms", d.sms},
          {"memory_bytes", d.memory_bytes},
          {"l2_bytes", d.l2_bytes},
          {"clock_khz", d.clock_khz},
          {"memory_clock_khz", d.memory_clock_khz}};
}

// Which lines a recording has, so that two of them can be compared: a member or a row is one each where it is
// many, the rest stands in a row. Values are the library's.
std::string one(const Written& value) {
  return value.dump(-1, ' ', false, RecordingJson::error_handler_t::replace);
}

std::string in_rows(const Written& list, std::string_view indent, std::string (*text)(const Written&)) {
  std::string out;
  for (const Written& item : list) {
    out += out.empty() ? "\n" : ",\n";
    out += indent;
    out += text(item);
  }
  return "[" + out + "]";
}

// {"bytes": 4, "time": [1,2]}; what has rows of its own begins a line.
std::string in_a_row(const Written& object) {
  std::string out;
  for (const auto& [key, value] : object.items()) {
    const bool rows = key == "points" || key == "counters";
    const bool own_line = (rows && value.is_array()) || key == "spans";
    if (!out.empty()) out += own_line ? ",\n   " : ", ";
    out += one(key) + ": ";
    out += rows && value.is_array() ? in_rows(value, "    ", one)
           : value.is_object()      ? in_a_row(value)
                                    : one(value);
  }
  return "{" + out + "}";
}

// Every name that any kernel has, in the order in which they come first.
std::vector<std::string> counter_names_of(const Recording& recording) {
  std::vector<std::string> out;
  for (const RecordedKernel& kernel : recording.kernels)
    for (const RecordedCounters& counters : kernel.counters)
      for (const auto& [name, value] : counters.reading.values)
        if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  return out;
}

}  // namespace

Result<Recording> parse_recording(std::string_view text, const std::filesystem::path& file) {
  RecordingReader reader(file);
  const RecordingJson json = parse_json(text);
  if (!json.is_object()) {
    reader.fail("no_object");
    return reader.error();
  }
  const std::string schema = reader.text(json, "schema");
  if (schema != kSchema) {
    reader.fail("other_schema", {{"schema", value_of(schema)}, {"ours", value_of(std::string(kSchema))}});
    return reader.error();
  }
  Recording out;
  out.file = file;
  out.device = read_device(reader, reader.part(json, "device"));
  out.driver = reader.text(json, "driver");
  out.toolkit = reader.text(json, "toolkit");
  out.date = reader.text(json, "date");
  out.note = reader.text(json, "note");
  std::tie(out.clock_before, out.clock_after) = read_clocks(reader, json);
  out.empty_kernel = reader.number_of(json, "empty_kernel_us", kLongestMicroseconds) / 1000.0;
  out.peak_bytes_per_second = reader.number_of(json, "peak_bytes_per_second", 1e18);
  if (const RecordingJson& ceilings = reader.part(json, "ceilings"); ceilings.is_object())
    for (const char* const name : kCeilings)
      if (const double reached = reader.number_of(ceilings, name, 1e18); reached > 0)
        out.ceilings[name] = reached;
  out.counters_reason = reader.text(json, "counters_reason");
  for (const RecordingJson& update : reader.list(json, "updates"))
    if (reader.good()) out.updates.push_back(read_update(reader, update));
  std::vector<std::string> counters;
  for (const RecordingJson& name : reader.list(json, "counters")) {
    if (!name.is_string()) reader.fail("names", {{"key", value_of("counters")}});
    counters.push_back(name.is_string() ? name.get<std::string>() : std::string());
  }
  for (const RecordingJson& kernel : reader.list(json, "kernels"))
    if (reader.good()) out.kernels.push_back(read_kernel(reader, kernel, counters));
  for (const RecordingJson& transfer : reader.list(json, "transfers"))
    if (reader.good()) out.transfers.push_back(read_transfer(reader, transfer));
  for (const RecordingJson& run : reader.list(json, "streams"))
    if (reader.good()) out.streams.push_back(read_streams(reader, run));
  for (const RecordingJson& product : reader.list(json, "products"))
    if (reader.good()) out.products.push_back(read_product(reader, product));
  if (!reader.good()) return reader.error();
  return out;
}

std::string recording_json(const Recording& r) {
  const std::vector<std::string> names = counter_names_of(r);
  Written head{{"schema", kSchema},
               {"date", r.date},
               {"driver", r.driver},
               {"toolkit", r.toolkit},
               {"device", written(r.device)},
               {"sm_clock_mhz", {r.clock_before, r.clock_after}},
               {"empty_kernel_us", microseconds(r.empty_kernel)},
               {"peak_bytes_per_second", std::llround(r.peak_bytes_per_second)}};
  for (const auto& [name, reached] : r.ceilings) head["ceilings"][name] = std::llround(reached);
  if (!r.note.empty()) head["note"] = r.note;
  if (!r.counters_reason.empty()) head["counters_reason"] = r.counters_reason;
  std::string out;
  for (const auto& [key, value] : head.items()) {
    const bool begins = kBeginALine.contains(key);
    out += out.empty() ? "{" : begins ? ",\n " : ", ";
    out += one(key) + ": " + (value.is_object() ? in_a_row(value) : one(value));
  }
  const auto add = [&](const char* key, const Written& list, std::string (*text)(const Written&)) {
    out += ",\n " + one(key) + ": " + in_rows(list, "  ", text);
  };
  if (!r.updates.empty())
    add("updates", listed(r.updates, [](const RecordedUpdate& u) { return written(u); }), in_a_row);
  add("counters", names, one);
  add("kernels", listed(r.kernels, [&](const RecordedKernel& k) { return written(k, names); }), in_a_row);
  add("transfers", listed(r.transfers, [](const RecordedTransfer& t) { return written(t); }), in_a_row);
  if (!r.products.empty())
    add("products", listed(r.products, [](const RecordedProduct& p) { return written(p); }), in_a_row);
  add("streams", listed(r.streams, [](const RecordedStreams& s) { return written(s); }), in_a_row);
  return out + "\n}\n";
}

}  // namespace warplens::model
