#include "engine/ptx/syntax/control_flow.h"

#include <algorithm>
#include <numeric>

#include "engine/base/message.h"
#include "engine/base/work_limit.h"
#include "engine/ptx/syntax/circles.h"
#include "engine/ptx/syntax/dominators.h"

namespace warplens::ptx {
namespace {

Error broken(const Instruction& instruction, Message message) {
  return told(ErrorKind::Compile, std::move(message), {"", instruction.line, 0});
}

// Instruction indexes that a branch may lead to.
Status collect_targets(const Module& module, const Function& function, const Instruction& instruction,
                       std::vector<std::uint32_t>& out) {
  out.clear();
  const auto add = [&](const std::string& label) {
    const auto found = function.labels.find(label);
    if (found == function.labels.end() || found->second >= function.instructions.size()) return false;
    out.push_back(found->second);
    return true;
  };
  const Control control = module.form(instruction).effects().control;
  if (control == Control::Branch) {
    if (instruction.operands.empty() || !add(instruction.operands[0].symbol)) {
      return broken(instruction, {"ptx.no_target", {}});
    }
  } else if (control == Control::Table) {
    const auto list = function.target_lists.find(instruction.prototype);
    if (list == function.target_lists.end()) return broken(instruction, {"ptx.no_targets", {}});
    for (const std::string& label : list->second) {
      if (!add(label)) return broken(instruction, {"ptx.label_nowhere", {{"name", value_of(label)}}});
    }
  }
  return Done{};
}

// Marks the first instruction of every block.
Status mark_leaders(const Module& module, const Function& function, std::vector<bool>& leader) {
  std::vector<std::uint32_t> targets;
  leader.assign(function.instructions.size() + 1, false);
  leader[0] = true;
  for (std::size_t i = 0; i < function.instructions.size(); ++i) {
    const Instruction& instruction = function.instructions[i];
    if (!module.form(instruction).effects().ends_block()) continue;
    leader[i + 1] = true;
    if (Status status = collect_targets(module, function, instruction, targets); !status) return status;
    for (const std::uint32_t target : targets) leader[target] = true;
  }
  return Done{};
}

void make_blocks(Function& function, const std::vector<bool>& leader) {
  function.blocks.clear();
  function.block_of.assign(function.instructions.size(), 0);
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    if (leader[i]) {
      function.blocks.emplace_back();
      function.blocks.back().first = i;
    }
    function.blocks.back().last = i + 1;
    function.block_of[i] = static_cast<std::uint32_t>(function.blocks.size() - 1);
  }
}

Status connect(const Module& module, Function& function) {
  std::vector<std::uint32_t> targets;
  for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
    BasicBlock& block = function.blocks[b];
    const Instruction& last = function.instructions[block.last - 1];
    const bool ends = module.form(last).effects().ends_block();
    if (Status status = collect_targets(module, function, last, targets); !status) return status;
    if ((!ends || last.guard.predicate != kNone) && block.last < function.instructions.size()) {
      block.successors.push_back(b + 1);
    }
    for (const std::uint32_t target : targets) block.successors.push_back(function.block_of[target]);
    // A table may name one label often.
    std::sort(block.successors.begin(), block.successors.end());
    block.successors.erase(std::unique(block.successors.begin(), block.successors.end()),
                           block.successors.end());
    for (const std::uint32_t to : block.successors) function.blocks[to].predecessors.push_back(b);
  }
  return Done{};
}

bool leaves_function(const Module& module, const Function& function, const BasicBlock& block) {
  return block.successors.empty() || module.form(function.instructions[block.last - 1]).effects().leaves();
}

// The block of a loop that every turn ends with, should there be one; else the last of the text.
std::uint32_t end_of_turn(const Function& function, const Circles& loops,
                          const std::vector<std::uint32_t>& blocks) {
  const std::uint32_t loop = loops.of[blocks.front()];
  std::uint32_t begin = kNone;
  for (const std::uint32_t b : blocks) {
    const auto& from = function.blocks[b].predecessors;
    if (b != 0 && std::ranges::none_of(from, [&](auto f) { return loops.of[f] != loop; })) continue;
    if (begin != kNone) return blocks.back();
    begin = b;
  }
  std::uint32_t end = kNone;
  if (begin != kNone)
    for (const std::uint32_t from : function.blocks[begin].predecessors) {
      if (loops.of[from] != loop) continue;
      if (end != kNone) return blocks.back();
      end = from;
    }
  return end != kNone ? end : blocks.back();
}

void find_post_dominators(const Module& module, Function& function) {
  const auto exit = static_cast<std::uint32_t>(function.blocks.size());
  Graph backwards(function.blocks.size() + 1);
  for (std::uint32_t b = 0; b < exit; ++b) {
    backwards[b] = function.blocks[b].predecessors;
    if (leaves_function(module, function, function.blocks[b])) backwards[exit].push_back(b);
  }
  // Loops that never end get an edge to the exit, so that lanes which part inside them still meet again.
  const Circles loops = circles(function);
  std::vector<bool> leads_out(loops.count, false);
  for (std::uint32_t b = 0; b < exit; ++b) {
    if (loops.of[b] == kNone) continue;
    const auto& to = function.blocks[b].successors;
    leads_out[loops.of[b]] = leads_out[loops.of[b]] ||
                             leaves_function(module, function, function.blocks[b]) ||
                             std::ranges::any_of(to, [&](auto t) { return loops.of[t] != loops.of[b]; });
  }
  const auto blocks = loops.blocks();
  for (std::uint32_t l = 0; l < loops.count; ++l)
    if (!leads_out[l]) backwards[exit].push_back(end_of_turn(function, loops, blocks[l]));
  const std::vector<std::uint32_t> dominators = immediate_dominators(backwards, exit);
  for (std::uint32_t b = 0; b < exit; ++b) {
    function.blocks[b].immediate_post_dominator = dominators[b] == exit ? kNone : dominators[b];
  }
}

// Depth-first preorder from the entry: order of blocks, and for each its number and its last descendant's.
struct Preorder {
  std::vector<std::uint32_t> order, number, last;
};

Preorder preorder_of(const Function& function) {
  const std::size_t count = function.blocks.size();
  Preorder result{{}, std::vector<std::uint32_t>(count, kNone), std::vector<std::uint32_t>(count, 0)};
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;
  const auto enter = [&](std::uint32_t b) {
    result.number[b] = static_cast<std::uint32_t>(result.order.size());
    result.order.push_back(b);
    stack.emplace_back(b, 0);
  };
  enter(0);
  while (!stack.empty()) {
    work_step();
    auto& [b, next] = stack.back();
    const auto& successors = function.blocks[b].successors;
    if (next == successors.size()) {
      result.last[b] = static_cast<std::uint32_t>(result.order.size() - 1);
      stack.pop_back();
    } else if (const std::uint32_t to = successors[next++]; result.number[to] == kNone) {
      enter(to);
    }
  }
  return result;
}

// Havlak: headers innermost first; the body of a loop collapses into its header (union-find).
void find_loops(Function& function) {
  const Preorder preorder = preorder_of(function);
  const auto count = static_cast<std::uint32_t>(function.blocks.size());
  std::vector<std::uint32_t> header_of(count, kNone), collapsed(count);
  std::iota(collapsed.begin(), collapsed.end(), 0u);
  const auto find = [&](std::uint32_t b) {
    while (collapsed[b] != b) b = collapsed[b] = collapsed[collapsed[b]];
    return b;
  };
  const auto descends = [&](std::uint32_t b, std::uint32_t from) {
    return preorder.number[from] <= preorder.number[b] && preorder.number[b] <= preorder.last[from];
  };
  std::vector<bool> is_header(count, false);
  for (std::size_t i = preorder.order.size(); i-- > 0;) {
    const std::uint32_t header = preorder.order[i];
    std::vector<std::uint32_t> body;
    for (const std::uint32_t from : function.blocks[header].predecessors) {
      if (preorder.number[from] == kNone || !descends(from, header)) continue;
      is_header[header] = true;
      if (const std::uint32_t b = find(from); b != header) body.push_back(b);
    }
    while (!body.empty()) {
      work_step();
      const std::uint32_t b = body.back();
      body.pop_back();
      if (b == header || collapsed[b] != b) continue;
      header_of[b] = header;
      collapsed[b] = header;
      for (const std::uint32_t from : function.blocks[b].predecessors) {
        if (preorder.number[from] == kNone) continue;
        const std::uint32_t outer = find(from);
        if (outer != header && descends(outer, header)) body.push_back(outer);
      }
    }
  }
  for (const std::uint32_t b : preorder.order) {  // headers come before their bodies
    const std::uint32_t outer = header_of[b] == kNone ? 0 : function.blocks[header_of[b]].loop_depth;
    function.blocks[b].loop_depth = outer + (is_header[b] ? 1 : 0);
  }
}

}  // namespace

Status build_control_flow(const Module& module, Function& function) {
  if (function.instructions.empty()) {
    function.blocks.clear();
    function.block_of.clear();
    return Done{};
  }
  std::vector<bool> leader;
  if (Status status = mark_leaders(module, function, leader); !status) return status;
  make_blocks(function, leader);
  if (Status status = connect(module, function); !status) return status;
  find_post_dominators(module, function);
  find_loops(function);
  return Done{};
}

}  // namespace warplens::ptx
