#include "engine/ptx/rules/meeting_places.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/base/work_limit.h"
#include "engine/ptx/rules/loop_exits.h"

namespace warplens::ptx {
namespace {

constexpr std::uint32_t kNowhere = MachineInstruction::kNowhere;
// Of the instructions of a block of the machine, at most one in so many was moved there from elsewhere.
constexpr int kMoved = 4;

bool steers(MachineOp op) {
  return ends_block(op) || op == MachineOp::Meet || op == MachineOp::Met || op == MachineOp::Leave;
}

bool ends_function(const BasicBlock& block) {
  return block.successors.empty() && block.last == block.first + 1;
}

// Of each block, the one where the way to it begins that has neither a branch nor a second way in. A loop
// that nothing leads into has no beginning: any of its blocks stands for it.
std::vector<std::uint32_t> straight_ways(const std::vector<BasicBlock>& blocks) {
  std::vector<std::uint32_t> begins(blocks.size(), kNone);
  std::vector<std::uint32_t> way;
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    std::uint32_t at = b;
    for (way.clear(); begins[at] == kNone; at = blocks[at].predecessors.front()) {
      work_step();
      begins[at] = at;  // also where the walk comes round again
      way.push_back(at);
      if (blocks[at].successors.size() != 1 || blocks[at].predecessors.size() != 1) break;
    }
    for (const std::uint32_t passed : way) begins[passed] = begins[at];
  }
  return begins;
}

// The blocks of a function's machine code, and with which PTX block each begins.
class MachineMeetings {
 public:
  explicit MachineMeetings(const Function& function);
  std::vector<bool> apart() const;
  void meet(std::vector<std::uint32_t>& places) const;

 private:
  struct Block {
    std::uint32_t first = 0, last = 0;
    std::vector<std::uint32_t> from;  // blocks that lead here
    bool from_table = false;          // a jump through a table may lead here
    bool meets = false;               // whoever comes here has waited for the others
    std::uint32_t begins = kNone;     // a block of the PTX
  };
  void find_blocks();
  void connect();
  void find_meetings();
  std::uint32_t begins_with(const Block& block) const;
  bool reached_apart(std::uint32_t block) const;
  bool leave(std::uint32_t first, std::uint32_t last) const;

  const Function& function_;
  const std::vector<MachineInstruction>& code_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> block_of_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> loops_;  // first and last block
};

MachineMeetings::MachineMeetings(const Function& function) : function_(function), code_(function.machine) {
  find_blocks();
  connect();
  for (Block& block : blocks_) block.begins = begins_with(block);
  find_meetings();
}

void MachineMeetings::find_blocks() {
  std::vector<bool> leader(code_.size() + 1, false);
  leader[0] = true;
  for (std::uint32_t i = 0; i < code_.size(); ++i) {
    if (ends_block(code_[i].op)) leader[i + 1] = true;
    if (code_[i].target != kNowhere) leader[code_[i].target] = true;
  }
  for (std::uint32_t i = 0; i < code_.size(); ++i) {
    if (leader[i]) blocks_.emplace_back().first = i;
    blocks_.back().last = i + 1;
    block_of_.push_back(static_cast<std::uint32_t>(blocks_.size() - 1));
  }
}

void MachineMeetings::connect() {
  const bool table = std::ranges::any_of(code_, [](const auto& i) { return i.op == MachineOp::BranchTable; });
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
    const MachineInstruction& last = code_[blocks_[b].last - 1];
    const bool falls = !ends_block(last.op) || last.guarded;
    if (b + 1 < blocks_.size() && falls) blocks_[b + 1].from.push_back(b);
    if (b + 1 < blocks_.size() && !falls) blocks_[b + 1].from_table = table;
    if (!is_jump(last.op) || last.target == kNowhere) continue;
    const std::uint32_t to = block_of_[last.target];
    blocks_[to].from.push_back(b);
    if (to <= b) loops_.emplace_back(to, b);
  }
}

// A part that is predicated belongs to the block around it.
std::uint32_t MachineMeetings::begins_with(const Block& block) const {
  std::map<std::uint32_t, int> made;  // in the order of the text
  int most = 0;
  for (std::uint32_t i = block.first; i < block.last; ++i)
    if (code_[i].made_of != kNowhere && !code_[i].guarded && !steers(code_[i].op))
      most = std::max(most, ++made[function_.block_of[code_[i].made_of]]);
  for (const auto& [at, count] : made)
    if (count * kMoved >= most) return at;
  return kNone;
}

void MachineMeetings::find_meetings() {
  for (const MachineInstruction& i : code_) {
    if (i.op != MachineOp::Meet || i.target == kNowhere) continue;
    Block& at = blocks_[block_of_[i.target]];
    at.meets = std::ranges::all_of(
        at.from, [&](std::uint32_t from) { return code_[blocks_[from].last - 1].op == MachineOp::Met; });
    // Nothing but a jump: what counts is where it leads, if nobody else comes there.
    const MachineInstruction& only = code_[at.first];
    if (!at.meets || at.last != at.first + 1 || !is_jump(only.op) || only.target == kNowhere) continue;
    Block& to = blocks_[block_of_[only.target]];
    if (to.from.size() == 1) to.meets = true;
  }
}

// By several ways, or out of different turns of a loop.
bool MachineMeetings::reached_apart(std::uint32_t block) const {
  const Block& at = blocks_[block];
  if (at.from.size() + (at.from_table ? 1 : 0) > 1) return true;
  return std::ranges::any_of(at.from, [&](std::uint32_t from) {
    return std::ranges::any_of(loops_, [&](const auto& loop) {
      const auto inside = [&](std::uint32_t b) { return loop.first <= b && b <= loop.second; };
      return inside(from) && !inside(block);
    });
  });
}

std::vector<bool> MachineMeetings::apart() const {
  const std::vector<BasicBlock>& blocks = function_.blocks;
  std::vector<bool> meets(blocks.size(), false), apart(blocks.size(), false);
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
    if (blocks_[b].begins == kNone) continue;
    if (blocks_[b].meets) meets[blocks_[b].begins] = true;
    if (reached_apart(b)) apart[blocks_[b].begins] = true;
  }
  // Lanes do not part where the machine has no branch for one in the PTX.
  std::vector<bool> parts(blocks.size(), false);
  for (const MachineInstruction& i : code_)
    if (i.made_of != kNowhere && ends_block(i.op)) parts[function_.block_of[i.made_of]] = true;
  const std::vector<std::uint32_t> begins = straight_ways(blocks);
  const auto comes_apart = [&](std::uint32_t from) {
    from = begins[from];
    return blocks[from].successors.size() == 1 || parts[from];
  };
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    const bool end = function_.is_entry && ends_function(blocks[b]);  // met or not, it is all the same
    apart[b] = !meets[b] && !end && (apart[b] || std::ranges::all_of(blocks[b].predecessors, comes_apart));
  }
  return apart;
}

bool MachineMeetings::leave(std::uint32_t first, std::uint32_t last) const {
  return std::any_of(code_.begin() + first, code_.begin() + last,
                     [](const MachineInstruction& i) { return i.op == MachineOp::Leave; });
}

// Lanes that part between BSSY and BSYNC meet behind it, also where others come there that do not wait: that
// is no place where lanes of the same join meet. Only where those that do not come there end.
void MachineMeetings::meet(std::vector<std::uint32_t>& places) const {
  std::map<std::uint32_t, int> copies;  // of branches, by instruction
  for (const MachineInstruction& i : code_)
    if (ends_block(i.op)) ++copies[i.made_of];
  const std::vector<std::uint32_t> usual = places;
  for (std::uint32_t b = 0; b < code_.size(); ++b) {
    const MachineInstruction& begin = code_[b];
    if (begin.op != MachineOp::Meet || begin.target == kNowhere || begin.target < b) continue;
    const Block& at = blocks_[block_of_[begin.target]];
    const bool by_the_way = !at.meets && at.begins != kNone && !leave(b, begin.target);
    std::map<std::uint32_t, int> inside;
    for (std::uint32_t i = b; i < begin.target; ++i)
      if (ends_block(code_[i].op) && code_[i].made_of != kNowhere) ++inside[code_[i].made_of];
    for (const auto& [branch, count] : inside) {
      const std::uint32_t from = function_.block_of[branch];
      const bool rest_ends = usual[from] == kNone || ends_function(function_.blocks[usual[from]]);
      if (count == copies[branch] && rest_ends) places[from] = by_the_way ? at.begins : usual[from];
    }
  }
}

}  // namespace

MeetingPlaces meeting_places(const Function& function) {
  MeetingPlaces places;
  for (const BasicBlock& block : function.blocks) places.meet.push_back(block.immediate_post_dominator);
  places.apart = loops_passed_apart(function);
  return places;
}

MeetingPlaces machine_meeting_places(const Function& function) {
  MeetingPlaces places;
  for (const BasicBlock& block : function.blocks) places.meet.push_back(block.immediate_post_dominator);
  const MachineMeetings machine(function);
  places.apart = machine.apart();
  machine.meet(places.meet);
  return places;
}

}  // namespace warplens::ptx
