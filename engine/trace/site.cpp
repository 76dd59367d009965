#include "engine/trace/site.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/ptx/facts/address_form.h"
#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/lowering/lowering.h"
#include "engine/trace/fragments.h"
#include "engine/trace/source_place.h"

namespace warplens::trace {
namespace {

using ptx::StateSpace;

std::uint64_t first_integer(const ptx::Instruction& instruction) {
  for (const ptx::Operand& operand : instruction.operands)
    if (operand.kind == ptx::OperandKind::Integer) return static_cast<std::uint64_t>(operand.value);
  return 0;
}

// What kind of site an instruction is; nullopt when it is none.
std::optional<SiteKind> copy(const ptx::Form& form) {
  if (!form.has(ptx::Modifier::Async)) return std::nullopt;
  if (form.has(ptx::Modifier::Bulk)) {
    const bool moves = !form.has(ptx::Modifier::CommitGroup) && !form.has(ptx::Modifier::WaitGroup) &&
                       !form.has(ptx::Modifier::Prefetch);
    return moves ? std::optional(SiteKind::BulkCopy) : std::nullopt;
  }
  return form.has(ptx::Modifier::Ca) || form.has(ptx::Modifier::Cg) ? std::optional(SiteKind::AsyncCopy)
                                                                    : std::nullopt;
}
std::optional<SiteKind> wmma(const ptx::Form& form) {
  if (form.has(ptx::Modifier::Load)) return loads_matrices(form) ? SiteKind::MatrixLoad : SiteKind::Load;
  if (form.has(ptx::Modifier::Store)) return SiteKind::Store;
  return std::nullopt;
}
std::optional<SiteKind> memory_barrier(const ptx::Form& form) {
  // Initialising and invalidating are bookkeeping; arriving and waiting is where a program stands.
  const bool waits = form.has(ptx::Modifier::Arrive) || form.has(ptx::Modifier::ArriveDrop) ||
                     form.has(ptx::Modifier::TestWait) || form.has(ptx::Modifier::TryWait);
  return waits ? std::optional(SiteKind::Barrier) : std::nullopt;
}

// Parameters of a called function and of calls live in registers: only a kernel's own are memory.
bool is_call_frame(const ptx::Function& function, const std::unordered_set<std::string>& kernel_parameters,
                   const ptx::Form& form, const ptx::Instruction& instruction) {
  if (form.space != StateSpace::Param) return false;
  if (!function.is_entry || form.opcode == ptx::Opcode::St) return true;
  for (const ptx::Operand& operand : instruction.operands)
    if (operand.kind == ptx::OperandKind::Address && !operand.symbol.empty())
      return !kernel_parameters.contains(operand.symbol);
  return false;
}

int bytes_of(SiteKind kind, const ptx::Form& form, const ptx::Instruction& instruction) {
  switch (kind) {
    case SiteKind::Branch:
    case SiteKind::Barrier:
    case SiteKind::BulkCopy:
      return 0;
    case SiteKind::AsyncCopy:
      return static_cast<int>(first_integer(instruction) & 31u);
    case SiteKind::MatrixLoad:
    case SiteKind::MatrixStore:
      return 16;  // a row of an 8x8 matrix of 16-bit elements, one address a lane
    default:
      return ptx::bytes_as_written(form);
  }
}

Space site_space(SiteKind kind, const ptx::Form& form) {
  switch (kind) {
    case SiteKind::Branch:
    case SiteKind::Barrier:
      return Space::None;
    case SiteKind::Texture:
      return Space::Texture;
    case SiteKind::MatrixLoad:
    case SiteKind::MatrixStore:
      return Space::Shared;
    case SiteKind::AsyncCopy:
    case SiteKind::BulkCopy:
      return Space::Global;
    default:
      return space_of(form.space);
  }
}

class Collector {
 public:
  Collector(const ptx::Module& module, int sm_version) : module_(module), sm_version_(sm_version) {}

  std::vector<Site> collect(const ptx::Function& entry) {
    for (const ptx::Function* function : ptx::facts_of(module_, entry)->reached().functions)
      visit(static_cast<std::uint32_t>(function - module_.functions.data()));
    return std::move(sites_);
  }

 private:
  void visit(std::uint32_t function_index) {
    const ptx::Function& function = module_.functions[function_index];
    const std::size_t first = sites_.size();
    const SourcePlaces places(function);
    std::unordered_set<std::string> parameters;
    for (const ptx::Variable& parameter : function.parameters) parameters.insert(parameter.name);
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
      const ptx::Instruction& instruction = function.instructions[i];
      if (!is_call_frame(function, parameters, module_.form(instruction), instruction))
        add(function_index, i, places);
    }
    if (sites_.size() > first) apply_executed(function, first);
  }

  void add(std::uint32_t function_index, std::uint32_t i, const SourcePlaces& places) {
    const ptx::Function& function = module_.functions[function_index];
    const ptx::Instruction& instruction = function.instructions[i];
    const ptx::Form& form = module_.form(instruction);
    const auto kind = site_kind(form);
    if (!kind) return;
    Site site;
    site.index = static_cast<SiteId>(sites_.size());
    site.function = function_index;
    site.instruction = i;
    site.kind = *kind;
    site.space = site_space(*kind, form);
    site.op = form.text;
    site.strong = form.is_strong();
    site.bytes = bytes_of(*kind, form, instruction);
    site.type = form.type();
    site.ptx_line = instruction.line;
    if (const ptx::SourceLine* line = places.of(instruction)) {
      site.line = line->line;
      site.column = line->column;
      if (line->file > 0 && static_cast<std::size_t>(line->file) < module_.files.size())
        site.file = module_.files[static_cast<std::size_t>(line->file)];
    }
    site.leader = site.index;
    site.reduction = *kind == SiteKind::Reduction;
    sites_.push_back(std::move(site));
  }

  // Fills in what the machine executes for the sites from `first` on, all of one function.
  void apply_executed(const ptx::Function& function, std::size_t first) {
    const auto lowered = ptx::lowered(module_, function);
    std::unordered_map<std::uint32_t, SiteId> site_at;
    for (std::size_t i = first; i < sites_.size(); ++i) site_at[sites_[i].instruction] = sites_[i].index;
    const std::vector<ptx::Uses>& uses = ptx::facts_of(module_, function)->uses();
    const bool has_blocks = function.block_of.size() == uses.size();  // the parser makes them
    const std::vector<bool> needed =
        has_blocks ? needed_in_block(function, uses) : std::vector<bool>(uses.size());
    for (std::size_t i = first; i < sites_.size(); ++i) {
      Site& site = sites_[i];
      if (has_blocks) site.basic_block = function.block_of[site.instruction];
      site.needed_in_block = needed[site.instruction];
      const ptx::LoweredAccess& access = lowered->accesses[site.instruction];
      if (const auto leader = site_at.find(access.leader); leader != site_at.end())
        site.leader = leader->second;
      if (site.leader == site.index) {
        site.executed_bytes = access.bytes != 0 ? access.bytes : site.bytes;
        site.executed_offset = access.offset;
      }
      site.in_registers = access.dropped;
      site.leaves = site.kind == SiteKind::Branch &&
                    lowered->branches.forms[site.instruction] != ptx::BranchForm::Branches;
      site.reduction = site.reduction || (site.kind == SiteKind::Atomic && access.reduction);
      if (site.kind == SiteKind::Atomic || site.kind == SiteKind::Reduction) site.atomic_form = access.atomic;
      site.floating_shared_atomic = access.loop_in_shared;
      site.known = access.known;
    }
  }

  // Of each instruction, whether something further on in its basic block reads what it writes.
  static std::vector<bool> needed_in_block(const ptx::Function& function,
                                           const std::vector<ptx::Uses>& uses) {
    std::vector<bool> out(uses.size());
    std::unordered_map<ptx::RegisterId, std::uint32_t> read_in;  // a block, of those behind
    for (std::size_t i = uses.size(); i-- > 0;) {
      const std::uint32_t block = function.block_of[i];
      for (const ptx::RegisterId reg : uses[i].writes)
        if (const auto found = read_in.find(reg); found != read_in.end()) {
          out[i] = out[i] || found->second == block;
          read_in.erase(found);
        }
      for (const ptx::RegisterId reg : uses[i].reads) read_in[reg] = block;
    }
    return out;
  }

  const ptx::Module& module_;
  int sm_version_;
  std::vector<Site> sites_;
};

}  // namespace

Space space_of(StateSpace space) {
  switch (space) {
    case StateSpace::Global:
      return Space::Global;
    case StateSpace::Shared:
    case StateSpace::SharedCluster:
      return Space::Shared;
    case StateSpace::Local:
      return Space::Local;
    case StateSpace::Const:
      return Space::Constant;
    case StateSpace::Param:
      return Space::Parameter;
    case StateSpace::Tex:
      return Space::Texture;
    default:
      return Space::Generic;
  }
}

std::optional<SiteKind> site_kind(const ptx::Form& form) {
  const ptx::Effects& effects = form.effects();
  if (effects.control == ptx::Control::Branch || effects.control == ptx::Control::Table)
    return SiteKind::Branch;
  switch (effects.memory) {
    case ptx::MemoryUse::Load:
      return SiteKind::Load;
    case ptx::MemoryUse::Store:
      return SiteKind::Store;
    case ptx::MemoryUse::Atomic:
      return form.has(ptx::Modifier::Cas) ? SiteKind::CompareAndSwap : SiteKind::Atomic;
    case ptx::MemoryUse::Reduce:
      return SiteKind::Reduction;
    case ptx::MemoryUse::Copy:
      return copy(form);
    case ptx::MemoryUse::LoadMatrix:
      return SiteKind::MatrixLoad;
    case ptx::MemoryUse::StoreMatrix:
      return SiteKind::MatrixStore;
    case ptx::MemoryUse::Tile:
      return wmma(form);
    case ptx::MemoryUse::Barrier:
      return memory_barrier(form);
    case ptx::MemoryUse::Texel:
      return SiteKind::Texture;
    default:
      break;
  }
  return effects.control == ptx::Control::Barrier ? std::optional(SiteKind::Barrier) : std::nullopt;
}

std::vector<Site> collect_sites(const ptx::Module& module, const ptx::Function& entry, int sm_version) {
  return Collector(module, sm_version).collect(entry);
}

}  // namespace warplens::trace
