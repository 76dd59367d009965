// Device memory of one launch: one host block that holds the module's variables, every buffer argument and
// the heap of malloc(), with red zones between them so that an index one too far is never another buffer.
//
//   kGlobalBase + 0      module variables
//              + ...     buffers, each on a 256-byte boundary behind at least 256 bytes that belong to nobody
//              + ...     workspace of a cooperative grid (only when the kernel asks for its address)
//              + ...     device heap (only when the kernel allocates)
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/simt/buffers/zeroed_memory.h"
#include "engine/simt/load/program.h"
#include "engine/trace/trace.h"

namespace warplens::simt {

class LastingMemory;

struct Interval {
  std::uint64_t begin = 1, end = 0;  // empty
  enum class Kind : std::uint8_t { Nothing, Variable, Buffer, Heap } kind = Kind::Nothing;
  std::uint32_t index = 0;    // of the variable or placement
  std::uint32_t ordinal = 0;  // among all intervals
};

class GlobalMemory {
 public:
  static constexpr std::uint64_t kHeapBytes = std::uint64_t{8} << 20;  // CUDA's default

  // `extra_shadow` bytes a byte of memory are counted towards the cap (race detection). `lasting`: the memory
  // that is there already; nullptr: there is none. Unless the `whole_grid` runs, pages of zeros are left
  // alone until somebody touches them.
  static Result<std::unique_ptr<GlobalMemory>> create(const Kernel::Program& program,
                                                      const trace::Launch& launch, std::uint64_t cap,
                                                      std::uint64_t extra_shadow, LastingMemory* lasting,
                                                      bool whole_grid);

  // Host address of a device address inside the block; the caller has checked the interval.
  std::byte* host(std::uint64_t address) const { return base_ + (address - origin_); }
  // The lowest device address; what is added to one to find it on the host.
  std::uint64_t origin() const { return origin_; }
  std::uintptr_t shift() const { return reinterpret_cast<std::uintptr_t>(base_) - origin_; }
  std::uint64_t bytes() const { return bytes_; }
  // Memory of the program's own may lie anywhere else (LastingMemory): there nobody keeps who touched what.
  bool has_elsewhere() const { return has_elsewhere_; }
  bool is_elsewhere(std::uint64_t address) const { return address - origin_ >= bytes_; }
  const std::vector<Interval>& intervals() const { return intervals_; }  // ascending
  // The interval that holds this address, else nullptr.
  const Interval* find(std::uint64_t address) const;
  // The interval whose edge is nearest (for messages); nullptr when there is none.
  const Interval* nearest(std::uint64_t address) const;
  MessageValue name_of(const Interval& interval) const;  // "out", "the device heap"
  const std::vector<trace::BufferPlacement>& placements() const { return placements_; }

  LastingMemory* lasting() const { return lasting_; }  // nullptr: all of it is this launch's

  // Device malloc and free. Addresses, 0 when the heap is full.
  std::uint64_t allocate(std::uint64_t bytes);
  bool release(std::uint64_t address);
  std::uint64_t heap_begin() const { return heap_begin_; }  // 0: there is none
  std::uint64_t workspace() const { return workspace_; }    // of a cooperative grid; 0: there is none
  bool heap_contains(std::uint64_t address, std::uint64_t bytes) const;

 private:
  GlobalMemory() = default;
  // Decides where the buffers lie, from `at` on, which moves behind them.
  Status place_buffers(const Kernel::Program& program, const trace::Launch& launch, std::uint64_t cap,
                       std::uint64_t& at);
  // Once there is memory: the first contents, and the interval that may be touched. Addresses ascend.
  void open_variables(const Kernel::Program& program);
  Status open_buffers(const trace::Launch& launch, bool whole_grid);
  void open_workspace(std::uint64_t address);
  void open_heap(std::uint64_t address);

  LastingMemory* lasting_ = nullptr;
  std::unique_ptr<ZeroedMemory> storage_;
  std::byte* base_ = nullptr;
  std::uint64_t origin_ = kGlobalBase;
  std::uint64_t bytes_ = 0;
  bool has_elsewhere_ = false;
  std::vector<Interval> intervals_;  // ascending
  std::vector<std::string> variable_names_;
  std::vector<trace::BufferPlacement> placements_;
  mutable std::mutex heap_mutex_;
  std::uint64_t workspace_ = 0;
  std::uint64_t heap_begin_ = 0, heap_end_ = 0, heap_next_ = 0;
  std::map<std::uint64_t, std::uint64_t> heap_blocks_;  // address -> bytes
};

}  // namespace warplens::simt
