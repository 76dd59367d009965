#include "engine/ptx/rules/branch_form.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "engine/base/work_limit.h"
#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/facts/giant.h"
#include "engine/ptx/facts/machine_cost.h"

namespace warplens::ptx {
namespace {

constexpr int kLimit = 8;              // machine instructions of a side
constexpr int kLimitUniform = 6;       // when the whole warp goes one way
constexpr std::size_t kMostJoins = 4;  // cases of a switch keep their jumps
constexpr int kMostDetours = 16;
constexpr int kLimitWithLoads = 20;  // when a side waits for global memory

// The control-flow graph while predicated parts are folded into the block in front of them.
class Folder {
 public:
  Folder(const Module& module, const Function& function, ExecutedBranches& out);
  void run();

 private:
  struct Node {
    std::vector<std::uint32_t> successors;
    std::size_t predecessors = 0;
    Cost cost;
    std::uint32_t last = kNone;  // terminating instruction
    std::size_t joins = 0;       // straight stretches that end here
    bool predicated = false;     // holds a folded part already
    bool bare = false;           // nothing but a jump
    bool table = false;          // ends with a jump through a table, or is a question of it
    bool gone = false;
    std::vector<std::uint32_t> blocks;  // that have become part of it
  };
  struct Question {
    RegisterId reg = kNone;
    std::int64_t value = 0;
    bool alone = false;  // the block asks nothing but this
  };
  std::optional<Question> question_of(std::uint32_t block) const;
  void find_tables();
  void thread_jumps();
  std::uint32_t decided_before(std::uint32_t block) const;
  std::uint32_t destination(std::uint32_t node) const;
  std::pair<std::uint32_t, std::uint32_t> ways(const Node& node) const;
  std::vector<std::uint32_t> layout() const;
  void lay_out();
  bool leaves(std::uint32_t block) const;
  bool entered_only_from(std::uint32_t first, std::uint32_t last, std::uint32_t from) const;
  bool fold(std::uint32_t head);
  bool extend(std::uint32_t head);
  bool is_side(std::uint32_t node, std::uint32_t head) const;
  bool fits(const Node& side, int limit) const;
  bool worthwhile(const std::vector<std::uint32_t>& sides, std::uint32_t meet, bool uniform) const;
  void absorb(std::uint32_t head, std::uint32_t side);
  void mark(std::uint32_t instruction);

  const Module& module_;
  const Function& function_;
  std::vector<BranchForm>& out_;
  std::vector<std::uint32_t>& jump_after_;
  std::vector<std::uint32_t>& further_questions_;
  std::vector<bool>& predicated_;
  const std::shared_ptr<const FunctionFacts> facts_;
  MachineCost costs_;
  std::vector<Node> nodes_;
};

Folder::Folder(const Module& module, const Function& function, ExecutedBranches& out)
    : module_(module),
      function_(function),
      out_(out.forms),
      jump_after_(out.jump_after),
      further_questions_(out.further_questions),
      predicated_(out.predicated),
      facts_(facts_of(module, function)),
      costs_(module, function) {
  nodes_.resize(function.blocks.size());
  for (std::uint32_t b = 0; b < nodes_.size(); ++b) {
    const BasicBlock& block = function.blocks[b];
    nodes_[b].successors = block.successors;
    nodes_[b].predecessors = block.predecessors.size();
    nodes_[b].blocks = {b};
    nodes_[b].cost = costs_.block(b);
    nodes_[b].last = block.last > block.first ? block.last - 1 : kNone;
    nodes_[b].bare = block.last == block.first + 1 && nodes_[b].successors.size() == 1 &&
                     module.form(function.instructions[block.first]).opcode == Opcode::Bra;
    nodes_[b].joins =
        static_cast<std::size_t>(std::ranges::count_if(block.predecessors, [&](std::uint32_t from) {
          return function.blocks[from].successors.size() == 1;
        }));
  }
}

void Folder::mark(std::uint32_t instruction) {
  if (instruction < out_.size() && module_.form(function_.instructions[instruction]).opcode == Opcode::Bra)
    out_[instruction] = BranchForm::Removed;
}

// Straight code that only `head` leads to.
bool Folder::is_side(std::uint32_t node, std::uint32_t head) const {
  const Node& at = nodes_[node];
  return node != head && at.successors.size() == 1 && at.predecessors == 1 && at.successors.front() != head &&
         at.successors.front() != node;
}

bool Folder::fits(const Node& side, int limit) const {
  if (side.cost.unfit || side.predicated) return false;
  return side.cost.instructions <= (side.cost.loads_global ? kLimitWithLoads : limit);
}

// Whether ptxas would rather predicate than branch, were the sides small enough.
bool Folder::worthwhile(const std::vector<std::uint32_t>& sides, std::uint32_t meet, bool uniform) const {
  if (nodes_[meet].joins > kMostJoins) return false;
  const auto bare = [&](std::uint32_t side) { return nodes_[side].bare; };
  return sides.size() == 1 || !uniform || std::ranges::any_of(sides, bare);
}

void Folder::absorb(std::uint32_t head, std::uint32_t side) {
  mark(nodes_[side].last);
  nodes_[head].cost += nodes_[side].cost;
  nodes_[head].predicated = true;
  for (const std::uint32_t block : nodes_[side].blocks) predicated_[block] = true;
  nodes_[side].gone = true;
}

// The two shapes: a side that is skipped, and two sides of which one is taken.
bool Folder::fold(std::uint32_t head) {
  Node& h = nodes_[head];
  if (h.successors.size() != 2 || h.last == kNone || h.table || out_[h.last] == BranchForm::Leaves)
    return false;
  const Instruction& branch = function_.instructions[h.last];
  if (module_.form(branch).opcode != Opcode::Bra || branch.guard.predicate == kNone) return false;
  const bool uniform = facts_->uniformity().uniform(branch.guard.predicate);
  const int limit = uniform ? kLimitUniform : kLimit;
  const std::uint32_t a = h.successors[0], b = h.successors[1];
  const bool a_side = is_side(a, head), b_side = is_side(b, head);
  std::uint32_t meet = kNone;
  std::vector<std::uint32_t> sides;
  if (a_side && b_side && nodes_[a].successors == nodes_[b].successors) {
    meet = nodes_[a].successors.front();
    sides = {a, b};
  } else if (a_side && nodes_[a].successors.front() == b) {
    meet = b;
    sides = {a};
  } else if (b_side && nodes_[b].successors.front() == a) {
    meet = a;
    sides = {b};
  }
  if (sides.empty() || meet == head) return false;
  const auto small = [&](std::uint32_t side) { return fits(nodes_[side], limit); };
  // Where both sides end the thread, one of them predicated with its EXIT is enough.
  const auto alone = [&](std::uint32_t side) { return small(side) && !nodes_[side].cost.loads_global; };
  const bool exits = function_.is_entry && sides.size() == 2 && leaves(meet) && !uniform &&
                     std::ranges::any_of(sides, alone);
  if (!exits && (!std::ranges::all_of(sides, small) || !worthwhile(sides, meet, uniform))) return false;
  mark(h.last);
  for (const std::uint32_t side : sides) absorb(head, side);
  nodes_[meet].predecessors -= 1;  // one way in instead of two
  h.successors = {meet};
  h.last = kNone;
  return true;
}

// Code that is reached from nowhere else belongs to the same straight stretch; a jump to it is superfluous.
bool Folder::extend(std::uint32_t head) {
  Node& h = nodes_[head];
  if (h.successors.size() != 1) return false;
  const std::uint32_t next = h.successors.front();
  Node& n = nodes_[next];
  if (next == head || n.gone || n.predecessors != 1) return false;
  if (h.last != kNone) {
    if (out_[h.last] == BranchForm::Leaves) return false;
    mark(h.last);
  }
  h.cost += n.cost;
  h.predicated = h.predicated || n.predicated;
  h.bare = h.bare && n.bare;
  h.successors = n.successors;
  h.last = n.last;
  h.table = n.table;
  h.blocks.insert(h.blocks.end(), n.blocks.begin(), n.blocks.end());
  n.gone = true;
  return true;
}

// The block in front that branches on the very condition that `block`, which does nothing else, branches on.
std::uint32_t Folder::decided_before(std::uint32_t block) const {
  const BasicBlock& at = function_.blocks[block];
  const Instruction& branch = function_.instructions[at.first];
  if (at.last != at.first + 1 || at.successors.size() != 2 || branch.guard.predicate == kNone) return kNone;
  for (const std::uint32_t from : at.predecessors) {
    const BasicBlock& before = function_.blocks[from];
    if (before.successors.size() != 2 || before.last == before.first || from >= block) continue;
    const Instruction& earlier = function_.instructions[before.last - 1];
    const bool same =
        module_.form(earlier).opcode == Opcode::Bra && out_[before.last - 1] == BranchForm::Branches &&
        earlier.guard.predicate == branch.guard.predicate && earlier.guard.negated == branch.guard.negated;
    const bool jumps_here = same && function_.labels.contains(earlier.operands.back().symbol) &&
                            function_.labels.at(earlier.operands.back().symbol) == at.first;
    // Everything between the two is reached from the first only, and sets the condition nowhere.
    if (!jumps_here || !entered_only_from(from + 1, block, from) ||
        std::ranges::any_of(at.predecessors, [&](std::uint32_t p) { return p < from || p >= block; }))
      continue;
    bool kept = true;
    for (std::uint32_t i = before.last; i < at.first && kept; ++i) {
      const Uses& uses = facts_->uses()[i];
      kept = std::ranges::find(uses.writes, branch.guard.predicate) == uses.writes.end();
    }
    if (kept) return from;
  }
  return kNone;
}

// A branch whose condition an earlier branch has decided: who jumps here goes on jumping, who falls in falls
// through.
void Folder::thread_jumps() {
  for (std::uint32_t b = 1; b < nodes_.size(); ++b) {
    const std::uint32_t from = decided_before(b);
    if (from == kNone) continue;
    const std::uint32_t fall = b + 1;
    const std::vector<std::uint32_t>& ways = function_.blocks[b].successors;
    const std::uint32_t target = ways[0] == fall ? ways[1] : ways[0];
    mark(function_.blocks[b].first);
    nodes_[b].successors = {fall};
    nodes_[b].last = kNone;
    nodes_[b].predecessors -= 1;
    std::ranges::replace(nodes_[from].successors, b, target);
  }
}

// `setp.eq.s32 p, r, VALUE; @p bra` at the end of a block that does not set r itself (parameters are at
// hand).
std::optional<Folder::Question> Folder::question_of(std::uint32_t block) const {
  const BasicBlock& at = function_.blocks[block];
  if (at.last < at.first + 2 || at.successors.size() != 2) return std::nullopt;
  const Instruction& jump = function_.instructions[at.last - 1];
  const Instruction& test = function_.instructions[at.last - 2];
  const Form& form = module_.form(test);
  if (module_.form(jump).opcode != Opcode::Bra || jump.guard.negated ||
      out_[at.last - 1] != BranchForm::Branches)
    return std::nullopt;
  if (form.opcode != Opcode::Setp || !form.has(Modifier::Eq) || is_float(form.type()) ||
      size_of(form.type()) != 4 || test.operands.size() != 3 ||
      test.operands[0].reg != jump.guard.predicate || test.operands[1].kind != OperandKind::Register ||
      test.operands[2].kind != OperandKind::Integer)
    return std::nullopt;
  for (std::uint32_t i = at.first; i < at.last; ++i) {
    if (module_.form(function_.instructions[i]).space == StateSpace::Param) continue;
    const Uses& uses = facts_->uses()[i];
    if (std::ranges::find(uses.writes, test.operands[1].reg) != uses.writes.end()) return std::nullopt;
  }
  return Question{test.operands[1].reg, test.operands[2].value, at.last == at.first + 2};
}

// Questions in a row about the same register whose values lie close.
void Folder::find_tables() {
  constexpr std::int64_t kSparsest = 5;
  for (std::uint32_t b = 0; b < nodes_.size(); ++b) {
    const auto first = nodes_[b].table ? std::nullopt : question_of(b);
    if (!first) continue;
    std::int64_t low = first->value, high = first->value;
    std::uint32_t end = b + 1;
    for (; end < nodes_.size(); ++end) {
      const auto next = question_of(end);
      if (!next || !next->alone || next->reg != first->reg ||
          function_.blocks[end].predecessors != std::vector<std::uint32_t>{end - 1})
        break;
      low = std::min(low, next->value);
      high = std::max(high, next->value);
    }
    if (end - b < 2 || high - low + 1 > kSparsest * (end - b)) continue;
    for (std::uint32_t question = b; question < end; ++question) {
      nodes_[question].table = true;
      if (question == b) continue;
      mark(function_.blocks[question].last - 1);
      further_questions_.push_back(function_.blocks[question].last - 1);
    }
  }
}

// Blocks first <= b < last: all ways in come from among them or from `from`.
bool Folder::entered_only_from(std::uint32_t first, std::uint32_t last, std::uint32_t from) const {
  for (std::uint32_t b = first; b < last; ++b) {
    work_step();
    for (const std::uint32_t before : function_.blocks[b].predecessors)
      if (before != from && (before < first || before >= last)) return false;
  }
  return true;
}

// Where a way out of a node leads, past blocks that only jump on.
std::uint32_t Folder::destination(std::uint32_t node) const {
  for (int steps = 0; steps < kMostDetours && nodes_[node].bare && nodes_[node].predecessors == 1; ++steps)
    node = nodes_[node].successors.front();
  return node;
}

// The node that a node's conditional jump leads to, and the other one.
std::pair<std::uint32_t, std::uint32_t> Folder::ways(const Node& node) const {
  const std::uint32_t first = node.successors[0], second = node.successors[1];
  const Instruction& branch = function_.instructions[node.last];
  const auto label =
      branch.operands.empty() ? function_.labels.end() : function_.labels.find(branch.operands.back().symbol);
  const bool first_is_jump =
      label != function_.labels.end() && function_.blocks[first].first == label->second;
  return first_is_jump ? std::pair{first, second} : std::pair{second, first};
}

// The order in which the machine code has the nodes: a node behind all that lead to it, of two ways the one
// that does not jump first, and what a loop leads to behind the loop.
std::vector<std::uint32_t> Folder::layout() const {
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(nodes_.size(), false);
  struct Frame {
    std::uint32_t node;
    std::vector<std::uint32_t> open;  // the last one is visited first, and so laid out last
  };
  std::vector<Frame> stack;
  const auto enter = [&](std::uint32_t at) {
    if (seen[at]) return;
    seen[at] = true;
    const Node& node = nodes_[at];
    std::vector<std::uint32_t> open;
    if (node.successors.size() == 2 && node.last != kNone) {
      const auto [jump, fall] = ways(node);
      open = {destination(fall), destination(jump)};
    } else {
      for (const std::uint32_t next : node.successors) open.push_back(destination(next));
    }
    std::ranges::stable_sort(open, std::greater{},
                             [&](std::uint32_t to) { return function_.blocks[to].loop_depth; });
    stack.push_back({at, std::move(open)});
  };
  enter(0);
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.open.empty()) {
      order.push_back(top.node);
      stack.pop_back();
      continue;
    }
    const std::uint32_t next = top.open.back();
    top.open.pop_back();
    enter(next);
  }
  std::ranges::reverse(order);
  return order;
}

// Which jumps that order needs, and which not.
void Folder::lay_out() {
  const std::vector<std::uint32_t> order = layout();
  for (std::size_t at = 0; at < order.size(); ++at) {
    const Node& node = nodes_[order[at]];
    if (node.successors.size() != 1) continue;
    const std::uint32_t to = destination(node.successors.front());
    const bool follows = at + 1 < order.size() && order[at + 1] == to;
    const bool jumps =
        node.last != kNone && module_.form(function_.instructions[node.last]).opcode == Opcode::Bra;
    if (jumps && follows) mark(node.last);
    if (jumps || follows || leaves(to)) continue;
    jump_after_.push_back(function_.blocks[order[at]].last - 1);
  }
}

bool Folder::leaves(std::uint32_t block) const {
  return module_.form(function_.instructions[function_.blocks[block].first]).effects().ends_thread();
}

void Folder::run() {
  thread_jumps();
  find_tables();
  constexpr int kMostPasses = 16;  // deeper nests than any compiler writes stay as they are
  bool changed = true;
  for (int pass = 0; pass < kMostPasses && changed; ++pass) {
    changed = false;
    // Inner parts come behind the branches around them, so that they are folded first.
    for (std::uint32_t b = static_cast<std::uint32_t>(nodes_.size()); b-- > 0;) {
      work_step();
      if (nodes_[b].gone) continue;
      while (fold(b) || extend(b)) changed = true;
    }
  }
  lay_out();
}

// A block that only jumps on, behind a conditional branch: the condition is turned round and jumps there
// itself.
bool is_detour(const Module& module, const Function& function, std::uint32_t index) {
  const BasicBlock& block = function.blocks[index];
  if (block.last != block.first + 1 || block.predecessors.size() != 1) return false;
  const Instruction& jump = function.instructions[block.first];
  const BasicBlock& before = function.blocks[block.predecessors.front()];
  return module.form(jump).opcode == Opcode::Bra && jump.guard.predicate == kNone &&
         before.last == block.first && before.successors.size() == 2;
}

// A jump to a bare `ret` of a kernel.
bool jumps_to_end(const Module& module, const Function& function, const Instruction& instruction) {
  if (!function.is_entry || instruction.operands.empty()) return false;
  const auto label = function.labels.find(instruction.operands.back().symbol);
  if (label == function.labels.end() || label->second >= function.instructions.size()) return false;
  const Instruction& target = function.instructions[label->second];
  return module.form(target).effects().ends_thread() && target.guard.predicate == kNone;
}

}  // namespace

ExecutedBranches executed_branches(const Module& module, const Function& function) {
  ExecutedBranches out;
  out.forms.assign(function.instructions.size(), BranchForm::Branches);
  out.predicated.assign(function.blocks.size(), false);
  bool any = false;
  for (std::uint32_t i = 0; i < out.forms.size(); ++i) {
    if (module.form(function.instructions[i]).opcode != Opcode::Bra) continue;
    if (jumps_to_end(module, function, function.instructions[i]))
      out.forms[i] = BranchForm::Leaves;
    else
      any = true;
  }
  for (std::uint32_t b = 0; any && b < function.blocks.size(); ++b) {
    BranchForm& form = out.forms[std::min<std::size_t>(function.blocks[b].first, out.forms.size() - 1)];
    if (form == BranchForm::Branches && is_detour(module, function, b)) form = BranchForm::Removed;
  }
  // Folding looks at every part behind every branch.
  if (any && !is_giant(function)) Folder(module, function, out).run();
  return out;
}

}  // namespace warplens::ptx
