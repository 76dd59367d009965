#include "engine/ptx/machine/machine_branches.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/facts/machine_cost.h"

namespace warplens::ptx {
namespace {

bool is_branch(MachineOp op) {
  return op == MachineOp::Branch || op == MachineOp::BranchTable || op == MachineOp::BranchDivided;
}

class BranchFollower {
 public:
  BranchFollower(const Module& module, const Function& function, ExecutedBranches& out)
      : module_(module),
        function_(function),
        out_(out),
        facts_(facts_of(module, function)),
        blocks_(facts_->machine_blocks()),
        loops_(facts_->loops()),
        made_(function.instructions.size(), false),
        copies_(function.instructions.size(), 0),
        last_of_(function.instructions.size(), kNone) {}

  void run() {
    if (blocks_.blocks.empty()) return;
    std::vector<std::uint32_t> others;
    for (std::uint32_t i = 0; i < code().size(); ++i) {
      if (!is_branch(code()[i].op) || !blocks_.blocks[blocks_.block_of[i]].normal) continue;
      const std::uint32_t branch = branch_of(code()[i]);
      if (branch == kNone) {
        others.push_back(i);
        continue;
      }
      made_[branch] = true;
      ++copies_[branch];
      last_of_[branch] = i;
    }
    out_.jump_after.clear();
    for (const std::uint32_t i : others) {
      const std::uint32_t asked = question_of(code()[i]);
      // Beside a branch of its own it is another's, unless the branch is there more than once.
      if (asked != kNone && copies_[asked] != 1)
        made_[head_of(asked)] = true;
      else if (!belongs_to_loop(i))
        add(i);
    }
    set_forms();
  }

 private:
  const std::vector<MachineInstruction>& code() const { return function_.machine; }
  const Form& form(std::uint32_t i) const { return module_.form(function_.instructions[i]); }
  bool is_known(const MachineInstruction& machine) const {
    return machine.made_of < function_.instructions.size();
  }
  bool is_conditional(std::uint32_t i) const {
    return form(i).opcode == Opcode::Bra && function_.instructions[i].guard.predicate != kNone;
  }

  // The branch of the PTX that one of the machine was made of. Of `@p bra A; bra.uni B; A:` it can be the
  // second that ptxas names for the first, turned round.
  std::uint32_t branch_of(const MachineInstruction& machine) const {
    if (!is_known(machine) || machine.op == MachineOp::BranchDivided) return kNone;
    const std::uint32_t i = machine.made_of;
    if (form(i).opcode == Opcode::Brx) return i;
    if (form(i).opcode != Opcode::Bra) return kNone;
    const bool alone = function_.blocks[function_.block_of[i]].first == i;
    const bool turned = machine.guarded && !is_conditional(i) && alone && i > 0 && is_conditional(i - 1);
    return turned ? i - 1 : i;
  }

  // The branch at the end of the block whose comparison a branch of the machine was made of.
  std::uint32_t question_of(const MachineInstruction& machine) const {
    const bool asks =
        (machine.op == MachineOp::Branch && machine.guarded) || machine.op == MachineOp::BranchTable;
    if (!asks || !is_known(machine) || form(machine.made_of).opcode != Opcode::Setp) return kNone;
    const std::uint32_t end = function_.blocks[function_.block_of[machine.made_of]].last - 1;
    return is_conditional(end) ? end : kNone;
  }

  bool is_further_question(std::uint32_t i) const {
    return std::ranges::find(out_.further_questions, i) != out_.further_questions.end();
  }

  // The first question of the table that a question belongs to.
  std::uint32_t head_of(std::uint32_t question) const {
    while (is_further_question(question)) {
      const std::uint32_t block = function_.block_of[question];
      if (block == 0) break;
      question = function_.blocks[block - 1].last - 1;
    }
    return question;
  }

  // One that chooses between the copies of an unrolled loop's body: its way leads over a part of the body to
  // another branch of the loop.
  bool belongs_to_loop(std::uint32_t i) const {
    if (code()[i].op != MachineOp::Branch || code()[i].target >= code().size()) return false;
    return std::ranges::any_of(loops_, [&](const UnrolledLoop& loop) {
      const std::uint32_t last = last_of_[loop.branch];
      return last != kNone && i < last && code()[i].target <= last + 1 && skips_body(loop, i);
    });
  }

  bool skips_body(const UnrolledLoop& loop, std::uint32_t jump) const {
    for (std::uint32_t at = jump + 1; at < code()[jump].target; ++at) {
      const MachineInstruction& machine = code()[at];
      const bool stays = machine.op == MachineOp::Load || machine.op == MachineOp::Store ||
                         machine.op == MachineOp::Branch || machine.op == MachineOp::Shuffle;
      if (stays && machine.made_of >= loop.first && machine.made_of <= loop.branch) return true;
    }
    return false;
  }

  // Copies of one branch, in the copies of an unrolled loop, share its executions.
  void add(std::uint32_t i) {
    const std::uint32_t as = runs_as(i);
    if (as != kNone && added_.emplace(code()[i].made_of, as).second) out_.jump_after.push_back(as);
  }

  // An instruction that is executed as often as the branch.
  std::uint32_t runs_as(std::uint32_t i) const {
    const MachineInstruction& machine = code()[i];
    const MachineBlock& block = blocks_.blocks[blocks_.block_of[i]];
    if (machine.op == MachineOp::BranchDivided) {
      // In front of the shuffle or vote that it asks for.
      for (std::uint32_t at = i + 1; at < code().size() && at < i + kNear; ++at)
        if ((code()[at].op == MachineOp::Shuffle || code()[at].op == MachineOp::Vote) && is_known(code()[at]))
          return code()[at].made_of;
    } else if (is_known(machine)) {
      const Form& made_of = form(machine.made_of);
      if (made_of.opcode == Opcode::Atom || made_of.opcode == Opcode::Red ||
          execution_of(made_of, &function_.instructions[machine.made_of]) == Execution::Subroutine)
        return machine.made_of;
    }
    if (block.runs_as != kNone) return block.runs_as;
    if (!machine.guarded && block.mostly != kNone) return block.mostly;
    return is_known(machine) ? machine.made_of : kNone;
  }

  void set_forms() {
    std::vector<bool> exits(made_.size(), false);
    for (const MachineInstruction& machine : code())
      if (machine.op == MachineOp::Exit && is_known(machine)) exits[machine.made_of] = true;
    for (std::uint32_t i = 0; i < made_.size(); ++i) {
      if (form(i).opcode != Opcode::Bra && form(i).opcode != Opcode::Brx) continue;
      out_.forms[i] = made_[i] ? BranchForm::Branches : exits[i] ? BranchForm::Leaves : BranchForm::Removed;
    }
    std::vector<std::uint32_t> kept;
    for (const std::uint32_t i : out_.further_questions)
      if (!made_[i] && made_[head_of(i)]) kept.push_back(i);
    out_.further_questions = std::move(kept);
  }

  static constexpr std::uint32_t kNear = 12;

  const Module& module_;
  const Function& function_;
  ExecutedBranches& out_;
  const std::shared_ptr<const FunctionFacts> facts_;
  const MachineBlocks& blocks_;
  const std::vector<UnrolledLoop>& loops_;
  std::vector<bool> made_;              // of each branch: whether the machine has one
  std::vector<int> copies_;             // how many, those made of its comparison left out
  std::vector<std::uint32_t> last_of_;  // the last of these; kNone
  std::set<std::pair<std::uint32_t, std::uint32_t>> added_;  // made of, runs as
};

}  // namespace

void follow_machine_branches(const Module& module, const Function& function, ExecutedBranches& out) {
  BranchFollower(module, function, out).run();
}

}  // namespace warplens::ptx
