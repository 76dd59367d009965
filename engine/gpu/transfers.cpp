#include "engine/gpu/transfers.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "engine/base/message.h"
#include "engine/gpu/device_launch.h"

namespace warplens::gpu {
namespace {

using Json = nlohmann::json;

// Page-locked host memory that frees itself.
class PinnedMemory {
 public:
  static Result<PinnedMemory> make(const Driver& driver, std::size_t bytes) {
    void* pointer = nullptr;
    if (const CudaResult code = driver.host_alloc(&pointer, bytes); code != 0)
      return driver.error(code, "reserve_pinned");
    return PinnedMemory(driver, pointer);
  }
  PinnedMemory(PinnedMemory&& other) noexcept
      : driver_(other.driver_), pointer_(std::exchange(other.pointer_, nullptr)) {}
  PinnedMemory& operator=(PinnedMemory&&) = delete;
  ~PinnedMemory() {
    if (pointer_ != nullptr) driver_->host_free(pointer_);
  }
  std::uint8_t* data() const { return static_cast<std::uint8_t*>(pointer_); }

 private:
  PinnedMemory(const Driver& driver, void* pointer) : driver_(&driver), pointer_(pointer) {}
  const Driver* driver_;
  void* pointer_;
};

class EventPair {
 public:
  explicit EventPair(const Driver& driver) : driver_(driver) {
    code_ = driver.event_create(&from_, 0);
    if (code_ == 0) code_ = driver.event_create(&to_, 0);
  }
  ~EventPair() {
    if (from_ != nullptr) driver_.event_destroy(from_);
    if (to_ != nullptr) driver_.event_destroy(to_);
  }
  EventPair(const EventPair&) = delete;
  EventPair& operator=(const EventPair&) = delete;
  Status begin() { return recorded(from_); }
  Status end() { return recorded(to_); }
  Result<double> milliseconds() {
    CudaResult code = driver_.event_synchronize(to_);
    float out = 0;
    if (code == 0) code = driver_.event_elapsed(&out, from_, to_);
    if (code != 0) return driver_.error(code, "read_event");
    return static_cast<double>(out);
  }

 private:
  Status recorded(EventHandle event) {
    const CudaResult code = code_ != 0 ? code_ : driver_.event_record(event, nullptr);
    if (code != 0) return driver_.error(code, "record_event");
    return Done{};
  }
  const Driver& driver_;
  EventHandle from_ = nullptr, to_ = nullptr;
  CudaResult code_ = 0;
};

Result<double> once(const Driver& driver, EventPair& events, const TransferRow& row, DevicePointer device,
                    std::uint8_t* host) {
  if (const Status s = events.begin(); !s) return s.error();
  for (int i = 0; i < row.count; ++i) {
    const std::uint64_t at = static_cast<std::uint64_t>(i) * row.bytes;
    const CudaResult code = row.to_device
                                ? driver.copy_to_device_async(device + at, host + at, row.bytes, nullptr)
                                : driver.copy_to_host_async(host + at, device + at, row.bytes, nullptr);
    if (code != 0) return driver.error(code, "copy_host_gpu");
  }
  if (const Status s = events.end(); !s) return s.error();
  return events.milliseconds();
}

}  // namespace

std::vector<TransferRow> planned_transfers(const TransferOptions& options) {
  std::vector<TransferRow> out;
  const auto add = [&](std::uint64_t bytes, std::uint64_t count) {
    for (const bool pinned : {false, true})
      for (const bool to_device : {true, false})
        out.push_back({bytes, static_cast<int>(count), pinned, to_device, {}});
  };
  for (std::uint64_t bytes = std::max<std::uint64_t>(options.least, 1); bytes <= options.most; bytes *= 4)
    add(bytes, 1);
  for (std::uint64_t bytes = std::max<std::uint64_t>(options.least, 1);
       bytes * 2 <= options.batch && options.batch <= options.most; bytes *= 16)
    add(bytes, options.batch / bytes);
  return out;
}

Result<std::vector<TransferRow>> measure_transfers(const Driver& driver, const TransferOptions& options,
                                                   const std::function<bool(double)>& progress) {
  const std::size_t most = std::max(options.most, options.least);
  auto device = DeviceBuffer::make(driver, most);
  if (!device) return device.error();
  auto pinned = PinnedMemory::make(driver, most);
  if (!pinned) return pinned.error();
  // Written once: untouched pages would be made during the first copy.
  std::vector<std::uint8_t> pageable(most, 1);
  std::fill_n(pinned->data(), most, std::uint8_t{1});
  if (const CudaResult code = driver.fill_bytes(device->pointer(), 1, most); code != 0)
    return driver.error(code, "fill_buffer");

  EventPair events(driver);
  std::vector<TransferRow> rows = planned_transfers(options);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    TransferRow& row = rows[i];
    std::uint8_t* host = row.pinned ? pinned->data() : pageable.data();
    const auto start = std::chrono::steady_clock::now();
    const auto over = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >
             options.seconds;
    };
    for (int run = -1; run < options.runs; ++run) {
      const auto milliseconds = once(driver, events, row, device->pointer(), host);
      if (!milliseconds) return milliseconds.error();
      if (run >= 0) row.milliseconds.push_back(*milliseconds);  // the first one warms up
      if (row.milliseconds.size() >= 2 && over()) break;
    }
    if (!progress(static_cast<double>(i + 1) / static_cast<double>(rows.size())))
      return told(ErrorKind::Cancelled, {"gpu.stopped", {}});
  }
  return rows;
}

Json to_json(const TransferOptions& o) {
  return {{"least", o.least}, {"most", o.most}, {"batch", o.batch}, {"runs", o.runs}, {"seconds", o.seconds}};
}

TransferOptions transfer_options_from(const Json& json) {
  TransferOptions o;
  o.least = json.value("least", o.least);
  o.most = json.value("most", o.most);
  o.batch = json.value("batch", o.batch);
  o.runs = json.value("runs", o.runs);
  o.seconds = json.value("seconds", o.seconds);
  return o;
}

Json to_json(const std::vector<TransferRow>& rows) {
  Json out = Json::array();
  for (const TransferRow& row : rows)
    out.push_back({{"bytes", row.bytes},
                   {"count", row.count},
                   {"pinned", row.pinned},
                   {"to_device", row.to_device},
                   {"milliseconds", row.milliseconds}});
  return out;
}

std::vector<TransferRow> transfers_from(const Json& json) {
  std::vector<TransferRow> rows;
  for (const Json& row : json)
    rows.push_back({row.at("bytes"), row.at("count"), row.at("pinned"), row.at("to_device"),
                    row.at("milliseconds").get<std::vector<double>>()});
  return rows;
}

}  // namespace warplens::gpu
