// Instructions to operations and segments.
#include <algorithm>
#include <bit>
#include <optional>

#include "engine/base/message.h"
#include "engine/base/work_limit.h"
#include "engine/ptx/lowering/lowering.h"
#include "engine/simt/exec/cta.h"
#include "engine/simt/load/loader.h"
#include "engine/simt/load/value_flow.h"
#include "engine/simt/ops/ops.h"

namespace warplens::simt {

namespace {

using ptx::OperandKind;

bool is_conditional(const ptx::Instruction& in) {
  return in.guard.predicate != ptx::kNone;
}

bool polls(const ptx::Form& form) {
  const ptx::Effects& effects = form.effects();
  if (effects.memory == ptx::MemoryUse::Atomic) return true;
  if (effects.memory == ptx::MemoryUse::Load)
    return form.has(ptx::Modifier::Volatile) || form.has(ptx::Modifier::Relaxed) ||
           form.has(ptx::Modifier::Acquire) || form.has(ptx::Modifier::Cv);
  if (effects.memory == ptx::MemoryUse::Barrier)
    return form.has(ptx::Modifier::TestWait) || form.has(ptx::Modifier::TryWait);
  return effects.control == ptx::Control::Sleep;
}

// A longer loop with such an operation does work of its own (a queue, a histogram): it waits for nobody.
std::uint32_t longest_poll(const ptx::Form& form) {
  const ptx::Effects& effects = form.effects();
  if (form.has(ptx::Modifier::Cas) || form.has(ptx::Modifier::Exch) || effects.control == ptx::Control::Sleep)
    return 1000;
  return effects.memory == ptx::MemoryUse::Atomic ? 16 : 64;
}

bool in_device_memory(const ptx::Form& form) {
  return form.space == ptx::StateSpace::Global || form.space == ptx::StateSpace::Generic ||
         form.space == ptx::StateSpace::None;
}

Flow flow_of(const ptx::Form& form) {
  switch (form.effects().control) {
    case ptx::Control::Next:
      return Flow::Next;
    case ptx::Control::Branch:
      return Flow::Branch;
    case ptx::Control::Table:
      return Flow::BranchTable;
    case ptx::Control::Call:
      return Flow::Call;
    case ptx::Control::Return:
      return Flow::Return;
    case ptx::Control::Exit:
      return Flow::Exit;
    case ptx::Control::Trap:
      return Flow::Trap;
    case ptx::Control::Barrier:  // a warp's only brings lanes together, as an operation
      return form.has(ptx::Modifier::Warp) ? Flow::Next : Flow::Barrier;
    case ptx::Control::Sleep:
      return Flow::Sleep;
  }
  return Flow::Next;
}

}  // namespace

std::vector<std::string> known_opcodes() {
  std::vector<std::string> names;
  const auto add = [&](ptx::Opcode opcode) { names.emplace_back(ptx::name(opcode)); };
  for (const ptx::Opcode opcode : ptx::all_opcodes()) {
    const ptx::Effects& effects = ptx::effects_of(opcode);
    if (effects.control != ptx::Control::Next || effects.is(ptx::kHint)) add(opcode);
  }
  for (const auto& tables : {memory_tables(), arithmetic_tables()})
    for (const std::span<const OpcodeEntry>& table : tables)
      for (const OpcodeEntry& entry : table) add(entry.opcode);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

int Loader::source_line(const ptx::Function& function, const ptx::Instruction& in) const {
  int line = 0;
  for (std::uint32_t at = in.source, steps = 0; at < function.source_lines.size() && steps < 64; ++steps) {
    const ptx::SourceLine& source = function.source_lines[at];
    if (source.line != 0) line = source.line;
    at = source.inlined_at;
  }
  return line;
}

void Loader::unsupported(const ptx::Form& form) {
  const InstructionInfo& info = program_->instructions[instruction_];
  program_->unsupported.push_back({form.text, info.line != 0 ? info.line : info.ptx_line, info.ptx_line});
}

bool Loader::decode(const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  for (const Decode decoder : decoders_of(form.opcode)) {
    reset();
    op = Op{};
    op.instruction = instruction_;
    if (decoder(*this, form, in, op) && ok() && op.handlers.full != nullptr &&
        op.handlers.masked != nullptr) {
      if (form.opcode == ptx::Opcode::Ld && only_copied(in)) op.flags |= kOnlyCopied;
      return true;
    }
  }
  return false;
}

std::uint32_t Loader::guard_of(const ptx::Instruction& in) {
  if (!is_conditional(in) || in.guard.predicate >= rows_.size()) return kNoRow;
  return rows_[in.guard.predicate] | (in.guard.negated ? 1u : 0u);
}

void Loader::open_segment() {
  if (open_) return;
  segment_ = Segment{};
  segment_.first_op = static_cast<std::uint32_t>(program_->ops.size());
  segment_.first_instruction = instruction_;
  segment_.first_constant = static_cast<std::uint32_t>(program_->constant_loads.size());
  segment_.routine = routine_;
  open_ = true;
}

void Loader::close_segment(Flow flow) {
  if (!open_) return;
  segment_.flow = flow;
  segment_.constant_count =
      static_cast<std::uint32_t>(program_->constant_loads.size()) - segment_.first_constant;
  segment_.next = static_cast<std::uint32_t>(program_->segments.size()) + 1;
  program_->segments.push_back(segment_);
  open_ = false;
}

// Terminators keep their operation out of the straight run.
std::uint32_t Loader::add_terminator_op(const Op& op) {
  program_->ops.push_back(op);
  return static_cast<std::uint32_t>(program_->ops.size() - 1);
}

void Loader::load_routine(std::uint32_t index) {
  routine_ = index;
  function_ = program_->routines[index].function;
  if (function_->instructions.empty()) {
    const auto readable = [](const ptx::Function& f) { return f.demangled.empty() ? f.name : f.demangled; };
    // nvcc's stand-ins for <<<>>> in a kernel.
    if (function_->name.starts_with("__cudaCDP2")) {
      if (!program_->impossible) {
        program_->unsupported.push_back({"a launch in a kernel (dynamic parallelism)", 0, function_->line});
        program_->impossible = told(ErrorKind::Compile, {"load.dynamic_parallelism",
                                                         {{"kernel", value_of(readable(*program_->entry))}}});
      }
      return;
    }
    // No GPU could run it either: nothing that is linked with a file is seen here.
    program_->unsupported.push_back({"call " + readable(*function_), function_->line, function_->line});
    if (!program_->impossible)
      program_->impossible = told(ErrorKind::Compile, {"load.body_elsewhere",
                                                       {{"kernel", value_of(readable(*program_->entry))},
                                                        {"function", value_of(readable(*function_))}}});
    return;
  }
  contracted_ = ptx::lowered(module_, *function_)->contracted;
  find_constants();
  find_consumed();
  pointees_ = ptx::Pointees::compute(module_, *function_);
  program_->routines[index].entry = static_cast<std::uint32_t>(program_->segments.size());
  const auto n = static_cast<std::uint32_t>(function_->instructions.size());
  segment_at_.assign(n + 1, kNoSegment);
  for (std::uint32_t i = 0; i < n; ++i) {
    const ptx::Instruction& in = function_->instructions[i];
    const std::uint32_t block = function_->block_of[i];
    instruction_ = static_cast<std::uint32_t>(program_->instructions.size());
    InstructionInfo info;
    info.function = program_->routines[index].function_index;
    info.index = i;
    info.ptx_line = in.line;
    const auto site = site_of_.find({info.function, i});
    if (site != site_of_.end()) info.site = site->second;
    info.line = source_line(*function_, in);
    if (site != site_of_.end() && program_->sites[info.site].line != 0)
      info.line = program_->sites[info.site].line;
    program_->instructions.push_back(info);
    if (function_->blocks[block].first == i) {
      close_segment(Flow::Next);
      segment_at_[i] = static_cast<std::uint32_t>(program_->segments.size());
    }
    load_instruction(i);
  }
  // A function that runs off its end returns.
  close_segment(Flow::Next);
  segment_at_[n] = static_cast<std::uint32_t>(program_->segments.size());
  instruction_ = static_cast<std::uint32_t>(program_->instructions.size() - 1);
  open_segment();
  segment_.instruction_count = 0;
  close_segment(Flow::Return);
  link_targets(index);
  mark_spinning(index);
  mark_turns(index);
}

// Which registers anything but a store to the thread's own memory reads. Destinations (the first operand,
// unless it is an address) are not reads.
void Loader::find_consumed() {
  consumed_.assign(function_->registers.size(), false);
  const auto mark = [this](ptx::RegisterId reg) {
    if (reg < consumed_.size()) consumed_[reg] = true;
  };
  for (const ptx::Instruction& in : function_->instructions) {
    const ptx::Form& form = module_.form(in);
    const bool stores = form.opcode == ptx::Opcode::St &&
                        (form.space == ptx::StateSpace::Param || form.space == ptx::StateSpace::Local);
    for (std::size_t i = 0; i < in.operands.size(); ++i) {
      const ptx::Operand& operand = in.operands[i];
      const bool address = operand.kind == OperandKind::Address;
      const bool written = i == 0 && form.opcode != ptx::Opcode::St;
      if (address || (!written && !stores)) mark(operand.reg);
      if (!address && (written || stores)) continue;
      for (const ptx::Operand& element : operand.elements) {
        mark(element.reg);
        for (const ptx::Operand& inner : element.elements) mark(inner.reg);
      }
    }
  }
}

bool Loader::only_copied(const ptx::Instruction& in) const {
  if (in.operands.empty()) return false;
  const ptx::Operand& to = in.operands[0];
  const auto unread = [this](const ptx::Operand& operand) {
    return operand.kind == OperandKind::Sink || (operand.reg < consumed_.size() && !consumed_[operand.reg]);
  };
  return to.kind == OperandKind::Vector ? std::all_of(to.elements.begin(), to.elements.end(), unread)
                                        : unread(to);
}

void Loader::load_instruction(std::uint32_t index) {
  const ptx::Instruction& in = function_->instructions[index];
  const ptx::Form& form = module_.form(in);
  work_step();
  open_segment();
  if (load_control(form, in)) return;
  ++segment_.instruction_count;
  if (form.effects().is(ptx::kHint)) return;
  if (in_setup_[index] == 1) {
    if (form.opcode == ptx::Opcode::Ld) {
      const Symbol* symbol = find_symbol(in.operands[1].symbol);
      program_->constant_loads.push_back(
          {instruction_,
           static_cast<std::uint32_t>(symbol->address + static_cast<std::uint64_t>(in.operands[1].value)),
           static_cast<std::uint8_t>(ptx::size_of(form.type()))});
    }
    return;
  }
  const std::uint32_t product = contracted_[index].product;
  if (product == index) return;  // its sums carry it out
  if (product != ptx::kNone) {
    load_contracted(index);
    return;
  }
  Op op;
  if (!decode(form, in, op)) {
    unsupported(form);
    return;
  }
  if (in_setup_[index] == 2) {
    program_->setup.push_back(op);
    return;
  }
  find_pointees(form, in);
  op.guard = guard_of(in);
  if ((op.flags & (kConvergesMembers | kConvergesWarp)) != 0) {
    if (op.guard != kNoRow) {
      // Alone in its segment, so that the lanes whose guard holds can run it again without what came before.
      --segment_.instruction_count;
      if (segment_.instruction_count != 0 || segment_.op_count != 0) {
        close_segment(Flow::Next);
        open_segment();
      }
      ++segment_.instruction_count;
    }
    segment_.guard = op.guard;
    segment_.site = program_->instructions[instruction_].site;
    segment_.op = add_terminator_op(op);
    close_segment(Flow::Converge);
    return;
  }
  add_op(op);
}

void Loader::add_op(const Op& op) {
  if (op.guard != kNoRow) segment_.has_guards = true;
  program_->ops.push_back(op);
  ++segment_.op_count;
}

bool Loader::load_control(const ptx::Form& form, const ptx::Instruction& in) {
  const Flow flow = flow_of(form);
  if (flow == Flow::Next) return false;
  const bool alone =
      is_conditional(in) && (flow == Flow::Call || flow == Flow::Barrier || flow == Flow::BranchTable ||
                             flow == Flow::Return || flow == Flow::Exit);
  if (alone && (segment_.instruction_count != 0 || segment_.op_count != 0)) {
    close_segment(Flow::Next);
    open_segment();
  }
  ++segment_.instruction_count;
  segment_.guard = guard_of(in);
  segment_.site = program_->instructions[instruction_].site;
  Op op;
  op.instruction = instruction_;
  bool done = true;
  reset();
  switch (flow) {
    case Flow::Branch:
      done = decode_branch(in);
      break;
    case Flow::BranchTable:
      done = decode_table(in);
      if (done) op.a = source(in.operands[0], ptx::Type::U32);
      break;
    case Flow::Call:
      done = decode_call(in);
      break;
    case Flow::Barrier:
      done = decode_barrier(form, in);
      break;
    default:
      break;
  }
  if (!done || !ok()) {
    unsupported(form);
    return true;
  }
  if (flow != Flow::Branch && flow != Flow::Return && flow != Flow::Exit) {
    segment_.op = add_terminator_op(op);
  }
  close_segment(flow);
  return true;
}

// Targets are instruction indexes until link_targets().
bool Loader::decode_branch(const ptx::Instruction& in) {
  if (in.operands.empty()) return false;
  const auto label = function_->labels.find(in.operands[0].symbol);
  if (label == function_->labels.end()) return false;
  segment_.target = label->second;
  return true;
}

bool Loader::decode_table(const ptx::Instruction& in) {
  const auto labels = function_->target_lists.find(in.prototype);
  if (in.operands.empty() || labels == function_->target_lists.end()) return false;
  std::vector<std::uint32_t> table;
  for (const std::string& name : labels->second) {
    const auto label = function_->labels.find(name);
    if (label == function_->labels.end()) return false;
    table.push_back(label->second);
  }
  segment_.detail = static_cast<std::uint32_t>(program_->tables.size());
  program_->tables.push_back(std::move(table));
  return true;
}

bool Loader::decode_call(const ptx::Instruction& in) {
  if (in.operands.empty()) return false;
  CallInfo info;
  auto piece = [&](const ptx::Operand& operand, std::vector<Piece>& pieces) {
    const auto found = frames_[routine_].find(operand.symbol);
    if (found == frames_[routine_].end()) return false;
    pieces.push_back(found->second);
    return true;
  };
  for (const ptx::Operand& operand : in.call_arguments) {
    if (!piece(operand, info.arguments)) return false;
  }
  for (const ptx::Operand& operand : in.call_returns) {
    if (!piece(operand, info.returns)) return false;
  }
  if (in.operands[0].kind == OperandKind::Symbol) {
    const ptx::Function* callee = module_.find_function(in.operands[0].symbol);
    if (callee == nullptr || routine_of_.find(callee) == routine_of_.end()) return false;
    info.routine = routine_of_[callee];
  } else {
    info.indirect = true;
    info.address = source(in.operands[0], ptx::Type::U64);
  }
  segment_.detail = static_cast<std::uint32_t>(program_->calls.size());
  program_->calls.push_back(std::move(info));
  return true;
}

bool Loader::decode_barrier(const ptx::Form& form, const ptx::Instruction& in) {
  BarrierInfo info;
  if (form.has(ptx::Modifier::Cluster)) {
    info.kind =
        form.has(ptx::Modifier::Arrive) ? BarrierInfo::Kind::ClusterArrive : BarrierInfo::Kind::ClusterWait;
  } else {
    std::size_t at = 0;
    const bool reduces = form.has(ptx::Modifier::Red);
    if (reduces) {
      if (in.operands.size() < 3) return false;
      const bool counts = form.has(ptx::Modifier::Popc);
      info.kind = counts                         ? BarrierInfo::Kind::RedPopc
                  : form.has(ptx::Modifier::And) ? BarrierInfo::Kind::RedAnd
                                                 : BarrierInfo::Kind::RedOr;
      info.d = counts ? destination(in.operands[0]) : predicate_destination(in.operands[0]);
      info.predicate = predicate(in.operands.back());
      at = 1;
    } else if (form.has(ptx::Modifier::Arrive)) {
      info.kind = BarrierInfo::Kind::Arrive;
    }
    const std::size_t last = in.operands.size() - (reduces ? 1 : 0);
    if (at >= last || last - at > 2) return false;
    info.id = source(in.operands[at], ptx::Type::U32);
    if (last - at == 2) {
      info.threads = source(in.operands[at + 1], ptx::Type::U32);
      program_->partial_barriers = true;
    }
  }
  segment_.detail = static_cast<std::uint32_t>(program_->barriers.size());
  program_->barriers.push_back(info);
  return true;
}

// Instruction indexes become segments; what runs off the end of the function meets its implicit return.
void Loader::link_targets(std::uint32_t routine) {
  auto segment_of = [&](std::uint32_t instruction) {
    if (instruction == ptx::kNone || instruction >= segment_at_.size()) return kNoSegment;
    return segment_at_[instruction];
  };
  const auto lowered = ptx::lowered(module_, *function_);
  const ptx::MeetingPlaces& places = lowered->meeting;
  for (std::uint32_t s = program_->routines[routine].entry; s < program_->segments.size(); ++s) {
    Segment& segment = program_->segments[s];
    if (segment.instruction_count == 0) continue;
    const std::uint32_t first = program_->instructions[segment.first_instruction].index;
    const std::uint32_t block = function_->block_of[first];
    // Operations that bring lanes together stand inside of blocks.
    segment.apart = places.apart[block] && first == function_->blocks[block].first;
    if (segment.flow == Flow::Branch) segment.target = segment_of(segment.target);
    if (segment.flow == Flow::Branch || segment.flow == Flow::BranchTable) {
      const std::uint32_t meets = places.meet[block];
      segment.reconverge = meets == ptx::kNone ? kNoSegment : segment_of(function_->blocks[meets].first);
    }
    // Lanes that go straight to the end of the kernel wait for nobody there.
    if (segment.reconverge != kNoSegment && routine == 0) {
      const Segment& meets = program_->segments[segment.reconverge];
      const bool ends = meets.flow == Flow::Return || meets.flow == Flow::Exit;
      if (ends && meets.op_count == 0 && meets.guard == kNoRow && meets.instruction_count <= 1) {
        segment.reconverge = kNoSegment;
      }
    }
    if (segment.flow == Flow::BranchTable) {
      for (std::uint32_t& target : program_->tables[segment.detail]) target = segment_of(target);
    }
  }
}

// The innermost loop around each instruction, as the segment of its back edge; kNoSegment outside of loops.
std::vector<std::uint32_t> Loader::innermost_loops(std::uint32_t routine) const {
  struct Loop {
    std::uint32_t segment, first, last;  // of instructions of the function
  };
  std::vector<Loop> loops;
  for (std::uint32_t s = program_->routines[routine].entry; s < program_->segments.size(); ++s) {
    const Segment& segment = program_->segments[s];
    if (segment.flow != Flow::Branch || segment.target > s) continue;
    const std::uint32_t last = segment.first_instruction + std::max(segment.instruction_count, 1u) - 1;
    loops.push_back({s, program_->instructions[program_->segments[segment.target].first_instruction].index,
                     program_->instructions[last].index});
  }
  std::sort(loops.begin(), loops.end(),
            [](const Loop& a, const Loop& b) { return a.last - a.first < b.last - b.first; });
  // Small loops first; `free` skips what an inner loop has taken already.
  const std::size_t n = function_->instructions.size();
  std::vector<std::uint32_t> inner(n, kNoSegment), free(n + 1);
  for (std::uint32_t i = 0; i <= n; ++i) free[i] = i;
  const auto next_free = [&](std::uint32_t i) {
    while (free[i] != i) i = free[i] = free[free[i]];
    return i;
  };
  for (const Loop& loop : loops) {
    for (std::uint32_t i = next_free(loop.first); i <= loop.last && i < n; i = next_free(i)) {
      inner[i] = loop.segment;
      free[i] = i + 1;
    }
  }
  return inner;
}

// Instructions from the target of a back edge to the edge.
std::uint32_t Loader::loop_length(std::uint32_t segment) const {
  const Segment& edge = program_->segments[segment];
  return edge.first_instruction + edge.instruction_count - program_->segments[edge.target].first_instruction;
}

// A loop, by its back edge, that writes nothing but by atomics which may be refused.
bool Loader::only_asks(std::uint32_t segment) const {
  const Segment& edge = program_->segments[segment];
  const std::uint32_t begin = program_->segments[edge.target].first_instruction;
  for (std::uint32_t i = begin; i < begin + loop_length(segment); ++i) {
    const ptx::Form& form = module_.form(function_->instructions[program_->instructions[i].index]);
    const ptx::Effects& effects = form.effects();
    const bool asks =
        form.opcode == ptx::Opcode::Atom && (form.has(ptx::Modifier::Cas) || form.has(ptx::Modifier::Exch));
    const bool reads = effects.memory == ptx::MemoryUse::None || effects.memory == ptx::MemoryUse::Load ||
                       effects.memory == ptx::MemoryUse::Name;
    if (!asks && (!reads || effects.control == ptx::Control::Call)) return false;
  }
  return true;
}

// A loop polls when an operation that others can answer belongs to it and to no loop inside it.
void Loader::mark_spinning(std::uint32_t routine) {
  const std::vector<std::uint32_t> inner = innermost_loops(routine);
  for (std::uint32_t i = 0; i < function_->instructions.size(); ++i) {
    const ptx::Form& form = module_.form(function_->instructions[i]);
    const bool atomic = form.opcode == ptx::Opcode::Atom || form.opcode == ptx::Opcode::Red;
    if (atomic && in_device_memory(form)) {
      const auto site = site_of_.find({program_->routines[routine].function_index, i});
      const bool unused = form.opcode == ptx::Opcode::Red ||
                          (site != site_of_.end() && program_->sites[site->second].reduction);
      if (!unused || ptx::is_float(form.type()) || form.has(ptx::Modifier::Exch) ||
          form.has(ptx::Modifier::Cas)) {
        program_->order_sensitive = true;
      }
    }
    if (!polls(form) || inner[i] == kNoSegment) continue;
    const bool looks = form.has(ptx::Modifier::Cas) || form.has(ptx::Modifier::Exch) ||
                       form.has(ptx::Modifier::Acquire) || form.has(ptx::Modifier::Add);
    if (form.opcode == ptx::Opcode::Atom && !looks && !decides_something(module_, *function_, i)) continue;
    const bool short_loop = loop_length(inner[i]) <= longest_poll(form);
    // Rounds of work that end when others have done theirs look at memory that may change under them.
    const bool loads = form.effects().memory == ptx::MemoryUse::Load;
    if (in_device_memory(form) && (short_loop || loads)) program_->may_wait = true;
    if (!short_loop) continue;
    program_->segments[inner[i]].may_spin = true;
    if ((form.has(ptx::Modifier::Cas) || form.has(ptx::Modifier::Exch)) && only_asks(inner[i])) {
      program_->segments[inner[i]].asks_for_lock = true;
      // Who wants it once more asks with the others (measured on an H200).
      program_->segments[program_->segments[inner[i]].target].apart = false;
    }
    if (in_device_memory(form)) program_->polls_memory = true;
  }
}

}  // namespace warplens::simt
