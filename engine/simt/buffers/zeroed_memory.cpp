#include "engine/simt/buffers/zeroed_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace warplens::simt {

#if defined(__linux__)

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

ZeroedMemory::ZeroedMemory(std::size_t bytes) {
  const bool large = bytes >= kHugePage;
  mapped_bytes_ = std::max<std::size_t>(bytes, 1) + (large ? kHugePage : 0);
  mapped_ = ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped_ == MAP_FAILED) throw std::bad_alloc();
  data_ = mapped_;
  if (!large) return;
  const auto at = reinterpret_cast<std::uintptr_t>(mapped_);
  data_ = static_cast<std::byte*>(mapped_) + (kHugePage - at % kHugePage) % kHugePage;
  ::madvise(data_, bytes, MADV_HUGEPAGE);  // a wish: what it answers changes nothing
}

ZeroedMemory::~ZeroedMemory() {
  ::munmap(mapped_, mapped_bytes_);
}

#else

ZeroedMemory::ZeroedMemory(std::size_t bytes)
    : mapped_(std::calloc(std::max<std::size_t>(bytes, 1), 1)), data_(mapped_), mapped_bytes_(bytes) {
  if (data_ == nullptr) throw std::bad_alloc();
}

ZeroedMemory::~ZeroedMemory() {
  std::free(mapped_);
}

#endif

}  // namespace warplens::simt
