// Where everything lies: variables in their spaces, frames of calls, registers in rows.
#include <algorithm>
#include <cstring>
#include <functional>

#include "engine/base/align.h"
#include "engine/base/message.h"
#include "engine/base/work_limit.h"
#include "engine/ptx/facts/clusters.h"
#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/facts/shared_layout.h"
#include "engine/simt/exec/builtins.h"
#include "engine/simt/exec/device_launch.h"
#include "engine/simt/lasting_memory.h"
#include "engine/simt/load/loader.h"

namespace warplens::simt {

namespace {

constexpr std::uint32_t kRecursionBytes = 32768;  // of stack a thread when functions call themselves
constexpr std::uint32_t kAllocaBytes = 32768;     // a thread, for all its calls of alloca()
constexpr std::uint64_t kMaxStatic = std::uint64_t{1} << 32;
constexpr std::uint64_t kMaxConst = 65536;
// Where somebody has put a variable that outlives the launch; nullptr: it does not.
const std::uint64_t* lasting_place(const ptx::Variable& variable) {
  const VariablePlaces* const places = places_of_load();
  const bool constant = variable.space == ptx::StateSpace::Const;
  if (places == nullptr || (!constant && variable.space != ptx::StateSpace::Global)) return nullptr;
  const auto& known = constant ? places->constant : places->global;
  const auto found = known.find(variable.name);
  return found == known.end() ? nullptr : &found->second;
}

constexpr std::uint32_t kMaxRegisterBytes = std::uint32_t{1} << 29;  // of one warp

}  // namespace

Loader::Loader(const ptx::Module& module, const ptx::Function& entry, int sm_version)
    : module_(module), entry_(entry), program_(std::make_shared<Kernel::Program>()) {
  program_->sm_version = sm_version;
  program_->entry = &entry;
}

std::shared_ptr<Kernel::Program> Loader::load() {
  program_->sites = trace::collect_sites(module_, entry_, program_->sm_version);
  for (const trace::Site& site : program_->sites) site_of_[{site.function, site.instruction}] = site.index;
  scratch_ = new_rows(kScratchRows);
  collect_routines();
  mark_recursive();
  place_variables();
  place_parameters();
  locals_.resize(program_->routines.size());
  frames_.resize(program_->routines.size());
  for (std::uint32_t r = 0; r < program_->routines.size(); ++r)
    if (met_[r]) place_frame(r);
  for (std::uint32_t r = 0; r < program_->routines.size(); ++r)
    if (met_[r] && program_->routines[r].builtin == Builtin::None) load_routine(r);
  size_stack();
  program_->cluster = ptx::cluster_of(entry_);
  if (too_many_registers_) program_->unsupported.push_back({"that many registers", entry_.line, entry_.line});
  program_->register_bytes = next_row_;
  return program_;
}

std::uint32_t Loader::add_routine(const ptx::Function* function) {
  const auto found = routine_of_.find(function);
  if (found != routine_of_.end()) return found->second;
  Routine routine;
  routine.function = function;
  routine.function_index = static_cast<std::uint32_t>(function - module_.functions.data());
  if (function->instructions.empty()) routine.builtin = builtin_named(function->name);
  // A kernel by itself has nobody who would run what it launches.
  if (function->instructions.empty() && routine.builtin == Builtin::None && places_of_load() != nullptr)
    routine.builtin = device_launch_named(function->name);
  switch (routine.builtin) {
    case Builtin::Malloc:
    case Builtin::OpenLaunch:
    case Builtin::Allocate:
    case Builtin::ErrorName:
    case Builtin::ErrorText:
      program_->uses_device_heap = true;
      break;
    default:
      break;
  }
  const auto index = static_cast<std::uint32_t>(program_->routines.size());
  program_->routines.push_back(routine);
  routine_of_[function] = index;
  return index;
}

bool Loader::calls_through_pointers(const ptx::Function& function) const {
  return std::ranges::any_of(function.instructions, [&](const ptx::Instruction& in) {
    return module_.form(in).opcode == ptx::Opcode::Call && !in.operands.empty() &&
           in.operands[0].kind != ptx::OperandKind::Symbol;
  });
}

// The kernel, what it calls, and the functions whose addresses it may meet.
void Loader::collect_routines() {
  const std::vector<const ptx::Function*>& reached = ptx::facts_of(module_, entry_)->reached().functions;
  // Addresses of functions that outlive a launch are the same for all kernels of the module.
  if (places_of_load() != nullptr) {
    add_routine(&entry_);
    for (const ptx::Function& function : module_.functions)
      if (!function.is_entry && !function.instructions.empty()) add_routine(&function);
  }
  for (const ptx::Function* function : reached)
    if (function == &entry_ || !function->is_entry) add_routine(function);
  // A pointer that another kernel has left in memory may mean any of them. What nobody can call here has a
  // number, and is neither decoded nor asked for what the emulator lacks.
  met_.assign(program_->routines.size(), false);
  for (const ptx::Function* function : reached)
    if (const auto found = routine_of_.find(function); found != routine_of_.end()) met_[found->second] = true;
  if (std::ranges::any_of(reached, [&](const auto* f) { return calls_through_pointers(*f); })) meet_all();
  for (std::uint32_t r = 0; r < program_->routines.size(); ++r) {
    symbols_[program_->routines[r].function->name] = {ptx::StateSpace::None, kFunctionWindow + 16ull * r,
                                                      false};
  }
  // A kernel's address is what it is launched by, its own too: nobody calls it.
  if (places_of_load() == nullptr) return;
  for (std::size_t i = 0; i < module_.functions.size(); ++i)
    if (module_.functions[i].is_entry)
      symbols_[module_.functions[i].name] = {ptx::StateSpace::None, kernel_address(i), false};
}

// And what they call that has no body: printf, malloc.
void Loader::meet_all() {
  const std::size_t known = program_->routines.size();
  for (std::size_t r = 0; r < known; ++r)
    for (const ptx::Instruction& in : program_->routines[r].function->instructions)
      if (module_.form(in).opcode == ptx::Opcode::Call && !in.operands.empty())
        if (const ptx::Function* callee = module_.find_function(in.operands[0].symbol);
            callee != nullptr && !callee->is_entry)
          add_routine(callee);
  met_.assign(program_->routines.size(), true);
}

// A routine is recursive when it can reach itself; an indirect call may reach any function.
void Loader::mark_recursive() {
  const std::size_t n = program_->routines.size();
  std::vector<std::vector<std::uint32_t>> calls(n);
  for (std::size_t r = 0; r < n; ++r) {
    for (const ptx::Instruction& in : program_->routines[r].function->instructions) {
      if (module_.form(in).opcode != ptx::Opcode::Call) continue;
      work_step();
      const bool direct = !in.operands.empty() && in.operands[0].kind == ptx::OperandKind::Symbol;
      for (std::uint32_t callee = 1; callee < n; ++callee) {
        if (!direct || program_->routines[callee].function->name == in.operands[0].symbol) {
          calls[r].push_back(callee);
        }
      }
    }
  }
  for (std::uint32_t r = 0; r < n; ++r) {
    std::vector<bool> seen(n, false);
    std::vector<std::uint32_t> open = calls[r];
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      work_step();
      if (seen[at]) continue;
      seen[at] = true;
      open.insert(open.end(), calls[at].begin(), calls[at].end());
    }
    program_->routines[r].recursive = seen[r];
  }
}

void Loader::place_variable(const ptx::Variable& variable) {
  if (const std::uint64_t* lasting = lasting_place(variable)) {
    auto& placed = variable.space == ptx::StateSpace::Const ? program_->constants_placed : program_->globals;
    placed.push_back({&variable, *lasting});
    symbols_[variable.name] = {variable.space, *lasting, false, &variable};
    program_->const_bytes = places_of_load()->constant_bytes;
    return;
  }
  const std::uint64_t alignment = ptx::alignment_of(variable);
  if (variable.bytes() > kMaxStatic) return;
  if (variable.space == ptx::StateSpace::Global) {
    // A red zone between variables, as between buffers.
    const std::uint64_t at = align_up(program_->global_bytes, std::max<std::uint64_t>(alignment, 256));
    program_->globals.push_back({&variable, kGlobalBase + at});
    symbols_[variable.name] = {variable.space, kGlobalBase + at, false, &variable};
    program_->global_bytes = at + variable.bytes() + 256;
  } else if (variable.space == ptx::StateSpace::Const) {
    const std::uint64_t at = align_up(program_->const_bytes, alignment);
    program_->constants_placed.push_back({&variable, at});
    symbols_[variable.name] = {variable.space, at, false, &variable};
    program_->const_bytes = at + variable.bytes();
  }
}

void Loader::place_variables() {
  for (const ptx::Variable& variable : module_.variables) place_variable(variable);
  for (const Routine& routine : program_->routines)
    for (const ptx::Variable& variable : routine.function->locals) place_variable(variable);
  const auto facts = ptx::facts_of(module_, entry_);
  const ptx::SharedLayout& shared = facts->shared();
  for (const ptx::SharedPlace& place : shared.places) {
    program_->shared.push_back({place.variable, place.address});
    symbols_[place.variable->name] = {ptx::StateSpace::Shared, place.address, false, place.variable};
  }
  for (const ptx::SharedPlace& place : shared.dynamic)
    symbols_[place.variable->name] = {ptx::StateSpace::Shared, place.address, false, place.variable};
  program_->shared_alignment = static_cast<std::uint32_t>(shared.alignment);
  program_->static_shared = shared.dynamic.empty() ? shared.used_bytes : shared.dynamic_address;
  fill_images();
}

// No GPU has more: the file is wrong, and its largest variable is what to look at.
void Loader::refuse_constants() {
  const ptx::Variable& largest =
      *std::ranges::max_element(program_->constants_placed, {}, [](const PlacedVariable& placed) {
         return placed.variable->bytes();
       })->variable;
  program_->unsupported.push_back({"constant memory of more than 64 KB", largest.line, largest.line});
  program_->impossible = told(ErrorKind::Compile, {"load.too_much_constant",
                                                   {{"bytes", value_of(program_->const_bytes)},
                                                    {"most", value_of(kMaxConst)},
                                                    {"variable", value_of(largest.name)},
                                                    {"largest", value_of(largest.bytes())},
                                                    {"ptx_line", value_of(largest.line)}}});
}

// Initial contents. Variables without any are zeros that need no image, however large they are.
void Loader::fill_images() {
  if (program_->const_bytes > kMaxConst) {
    refuse_constants();
    program_->const_bytes = 0;
    program_->constants_placed.clear();
  }
  program_->const_image.assign(program_->const_bytes, 0);
  for (const PlacedVariable& placed : program_->constants_placed) {
    fill_image(program_->const_image, *placed.variable, placed.address);
  }
  for (const PlacedVariable& placed : program_->globals) {
    const ptx::Variable& variable = *placed.variable;
    std::uint64_t used = std::min<std::uint64_t>(variable.initial.size(), variable.bytes());
    for (const ptx::Relocation& relocation : variable.relocations) {
      used = std::max(used, std::min(variable.bytes(), relocation.offset + 8));
    }
    if (used == 0) continue;
    std::vector<std::uint8_t> image(used, 0);
    fill_image(image, variable, 0);
    program_->global_initials.emplace_back(placed.address - kGlobalBase, std::move(image));
  }
}

void Loader::fill_image(std::vector<std::uint8_t>& image, const ptx::Variable& variable, std::uint64_t at) {
  const std::size_t n = std::min<std::size_t>(variable.initial.size(), variable.bytes());
  if (n != 0) std::memcpy(image.data() + at, variable.initial.data(), n);
  for (const ptx::Relocation& relocation : variable.relocations) {
    const auto found = symbols_.find(relocation.symbol);
    if (found == symbols_.end()) continue;
    const auto bytes = static_cast<std::uint64_t>(std::clamp(relocation.bytes, 0, 8));
    const std::uint64_t room = std::min<std::uint64_t>(variable.bytes(), image.size() - at);
    if (relocation.offset > room || bytes > room - relocation.offset) continue;
    std::uint64_t value = found->second.address + static_cast<std::uint64_t>(relocation.addend);
    if (relocation.generic && found->second.space == ptx::StateSpace::Const) value += kConstWindow;
    if (relocation.generic && found->second.space == ptx::StateSpace::Shared) value += kSharedWindow;
    std::memcpy(image.data() + at + relocation.offset, &value, bytes);
  }
}

void Loader::place_parameters() {
  std::uint64_t at = 0;
  for (const ptx::Variable& parameter : entry_.parameters) {
    at = align_up(at, ptx::alignment_of(parameter));
    program_->parameters.push_back(
        {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(parameter.bytes())});
    at += parameter.bytes();
  }
  program_->parameter_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(at, 1u << 16));
}

// .local and .param variables of one call. The kernel's own parameters are not in its frame.
void Loader::place_frame(std::uint32_t index) {
  Routine& routine = program_->routines[index];
  const ptx::Function& function = *routine.function;
  std::uint64_t at = 0;
  auto place = [&](const ptx::Variable& variable) {
    const std::uint64_t alignment = ptx::alignment_of(variable);
    at = align_up(at, alignment);
    const Piece piece{static_cast<std::uint32_t>(at),
                      static_cast<std::uint32_t>(std::min<std::uint64_t>(variable.bytes(), kMaxStatic / 2))};
    at = std::min(at + std::min<std::uint64_t>(variable.bytes(), kMaxStatic), kMaxStatic);
    const ptx::StateSpace space =
        variable.space == ptx::StateSpace::Local ? ptx::StateSpace::Local : ptx::StateSpace::Param;
    locals_[index][variable.name] = {space, piece.offset, true, &variable};
    if (space == ptx::StateSpace::Param) frames_[index][variable.name] = piece;
    return piece;
  };
  for (const ptx::Variable& variable : function.locals) {
    if (variable.space != ptx::StateSpace::Local && variable.space != ptx::StateSpace::Param) continue;
    if (variable.space == ptx::StateSpace::Local) program_->uses_local = true;
    place(variable);
  }
  if (index == 0) {
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      locals_[0][function.parameters[i].name] = {ptx::StateSpace::Param, program_->parameters[i].offset,
                                                 false, &function.parameters[i]};
    }
  } else {
    for (const ptx::Variable& variable : function.parameters) routine.parameters.push_back(place(variable));
    for (const ptx::Variable& variable : function.returns) routine.returns.push_back(place(variable));
  }
  // Never empty, so that a recursion without end meets the end of its stack.
  const std::uint64_t frame = align_up(std::max<std::uint64_t>(at, index == 0 ? 0 : 16), 16);
  routine.frame_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(frame, kMaxStatic - 16));
}

// The deepest chain of calls, or a fixed stack when there is no deepest.
void Loader::size_stack() {
  std::uint64_t all = 0;
  bool recursive = false;
  for (std::size_t r = 0; r < program_->routines.size(); ++r) {
    if (!met_[r]) continue;
    all += program_->routines[r].frame_bytes;
    recursive = recursive || program_->routines[r].recursive;
  }
  if (recursive) all += kRecursionBytes;
  if (uses_alloca_) {
    program_->alloca_begin = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(all, 16, kMaxStatic / 2));
    all = program_->alloca_begin + kAllocaBytes;
  }
  program_->lane_local_bytes = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(all, 16, 0xfffffff0u));
}

std::uint32_t Loader::new_rows(int rows) {
  if (next_row_ >= kMaxRegisterBytes) {
    too_many_registers_ = true;
    return scratch_;
  }
  const std::uint32_t at = next_row_;
  next_row_ += static_cast<std::uint32_t>(rows) * kRowBytes;
  return at;
}

std::uint32_t Loader::new_predicate() {
  if (predicates_left_ == 0) {
    predicate_at_ = new_rows(1);
    predicates_left_ = kRowBytes / sizeof(LaneMask);
  }
  --predicates_left_;
  const std::uint32_t at = predicate_at_;
  predicate_at_ += sizeof(LaneMask);
  return at;
}

// Registers that are no constants share rows when their lifetimes are apart. Lanes of one warp may be in
// different places, so rows are shared by registers of one width only: then a masked write leaves the other
// lanes' values whole.
void Loader::place_registers(std::uint32_t index) {
  Routine& routine = program_->routines[index];
  const ptx::Function& function = *routine.function;
  // Sums read the operands of the products that they carry out.
  std::vector<ptx::LateRead> late;
  for (std::uint32_t sum = 0; sum < contracted_.size(); ++sum) {
    const std::uint32_t product = contracted_[sum].product;
    if (product == ptx::kNone || product == sum) continue;
    for (const ptx::Operand& operand : function.instructions[product].operands)
      if (operand.reg != ptx::kNone) late.emplace_back(sum, operand.reg);
  }
  const ptx::RowAssignment assignment = ptx::assign_rows(module_, function, late);
  std::map<std::pair<std::uint32_t, int>, std::uint32_t> shared;
  for (std::size_t r = 0; r < function.registers.size(); ++r) {
    if (rows_[r] != kNoRow || (definitions_[r] == 0 && !used_[r])) continue;
    const ptx::Type type = function.registers[r].type;
    const bool predicate = type == ptx::Type::Pred;
    const int bytes = predicate ? 0 : ptx::size_of(type);
    auto place = [&] { return predicate ? new_predicate() : new_rows(bytes <= 4 ? 1 : (bytes + 3) / 4); };
    if (routine.recursive) {
      rows_[r] = place();
      routine.slots.push_back({rows_[r], static_cast<std::uint8_t>(bytes)});
      continue;
    }
    std::uint32_t& row = shared.try_emplace({assignment.row[r], bytes}, kNoRow).first->second;
    if (row == kNoRow) row = place();
    rows_[r] = row;
  }
  if (index != 0) return;
  // What may be read before it is written reads as zero, so that results never depend on an earlier block.
  const auto facts = ptx::facts_of(module_, function);
  facts->liveness().for_each_live_in(0, [&](ptx::RegisterId r) {
    const ptx::Type type = function.registers[r].type;
    const std::uint32_t bytes = type == ptx::Type::Pred
                                    ? static_cast<std::uint32_t>(sizeof(LaneMask))
                                    : static_cast<std::uint32_t>(ptx::size_of(type)) * kWarpSize;
    if (!launch_constant_[r] && rows_[r] != kNoRow) program_->cleared.emplace_back(rows_[r], bytes);
  });
}

}  // namespace warplens::simt
