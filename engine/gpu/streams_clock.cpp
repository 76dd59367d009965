#include "engine/gpu/streams_clock.h"

#if WARPLENS_CUPTI
#include <cupti_activity.h>

#include <cstdlib>
#include <mutex>

#include "engine/gpu/counters_library.h"
#endif

namespace warplens::gpu {

#if WARPLENS_CUPTI
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kBufferAlignment = 8;

// CUPTI's callbacks carry no pointer of ours.
struct Collected {
  std::mutex mutex;
  std::vector<ActivityRecord> records;
  decltype(&cuptiActivityGetNextRecord) next = nullptr;
};
Collected& collected() {
  static Collected instance;
  return instance;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;
}

void keep(const CUpti_Activity& record) {
  std::vector<ActivityRecord>& records = collected().records;
  if (record.kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
    if (copy.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD)
      records.push_back({StreamWork::CopyIn, copy.streamId, copy.start, copy.end});
    else if (copy.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH)
      records.push_back({StreamWork::CopyOut, copy.streamId, copy.start, copy.end});
  } else if (record.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    const auto& kernel = reinterpret_cast<const CUpti_ActivityKernel10&>(record);
    records.push_back({StreamWork::Compute, kernel.streamId, kernel.start, kernel.end});
  }
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  const std::lock_guard lock(collected().mutex);
  CUpti_Activity* record = nullptr;
  while (valid > 0 && collected().next(buffer, valid, &record) == CUPTI_SUCCESS) keep(*record);
  std::free(buffer);
}

class CuptiClock : public ActivityClock {
 public:
  bool open() {
    CountersLibrary* library = CountersLibrary::open();
    if (library == nullptr) return false;
    auto register_callbacks =
        library->symbol<decltype(&cuptiActivityRegisterCallbacks)>("cuptiActivityRegisterCallbacks");
    enable_ = library->symbol<decltype(&cuptiActivityEnable)>("cuptiActivityEnable");
    disable_ = library->symbol<decltype(&cuptiActivityDisable)>("cuptiActivityDisable");
    flush_ = library->symbol<decltype(&cuptiActivityFlushAll)>("cuptiActivityFlushAll");
    id_ = library->symbol<decltype(&cuptiGetStreamIdEx)>("cuptiGetStreamIdEx");
    collected().next = library->symbol<decltype(&cuptiActivityGetNextRecord)>("cuptiActivityGetNextRecord");
    if (register_callbacks == nullptr || enable_ == nullptr || disable_ == nullptr || flush_ == nullptr ||
        id_ == nullptr || collected().next == nullptr)
      return false;
    enabled_ = register_callbacks(give_buffer, take_buffer) == CUPTI_SUCCESS &&
               enable_(CUPTI_ACTIVITY_KIND_MEMCPY) == CUPTI_SUCCESS &&
               enable_(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == CUPTI_SUCCESS;
    return enabled_;
  }
  ~CuptiClock() override {
    if (!enabled_) return;
    disable_(CUPTI_ACTIVITY_KIND_MEMCPY);
    disable_(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    (void)take();
  }
  std::uint32_t stream_id(ContextHandle context, StreamHandle stream) const override {
    std::uint32_t id = 0;
    id_(static_cast<CUcontext>(context), static_cast<CUstream>(stream), 0, &id);
    return id;
  }
  std::vector<ActivityRecord> take() override {
    flush_(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    const std::lock_guard lock(collected().mutex);
    return std::exchange(collected().records, {});
  }

 private:
  decltype(&cuptiActivityEnable) enable_ = nullptr;
  decltype(&cuptiActivityDisable) disable_ = nullptr;
  decltype(&cuptiActivityFlushAll) flush_ = nullptr;
  decltype(&cuptiGetStreamIdEx) id_ = nullptr;
  bool enabled_ = false;
};

}  // namespace

std::unique_ptr<ActivityClock> ActivityClock::start() {
  auto clock = std::make_unique<CuptiClock>();
  if (!clock->open()) return nullptr;
  return clock;
}
#else
std::unique_ptr<ActivityClock> ActivityClock::start() {
  return nullptr;
}
#endif

}  // namespace warplens::gpu
