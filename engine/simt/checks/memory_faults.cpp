#include "engine/simt/checks/memory_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "engine/base/place_name.h"
#include "engine/base/told_name.h"
#include "engine/simt/lasting_memory.h"
#include "engine/simt/launch/worker.h"

namespace warplens::simt {

namespace {

constexpr std::uint64_t kFarOff = std::uint64_t{1} << 32;  // from all memory: no index leads there
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

bool is_fraction(trace::ElementType type) {
  using trace::ElementType;
  return type == ElementType::F32 || type == ElementType::F64 || type == ElementType::F16;
}

// An extent that the launch was given as a number, or the product of two: larger than the index, so that no
// check against it helps, or exactly as large as the buffer.
struct GivenExtent {
  Message name;
  std::uint64_t value = 0;
  bool product = false;
};
std::optional<GivenExtent> extent_of(const trace::Launch& launch, std::uint64_t count, std::uint64_t index) {
  std::vector<std::pair<std::size_t, std::uint64_t>> numbers;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const trace::Argument& argument = launch.arguments[i];
    const bool number =
        !argument.is_buffer && !argument.texture && argument.structure.empty() && !is_fraction(argument.type);
    if (number && argument.bits > 1 && argument.bits <= 0x7fffffffu) numbers.emplace_back(i, argument.bits);
  }
  const auto name = [](std::size_t i) { return Message{"fault.argument", {{"index", value_of(i)}}}; };
  for (const auto& [i, value] : numbers)
    if (value > index) return GivenExtent{name(i), value, false};
  for (std::size_t a = 0; a < numbers.size(); ++a) {
    for (std::size_t b = a + 1; b < numbers.size(); ++b) {
      const std::uint64_t area = numbers[a].second * numbers[b].second;
      if (area > index || area == count)
        return GivenExtent{
            {"fault.product",
             {{"a", value_of(name(numbers[a].first))}, {"b", value_of(name(numbers[b].first))}}},
            area,
            true};
    }
  }
  return {};
}

// An unsigned index of 32 bits that went below zero; 0: it did not.
std::uint64_t below_zero(std::uint64_t index) {
  constexpr std::uint64_t kWrap = std::uint64_t{1} << 32;
  return index < kWrap && index >= kWrap - 65536 ? kWrap - index : 0;
}

Message element_past(const Op& op, const trace::BufferPlacement& buffer, const trace::Launch& launch,
                     std::uint64_t index, std::uint64_t count) {
  Message past{"fault.element.past",
               {{"index", value_of(index)},
                {"name", told_name(buffer.name)},
                {"count", value_of(count)},
                {"last", value_of(count - 1)}}};
  if (const std::uint64_t below = below_zero(index); below != 0) {
    past.key = "fault.element.below_zero";
    past.values.emplace_back("below", value_of(below));
  } else if (const auto width = static_cast<unsigned>(trace::size_of(buffer.type));
             vector_of(op) <= 1 && bytes_of(op) > width && (op.flags & memory_flags::kNoCount) == 0) {
    past.key = "fault.element.wider";
    past.values.emplace_back("width", value_of(width));
    past.values.emplace_back("bytes", value_of(bytes_of(op)));
  } else if (const auto given = extent_of(launch, count, index)) {
    past.key = given->value == count ? "fault.element.of_product"
               : given->product      ? "fault.element.product_given"
                                     : "fault.element.given";
    past.values.emplace_back("extent", value_of(given->name));
    past.values.emplace_back("value", value_of(given->value));
  }
  return past;
}

Message element_of(const Op& op, const trace::BufferPlacement& buffer, const trace::Launch& launch,
                   std::uint64_t address) {
  const auto width = static_cast<std::uint64_t>(trace::size_of(buffer.type));
  const std::uint64_t count = buffer.bytes / width;
  if (address >= buffer.base && count > 0)
    return element_past(op, buffer, launch, (address - buffer.base) / width, count);
  const bool negative = address < buffer.base;
  const std::uint64_t index =
      negative ? (buffer.base - address + width - 1) / width : (address - buffer.base) / width;
  constexpr std::uint64_t kFarBelow = std::uint64_t{1} << 24;  // as no halo reaches
  return {!negative            ? "fault.element.empty"
          : index >= kFarBelow ? "fault.element.overflowed"
                               : "fault.element.negative",
          {{"index", value_of(index)}, {"name", told_name(buffer.name)}}};
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
Optional element_at(const Op& op, const Worker& worker, const ptx::Variable& variable, std::int64_t byte) {
  const auto width = static_cast<std::int64_t>(ptx::size_of(worker.program->form_of(op.instruction).type()));
  if (width < 1 || byte % width != 0) return {};
  return {{"fault.as_element",
           {{"name", source_name(variable)},
            {"index", fmt::format("[{}]", byte / width)},
            {"width", value_of(width)},
            {"byte", value_of(byte)},
            {"bytes", value_of(variable.bytes())}}}};
}

// From the start of a variable; negative: in front of it. Addresses of 32 bits wrap around below zero.
std::int64_t distance_from(std::uint64_t begin, std::uint64_t address) {
  if (address >> 31 == 1) address |= ~std::uint64_t{0} << 32;
  return static_cast<std::int64_t>(address - begin);
}

Message outside_variable(const Op& op, const Worker& worker, const Pointee& pointee, std::uint64_t address) {
  const std::string name = source_name(*pointee.variable);
  const bool narrow = pointee.space != trace::Space::Global;
  const std::int64_t byte =
      narrow ? distance_from(pointee.begin, address) : static_cast<std::int64_t>(address - pointee.begin);
  Optional element = element_at(op, worker, *pointee.variable, byte);
  if (byte < 0)
    return {"fault.variable.before",
            {{"bytes", value_of(-byte)}, {"name", name}, {"element", std::move(element)}}};
  return {"fault.variable.past",
          {{"name", name},
           {"byte", value_of(byte)},
           {"element", std::move(element)},
           {"bytes", value_of(pointee.variable->bytes())}}};
}

trace::ElementType element_type_of(unsigned bytes) {
  using trace::ElementType;
  return bytes == 8   ? ElementType::F64
         : bytes == 4 ? ElementType::F32
         : bytes == 2 ? ElementType::F16
                      : ElementType::U8;
}

// The allocation that a parameter points into; nullptr: it is no such pointer.
const trace::BufferPlacement* passed_for(const Worker& worker, std::uint32_t parameter) {
  const Piece& piece = worker.program->parameters[parameter];
  if (piece.bytes != 8) return nullptr;
  std::uint64_t pointer = 0;
  std::memcpy(&pointer, worker.state->parameters.data() + piece.offset, sizeof pointer);
  const GlobalMemory& memory = *worker.state->memory;
  const Interval* interval = memory.find(pointer);
  if (interval == nullptr || interval->kind != Interval::Kind::Buffer || interval->begin != pointer)
    return nullptr;
  return &memory.placements()[interval->index];
}

std::uint64_t distance_to(const Interval& interval, std::uint64_t address) {
  return address < interval.begin ? interval.begin - address : address - interval.end;
}

Message where_global(const Op& op, const Worker& worker, std::uint64_t address) {
  const GlobalMemory& memory = *worker.state->memory;
  if (address < kNullPage)
    return {address == 0 ? "fault.null" : "fault.null_indexed", {{"address", hexadecimal(address)}}};
  const auto in_buffer = [&](const trace::BufferPlacement& buffer) -> Message {
    return {"fault.with_address",
            {{"place", value_of(element_of(op, buffer, *worker.state->launch, address))},
             {"address", hexadecimal(address)},
             {"inside", inside_another(memory, address)}}};
  };
  const auto in_lasting = [&](trace::BufferPlacement buffer, std::uint32_t argument) {
    // Nothing says what its elements are but the access.
    buffer.type = element_type_of(bytes_of(op) / std::max(1u, vector_of(op)));
    buffer.argument = argument;
    if (argument != kNoArgument) buffer.name = argument_name(argument);
    return in_buffer(buffer);
  };
  if (const Pointee* pointee = only_pointee(op, worker); pointee != nullptr) {
    if (memory.lasting() != nullptr && pointee->parameter != kNoRow)
      if (const trace::BufferPlacement* buffer = passed_for(worker, pointee->parameter))
        return in_lasting(*buffer, pointee->parameter);
    for (const trace::BufferPlacement& buffer : memory.placements())
      if (buffer.argument == pointee->parameter) return in_buffer(buffer);
    if (pointee->space == trace::Space::Global && pointee->parameter == kNoRow) {
      return {"fault.global_variable",
              {{"place", value_of(outside_variable(op, worker, *pointee, address))},
               {"inside", inside_another(memory, address)}}};
    }
  }
  const Interval* near = memory.nearest(address);
  if (near == nullptr) return {"fault.no_memory", {{"address", hexadecimal(address)}}};
  if (near->kind == Interval::Kind::Buffer && memory.lasting() != nullptr &&
      distance_to(*near, address) <= kFarOff)
    return in_lasting(memory.placements()[near->index], kNoArgument);
  if (near->kind == Interval::Kind::Buffer && memory.lasting() == nullptr)
    return in_buffer(memory.placements()[near->index]);
  if (near->kind == Interval::Kind::Heap && address >= near->begin && address < near->end)
    return {"fault.heap_free", {{"address", hexadecimal(address)}}};
  const bool before = address < near->begin;
  if ((before ? near->begin - address : address - near->end) > kFarOff)
    return {"fault.no_memory", {{"address", hexadecimal(address)}}};
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
  const bool dynamic = pointee != nullptr && pointee->space == trace::Space::Shared && address >= size;
  return {no_size   ? "fault.shared_without_size"
          : dynamic ? "fault.shared_dynamic_past"
                    : "fault.shared_past",
          {{"byte", value_of(distance_from(0, address))}, {"bytes", value_of(size)}}};
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

Message outside(const Op& op, Warp& warp, const Prepared& p, std::uint64_t address) {
  return {"fault.outside",
          {{"doing", doing_of(kind_of(op))},
           {"bytes", value_of(bytes_of(op))},
           {"where", value_of(where(op, warp, p.space, address))}}};
}

}  // namespace

std::string source_name(const ptx::Variable& variable) {
  const std::string whole = ptx::demangle(variable.name);
  const std::size_t colons = whole.rfind("::");
  const std::string name = colons == std::string::npos ? whole : whole.substr(colons + 2);
  return name.substr(0, name.find(' '));
}

Message line_message(const Kernel::Program& program, std::uint32_t instruction) {
  const auto last = static_cast<std::uint32_t>(program.instructions.size() - 1);
  const InstructionInfo& info = program.instructions[std::min(instruction, last)];
  if (info.line != 0) return {"fault.place.on_line", {{"line", value_of(info.line)}}};
  const int near = near_line(program, std::min(instruction, last));
  return {near != 0 ? "fault.place.on_ptx_line_near" : "fault.place.on_ptx_line",
          {{"line", value_of(info.ptx_line)}, {"near", value_of(near)}}};
}

Message place_message(const Op& op, Warp& warp, trace::Space space, std::uint64_t address) {
  const Worker& worker = *warp.worker;
  if (space == trace::Space::Shared) {
    const Pointee* pointee = only_pointee(op, worker);
    if (pointee == nullptr || pointee->space != space || address < pointee->begin)
      return {"fault.place.shared", {{"byte", value_of(address)}}};
    const std::string name = source_name(*pointee->variable);
    const auto byte = static_cast<std::int64_t>(address - pointee->begin);
    if (byte == 0 && pointee->variable->bytes() == static_cast<std::uint64_t>(ptx::size_of(
                                                       worker.program->form_of(op.instruction).type())))
      return {"fault.place.shared_variable", {{"name", name}}};
    return {"fault.place.shared_array",
            {{"byte", value_of(byte)},
             {"name", name},
             {"element", element_at(op, worker, *pointee->variable, byte)}}};
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
       {"name", told_name(buffer.name)}}};
}

std::vector<Message> watched_place(const Op& op, Warp& warp, unsigned lane) {
  const LaunchState& state = *warp.worker->state;
  const unsigned width = bytes_of(op) / std::max(vector_of(op), 1u);
  if ((op.flags & memory_flags::kFrame) != 0 || width > 8) return {};
  std::uint64_t address = op.imm;
  if (op.a != kNoRow) {
    const bool wide = (op.flags & memory_flags::kWideAddress) != 0;
    address += wide ? row<u64>(warp, op.a)[lane] : row<u32>(warp, op.a)[lane];
  }
  trace::Space space = space_of(op);
  if (space == trace::Space::Generic) {
    const SpacedAddress there = resolve_generic(address);
    space = there.space;
    address = there.address;
  }
  const std::byte* from = nullptr;
  if (space == trace::Space::Global) {
    const Interval* interval = state.memory->find(address);
    if (interval != nullptr && width <= interval->end - address) from = state.memory->host(address);
  } else if (space == trace::Space::Shared && address + width <= warp.cta->shared_bytes()) {
    from = warp.cta->shared() + address;
  }
  if (from == nullptr) return {};
  const auto at = reinterpret_cast<std::uintptr_t>(from);
  const std::int64_t value = width == 8   ? peek<s64>(at)
                             : width == 4 ? peek<s32>(at)
                             : width == 2 ? peek<s16>(at)
                                          : peek<u8>(at);
  return {{"fault.watched",
           {{"place", value_of(place_message(op, warp, space, address))}, {"value", value_of(value)}}}};
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
               outside(op, warp, p, address), address);
}

void report_strays(const Op& op, Warp& warp, const Prepared& p, LaneMask strays) {
  Worker& worker = *warp.worker;
  if (worker.state->options->checks == Checks::None) return;
  if (!worker.strays_told.insert(op.instruction).second) {
    worker.faults_in[warp.cta->block()] += static_cast<std::uint64_t>(active_lanes(strays));
    return;
  }
  const std::uint64_t address = p.offset[static_cast<unsigned>(std::countr_zero(strays))];
  report_fault(warp, op, trace::FaultKind::OutOfBounds, strays,
               {"fault.let_pass", {{"what", value_of(outside(op, warp, p, address))}}}, address);
}

}  // namespace warplens::simt
