#include "engine/gpu/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/base/message.h"
#include "engine/gpu/device_launch.h"
#include "engine/gpu/stopwatch.h"
#include "engine/gpu/streams_clock.h"

namespace warplens::gpu {
namespace {

using Json = nlohmann::json;

// cuStreamCreate's CU_STREAM_NON_BLOCKING: the streams do not wait for the default one.
constexpr unsigned kNonBlocking = 1;

// Streams, events and memory of one measurement, freed together.
class Bench {
 public:
  Bench(const Driver& driver, const StreamOptions& options, FunctionHandle function,
        const trace::Launch& piece)
      : driver_(driver), options_(options), function_(function), piece_(piece) {}
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() {
    driver_.synchronize();
    for (EventHandle event : events_)
      if (event != nullptr) driver_.event_destroy(event);
    for (StreamHandle stream : streams_)
      if (stream != nullptr) driver_.stream_destroy(stream);
    if (host_ != nullptr) driver_.host_free(host_);
  }

  Status prepare() {
    elements_ = options_.bytes / sizeof(float) / static_cast<std::uint64_t>(options_.chunks);
    auto device = DeviceBuffer::make(driver_, options_.bytes);
    if (!device) return device.error();
    device_ = std::make_unique<DeviceBuffer>(std::move(*device));
    CudaResult code = driver_.host_alloc(&host_, options_.bytes);
    if (code != 0) return driver_.error(code, "reserve_pinned");
    std::fill_n(static_cast<float*>(host_), options_.bytes / sizeof(float), 3.0f);
    streams_.resize(static_cast<std::size_t>(options_.streams));
    for (StreamHandle& stream : streams_)
      if (code == 0) code = driver_.stream_create(&stream, kNonBlocking);
    events_.resize(4 * static_cast<std::size_t>(options_.chunks));
    for (EventHandle& event : events_)
      if (code == 0) code = driver_.event_create(&event, 0);
    if (code != 0) return driver_.error(code, "create_streams");
    return Done{};
  }

  // Issues every piece, waits, and returns what the events say.
  Result<std::vector<std::array<double, 4>>> run() {
    for (int chunk = 0; chunk < options_.chunks; ++chunk)
      if (const Status s = issue(chunk); !s) return s.error();
    if (const CudaResult code = driver_.synchronize(); code != 0)
      return driver_.error(code, "finish_streams");
    std::vector<std::array<double, 4>> out(static_cast<std::size_t>(options_.chunks));
    for (std::size_t i = 0; i < events_.size(); ++i) {
      float milliseconds = 0;
      // The first piece is issued first, so its first event is the common origin.
      if (const CudaResult code = driver_.event_elapsed(&milliseconds, events_[0], events_[i]); code != 0)
        return driver_.error(code, "read_event");
      out[i / 4][i % 4] = milliseconds;
    }
    return out;
  }

  const std::vector<StreamHandle>& streams() const { return streams_; }

 private:
  Status issue(int chunk) {
    const auto at = static_cast<std::size_t>(chunk);
    StreamHandle stream = streams_[at % streams_.size()];
    const std::uint64_t bytes = elements_ * sizeof(float), offset = at * bytes;
    std::uint8_t* host = static_cast<std::uint8_t*>(host_) + offset;
    const DevicePointer device = device_->pointer() + offset;
    const EventHandle* event = &events_[4 * at];
    CudaResult code = driver_.event_record(event[0], stream);
    if (code == 0) code = driver_.copy_to_device_async(device, host, bytes, stream);
    if (code == 0) code = driver_.event_record(event[1], stream);
    if (code == 0) code = compute(device, stream);
    if (code == 0) code = driver_.event_record(event[2], stream);
    if (code == 0) code = driver_.copy_to_host_async(host, device, bytes, stream);
    if (code == 0) code = driver_.event_record(event[3], stream);
    if (code != 0) return driver_.error(code, "enqueue_piece");
    return Done{};
  }

  CudaResult compute(DevicePointer data, StreamHandle stream) {
    std::vector<std::uint64_t> values{data, elements_};
    for (std::size_t i = 2; i < piece_.arguments.size(); ++i) values.push_back(piece_.arguments[i].bits);
    std::vector<void*> pointers;
    for (std::uint64_t& value : values) pointers.push_back(&value);
    const auto threads = static_cast<std::uint64_t>(piece_.block.x);
    return driver_.launch(function_, static_cast<unsigned>((elements_ + threads - 1) / threads), 1, 1,
                          piece_.block.x, 1, 1, piece_.dynamic_shared_bytes, stream, pointers.data(),
                          nullptr);
  }

  const Driver& driver_;
  StreamOptions options_;
  FunctionHandle function_;
  const trace::Launch& piece_;
  std::uint64_t elements_ = 0;  // of one piece
  std::unique_ptr<DeviceBuffer> device_;
  void* host_ = nullptr;
  std::vector<StreamHandle> streams_;
  std::vector<EventHandle> events_;
};

double last_end(const std::vector<std::array<double, 4>>& pieces) {
  double out = 0;
  for (const auto& piece : pieces) out = std::max(out, piece[3]);
  return out;
}

void sort_and_shift(std::vector<StreamOperation>& operations) {
  std::stable_sort(operations.begin(), operations.end(),
                   [](const StreamOperation& a, const StreamOperation& b) { return a.begin < b.begin; });
  if (operations.empty()) return;
  const double origin = operations.front().begin;
  for (StreamOperation& operation : operations) {
    operation.begin -= origin;
    operation.end -= origin;
  }
}

// CUPTI's records as operations: within a stream the pieces come in order.
std::vector<StreamOperation> operations_of_records(const std::vector<ActivityRecord>& records,
                                                   const std::vector<std::uint32_t>& ids) {
  std::vector<ActivityRecord> sorted = records;
  std::sort(sorted.begin(), sorted.end(),
            [](const ActivityRecord& a, const ActivityRecord& b) { return a.begin < b.begin; });
  std::vector<std::array<int, 3>> seen(ids.size());
  std::vector<StreamOperation> out;
  for (const ActivityRecord& record : sorted) {
    const auto id = std::find(ids.begin(), ids.end(), record.stream);
    if (id == ids.end()) continue;
    const auto stream = static_cast<std::size_t>(id - ids.begin());
    int& count = seen[stream][static_cast<std::size_t>(record.work)];
    out.push_back({record.work, static_cast<int>(stream),
                   static_cast<int>(stream) + static_cast<int>(ids.size()) * count++,
                   static_cast<double>(record.begin - sorted.front().begin) / 1e6,
                   static_cast<double>(record.end - sorted.front().begin) / 1e6});
  }
  sort_and_shift(out);
  return out;
}

}  // namespace

std::vector<StreamOperation> operations_of_events(const std::vector<std::array<double, 4>>& pieces,
                                                  int streams) {
  std::vector<StreamOperation> out;
  double in_free = 0, out_free = 0;  // when the copy before in the same direction ended
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto& [reached, copied, computed, done] = pieces[i];
    const int chunk = static_cast<int>(i), stream = chunk % streams;
    out.push_back({StreamWork::CopyIn, stream, chunk, std::min(std::max(reached, in_free), copied), copied});
    out.push_back({StreamWork::Compute, stream, chunk, copied, computed});
    out.push_back({StreamWork::CopyOut, stream, chunk, std::min(std::max(computed, out_free), done), done});
    in_free = std::max(in_free, copied);
    out_free = std::max(out_free, done);
  }
  sort_and_shift(out);
  return out;
}

std::string check_operations(const std::vector<StreamOperation>& operations, int streams, int chunks) {
  if (operations.size() != 3 * static_cast<std::size_t>(chunks))
    return fmt::format("{} operations for {} pieces", operations.size(), chunks);
  // Of each piece: when each of its three operations began and ended.
  std::vector<std::array<StreamOperation, 3>> pieces(static_cast<std::size_t>(chunks));
  std::vector<int> seen(pieces.size(), 0);
  for (const StreamOperation& o : operations) {
    if (o.chunk < 0 || o.chunk >= chunks || o.stream != o.chunk % streams)
      return fmt::format("piece {} in stream {}", o.chunk, o.stream);
    if (o.end < o.begin || o.begin < 0) return fmt::format("piece {} ends before it begins", o.chunk);
    const auto work = static_cast<std::size_t>(o.work);
    int& mask = seen[static_cast<std::size_t>(o.chunk)];
    if ((mask >> work & 1) != 0) return fmt::format("piece {} does one thing twice", o.chunk);
    mask |= 1 << work;
    pieces[static_cast<std::size_t>(o.chunk)][work] = o;
  }
  constexpr double kClockStep = 0.002;  // events are no finer than this, in milliseconds
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (std::size_t work = 0; work + 1 < 3; ++work)
      if (pieces[i][work + 1].begin + kClockStep < pieces[i][work].end)
        return fmt::format("piece {} goes on before it is ready", i);
    const std::size_t next = i + static_cast<std::size_t>(streams);
    if (next < pieces.size() && pieces[next][0].begin + kClockStep < pieces[i][2].end)
      return fmt::format("stream {} does two things at once", i % static_cast<std::size_t>(streams));
  }
  return {};
}

Result<StreamTimes> measure_streams(const Driver& driver, ContextHandle context, FunctionHandle function,
                                    const trace::Launch& piece, const StreamOptions& options,
                                    const std::function<bool(double)>& progress) {
  if (options.streams < 1 || options.chunks < 1 || options.runs < 1 || piece.arguments.size() < 2 ||
      !piece.arguments[0].is_buffer)
    return told(ErrorKind::Usage, {"gpu.streams_need", {}});
  Bench bench(driver, options, function, piece);
  if (const Status s = bench.prepare(); !s) return s.error();
  for (int i = 0; i < 2; ++i)
    if (const auto warm = bench.run(); !warm) return warm.error();

  StreamTimes out;
  out.bytes = options.bytes;
  std::vector<std::vector<StreamOperation>> runs;
  for (int i = 0; i < options.runs; ++i) {
    const auto pieces = bench.run();
    if (!pieces) return pieces.error();
    out.totals.push_back(last_end(*pieces));
    runs.push_back(operations_of_events(*pieces, options.streams));
    if (!progress(0.9 * (i + 1) / options.runs)) return told(ErrorKind::Cancelled, {"gpu.stopped", {}});
  }
  const double middle = median(out.totals);
  const auto nearest = std::min_element(out.totals.begin(), out.totals.end(), [&](double a, double b) {
    return std::abs(a - middle) < std::abs(b - middle);
  });
  out.operations = runs[static_cast<std::size_t>(nearest - out.totals.begin())];
  out.clock = "events";

  // The same once more under CUPTI's own clock, which knows when each operation really began.
  const std::unique_ptr<ActivityClock> clock = ActivityClock::start();
  if (clock == nullptr) return out;
  std::vector<std::uint32_t> ids;
  for (StreamHandle stream : bench.streams()) ids.push_back(clock->stream_id(context, stream));
  std::vector<std::vector<StreamOperation>> exact;
  for (int i = 0; i < 5; ++i) {
    if (const auto pieces = bench.run(); !pieces) return pieces.error();
    auto operations = operations_of_records(clock->take(), ids);
    if (i > 0 && check_operations(operations, options.streams, options.chunks).empty())
      exact.push_back(std::move(operations));
  }
  const auto total = [](const std::vector<StreamOperation>& operations) {
    double end = 0;
    for (const StreamOperation& o : operations) end = std::max(end, o.end);
    return end;
  };
  if (exact.empty()) return out;
  std::sort(exact.begin(), exact.end(), [&](const auto& a, const auto& b) { return total(a) < total(b); });
  out.operations = exact[exact.size() / 2];
  out.clock = "cupti";
  return out;
}

Json to_json(const StreamOptions& o) {
  return {{"streams", o.streams}, {"chunks", o.chunks}, {"bytes", o.bytes}, {"runs", o.runs}};
}

StreamOptions stream_options_from(const Json& json) {
  StreamOptions o;
  o.streams = json.value("streams", o.streams);
  o.chunks = json.value("chunks", o.chunks);
  o.bytes = json.value("bytes", o.bytes);
  o.runs = json.value("runs", o.runs);
  return o;
}

Json to_json(const StreamTimes& times) {
  Json operations = Json::array();
  for (const StreamOperation& o : times.operations)
    operations.push_back({static_cast<int>(o.work), o.stream, o.chunk, o.begin, o.end});
  return {{"bytes", times.bytes},
          {"totals", times.totals},
          {"clock", times.clock},
          {"operations", std::move(operations)}};
}

StreamTimes stream_times_from(const Json& json) {
  StreamTimes out;
  out.bytes = json.at("bytes");
  out.totals = json.at("totals").get<std::vector<double>>();
  out.clock = json.at("clock");
  for (const Json& row : json.at("operations"))
    out.operations.push_back(
        {static_cast<StreamWork>(row.at(0).get<int>()), row.at(1), row.at(2), row.at(3), row.at(4)});
  return out;
}

}  // namespace warplens::gpu
