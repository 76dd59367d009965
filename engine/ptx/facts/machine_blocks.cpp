#include "engine/ptx/facts/machine_blocks.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "engine/base/work_limit.h"
#include "engine/ptx/facts/giant.h"
#include "engine/ptx/facts/machine_cost.h"
#include "engine/ptx/syntax/dominators.h"

namespace warplens::ptx {
namespace {

// Stays where it is written.
bool is_anchor(const Form& form, const Instruction& instruction) {
  if (form.opcode == Opcode::Bra) return instruction.guard.predicate != kNone;
  return form.space != StateSpace::Param && form.effects().is(kAnchored);
}

// A register kept in local memory for a while bears the line of what is beside it.
bool is_spill(const Form& form, const MachineInstruction& machine) {
  return machine.space == StateSpace::Local && form.space != StateSpace::Local &&
         form.space != StateSpace::Generic;
}

// Of several anchors, one that certainly belongs to the block.
bool is_firm(MachineOp op) {
  return op == MachineOp::Store || op == MachineOp::Atomic || op == MachineOp::Reduction ||
         op == MachineOp::Barrier || op == MachineOp::Shuffle;
}

// Whether one node of a dominator tree lies above another, told by the times of a walk through the tree.
class Tree {
 public:
  Tree(const std::vector<std::uint32_t>& above, std::uint32_t root) : above_(above), times_(above.size()) {
    Graph below(above.size());
    for (std::uint32_t node = 0; node < above.size(); ++node)
      if (node != root && above[node] != kNone) below[above[node]].push_back(node);
    std::uint32_t time = 0;
    std::vector<std::pair<std::uint32_t, std::size_t>> open{{root, 0}};
    times_[root].first = ++time;
    while (!open.empty()) {
      auto& [node, next] = open.back();
      if (next == below[node].size()) {
        times_[node].second = ++time;
        open.pop_back();
        continue;
      }
      const std::uint32_t child = below[node][next++];
      times_[child].first = ++time;
      open.emplace_back(child, 0);
    }
  }
  bool covers(std::uint32_t above, std::uint32_t below) const {
    return times_[above].first != 0 && times_[above].first <= times_[below].first &&
           times_[below].second <= times_[above].second;
  }
  // kNone above the root, and of nodes outside of the tree.
  std::uint32_t above(std::uint32_t node) const { return above_[node] == node ? kNone : above_[node]; }

 private:
  std::vector<std::uint32_t> above_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> times_;
};

class Builder {
 public:
  Builder(const Module& module, const Function& function) : module_(module), function_(function) {}

  MachineBlocks build() {
    cut();
    if (out_.blocks.size() > kMostBlocks) return {};
    connect();
    reach();
    find_anchors();
    spread();
    return std::move(out_);
  }

 private:
  const std::vector<MachineInstruction>& code() const { return function_.machine; }

  void cut() {
    const auto size = static_cast<std::uint32_t>(code().size());
    std::vector<bool> begins(size + 1, false);
    begins[0] = true;
    for (std::uint32_t i = 0; i < size; ++i) {
      if (code()[i].target < size) begins[code()[i].target] = true;
      if (ends_block(code()[i].op)) begins[i + 1] = true;
    }
    out_.block_of.resize(size);
    for (std::uint32_t i = 0; i < size; ++i) {
      if (begins[i]) {
        out_.blocks.emplace_back();
        out_.blocks.back().first = i;
      }
      out_.blocks.back().last = i + 1;
      out_.block_of[i] = static_cast<std::uint32_t>(out_.blocks.size() - 1);
    }
  }

  void connect() {
    const auto size = static_cast<std::uint32_t>(out_.blocks.size());
    std::vector<bool> entered(size, false);
    entered[0] = true;
    const auto lead = [&](std::uint32_t from, std::uint32_t to) {
      out_.blocks[from].successors.push_back(to);
      entered[to] = true;
    };
    for (std::uint32_t b = 0; b < size; ++b) {
      const MachineInstruction& end = code()[out_.blocks[b].last - 1];
      if (is_jump(end.op) && end.target < code().size()) lead(b, out_.block_of[end.target]);
      out_.blocks[b].leaves = ends_function(end.op);
      const bool falls = !ends_block(end.op) || end.op == MachineOp::BranchDivided ||
                         (end.guarded && end.op != MachineOp::BranchTable);
      if (falls && b + 1 < size) lead(b, b + 1);
    }
    // Where a table leads to is not in the instruction: to blocks that nothing else leads to.
    std::uint32_t table = kNone;
    for (std::uint32_t b = 0; b < size; ++b) {
      if (!entered[b] && table != kNone) lead(table, b);
      if (code()[out_.blocks[b].last - 1].op == MachineOp::BranchTable) table = b;
    }
  }

  bool is_written_call(const MachineInstruction& machine) const {
    return machine.made_of < function_.instructions.size() &&
           module_.form(function_.instructions[machine.made_of]).opcode == Opcode::Call;
  }

  // Of a routine of ptxas's for what a division or a root does not do by itself.
  bool calls_slow_path(std::uint32_t i) const {
    return code()[i].op == MachineOp::Call && !is_written_call(code()[i]) && !out_.routines.contains(i);
  }

  // Blocks where a slow path begins.
  std::vector<bool> detours() const {
    std::vector<bool> slow(out_.blocks.size(), false);
    for (std::uint32_t b = 0; b < slow.size(); ++b) {
      for (std::uint32_t i = out_.blocks[b].first; i < out_.blocks[b].last; ++i)
        if (calls_slow_path(i)) slow[b] = true;
      const MachineInstruction& end = code()[out_.blocks[b].last - 1];
      if (end.op == MachineOp::BranchDivided && end.target < code().size())
        slow[out_.block_of[end.target]] = true;
      const bool of_atomic = end.made_of < function_.instructions.size() &&
                             module_.form(function_.instructions[end.made_of]).opcode == Opcode::Atom;
      const bool over = end.op == MachineOp::Exit || (end.op == MachineOp::Branch && tries_again(b));
      if (over && end.guarded && of_atomic && b + 1 < slow.size()) slow[b + 1] = true;
    }
    return slow;
  }

  // Whether a block ends with a jump over a second try of the atomic that it holds.
  bool tries_again(std::uint32_t b) const {
    const MachineInstruction& jump = code()[out_.blocks[b].last - 1];
    if (b + 1 == out_.blocks.size() || jump.target < out_.blocks[b].last) return false;
    const auto holds = [&](const MachineBlock& block) {
      return std::any_of(code().begin() + block.first, code().begin() + block.last, [&](const auto& machine) {
        return machine.op == MachineOp::Atomic && machine.made_of == jump.made_of;
      });
    };
    return holds(out_.blocks[b]) && holds(out_.blocks[b + 1]);
  }

  // A CALL of ptxas's routine for a 64-bit division, unless other blocks that are run in its place were made
  // of the same division.
  void find_routines() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> calls;  // of a PTX instruction
    for (std::uint32_t i = 0; i < code().size(); ++i)
      if (code()[i].op == MachineOp::Call && code()[i].made_of < function_.instructions.size() &&
          routine_length(module_.form(function_.instructions[code()[i].made_of])) > 0)
        calls[code()[i].made_of].push_back(i);
    if (calls.empty()) return;
    const Tree dominators(immediate_dominators(graph(), 0), 0);
    for (const auto& [division, all] : calls)
      for (const std::uint32_t call : all) {
        const std::uint32_t at = out_.block_of[call];
        const auto stands_in_for = [&](std::uint32_t i) {
          const std::uint32_t b = out_.block_of[i];
          return code()[i].made_of == division && !dominators.covers(b, at) && !dominators.covers(at, b);
        };
        bool another = false;
        for (std::uint32_t i = 0; i < code().size() && !another; ++i) another = stands_in_for(i);
        if (!another) out_.routines[call] = routine_length(module_.form(function_.instructions[division]));
      }
  }

  void reach() {
    find_routines();
    const std::vector<bool> slow = detours();
    std::vector<std::uint32_t> open{0};
    out_.blocks[0].normal = true;
    while (!open.empty()) {
      const std::uint32_t b = open.back();
      open.pop_back();
      for (const std::uint32_t next : out_.blocks[b].successors) {
        if (slow[next] || out_.blocks[next].normal) continue;
        out_.blocks[next].normal = true;
        open.push_back(next);
      }
    }
  }

  void find_anchors() {
    for (MachineBlock& block : out_.blocks) {
      for (std::uint32_t i = block.first; i < block.last; ++i) {
        const MachineInstruction& machine = code()[i];
        if (!tells(machine) || machine.made_of >= function_.instructions.size()) continue;
        const Instruction& instruction = function_.instructions[machine.made_of];
        const bool predicated = machine.guarded && instruction.guard.predicate == kNone;
        if (predicated || !is_anchor(module_.form(instruction), instruction) ||
            is_spill(module_.form(instruction), machine))
          continue;
        block.runs_as = machine.made_of;
        if (is_firm(machine.op)) break;
      }
    }
    if (out_.blocks[0].runs_as == kNone) out_.blocks[0].runs_as = 0;
    for (MachineBlock& block : out_.blocks) block.mostly = most_of(block);
  }

  // A predicated part was made of a block that fewer lanes come to; what stands without a predicate counts.
  std::uint32_t most_of(const MachineBlock& block) const {
    std::map<std::uint32_t, int> counts = made_of_blocks(block, false);
    if (counts.empty()) counts = made_of_blocks(block, true);
    const auto most = std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
    return most == counts.end() ? kNone : function_.blocks[most->first].first;
  }

  std::map<std::uint32_t, int> made_of_blocks(const MachineBlock& block, bool guarded) const {
    std::map<std::uint32_t, int> counts;
    for (std::uint32_t i = block.first; i < block.last; ++i)
      if (code()[i].made_of < function_.instructions.size() && (guarded || !code()[i].guarded))
        ++counts[function_.block_of[code()[i].made_of]];
    return counts;
  }

  // The head of the innermost loop around each block.
  std::vector<std::uint32_t> loops(const Tree& dominators) {
    std::vector<std::uint32_t> innermost(out_.blocks.size(), kNone), size(out_.blocks.size(), 0);
    const Graph before = reversed(normal_graph());
    for (std::uint32_t head = 0; head < out_.blocks.size(); ++head) {
      const auto leads_back = [&](std::uint32_t from) { return dominators.covers(head, from); };
      if (std::ranges::none_of(before[head], leads_back)) continue;
      std::vector<std::uint32_t> body{head};
      std::vector<bool> inside(out_.blocks.size(), false);
      inside[head] = true;
      for (std::size_t at = 0; at < body.size(); ++at) {
        work_step();
        for (const std::uint32_t from : before[body[at]])
          if (!inside[from] && leads_back(from)) {
            inside[from] = true;
            body.push_back(from);
          }
      }
      for (const std::uint32_t b : body) {
        ++out_.blocks[b].loops;
        if (innermost[b] == kNone || body.size() < size[b]) {
          innermost[b] = head;
          size[b] = static_cast<std::uint32_t>(body.size());
        }
      }
    }
    return innermost;
  }

  Graph graph() const {
    Graph out;
    for (const MachineBlock& block : out_.blocks) out.push_back(block.successors);
    return out;
  }

  // Without the ways into slow paths of divisions and roots: what stands beside one always runs. (A BRA.DIV
  // does now and then.)
  Graph normal_graph() const {
    const auto slow = [&](std::uint32_t b) {
      bool out = false;
      for (std::uint32_t i = out_.blocks[b].first; i < out_.blocks[b].last; ++i)
        out = out || calls_slow_path(i);
      return out && !out_.blocks[b].normal;
    };
    Graph out = graph();
    for (std::uint32_t b = 0; b < out.size(); ++b)
      if (out_.blocks[b].normal) std::erase_if(out[b], slow);
    return out;
  }

  // Gives blocks without an anchor the one of a block that they always run together with.
  void spread() {
    const auto size = static_cast<std::uint32_t>(out_.blocks.size());
    const Tree dominators(immediate_dominators(normal_graph(), 0), 0);
    Graph onward = normal_graph();
    onward.emplace_back();  // where threads end
    for (std::uint32_t b = 0; b < size; ++b)
      if (out_.blocks[b].leaves || onward[b].empty()) onward[b].push_back(size);
    const Tree after(immediate_dominators(reversed(onward), size), size);
    const std::vector<std::uint32_t> loop_of = loops(dominators);
    for (std::uint32_t b = 0; b < size; ++b) {
      MachineBlock& block = out_.blocks[b];
      for (std::uint32_t up = dominators.above(b); block.runs_as == kNone && up != kNone;
           up = dominators.above(up))
        if (loop_of[up] == loop_of[b] && after.covers(b, up)) block.runs_as = out_.blocks[up].runs_as;
      for (std::uint32_t down = after.above(b); block.runs_as == kNone && down < size;
           down = after.above(down))
        if (loop_of[down] == loop_of[b] && dominators.covers(b, down))
          block.runs_as = out_.blocks[down].runs_as;
    }
  }

  const Module& module_;
  const Function& function_;
  MachineBlocks out_;
};

}  // namespace

MachineBlocks machine_blocks(const Module& module, const Function& function) {
  if (function.machine.empty() || function.machine.size() > kMostInstructions || function.blocks.empty())
    return {};
  return Builder(module, function).build();
}

}  // namespace warplens::ptx
