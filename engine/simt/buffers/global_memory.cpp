#include "engine/simt/buffers/global_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "engine/base/align.h"
#include "engine/base/message.h"
#include "engine/base/place_name.h"
#include "engine/base/told_name.h"
#include "engine/simt/lasting_memory.h"

namespace warplens::simt {

namespace {

constexpr std::uint64_t kRedZone = 256;
constexpr std::uint64_t kHeapFull = ~std::uint64_t{0};  // not even the smallest block fits
constexpr std::uint64_t kLastingReach = std::uint64_t{1} << 36;
constexpr std::uint64_t kWorkspace = 64;  // its size, and the counter of arrivals

std::string parameter_name(const Kernel::Program& program, std::size_t index) {
  // nvcc names parameters KERNEL_param_N: the source's names are not in the PTX.
  const std::string& name = program.entry->parameters[index].name;
  if (name.find("_param_") != std::string::npos) return argument_name(index);
  return name;
}

// Where cudaMalloc would put the buffers, one after the other: below 1 MiB in steps of 512 bytes inside
// chunks of 2 MiB, larger ones at the start of a chunk. Buffers get these addresses modulo 64 KiB, because
// the tag bank of a line, and with it the passes of an atomic, depends on the lower bits of its number.
class DevicePlaces {
 public:
  std::uint64_t after(std::uint64_t at, std::uint64_t bytes) {
    constexpr std::uint64_t kChunk = std::uint64_t{2} << 20, kWindow = std::uint64_t{64} << 10;
    const bool large = bytes >= kChunk / 2;
    if (!large && next_ + bytes > kChunk) next_ = 0;
    const std::uint64_t place = large ? 0 : next_;
    if (!large) next_ = align_up(next_ + std::max<std::uint64_t>(bytes, 1), 512);
    return at + (place - at) % kWindow;
  }

 private:
  std::uint64_t next_ = 0;  // in the open chunk
};

}  // namespace

Result<std::unique_ptr<GlobalMemory>> GlobalMemory::create(const Kernel::Program& program,
                                                           const trace::Launch& launch, std::uint64_t cap,
                                                           std::uint64_t extra_shadow, LastingMemory* lasting,
                                                           bool whole_grid) {
  std::unique_ptr<GlobalMemory> memory(new GlobalMemory);
  memory->lasting_ = lasting;
  if (lasting != nullptr) {
    memory->base_ = lasting->base();
    memory->origin_ = lasting->origin();
    memory->workspace_ = lasting->workspace;
    memory->heap_begin_ = lasting->heap.begin();
    memory->placements_.reserve(lasting->places().size());  // every launch comes by here
    memory->intervals_.reserve(lasting->places().size());
    for (const auto& [address, place] : lasting->places()) {
      using Kind = Interval::Kind;
      const Kind kind = address == lasting->heap.begin() ? Kind::Heap
                        : place.variable                 ? Kind::Variable
                                                         : Kind::Buffer;
      std::size_t index = 0;
      if (kind == Kind::Variable) {
        index = memory->variable_names_.size();
        memory->variable_names_.push_back(place.name);
      } else if (kind == Kind::Buffer) {
        index = memory->placements_.size();
        memory->placements_.push_back(
            {kNoArgument, place.name, address, place.bytes, trace::ElementType::U8});
      }
      memory->intervals_.push_back({address, address + place.bytes, kind, static_cast<std::uint32_t>(index),
                                    static_cast<std::uint32_t>(memory->intervals_.size())});
      // Memory of the program's own may be anywhere.
      if (address - memory->origin_ < kLastingReach)
        memory->bytes_ = std::max(memory->bytes_, align_up(address + place.bytes - memory->origin_, 4096));
      else
        memory->has_elsewhere_ = true;
    }
    return memory;
  }
  std::uint64_t at = align_up(program.global_bytes, trace::kBufferAlignment) + kRedZone;
  if (Status status = memory->place_buffers(program, launch, cap, at); !status) return status.error();
  const std::uint64_t workspace_at = at;
  if (program.uses_grid_workspace) at += align_up(kWorkspace + kRedZone, trace::kBufferAlignment);
  const std::uint64_t heap_at = at;
  if (program.uses_device_heap) at += kHeapBytes + kRedZone;
  if (at > cap || at * (1 + extra_shadow) > cap) {
    return told(ErrorKind::Usage,
                {"launch.memory_beyond_cap",
                 {{"mebibytes", value_of((at * (1 + extra_shadow)) >> 20)}, {"cap", value_of(cap >> 20)}}});
  }
  memory->bytes_ = align_up(at + kRedZone, 4096);
  try {
    memory->storage_ = std::make_unique<ZeroedMemory>(memory->bytes_);
  } catch (const std::bad_alloc&) {
    return told(ErrorKind::System, {"launch.no_memory", {{"mebibytes", value_of(at >> 20)}}});
  }
  memory->base_ = static_cast<std::byte*>(memory->storage_->data());
  memory->open_variables(program);
  if (Status status = memory->open_buffers(launch, whole_grid); !status) return status.error();
  if (program.uses_grid_workspace) memory->open_workspace(kGlobalBase + workspace_at);
  if (program.uses_device_heap) memory->open_heap(kGlobalBase + heap_at);
  for (std::size_t i = 0; i < memory->intervals_.size(); ++i)
    memory->intervals_[i].ordinal = static_cast<std::uint32_t>(i);
  return memory;
}

Status GlobalMemory::place_buffers(const Kernel::Program& program, const trace::Launch& launch,
                                   std::uint64_t cap, std::uint64_t& at) {
  DevicePlaces places;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const trace::Argument& argument = launch.arguments[i];
    if (!argument.is_buffer) continue;
    const auto width = static_cast<std::uint64_t>(trace::size_of(argument.type));
    if (argument.count > cap / width || at + argument.bytes() > cap) {
      return told(ErrorKind::Usage, {"launch.buffer_beyond_cap",
                                     {{"index", value_of(i)},
                                      {"elements", value_of(argument.count)},
                                      {"type", value_of(std::string(trace::name(argument.type)))},
                                      {"cap", value_of(cap >> 20)}}});
    }
    trace::BufferPlacement placement;
    placement.argument = static_cast<std::uint32_t>(i);
    placement.name = parameter_name(program, i);
    at = places.after(at, argument.bytes());
    placement.base = kGlobalBase + at;
    placement.bytes = argument.bytes();
    placement.type = argument.type;
    placements_.push_back(placement);
    at = align_up(at + argument.bytes() + kRedZone, trace::kBufferAlignment);
  }
  return Done{};
}

Status GlobalMemory::open_buffers(const trace::Launch& launch, bool whole_grid) {
  for (std::size_t i = 0; i < placements_.size(); ++i) {
    const trace::BufferPlacement& placement = placements_[i];
    const trace::Argument& argument = launch.arguments[placement.argument];
    if (argument.init == trace::Init::Zero && argument.structure.empty()) {
      // They are zeros already; page faults belong here, not in the run.
      if (whole_grid) std::memset(host(placement.base), 0, placement.bytes);
    } else {
      auto* const at = reinterpret_cast<std::uint8_t*>(host(placement.base));
      if (const Status filled = trace::fill_initial(argument, {at, placement.bytes}); !filled)
        return filled.error();
    }
    intervals_.push_back({placement.base, placement.base + placement.bytes, Interval::Kind::Buffer,
                          static_cast<std::uint32_t>(i)});
  }
  return Done{};
}

void GlobalMemory::open_workspace(std::uint64_t address) {
  workspace_ = address;
  intervals_.push_back({workspace_, workspace_ + kWorkspace, Interval::Kind::Variable,
                        static_cast<std::uint32_t>(variable_names_.size())});
  variable_names_.emplace_back("the grid's workspace");
}

void GlobalMemory::open_heap(std::uint64_t address) {
  heap_begin_ = heap_next_ = address;
  heap_end_ = heap_begin_ + kHeapBytes;
  intervals_.push_back({heap_begin_, heap_end_, Interval::Kind::Heap, 0});
  std::memset(host(heap_begin_), 0xff, kHeapBytes);
}

void GlobalMemory::open_variables(const Kernel::Program& program) {
  for (const auto& [offset, bytes] : program.global_initials) {
    std::memcpy(base_ + offset, bytes.data(), bytes.size());
  }
  for (const PlacedVariable& placed : program.globals) {
    intervals_.push_back({placed.address, placed.address + placed.variable->bytes(), Interval::Kind::Variable,
                          static_cast<std::uint32_t>(variable_names_.size())});
    variable_names_.push_back(placed.variable->name);
  }
}

const Interval* GlobalMemory::find(std::uint64_t address) const {
  auto after = std::upper_bound(intervals_.begin(), intervals_.end(), address,
                                [](std::uint64_t a, const Interval& i) { return a < i.begin; });
  if (after == intervals_.begin()) return nullptr;
  --after;
  return address < after->end ? &*after : nullptr;
}

const Interval* GlobalMemory::nearest(std::uint64_t address) const {
  const Interval* best = nullptr;
  std::uint64_t best_distance = ~std::uint64_t{0};
  for (const Interval& interval : intervals_) {
    const std::uint64_t distance = address < interval.begin  ? interval.begin - address
                                   : address >= interval.end ? address - interval.end
                                                             : 0;
    if (distance < best_distance) {
      best = &interval;
      best_distance = distance;
    }
  }
  return best;
}

MessageValue GlobalMemory::name_of(const Interval& interval) const {
  switch (interval.kind) {
    case Interval::Kind::Variable:
      return variable_names_[interval.index];
    case Interval::Kind::Buffer:
      return told_name(placements_[interval.index].name);
    case Interval::Kind::Heap:
    case Interval::Kind::Nothing:
      break;
  }
  return Key{"fault.heap"};
}

std::uint64_t GlobalMemory::allocate(std::uint64_t bytes) {
  if (lasting_ != nullptr) return lasting_->heap.allocate(bytes);
  const std::lock_guard lock(heap_mutex_);
  if (bytes > kHeapBytes) return 0;
  const std::uint64_t rounded = align_up(std::max<std::uint64_t>(bytes, 1), 16);
  // Behind the last block as long as there is room, so that freed memory is not handed out at once; then
  // first fit over the gaps. 16 bytes of red zone behind each.
  if (heap_next_ == kHeapFull) return 0;
  std::uint64_t at = heap_next_;
  if (at + rounded > heap_end_) {
    at = heap_begin_;
    for (const auto& [begin, size] : heap_blocks_) {
      if (at + rounded + 16 <= begin) break;
      at = begin + align_up(size, 16) + 16;
    }
    if (at + rounded > heap_end_) {
      if (rounded == 16) heap_next_ = kHeapFull;
      return 0;
    }
  }
  heap_next_ = std::max(heap_next_, at + rounded + 16);
  heap_blocks_[at] = bytes;
  return at;
}

bool GlobalMemory::release(std::uint64_t address) {
  if (lasting_ != nullptr) return lasting_->heap.release(address);
  const std::lock_guard lock(heap_mutex_);
  if (heap_next_ == kHeapFull) heap_next_ = heap_end_;
  return heap_blocks_.erase(address) != 0;
}

bool GlobalMemory::heap_contains(std::uint64_t address, std::uint64_t bytes) const {
  if (lasting_ != nullptr) return lasting_->heap.contains(address, bytes);
  const std::lock_guard lock(heap_mutex_);
  auto after = heap_blocks_.upper_bound(address);
  if (after == heap_blocks_.begin()) return false;
  --after;
  return address - after->first + bytes <= after->second;
}

}  // namespace warplens::simt
