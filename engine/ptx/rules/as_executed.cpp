#include "engine/ptx/rules/as_executed.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>

#include "engine/base/work_limit.h"
#include "engine/ptx/facts/address_form.h"
#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/facts/vector_parts.h"
#include "engine/ptx/rules/memory_versions.h"
#include "engine/ptx/rules/register_arrays.h"

namespace warplens::ptx {
namespace {

constexpr std::int64_t kWidest = 16;  // bytes a lane of one access

bool is_access(const Form& form) {
  switch (form.effects().memory) {
    case MemoryUse::Load:
    case MemoryUse::Store:
    case MemoryUse::Atomic:
    case MemoryUse::Reduce:
      return true;
    default:
      return false;
  }
}

// Only words and double words join, and only when they are plain: not volatile, not guarded.
bool may_join(const Form& form, const Instruction& instruction) {
  const int element = size_of(form.type());
  return (element == 4 || element == 8) && bytes_as_written(form) <= kWidest &&
         instruction.guard.predicate == kNone && !form.has(Modifier::Volatile) &&
         !form.has(Modifier::Acquire) && !form.has(Modifier::Release) && instruction.operands.size() == 2;
}

// One ld or st that may be joined with others.
struct Access {
  std::uint32_t instruction = 0, block = 0;
  std::int64_t offset = 0;
  int bytes = 0;
  int element = 4;
};

// floor(a / b) for positive b.
std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

// Which 4-byte words of its aligned 16 bytes an access takes.
unsigned words_of(const Access& access) {
  const auto first =
      static_cast<unsigned>(access.offset - floor_divide(access.offset, kWidest) * kWidest) / 4;
  return ((1u << (access.bytes / 4)) - 1) << first;
}

// Registers that nothing reads but calls, as the function to call: of such a pointer only the lower half is
// loaded.
std::vector<bool> only_called(const Module& module, const Function& function) {
  std::vector<bool> called(function.registers.size(), false), other(function.registers.size(), false);
  for (const Instruction& instruction : function.instructions) {
    const bool call = module.form(instruction).opcode == Opcode::Call;
    const RegisterId callee =
        call && !instruction.operands.empty() ? instruction.operands.front().reg : kNone;
    for (const RegisterId reg : uses_of(module, function, instruction).reads)
      if (reg < other.size()) (reg == callee ? called : other)[reg] = true;
  }
  for (std::size_t i = 0; i < called.size(); ++i) called[i] = called[i] && !other[i];
  return called;
}

class Joiner {
 public:
  Joiner(const Module& module, const Function& function, std::vector<ExecutedAs>& out)
      : module_(module), function_(function), out_(out) {}
  void run();

 private:
  // Loads that may join: same memory, same base, same element size.
  using LoadKey = std::tuple<StateSpace, std::uint32_t, std::uint32_t, std::int64_t, int>;
  struct Loads {
    int zeros = 0;
    std::vector<Access> accesses;
  };
  // Stores in a row into one aligned stretch.
  struct Run {
    std::uint32_t base = 0;
    std::int64_t symbol = 0, chunk = 0;
    int zeros = 0, bytes = 0, element = 0;
    std::vector<Access> accesses;
  };
  // Memory of one space while a block is walked.
  struct Memory {
    StateSpace space = StateSpace::None;
    std::vector<bool> form_changes;
    std::vector<std::uint32_t> versions;  // at the start of each block
    std::uint32_t version = 0;
    std::uint32_t last_change = kNone;  // last instruction of this block that ends a version
    Run run;
  };

  void prepare(Memory& memory, StateSpace space, bool (*changes)(const Form&));
  void walk(std::uint32_t block, Memory& memory, AddressForms& forms, std::uint32_t i);
  void start_block(std::uint32_t block, Memory& memory);
  void next_version(std::uint32_t block, Memory& memory, std::uint32_t i);
  void add_store(Memory& memory, const LinearForm& form, const Access& access);
  void finish_run(Run& run);
  void join_loads(StateSpace space, Loads& loads);
  void join_chunk(StateSpace space, int zeros, std::vector<Access> accesses);
  bool is_joinable(const Access& leader, const Access& other) const;
  bool dominates(std::uint32_t block, std::uint32_t other) const;
  void join(const std::vector<Access>& members, std::int64_t start, int bytes);

  const Module& module_;
  const Function& function_;
  std::vector<ExecutedAs>& out_;
  std::vector<std::uint32_t> dominators_;
  std::uint32_t inner_versions_ = 0;
  std::map<LoadKey, Loads> loads_;
};

void Joiner::run() {
  if (function_.blocks.empty()) return;
  dominators_ = facts_of(module_, function_)->dominators();
  inner_versions_ = static_cast<std::uint32_t>(2 * function_.blocks.size() + 4);

  std::array<Memory, 2> memories;
  prepare(memories[0], StateSpace::Shared, changes_shared);
  prepare(memories[1], StateSpace::Local, changes_local);
  AddressForms forms(module_, function_);
  for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
    forms.enter_block();
    for (Memory& memory : memories) start_block(b, memory);
    for (std::uint32_t i = function_.blocks[b].first; i < function_.blocks[b].last; ++i) {
      for (Memory& memory : memories) walk(b, memory, forms, i);
      forms.execute(function_.instructions[i]);
    }
    for (Memory& memory : memories) finish_run(memory.run);
  }
  for (auto& [key, loads] : loads_) join_loads(std::get<0>(key), loads);
}

void Joiner::prepare(Memory& memory, StateSpace space, bool (*changes)(const Form&)) {
  memory.space = space;
  memory.versions = memory_versions(module_, function_, changes);
  memory.form_changes.resize(module_.forms.size());
  for (std::size_t i = 0; i < module_.forms.size(); ++i) memory.form_changes[i] = changes(module_.forms[i]);
}

void Joiner::start_block(std::uint32_t block, Memory& memory) {
  memory.version = memory.versions[block];
  memory.last_change = kNone;
  for (std::uint32_t i = function_.blocks[block].first; i < function_.blocks[block].last; ++i) {
    if (memory.form_changes[function_.instructions[i].form]) memory.last_change = i;
  }
}

void Joiner::walk(std::uint32_t block, Memory& memory, AddressForms& forms, std::uint32_t i) {
  const Instruction& instruction = function_.instructions[i];
  const Form& form = module_.form(instruction);
  const bool load = form.opcode == Opcode::Ld && form.space == memory.space;
  const bool store = form.opcode == Opcode::St && form.space == memory.space;
  const Operand* const operand = load || store ? address_of(form, instruction) : nullptr;
  const bool joins = operand != nullptr && may_join(form, instruction) && !out_[i].in_registers;
  if (!(store && joins) && (load || memory.form_changes[instruction.form])) finish_run(memory.run);
  if (joins) {
    const LinearForm address = forms.address(*operand);
    const Access access{i, block, address.offset, bytes_as_written(form), size_of(form.type())};
    if (load) {
      Loads& loads = loads_[{memory.space, memory.version, address.base, address.symbol, access.element}];
      loads.zeros = address.zeros;
      loads.accesses.push_back(access);
    } else {
      add_store(memory, address, access);
    }
  }
  if (memory.form_changes[instruction.form]) next_version(block, memory, i);
}

// The last change of a block leaves the version that memory_versions() gives the blocks behind it.
void Joiner::next_version(std::uint32_t block, Memory& memory, std::uint32_t i) {
  memory.version = i == memory.last_change ? 2 * block + 2 : inner_versions_++;
}

void Joiner::add_store(Memory& memory, const LinearForm& form, const Access& access) {
  const std::int64_t stretch = form.zeros >= 4 ? kWidest : 8;
  const std::int64_t chunk = floor_divide(access.offset, stretch);
  Run& run = memory.run;
  const bool same = !run.accesses.empty() && run.base == form.base && run.symbol == form.symbol &&
                    run.chunk == chunk && run.bytes == access.bytes && run.element == access.element;
  const bool again = std::any_of(run.accesses.begin(), run.accesses.end(),
                                 [&](const Access& other) { return other.offset == access.offset; });
  if (!same || again) finish_run(run);
  run.base = form.base;
  run.symbol = form.symbol;
  run.chunk = chunk;
  run.zeros = form.zeros;
  run.bytes = access.bytes;
  run.element = access.element;
  run.accesses.push_back(access);
}

// Stores join only when they fill the wide store.
void Joiner::finish_run(Run& run) {
  const std::vector<Access> accesses = std::move(run.accesses);
  run.accesses.clear();
  if (accesses.size() < 2 || run.zeros < 3) return;
  unsigned words = 0;
  for (const Access& access : accesses) words |= words_of(access);
  const std::int64_t start = floor_divide(accesses[0].offset, kWidest) * kWidest;
  if (run.zeros >= 4 && words == 0xf) return join(accesses, start, 16);
  for (const unsigned half : {0u, 1u}) {
    const unsigned wanted = 0x3u << (2 * half);
    std::vector<Access> members;
    for (const Access& access : accesses) {
      if ((words_of(access) & ~wanted) == 0) members.push_back(access);
    }
    if ((words & wanted) == wanted && members.size() == 2) join(members, start + 8 * half, 8);
  }
}

void Joiner::join_loads(StateSpace space, Loads& loads) {
  if (loads.accesses.size() < 2) return;
  std::map<std::int64_t, std::vector<Access>> chunks;
  for (const Access& access : loads.accesses) chunks[floor_divide(access.offset, kWidest)].push_back(access);
  for (auto& [chunk, accesses] : chunks) join_chunk(space, loads.zeros, std::move(accesses));
}

// Loads of one aligned 16 bytes. Three words of four are worth one wide load of shared memory; local memory
// wants all four. Two words join when they are an aligned double word. A load of what was just loaded is left
// out.
void Joiner::join_chunk(StateSpace space, int zeros, std::vector<Access> accesses) {
  while (accesses.size() > 1) {
    work_step();
    const Access leader = accesses.front();
    std::vector<Access> with_leader{leader}, left;
    for (std::size_t i = 1; i < accesses.size(); ++i) {
      (is_joinable(leader, accesses[i]) ? with_leader : left).push_back(accesses[i]);
    }
    unsigned words = 0;
    for (const Access& access : with_leader) words |= words_of(access);
    const int needed = space == StateSpace::Local ? 4 : 3;
    const std::int64_t start = floor_divide(leader.offset, kWidest) * kWidest;
    if (zeros >= 4 && std::popcount(words) >= needed) {
      join(with_leader, start, 16);
    } else {
      // What fits the leader's double word, or repeats it.
      const unsigned mine = words_of(leader);
      const unsigned half = (mine & 0x3u) != 0 ? 0x3u : 0xcu;
      const bool pairs = zeros >= 3 && (mine & ~half) == 0 && (words & half) == half;
      std::vector<Access> members;
      for (const Access& access : with_leader) {
        const bool fits = pairs ? (words_of(access) & ~half) == 0
                                : access.offset == leader.offset && access.bytes == leader.bytes;
        (fits ? members : left).push_back(access);
      }
      const std::int64_t from = pairs ? start + (half == 0x3u ? 0 : 8) : leader.offset;
      if (members.size() > 1) join(members, from, pairs ? 8 : leader.bytes);
    }
    std::sort(left.begin(), left.end(),
              [](const Access& a, const Access& b) { return a.instruction < b.instruction; });
    accesses = std::move(left);
  }
}

// The leader must run whenever the other would, as often, and in front of it.
bool Joiner::is_joinable(const Access& leader, const Access& other) const {
  if (leader.block == other.block) return true;
  return function_.blocks[leader.block].loop_depth == function_.blocks[other.block].loop_depth &&
         dominates(leader.block, other.block);
}

bool Joiner::dominates(std::uint32_t block, std::uint32_t other) const {
  constexpr int kFarthest = 256;
  const std::uint32_t depth = function_.blocks[block].loop_depth;
  for (int steps = 0; steps < kFarthest && other != kNone; ++steps) {
    if (other == block) return true;
    if (function_.blocks[other].loop_depth < depth) return false;  // another loop of the same depth
    if (dominators_[other] == other) return false;
    other = dominators_[other];
  }
  return false;
}

void Joiner::join(const std::vector<Access>& members, std::int64_t start, int bytes) {
  const Access& leader = members.front();
  for (const Access& member : members) {
    out_[member.instruction].leader = leader.instruction;
    out_[member.instruction].bytes = 0;
  }
  out_[leader.instruction].bytes = bytes;
  out_[leader.instruction].offset = start - leader.offset;
}

}  // namespace

std::vector<ExecutedAs> as_executed(const Module& module, const Function& function, int) {
  std::vector<ExecutedAs> out(function.instructions.size());
  const bool in_registers = local_arrays_in_registers(module, function);
  const std::vector<bool> called = only_called(module, function);
  const VectorParts parts(module, function);
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    const Form& form = module.form(function.instructions[i]);
    out[i].leader = i;
    if (!is_access(form)) continue;
    if (in_registers && form.space == StateSpace::Local) {
      out[i].in_registers = true;
      continue;
    }
    out[i].bytes = bytes_as_written(form);
    const std::vector<Operand>& operands = function.instructions[i].operands;
    if (form.opcode == Opcode::Ld && out[i].bytes == 8 && !operands.empty() &&
        operands[0].reg < called.size() && called[operands[0].reg])
      out[i].bytes = 4;
    if (form.opcode != Opcode::Ld || form.vector_width == 1 || form.has(Modifier::Volatile)) continue;
    if (const VectorPart part = parts.needed(function.instructions[i]); part.bytes != 0) {
      out[i].bytes = part.bytes;
      out[i].offset = part.offset;
    }
  }
  Joiner(module, function, out).run();
  return out;
}

}  // namespace warplens::ptx
