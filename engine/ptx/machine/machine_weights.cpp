#include "engine/ptx/machine/machine_weights.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "engine/ptx/facts/function_facts.h"

namespace warplens::ptx {
namespace {

bool parts(MachineOp op) {
  return op == MachineOp::Branch || op == MachineOp::BranchTable;
}

class Weigher {
 public:
  Weigher(const Module& module, const Function& function)
      : module_(module),
        function_(function),
        facts_(facts_of(module, function)),
        all_(facts_->machine_blocks()) {}

  MachineWeights weigh() {
    if (all_.blocks.empty()) return {};
    count_turns();
    MachineWeights out;
    out.of_instruction.assign(function_.instructions.size(), 0.0);
    out.of_parting.assign(function_.instructions.size(), 0.0);
    for (std::uint32_t b = 0; b < all_.blocks.size(); ++b) {
      const MachineBlock& block = all_.blocks[b];
      const std::uint32_t as = block.runs_as != kNone ? block.runs_as : block.mostly;
      if (block.normal && as != kNone) out.of_instruction[as] += share_of(as, b) * size_of_block(b);
    }
    count_meetings(out.of_parting);
    return out;
  }

 private:
  const std::vector<MachineInstruction>& code() const { return function_.machine; }
  double size_of_block(std::uint32_t b) const {
    double size = all_.blocks[b].last - all_.blocks[b].first;
    const auto last = all_.routines.lower_bound(all_.blocks[b].last);
    for (auto at = all_.routines.lower_bound(all_.blocks[b].first); at != last; ++at) size += at->second;
    return size;
  }

  // What was made of an instruction once a turn. A fragment is several accesses.
  bool counts_turns(const MachineInstruction& machine) const {
    return machine.op >= MachineOp::Load && machine.op <= MachineOp::UniformConstant &&
           module_.form(function_.instructions[machine.made_of]).opcode != Opcode::Wmma;
  }

  // How many turns of each PTX block one run of each machine block makes: as often as most of its accesses
  // stand there.
  void count_turns() {
    // Machine block, instruction, and what was made of it: an atomic becomes several.
    std::map<std::tuple<std::uint32_t, std::uint32_t, MachineOp>, int> copies;
    for (std::uint32_t i = 0; i < code().size(); ++i) {
      const std::uint32_t block = all_.block_of[i];
      if (!all_.blocks[block].normal || code()[i].made_of >= function_.instructions.size()) continue;
      std::vector<std::uint32_t>& blocks = in_blocks_[code()[i].made_of];
      if (tells(code()[i]) && (blocks.empty() || blocks.back() != block)) blocks.push_back(block);
      if (counts_turns(code()[i])) ++copies[{block, code()[i].made_of, code()[i].op}];
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<int, int>> votes;  // machine block, PTX block
    for (const auto& [place, count] : copies)
      ++votes[{std::get<0>(place), function_.block_of[std::get<1>(place)]}][count];
    for (const auto& [place, counts] : votes) {
      const auto usual = std::ranges::max_element(counts, {}, [](const auto& vote) { return vote.second; });
      turns_[place] = usual->first;
    }
  }

  int turns(std::uint32_t machine_block, std::uint32_t instruction) const {
    const auto found = turns_.find({machine_block, function_.block_of[instruction]});
    return found == turns_.end() ? 1 : found->second;
  }

  // How often a block runs with one execution of the instruction that it runs as often as. Of a loop unrolled
  // by 4, 2 and 1 the block with four copies runs every fourth time; the rest is shared out.
  double share_of(std::uint32_t as, std::uint32_t block) const {
    const auto found = in_blocks_.find(as);
    if (found == in_blocks_.end() || found->second.empty()) return 1.0;
    int most = 0, all = 0, with_most = 0;
    for (const std::uint32_t where : found->second) {
      const int count = turns(where, as);
      all += count;
      with_most = count > most ? 1 : with_most + (count == most ? 1 : 0);
      most = std::max(most, count);
    }
    const bool here = std::ranges::find(found->second, block) != found->second.end();
    if (here && turns(block, as) < most) return 1.0 / all;
    return 1.0 / (static_cast<double>(most) * with_most);
  }

  // BSSY to the place that it names.
  struct Region {
    std::uint32_t first = 0, last = 0;
    std::uint32_t instructions = 0;  // that each group executes as it comes: the BSYNC and what is before it
  };

  // A BSYNC at the end of one way is weighed with that way.
  std::vector<Region> regions() const {
    std::vector<int> ways(all_.blocks.size(), 0);
    for (std::uint32_t b = 0; b < all_.blocks.size(); ++b) {
      const std::vector<std::uint32_t>& next = all_.blocks[b].successors;
      const bool turns = std::ranges::any_of(next, [&](std::uint32_t to) { return to <= b; });
      for (const std::uint32_t to : next) ways[to] += turns && to > b ? 2 : 1;  // out of one turn or another
    }
    std::vector<Region> found;
    for (std::uint32_t i = 0; i < code().size(); ++i) {
      const std::uint32_t target = code()[i].target;
      if (code()[i].op != MachineOp::Meet || target >= code().size() || target <= i) continue;
      Region region{i, target, 0};
      const std::uint32_t block = all_.block_of[target - 1];
      if (code()[target - 1].op == MachineOp::Met && ways[block] > 1 && all_.blocks[block].normal)
        region.instructions = all_.blocks[block].last - all_.blocks[block].first;
      found.push_back(region);
    }
    return found;
  }

  // The branch at the end of a PTX block that one of the machine was made of, or of whose comparison.
  std::uint32_t branch_of(const MachineInstruction& machine) const {
    if (machine.made_of >= function_.instructions.size()) return kNone;
    const Opcode opcode = module_.form(function_.instructions[machine.made_of]).opcode;
    if (opcode == Opcode::Bra || opcode == Opcode::Brx) return machine.made_of;
    if (opcode != Opcode::Setp) return kNone;
    const std::uint32_t end = function_.blocks[function_.block_of[machine.made_of]].last - 1;
    return module_.form(function_.instructions[end]).opcode == Opcode::Bra ? end : kNone;
  }

  // Lanes that part at a branch come to the end of the innermost region around it in one group more.
  void count_meetings(std::vector<double>& of_parting) const {
    const std::vector<Region> all = regions();
    std::map<std::uint32_t, int> copies;
    for (std::uint32_t i = 0; i < code().size(); ++i) {
      const bool normal = all_.blocks[all_.block_of[i]].normal;
      if (!parts(code()[i].op) || !normal) continue;
      const std::uint32_t branch = branch_of(code()[i]);
      if (branch == kNone) continue;
      ++copies[branch];
      const Region* innermost = nullptr;
      for (const Region& region : all)
        if (region.first < i && i < region.last && leads_into(region, i) &&
            (innermost == nullptr || region.first > innermost->first))
          innermost = &region;
      if (innermost != nullptr) of_parting[branch] += innermost->instructions;
    }
    for (const auto& [branch, count] : copies) of_parting[branch] /= count;
  }

  bool leads_into(const Region& region, std::uint32_t branch) const {
    const std::uint32_t target = code()[branch].target;
    return target >= code().size() || target <= region.last;
  }

  const Module& module_;
  const Function& function_;
  const std::shared_ptr<const FunctionFacts> facts_;
  const MachineBlocks& all_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> turns_;   // machine block, PTX block
  std::map<std::uint32_t, std::vector<std::uint32_t>> in_blocks_;  // of each instruction
};

}  // namespace

MachineWeights machine_weights(const Module& module, const Function& function) {
  return Weigher(module, function).weigh();
}

}  // namespace warplens::ptx
