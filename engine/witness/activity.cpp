#include "engine/witness/activity.h"

#include <cupti_activity.h>

#include <cstdlib>
#include <ctime>

#include "engine/witness/clock.h"
#include "engine/witness/log.h"

namespace warplens::witness {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kAlignment = 8;

decltype(&cuptiActivityGetNextRecord) g_next = nullptr;
decltype(&cuptiActivityFlushAll) g_flush = nullptr;

std::uint64_t g_offset = 0;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;
}

const char* name_of(std::uint8_t copy) {
  switch (copy) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return "host to device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return "device to host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return "host to host";
    default:
      return "device to device";
  }
}

std::string line_of(const CUpti_ActivityKernel10& kernel) {
  return Log::line({{"ran",
                     {{"id", kernel.correlationId},
                      {"kernel", kernel.name == nullptr ? "" : kernel.name},
                      {"grid", {kernel.gridX, kernel.gridY, kernel.gridZ}},
                      {"block", {kernel.blockX, kernel.blockY, kernel.blockZ}},
                      {"shared_bytes", kernel.dynamicSharedMemory},
                      {"stream", kernel.streamId},
                      {"graph", kernel.graphId},
                      {"registers_per_thread", kernel.registersPerThread},
                      {"begin", seconds_at(kernel.start)},
                      {"seconds", seconds_between(kernel.start, kernel.end)}}}});
}

template <typename Record>
std::string line_of_transfer(const char* what, const char* kind, const Record& record) {
  return Log::line({{what,
                     {{"kind", kind},
                      {"bytes", record.bytes},
                      {"stream", record.streamId},
                      {"begin", seconds_at(record.start)},
                      {"seconds", seconds_between(record.start, record.end)}}}});
}

std::string line_of(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return line_of(reinterpret_cast<const CUpti_ActivityKernel10&>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
      return line_of_transfer("copy", name_of(copy.copyKind), copy);
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return line_of_transfer("copy", "device to device",
                              reinterpret_cast<const CUpti_ActivityMemcpyPtoP4&>(record));
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return line_of_transfer("fill", "fill", reinterpret_cast<const CUpti_ActivityMemset4&>(record));
    default:
      return {};
  }
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  CUpti_Activity* record = nullptr;
  std::string lines;
  while (valid > 0 && g_next(buffer, valid, &record) == CUPTI_SUCCESS) lines += line_of(*record);
  log().write(lines);
  std::free(buffer);
}

}  // namespace

void set_start(std::int64_t started, std::uint64_t now) {
  timespec at{};
  ::clock_gettime(CLOCK_MONOTONIC, &at);
  const std::int64_t since = at.tv_sec * std::int64_t{1000000000} + at.tv_nsec - started;
  g_offset = now - static_cast<std::uint64_t>(started > 0 && since > 0 ? since : 0);
}

double seconds_at(std::uint64_t cupti) {
  return cupti > g_offset ? static_cast<double>(cupti - g_offset) * 1e-9 : 0;
}

const char* start_activity(const gpu::CountersLibrary& cupti) {
  const auto enable = cupti.symbol<decltype(&cuptiActivityEnable)>("cuptiActivityEnable");
  const auto buffers =
      cupti.symbol<decltype(&cuptiActivityRegisterCallbacks)>("cuptiActivityRegisterCallbacks");
  g_next = cupti.symbol<decltype(&cuptiActivityGetNextRecord)>("cuptiActivityGetNextRecord");
  g_flush = cupti.symbol<decltype(&cuptiActivityFlushAll)>("cuptiActivityFlushAll");
  if (enable == nullptr || buffers == nullptr || g_next == nullptr || g_flush == nullptr) return "dlsym";
  if (buffers(give_buffer, take_buffer) != CUPTI_SUCCESS) return "cuptiActivityRegisterCallbacks";
  for (const CUpti_ActivityKind kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                        CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET})
    if (enable(kind) != CUPTI_SUCCESS) return "cuptiActivityEnable";
  return nullptr;
}

void flush_activity() {
  if (g_flush != nullptr) g_flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

}  // namespace warplens::witness
