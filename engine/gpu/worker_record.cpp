#include "engine/gpu/worker_record.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/gpu/constant_places.h"
#include "engine/gpu/instrument.h"
#include "engine/gpu/instrument_totals.h"
#include "engine/gpu/launch_json.h"

namespace warplens::gpu {
namespace {

// Device memory for what the run leaves behind, found by the kernel through module variables.
class Recording {
 public:
  static Result<Recording> make(const Driver& driver, ModuleHandle module, const Frame& request) {
    const std::vector<std::uint8_t>& control = request.blobs.at(0);
    const std::size_t capacity = request.head.at("bytes");
    const std::size_t counters = request.head.at("counters");
    auto records = DeviceBuffer::make(driver, control.size() + capacity);
    if (!records) return records.error();
    auto sums = DeviceBuffer::make(driver, counters);
    if (!sums) return sums.error();
    Recording out(driver, control, std::move(*records), std::move(*sums), capacity);
    for (const auto& [name, pointer] : {std::pair{kControlVariable, out.records_.pointer()},
                                        std::pair{kCountersVariable, out.counters_.pointer()}}) {
      DevicePointer variable = 0;
      std::size_t bytes = 0;
      CudaResult code = driver.module_global(&variable, &bytes, module, name);
      if (code == 0) code = driver.copy_to_device(variable, &pointer, sizeof pointer);
      if (code != 0) return driver.error(code, "prepare_recorder");
    }
    return out;
  }

  // Zeros behind the last record that fits tell the reader where to stop.
  Status clear() const {
    CudaResult code = driver_.fill_bytes(records_.pointer(), 0, records_.bytes());
    if (code == 0 && counters_.bytes() != 0)
      code = driver_.fill_bytes(counters_.pointer(), 0, counters_.bytes());
    if (code == 0) code = driver_.copy_to_device(records_.pointer(), control_.data(), control_.size());
    if (code != 0) return driver_.error(code, "clear_recorder");
    return Done{};
  }

  // Appends control block, records and counters.
  Status read(std::vector<std::vector<std::uint8_t>>& blobs) const {
    std::vector<std::uint8_t> control(control_.size());
    CudaResult code = driver_.copy_to_host(control.data(), records_.pointer(), control.size());
    if (code != 0) return driver_.error(code, "read_recorder");
    std::uint64_t wanted = 0;
    std::memcpy(&wanted, control.data(), sizeof wanted);
    std::vector<std::uint8_t> records(std::min<std::uint64_t>(wanted, capacity_));
    if (!records.empty())
      code = driver_.copy_to_host(records.data(), records_.pointer() + control.size(), records.size());
    if (code != 0) return driver_.error(code, "read_records");
    std::vector<std::uint8_t> counters(counters_.bytes());
    if (!counters.empty()) code = driver_.copy_to_host(counters.data(), counters_.pointer(), counters.size());
    if (code != 0) return driver_.error(code, "read_counters");
    blobs.push_back(std::move(control));
    blobs.push_back(std::move(records));
    blobs.push_back(std::move(counters));
    return Done{};
  }

 private:
  Recording(const Driver& driver, std::vector<std::uint8_t> control, DeviceBuffer records,
            DeviceBuffer counters, std::size_t capacity)
      : driver_(driver),
        control_(std::move(control)),
        records_(std::move(records)),
        counters_(std::move(counters)),
        capacity_(capacity) {}
  const Driver& driver_;
  std::vector<std::uint8_t> control_;
  DeviceBuffer records_, counters_;
  std::size_t capacity_;
};

}  // namespace

Result<Frame> record_run(const Driver& driver, ModuleHandle module, const Frame& request,
                         const std::function<Result<double>(DeviceLaunch&)>& once,
                         const std::function<nlohmann::json(const DeviceLaunch&, double)>& facts,
                         InitialBuffers& initial) {
  const auto recording = Recording::make(driver, module, request);
  if (!recording) return recording.error();
  const auto description = launch_from_json(request.head.at("launch"));
  if (!description) return description.error();
  auto launch =
      DeviceLaunch::prepare(driver, module, *description, request.head.value("cooperative", false), initial);
  if (!launch) return launch.error();
  std::vector<double> milliseconds;
  const int runs = std::max(1, request.head.value("runs", 1));
  for (int run = 0; run < runs; ++run) {
    if (run > 0)
      if (const Status restored = launch->reset(); !restored) return restored.error();
    if (const Status cleared = recording->clear(); !cleared) return cleared.error();
    const auto took = once(*launch);
    if (!took) return took.error();
    milliseconds.push_back(*took);
  }
  auto buffers = launch->read_buffers();
  if (!buffers) return buffers.error();
  Frame out{facts(*launch, milliseconds.back()), {}};
  out.head["runs"] = milliseconds;
  out.head["addresses"] = launch->addresses();
  const auto constants = constant_places(driver, module, request.head.value("constants", std::size_t{0}));
  // Without names the records are what they are.
  out.head["constants"] = constants ? *constants : std::vector<std::uint64_t>{};
  if (const Status read = recording->read(out.blobs); !read) return read.error();
  for (auto& buffer : *buffers) out.blobs.push_back(std::move(buffer));
  return out;
}

}  // namespace warplens::gpu
