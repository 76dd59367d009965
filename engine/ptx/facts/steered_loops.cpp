#include "engine/ptx/facts/steered_loops.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "engine/base/work_limit.h"
#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/syntax/circles.h"
#include "engine/ptx/syntax/special_registers.h"

namespace warplens::ptx {
namespace {

bool tells_time(const Operand& operand) {
  return operand.kind == OperandKind::Special && is_clock(operand.special);
}

// A result of the lane's own operands and of nothing else.
bool is_own_result(const Form& form, const Instruction& in) {
  return form.effects().is(kPure) && form.effects().lanes == Lanes::Own && !form.has(Modifier::Cc) &&
         std::ranges::none_of(in.operands, tells_time);
}

bool is_plain_load(const Form& form) {
  return form.effects().memory == MemoryUse::Load && !form.has(Modifier::Volatile) &&
         !form.has(Modifier::Relaxed) && !form.has(Modifier::Acquire) && !form.has(Modifier::Cv);
}

// A called function that ends the thread leads out of every loop that calls it.
bool functions_may_end_threads(const Module& module) {
  return std::ranges::any_of(module.functions, [&](const Function& function) {
    return !function.is_entry && std::ranges::any_of(function.instructions, [&](const Instruction& in) {
      const Control control = module.form(in).effects().control;
      return control == Control::Exit || control == Control::Trap;
    });
  });
}

class Steering {
 public:
  Steering(const Module& module, const Function& function)
      : module_(module), function_(function), facts_(facts_of(module, function)) {}

  SteeredLoops run() {
    SteeredLoops out;
    Circles found = circles(function_);
    blocks_ = found.blocks();
    out.loop_of = std::move(found.of);
    out.loops.resize(found.count);
    for (std::uint32_t l = 0; l < found.count; ++l) describe(out.loops[l], l, out.loop_of);
    return out;
  }

 private:
  template <typename Visit>
  void for_each_instruction(std::uint32_t loop, Visit visit) const {
    for (const std::uint32_t b : blocks_[loop])
      for (std::uint32_t i = function_.blocks[b].first; i < function_.blocks[b].last; ++i) visit(i);
  }

  void describe(SteeredLoop& loop, std::uint32_t number, const std::vector<std::uint32_t>& loop_of) {
    bool calls = false, quiet = true;
    loop.leads_out = false;
    loop.first = function_.blocks[blocks_[number].front()].first;
    for (const std::uint32_t b : blocks_[number]) {
      for (const std::uint32_t to : function_.blocks[b].successors) {
        loop.leads_out |= to >= loop_of.size() || loop_of[to] != number;
        if (to < loop_of.size() && to == blocks_[number].front()) loop.back = function_.blocks[b].last - 1;
      }
    }
    for_each_instruction(number, [&](std::uint32_t i) {
      work_step();
      const Effects& effects = module_.form(function_.instructions[i]).effects();
      loop.leads_out |= effects.leaves();
      calls |= effects.control == Control::Call;
      const bool reads = effects.memory == MemoryUse::None || effects.memory == MemoryUse::Load ||
                         effects.memory == MemoryUse::Name || effects.memory == MemoryUse::Ask;
      quiet &= reads && !effects.is(kOrders) && !effects.is(kWaits);
    });
    if (calls && !loop.leads_out) {
      if (!may_end_) may_end_ = functions_may_end_threads(module_);
      loop.leads_out = *may_end_;
    }
    steer(loop, number, quiet, calls);
  }

  void steer(SteeredLoop& loop, std::uint32_t number, bool quiet, bool calls) {
    std::unordered_map<RegisterId, std::vector<std::uint32_t>> writers;
    std::vector<RegisterId> open;
    for_each_instruction(number, [&](std::uint32_t i) {
      const Effects& effects = module_.form(function_.instructions[i]).effects();
      for (const RegisterId reg : facts_->uses()[i].writes) writers[reg].push_back(i);
      if (effects.control != Control::Branch && effects.control != Control::Table && !effects.leaves())
        return;
      const auto& reads = facts_->uses()[i].reads;
      open.insert(open.end(), reads.begin(), reads.end());
    });
    loop.by = SteeredLoop::By::Registers;
    std::vector<bool> met(function_.registers.size(), false);
    while (!open.empty()) {
      work_step();
      const RegisterId reg = open.back();
      open.pop_back();
      if (met[reg]) continue;
      met[reg] = true;
      loop.steering.push_back(reg);
      const auto found = writers.find(reg);
      if (found == writers.end()) continue;
      for (const std::uint32_t i : found->second) {
        const Form& form = module_.form(function_.instructions[i]);
        const bool parameter = form.space == StateSpace::Param && !calls;
        if (form.effects().memory == MemoryUse::Load && (parameter || form.space == StateSpace::Const)) {
          // The same all launch long.
        } else if (is_plain_load(form) && form.space != StateSpace::Param && quiet) {
          loop.by = SteeredLoop::By::Memory;
        } else if (!is_own_result(form, function_.instructions[i])) {
          loop.by = SteeredLoop::By::More;
          loop.steering.clear();
          return;
        }
        const auto& reads = facts_->uses()[i].reads;
        open.insert(open.end(), reads.begin(), reads.end());
      }
    }
    std::ranges::sort(loop.steering);
  }

  const Module& module_;
  const Function& function_;
  std::shared_ptr<const FunctionFacts> facts_;
  std::vector<std::vector<std::uint32_t>> blocks_;  // of each loop, in the order of the text
  std::optional<bool> may_end_;
};

}  // namespace

SteeredLoops steered_loops(const Module& module, const Function& function) {
  return Steering(module, function).run();
}

}  // namespace warplens::ptx
