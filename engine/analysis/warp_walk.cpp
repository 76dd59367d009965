#include "engine/analysis/warp_walk.h"

#include <algorithm>
#include <map>
#include <utility>

namespace warplens::analysis {
namespace {

using trace::StepKind;

constexpr std::uint32_t kNoStep = 0xffffffffu;

using SiteMap = std::map<std::pair<std::uint32_t, std::uint32_t>, trace::SiteId>;

class Walker {
 public:
  Walker(const ptx::Module& module, const trace::Trace& trace, const SiteMap& sites,
         const std::vector<std::uint32_t>& steps, std::uint32_t entry, std::size_t most)
      : module_(module), trace_(trace), sites_(sites), steps_(steps), function_(entry), most_(most) {}

  // False: there was more.
  bool run(std::vector<WalkedStep>& out) {
    while (out.size() < most_) {
      follow_masks();
      // Where the record ends the branches are not known: what is straight code would be taken for the end.
      if (trace_.truncated() && next_ >= steps_.size()) return false;
      const ptx::Function& f = module_.functions[function_];
      if (at_ >= f.instructions.size()) return true;
      const ptx::Instruction& instruction = f.instructions[at_];
      const ptx::Opcode opcode = module_.form(instruction).opcode;
      WalkedStep& walked = out.emplace_back(WalkedStep{function_, at_, active_, kNoStep});
      ++count_;
      const auto site = sites_.find({function_, at_});
      const bool told = site != sites_.end() && next_is(site->second);
      const StepKind kind = told ? trace_.steps()[steps_[next_]].kind : StepKind::Mask;
      if (told && kind == StepKind::Access) {
        walked.step = steps_[next_];
        // A fragment of a matrix is read by several accesses of one instruction.
        while (opcode == ptx::Opcode::Wmma && next_ + 1 < steps_.size() && same_site(next_, next_ + 1)) {
          ++next_;
          out.push_back({function_, at_, active_, steps_[next_]});
        }
      }
      if (!go_on(f, instruction, opcode, told, kind)) return true;
    }
    return false;
  }

 private:
  bool next_is(trace::SiteId site) const {
    return next_ < steps_.size() && trace_.steps()[steps_[next_]].kind != StepKind::Mask &&
           trace_.steps()[steps_[next_]].site == site;
  }

  bool same_site(std::size_t a, std::size_t b) const {
    return trace_.steps()[steps_[b]].kind == StepKind::Access &&
           trace_.steps()[steps_[a]].site == trace_.steps()[steps_[b]].site;
  }

  // Lanes parted, met, or left: the others go on elsewhere.
  void follow_masks() {
    while (next_ < steps_.size() && trace_.steps()[steps_[next_]].kind == StepKind::Mask) {
      const trace::MaskView mask = trace_.mask(steps_[next_]);
      if (mask.warp_instruction > count_ && count_ != 0) return;
      active_ = mask.active;
      at_ = mask.instruction;
      ++next_;
    }
  }

  // To the instruction behind; false where the warp ends.
  bool go_on(const ptx::Function& f, const ptx::Instruction& instruction, const ptx::Opcode opcode, bool told,
             StepKind kind) {
    const bool guarded = instruction.guard.predicate != ptx::kNone;
    std::uint32_t next = at_ + 1;
    if (told && kind == StepKind::Branch) {
      const trace::BranchView branch = trace_.branch(steps_[next_]);
      if (branch.taken == branch.active) next = target(instruction, next);
    } else if (opcode == ptx::Opcode::Bra && !guarded) {
      next = target(instruction, next);
    } else if (opcode == ptx::Opcode::Exit && !guarded) {
      return more_to_come();
    } else if (opcode == ptx::Opcode::Ret && !guarded) {
      if (callers_.empty()) return more_to_come();
      std::tie(function_, next) = callers_.back();
      callers_.pop_back();
    } else if (opcode == ptx::Opcode::Call && !guarded && callers_.size() < 64) {
      if (const std::uint32_t callee = callee_of(instruction); callee != ptx::kNone) {
        callers_.emplace_back(function_, next);
        function_ = callee;
        next = 0;
      }
    }
    if (told) {
      ++next_;
      // A barrier is told when it is reached and when it lets the warp go.
      while (kind == StepKind::Barrier && is_release()) ++next_;
    }
    at_ = next;
    return &f != &module_.functions[function_] || at_ < f.instructions.size() || more_to_come();
  }

  bool is_release() const {
    return next_ < steps_.size() && trace_.steps()[steps_[next_]].kind == StepKind::Barrier &&
           trace_.barrier(steps_[next_]).phase == trace::Barrier::Phase::Release;
  }
  bool more_to_come() const {
    return next_ < steps_.size() && trace_.steps()[steps_[next_]].kind == StepKind::Mask;
  }
  static std::uint32_t target(const ptx::Instruction& instruction, std::uint32_t otherwise) {
    for (const ptx::Operand& operand : instruction.operands)
      if (operand.kind == ptx::OperandKind::Label) return static_cast<std::uint32_t>(operand.value);
    return otherwise;
  }
  std::uint32_t callee_of(const ptx::Instruction& instruction) const {
    for (const ptx::Operand& operand : instruction.operands)
      if (operand.kind == ptx::OperandKind::Symbol)
        for (std::uint32_t i = 0; i < module_.functions.size(); ++i)
          if (module_.functions[i].name == operand.symbol && !module_.functions[i].instructions.empty())
            return i;
    return ptx::kNone;
  }

  const ptx::Module& module_;
  const trace::Trace& trace_;
  const SiteMap& sites_;
  const std::vector<std::uint32_t>& steps_;
  std::uint32_t function_ = 0, at_ = 0;
  std::size_t most_, next_ = 0;
  std::uint64_t count_ = 0;
  LaneMask active_ = kFullMask;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> callers_;
};

}  // namespace

WarpWalk walk_block(const ptx::Module& module, const ptx::Function& entry, const trace::Trace& trace,
                    const trace::BlockSteps& block, std::size_t most) {
  SiteMap sites;
  for (const trace::Site& site : trace.sites) sites[{site.function, site.instruction}] = site.index;
  std::vector<std::vector<std::uint32_t>> steps;
  for (std::size_t i = block.first; i < block.last; ++i) {
    const std::uint32_t warp = trace.steps()[i].warp;
    if (warp >= 64) continue;
    if (steps.size() <= warp) steps.resize(warp + 1);
    steps[warp].push_back(static_cast<std::uint32_t>(i));
  }
  WarpWalk out;
  const auto function = static_cast<std::uint32_t>(&entry - module.functions.data());
  for (const std::vector<std::uint32_t>& own : steps)
    if (!Walker(module, trace, sites, own, function, most).run(out.warps.emplace_back())) out.cut = true;
  return out;
}

}  // namespace warplens::analysis
