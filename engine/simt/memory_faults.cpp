#include "engine/simt/memory_faults.h"

#include <fmt/format.h>

#include <bit>

#include "engine/simt/worker.h"

namespace warplens::simt {

namespace {

constexpr std::uint64_t kNullPage = 65536;  // nobody has memory below: a null pointer and an index

Key doing_of(trace::SiteKind kind) {
  switch (kind) {
    case trace::SiteKind::Store:
    case trace::SiteKind::MatrixStore:
      return {"fault.doing.writes"};
    case trace::SiteKind::Atomic:
    case trace::SiteKind::Reduction:
    case trace::SiteKind::CompareAndSwap:
      return {"fault.doing.updates"};
    default:
      return {"fault.doing.reads"};
  }
}

MessageValue hexadecimal(std::uint64_t address) {
  return fmt::format("0x{:x}", address);
}

// What may follow: a Message, or nothing.
using Optional = std::vector<Message>;

Message element_of(const trace::BufferPlacement& buffer, std::uint64_t address) {
  const auto width = static_cast<std::uint64_t>(trace::size_of(buffer.type));
  const std::uint64_t count = buffer.bytes / width;
  const bool negative = address < buffer.base;
  const std::uint64_t index =
      negative ? (buffer.base - address + width - 1) / width : (address - buffer.base) / width;
  return {negative     ? "fault.element.negative"
          : count == 0 ? "fault.element.empty"
          : count == 1 ? "fault.element.single"
                       : "fault.element.past",
          {{"index", value_of(index)},
           {"name", name_of_argument(buffer)},
           {"count", value_of(count)},
           {"last", value_of(static_cast<std::int64_t>(count) - 1)}}};
}

// The one thing that the operation's address was computed from; nullptr when there are several or none known.
const Pointee* only_pointee(const Op& op, const Worker& worker) {
  const InstructionInfo& info = worker.program->instructions[op.instruction];
  return info.pointee_count == 1 ? &worker.program->pointees[info.first_pointee] : nullptr;
}

Optional inside_another(const GlobalMemory& memory, std::uint64_t address) {
  const Interval* there = memory.find(address);
  if (there == nullptr) return {};
  return {{"fault.inside_another", {{"name", memory.name_of(*there)}}}};
}

// PTX declares arrays in bytes: the access alone tells how wide their elements are, of a vector each part.
Optional element_at(const Op& op, const Worker& worker, const std::string& name, std::uint64_t byte) {
  const Kernel::Program& program = *worker.program;
  const InstructionInfo& info = program.instructions[op.instruction];
  const ptx::Form& form =
      program.module->form(program.module->functions[info.function].instructions[info.index]);
  const auto width = static_cast<std::uint64_t>(ptx::size_of(form.type()));
  if (width < 1 || byte % width != 0) return {};
  return {
      {"fault.as_element", {{"name", name}, {"index", value_of(byte / width)}, {"width", value_of(width)}}}};
}

Message outside_variable(const Op& op, const Worker& worker, const Pointee& pointee, std::uint64_t address) {
  const std::string name = source_name(*pointee.variable);
  if (address < pointee.begin)
    return {"fault.variable.before", {{"bytes", value_of(pointee.begin - address)}, {"name", name}}};
  const std::uint64_t byte = address - pointee.begin;
  return {"fault.variable.past",
          {{"name", name},
           {"byte", value_of(byte)},
           {"element", element_at(op, worker, name, byte)},
           {"bytes", value_of(pointee.variable->bytes())}}};
}

Message where_global(const Op& op, const Worker& worker, std::uint64_t address) {
  const GlobalMemory& memory = *worker.state->memory;
  if (address < kNullPage)
    return {address == 0 ? "fault.null" : "fault.null_indexed", {{"address", hexadecimal(address)}}};
  const auto in_buffer = [&](const trace::BufferPlacement& buffer) -> Message {
    return {"fault.with_address",
            {{"place", value_of(element_of(buffer, address))},
             {"address", hexadecimal(address)},
             {"inside", inside_another(memory, address)}}};
  };
  if (const Pointee* pointee = only_pointee(op, worker); pointee != nullptr) {
    for (const trace::BufferPlacement& buffer : memory.placements())
      if (buffer.argument == pointee->parameter) return in_buffer(buffer);
    if (pointee->space == trace::Space::Global && pointee->parameter == kNoRow) {
      return {"fault.global_variable",
              {{"place", value_of(outside_variable(op, worker, *pointee, address))},
               {"inside", inside_another(memory, address)}}};
    }
  }
  const Interval* near = memory.nearest(address);
  if (near == nullptr) return {"fault.no_buffer", {{"address", hexadecimal(address)}}};
  if (near->kind == Interval::Kind::Buffer) return in_buffer(memory.placements()[near->index]);
  if (near->kind == Interval::Kind::Heap && address >= near->begin && address < near->end)
    return {"fault.heap_free", {{"address", hexadecimal(address)}}};
  const bool before = address < near->begin;
  return {before ? "fault.near.before" : "fault.near.behind",
          {{"address", hexadecimal(address)},
           {"bytes", value_of(before ? near->begin - address : address - near->end)},
           {"name", memory.name_of(*near)}}};
}

Message where_shared(const Op& op, const Worker& worker, std::uint64_t address, std::uint64_t size) {
  const Pointee* pointee = only_pointee(op, worker);
  if (pointee != nullptr && pointee->space == trace::Space::Shared && pointee->end != kWindowBytes)
    return {"fault.shared_array", {{"place", value_of(outside_variable(op, worker, *pointee, address))}}};
  const bool no_size = worker.state->launch->dynamic_shared_bytes == 0 && pointee != nullptr;
  return {no_size ? "fault.shared_without_size" : "fault.shared_past",
          {{"byte", value_of(address)}, {"bytes", value_of(size)}}};
}

Message where(const Op& op, Warp& warp, trace::Space space, std::uint64_t address) {
  const Worker& worker = *warp.worker;
  const std::uint64_t size = space_bytes(warp, space);
  switch (space) {
    case trace::Space::Global:
      return where_global(op, worker, address);
    case trace::Space::Shared:
      return where_shared(op, worker, address, size);
    case trace::Space::Local: {
      const Interval room = room_of(op, warp, space);
      return {"fault.local_past",
              {{"byte", value_of(address - room.begin)}, {"bytes", value_of(room.end - room.begin)}}};
    }
    case trace::Space::Constant: {
      const Pointee* pointee = only_pointee(op, worker);
      if (pointee != nullptr && pointee->space == space)
        return {"fault.constant_array",
                {{"place", value_of(outside_variable(op, worker, *pointee, address))}}};
      return {"fault.constant_past", {{"byte", value_of(address)}, {"bytes", value_of(size)}}};
    }
    default:
      return {"fault.parameters_past", {{"byte", value_of(address)}, {"bytes", value_of(size)}}};
  }
}

}  // namespace

std::string source_name(const ptx::Variable& variable) {
  const std::string whole = ptx::demangle(variable.name);
  const std::size_t colons = whole.rfind("::");
  const std::string name = colons == std::string::npos ? whole : whole.substr(colons + 2);
  return name.substr(0, name.find(' '));
}

Message place_message(const Op& op, Warp& warp, trace::Space space, std::uint64_t address) {
  const Worker& worker = *warp.worker;
  if (space == trace::Space::Shared) {
    const Pointee* pointee = only_pointee(op, worker);
    if (pointee == nullptr || pointee->space != space || address < pointee->begin)
      return {"fault.place.shared", {{"byte", value_of(address)}}};
    const std::string name = source_name(*pointee->variable);
    const std::uint64_t byte = address - pointee->begin;
    return {"fault.place.shared_array",
            {{"byte", value_of(byte)}, {"name", name}, {"element", element_at(op, worker, name, byte)}}};
  }
  const GlobalMemory& memory = *worker.state->memory;
  const Interval* interval = memory.find(address);
  if (interval == nullptr || interval->kind == Interval::Kind::Heap)
    return {"fault.place.allocated", {{"address", hexadecimal(address)}}};
  if (interval->kind != Interval::Kind::Buffer) {
    return {"fault.place.variable",
            {{"byte", value_of(address - interval->begin)}, {"name", memory.name_of(*interval)}}};
  }
  const trace::BufferPlacement& buffer = memory.placements()[interval->index];
  return {
      "fault.place.element",
      {{"index", value_of((address - buffer.base) / static_cast<std::uint64_t>(trace::size_of(buffer.type)))},
       {"name", name_of_argument(buffer)}}};
}

void report_access_fault(const Op& op, Warp& warp, const Prepared& p, LaneMask bad) {
  if (warp.worker->state->options->checks == Checks::None) return;
  const auto lane = static_cast<unsigned>(std::countr_zero(bad));
  const std::uint64_t address = p.offset[lane];
  const unsigned width = bytes_of(op);
  const Key doing = doing_of(kind_of(op));
  if (only_read(p.space) && changes_memory(kind_of(op))) {
    const bool constant = p.space == trace::Space::Constant;
    report_fault(warp, op, trace::FaultKind::InvalidAddress, bad,
                 {constant ? "fault.constant_written" : "fault.parameter_written",
                  {{"doing", doing}, {"bytes", value_of(width)}}},
                 address);
    return;
  }
  if ((address & (width - 1)) != 0) {
    report_fault(warp, op, trace::FaultKind::Misaligned, bad,
                 {"fault.misaligned",
                  {{"doing", doing}, {"bytes", value_of(width)}, {"address", hexadecimal(address)}}},
                 address);
    return;
  }
  const bool wild = p.space == trace::Space::Global && address < kNullPage;
  report_fault(warp, op, wild ? trace::FaultKind::InvalidAddress : trace::FaultKind::OutOfBounds, bad,
               {"fault.outside",
                {{"doing", doing},
                 {"bytes", value_of(width)},
                 {"where", value_of(where(op, warp, p.space, address))}}},
               address);
}

}  // namespace warplens::simt
