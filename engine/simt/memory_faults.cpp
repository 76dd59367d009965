#include "engine/simt/memory_faults.h"

#include <fmt/format.h>

#include <bit>

#include "engine/simt/worker.h"

namespace warplens::simt {

namespace {

std::string verb(trace::SiteKind kind, unsigned bytes) {
  switch (kind) {
    case trace::SiteKind::Store:
    case trace::SiteKind::MatrixStore:
      return fmt::format("writes {} bytes", bytes);
    case trace::SiteKind::Atomic:
    case trace::SiteKind::Reduction:
    case trace::SiteKind::CompareAndSwap:
      return fmt::format("updates {} bytes", bytes);
    default:
      return fmt::format("reads {} bytes", bytes);
  }
}

std::string element_of(const trace::BufferPlacement& buffer, std::uint64_t address) {
  const auto width = static_cast<std::uint64_t>(trace::size_of(buffer.type));
  const std::uint64_t count = buffer.bytes / width;
  if (address >= buffer.base) {
    return fmt::format(
        "element {} of {}, which has {} element{}: {}. Add a bounds check (if (i < n))",
        (address - buffer.base) / width, buffer.name, count, count == 1 ? "" : "s",
        count == 0 ? std::string("it is empty") : fmt::format("the last index is {}", count - 1));
  }
  const std::uint64_t before = buffer.base - address;
  return fmt::format("element -{} of {}, which starts at index 0: the index is negative",
                     (before + width - 1) / width, buffer.name);
}

// The one thing that the operation's address was computed from; nullptr when there are several or none known.
const Pointee* only_pointee(const Op& op, const Worker& worker) {
  const InstructionInfo& info = worker.program->instructions[op.instruction];
  return info.pointee_count == 1 ? &worker.program->pointees[info.first_pointee] : nullptr;
}

std::string inside_another(const GlobalMemory& memory, std::uint64_t address) {
  const Interval* there = memory.find(address);
  return there == nullptr ? "" : fmt::format(". It is a place inside {}", memory.name_of(*there));
}

std::string outside_variable(const ptx::Variable& variable, std::uint64_t begin, std::uint64_t address) {
  const std::string name = source_name(variable);
  if (address < begin)
    return fmt::format("{} bytes before the start of {}: the index is negative", begin - address, name);
  return fmt::format("{} at byte {}, but it has {} bytes: check the index against its extent", name,
                     address - begin, variable.bytes());
}

std::string where_global(const Op& op, const Worker& worker, std::uint64_t address) {
  const GlobalMemory& memory = *worker.state->memory;
  constexpr std::uint64_t kNullPage = 65536;
  if (address < kNullPage) {
    return fmt::format("address 0x{:x}: that is a null pointer{}", address,
                       address == 0 ? "" : " with an index added to it");
  }
  if (const Pointee* pointee = only_pointee(op, worker); pointee != nullptr) {
    for (const trace::BufferPlacement& buffer : memory.placements()) {
      if (buffer.argument != pointee->parameter) continue;
      return fmt::format("{} (address 0x{:x}){}", element_of(buffer, address), address,
                         inside_another(memory, address));
    }
    if (pointee->space == trace::Space::Global && pointee->parameter == kNoRow)
      return outside_variable(*pointee->variable, pointee->begin, address) + inside_another(memory, address);
  }
  const Interval* near = memory.nearest(address);
  if (near == nullptr) return fmt::format("address 0x{:x}: the launch has no buffer at all", address);
  if (near->kind == Interval::Kind::Buffer) {
    return fmt::format("{} (address 0x{:x})", element_of(memory.placements()[near->index], address), address);
  }
  if (near->kind == Interval::Kind::Heap && address >= near->begin && address < near->end) {
    return fmt::format(
        "address 0x{:x} of the device heap, which no malloc() that is still in use has given "
        "out: behind the end of an allocation, or freed before",
        address);
  }
  const std::uint64_t distance = address < near->begin ? near->begin - address : address - near->end;
  return fmt::format("address 0x{:x}: {} bytes {} {}, the nearest memory there is", address, distance,
                     address < near->begin ? "before" : "behind", memory.name_of(*near));
}

std::string where_shared(const Op& op, const Worker& worker, std::uint64_t address, std::uint64_t size) {
  const Pointee* pointee = only_pointee(op, worker);
  if (pointee != nullptr && pointee->space == trace::Space::Shared && pointee->end != kWindowBytes)
    return "the shared array " + outside_variable(*pointee->variable, pointee->begin, address);
  return fmt::format("shared memory at byte {}, but the block has {} bytes of it. {}",
                     static_cast<std::int64_t>(address), size,
                     worker.state->launch->dynamic_shared_bytes == 0 && pointee != nullptr
                         ? "A kernel with an extern __shared__ array needs its size in the launch"
                         : "Check the index against the extent of the array");
}

std::string where(const Op& op, Warp& warp, trace::Space space, std::uint64_t address) {
  const Worker& worker = *warp.worker;
  const std::uint64_t size = space_bytes(warp, space);
  switch (space) {
    case trace::Space::Global:
      return where_global(op, worker, address);
    case trace::Space::Shared:
      return where_shared(op, worker, address, size);
    case trace::Space::Local: {
      const Interval room = room_of(op, warp, space);
      return fmt::format(
          "the thread's local memory at byte {}, but its local arrays have {} bytes: check the "
          "index of the local array",
          static_cast<std::int64_t>(address - room.begin), room.end - room.begin);
    }
    case trace::Space::Constant: {
      const Pointee* pointee = only_pointee(op, worker);
      if (pointee != nullptr && pointee->space == space)
        return "the __constant__ array " + outside_variable(*pointee->variable, pointee->begin, address);
      return fmt::format("constant memory at byte {}, but the module has {} bytes of it",
                         static_cast<std::int64_t>(address), size);
    }
    default:
      return fmt::format("the parameters at byte {}, but there are {} bytes of them",
                         static_cast<std::int64_t>(address), size);
  }
}

}  // namespace

std::string source_name(const ptx::Variable& variable) {
  const std::string whole = ptx::demangle(variable.name);
  const std::size_t colons = whole.rfind("::");
  const std::string name = colons == std::string::npos ? whole : whole.substr(colons + 2);
  return name.substr(0, name.find(' '));
}

std::string place_text(const Op& op, Warp& warp, trace::Space space, std::uint64_t address) {
  const Worker& worker = *warp.worker;
  if (space == trace::Space::Shared) {
    const Pointee* pointee = only_pointee(op, worker);
    if (pointee == nullptr || pointee->space != space || address < pointee->begin)
      return fmt::format("shared memory at byte {}", address);
    return fmt::format("byte {} of the shared array {}", address - pointee->begin,
                       source_name(*pointee->variable));
  }
  const GlobalMemory& memory = *worker.state->memory;
  const Interval* interval = memory.find(address);
  if (interval == nullptr || interval->kind == Interval::Kind::Heap)
    return fmt::format("allocated memory at address 0x{:x}", address);
  if (interval->kind != Interval::Kind::Buffer)
    return fmt::format("byte {} of {}", address - interval->begin, memory.name_of(*interval));
  const trace::BufferPlacement& buffer = memory.placements()[interval->index];
  return fmt::format("element {} of {} in global memory",
                     (address - buffer.base) / static_cast<std::uint64_t>(trace::size_of(buffer.type)),
                     buffer.name);
}

void report_access_fault(const Op& op, Warp& warp, const Prepared& p, LaneMask bad) {
  if (warp.worker->state->options->checks == Checks::None) return;
  const auto lane = static_cast<unsigned>(std::countr_zero(bad));
  const std::uint64_t address = p.offset[lane];
  const unsigned width = bytes_of(op);
  const std::string what = verb(kind_of(op), width);
  if ((address & (width - 1)) != 0) {
    report_fault(warp, op, trace::FaultKind::Misaligned, bad,
                 fmt::format("the thread {} at address 0x{:x}, which is not a multiple of {}: the GPU reads "
                             "and writes {} bytes only at such addresses",
                             what, address, width, width),
                 address);
    return;
  }
  const bool wild = p.space == trace::Space::Global && address < 65536;
  report_fault(warp, op, wild ? trace::FaultKind::InvalidAddress : trace::FaultKind::OutOfBounds, bad,
               fmt::format("the thread {} of {}", what, where(op, warp, p.space, address)), address);
}

}  // namespace warplens::simt
