#include "engine/ptx/rules/redundant_loads.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/base/work_limit.h"
#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/facts/giant.h"

namespace warplens::ptx {
namespace {

// What is loaded: space, text of the form (type, vector, cache operator), base and offset.
struct Key {
  StateSpace space = StateSpace::None;
  FormId form = 0;
  RegisterId base = kNone;
  std::string symbol;
  std::int64_t offset = 0;
  auto tie() const { return std::tie(space, form, base, symbol, offset); }
  bool operator<(const Key& other) const { return tie() < other.tie(); }
  bool operator==(const Key& other) const { return tie() == other.tie(); }
};

// Loads whose values are at hand, and the instruction that loaded each.
using Known = std::map<Key, std::uint32_t>;

bool may_be_kept(const Form& form) {
  return form.opcode == Opcode::Ld && form.space != StateSpace::Param && !form.has(Modifier::Volatile) &&
         !form.has(Modifier::Acquire) && !form.has(Modifier::Relaxed);
}

std::optional<Key> key_of(const Form& form, const Instruction& instruction) {
  if (!may_be_kept(form) || instruction.guard.predicate != kNone || instruction.operands.size() < 2)
    return std::nullopt;
  const Operand& address = instruction.operands[1];
  if (address.kind != OperandKind::Address) return std::nullopt;
  return Key{form.space, instruction.form, address.reg, address.symbol, address.value};
}

bool touches(const Form& form, StateSpace space, bool read_only) {
  if (form.space == StateSpace::Generic || space == StateSpace::Generic) return !read_only;
  return form.space == space && !read_only;
}

// The least key of a space, a form and a base register.
Key first_of(StateSpace space, FormId form, RegisterId base) {
  return {space, form, base, {}, std::numeric_limits<std::int64_t>::min()};
}

// Keys of one space and form stand together, and among them those of one base: what is not forgotten is
// skipped in one step, however much is known.
void forget(Known& known, const Module& module, const Form& form, const Uses& uses) {
  const MemoryUse use = form.effects().memory;
  const bool stores = use == MemoryUse::Store || use == MemoryUse::Atomic || use == MemoryUse::Reduce ||
                      use == MemoryUse::StoreMatrix || use == MemoryUse::Tile;
  const bool all = !stores && !form.effects().is(kQuiet);
  if (!all && !stores && uses.writes.empty()) return;
  for (auto group = known.begin(); group != known.end();) {
    const StateSpace space = group->first.space;
    const FormId id = group->first.form;
    const bool read_only = module.forms[id].has(Modifier::Nc);
    const auto next = known.lower_bound(first_of(space, id + 1, 0));
    if ((all && !read_only) || (stores && touches(form, space, read_only))) {
      known.erase(group, next);
    } else {
      for (const RegisterId reg : uses.writes)
        known.erase(known.lower_bound(first_of(space, id, reg)),
                    known.lower_bound(first_of(space, id, reg + 1)));
    }
    group = next;
  }
}

class Analysis {
 public:
  Analysis(const Module& module, const Function& function)
      : module_(module),
        function_(function),
        facts_(facts_of(module, function)),
        uses_(facts_->uses()),
        out_(function.blocks.size()) {}

  std::vector<std::uint32_t> run() {
    // Sets only shrink from one round to the next, so the rounds end; the bound is for odd graphs.
    for (std::size_t round = 0; round < function_.blocks.size() + 2; ++round) {
      bool changed = false;
      for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) changed |= visit(b, nullptr);
      if (!changed) break;
    }
    std::vector<std::uint32_t> leaders(function_.instructions.size(), kNone);
    for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) visit(b, &leaders);
    return leaders;
  }

 private:
  // Known at the start of a block: what all predecessors agree on; those not seen yet agree with anything.
  Known at_entry(std::uint32_t block) const {
    Known known;
    bool first = true;
    if (block == 0) return known;
    for (const std::uint32_t p : function_.blocks[block].predecessors) {
      if (!out_[p]) continue;
      if (std::exchange(first, false))
        known = *out_[p];
      else
        std::erase_if(known, [&](const auto& entry) {
          const auto other = out_[p]->find(entry.first);
          return other == out_[p]->end() || other->second != entry.second;
        });
    }
    return known;
  }

  bool visit(std::uint32_t block, std::vector<std::uint32_t>* leaders) {
    Known known = at_entry(block);
    for (std::uint32_t i = function_.blocks[block].first; i < function_.blocks[block].last; ++i) {
      work_step();
      const Instruction& instruction = function_.instructions[i];
      const Form& form = module_.form(instruction);
      const auto key = key_of(form, instruction);
      const auto found = key ? known.find(*key) : known.end();
      if (found != known.end() && leaders != nullptr) (*leaders)[i] = found->second;
      const std::uint32_t leader = found != known.end() ? found->second : i;
      forget(known, module_, form, uses_[i]);
      const bool overwrites_base =
          key && std::ranges::find(uses_[i].writes, key->base) != uses_[i].writes.end();
      if (key && !overwrites_base) known[*key] = leader;
    }
    const bool changed = !out_[block] || *out_[block] != known;
    out_[block] = std::move(known);
    return changed;
  }

  const Module& module_;
  const Function& function_;
  const std::shared_ptr<const FunctionFacts> facts_;
  const std::vector<Uses>& uses_;
  std::vector<std::optional<Known>> out_;
};

}  // namespace

namespace {

std::uint64_t known_loads(const Module& module, const Function& function) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      function.instructions, [&](const Instruction& i) { return may_be_kept(module.form(i)); }));
}

}  // namespace

bool has_too_many_loads(const Module& module, const Function& function) {
  constexpr std::uint64_t kMostWork = 4'000'000;
  const std::uint64_t blocks = function.blocks.size();
  return blocks > 1 && blocks * known_loads(module, function) > kMostWork;
}

std::vector<std::uint32_t> redundant_loads(const Module& module, const Function& function) {
  if (known_loads(module, function) < 2 || is_giant(function) || has_too_many_loads(module, function))
    return std::vector<std::uint32_t>(function.instructions.size(), kNone);
  return Analysis(module, function).run();
}

}  // namespace warplens::ptx
