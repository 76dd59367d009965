// Zeros from the system: pages cost nothing until they are touched, and large blocks lie on huge pages where
// the system has them (one page fault for 2 MiB, and far fewer misses when a kernel strides through them).
#pragma once

#include <cstddef>

namespace warplens::simt {

class ZeroedMemory {
 public:
  // Throws std::bad_alloc.
  explicit ZeroedMemory(std::size_t bytes);
  ~ZeroedMemory();
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;
  void* data() const { return data_; }

 private:
  void* mapped_ = nullptr;
  void* data_ = nullptr;  // aligned to a page, of large blocks to a huge one
  std::size_t mapped_bytes_ = 0;
};

}  // namespace warplens::simt
