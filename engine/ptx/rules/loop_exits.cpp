#include "engine/ptx/rules/loop_exits.h"

#include <algorithm>
#include <map>

#include "engine/base/work_limit.h"
#include "engine/ptx/syntax/dominators.h"

namespace warplens::ptx {
namespace {

// Loops of more blocks are left alone: their lanes meet wherever they can.
constexpr std::size_t kMostExitBlocks = 500;
// Blocks behind a way out that are followed to where it leads.
constexpr int kMostSteps = 64;

class LoopExits {
 public:
  explicit LoopExits(const Function& function)
      : blocks_(function.blocks), place_(blocks_.size(), kNone), apart_(blocks_.size(), false) {
    for (const BasicBlock& block : blocks_) {
      if (block.successors.size() > 1 && block.immediate_post_dominator != kNone)
        joins_.push_back(block.immediate_post_dominator);
    }
    std::sort(joins_.begin(), joins_.end());
  }
  std::vector<bool> solve();

 private:
  using Blocks = std::vector<std::uint32_t>;
  std::vector<Blocks> loops() const;  // the header first; larger ones first
  std::uint32_t leads_to(std::uint32_t block) const;
  void add_exits(std::uint32_t block, Blocks& places) const;
  Blocks inner_joins(const Blocks& body) const;
  bool entered_inside(const Blocks& body) const;
  void decide(const Blocks& body);
  bool inside(std::uint32_t block) const { return place_[block] != kNone; }

  const std::vector<BasicBlock>& blocks_;
  Blocks joins_;
  Blocks place_;  // in the body of the loop at hand
  std::vector<bool> apart_;
};

std::vector<LoopExits::Blocks> LoopExits::loops() const {
  std::map<std::uint32_t, Blocks> edges;  // header -> blocks that jump back to it
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
    for (const std::uint32_t to : blocks_[b].successors)
      if (to <= b) edges[to].push_back(b);
  }
  std::vector<Blocks> found;
  std::vector<std::uint32_t> seen(blocks_.size(), kNone);  // the last header whose loop holds it
  for (const auto& [header, from] : edges) {
    Blocks body{header};
    seen[header] = header;
    const auto add = [&](std::uint32_t b) {
      if (b < header || seen[b] == header) return;
      seen[b] = header;
      body.push_back(b);
    };
    for (const std::uint32_t b : from) add(b);
    for (std::size_t i = 1; i < body.size() && body.size() <= kMostExitBlocks; ++i) {
      work_step();
      for (const std::uint32_t before : blocks_[body[i]].predecessors) add(before);
    }
    if (body.size() <= kMostExitBlocks) found.push_back(std::move(body));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Blocks& a, const Blocks& b) { return a.size() > b.size(); });
  return found;
}

// Behind blocks that only these lanes pass; kNone: the lanes end.
std::uint32_t LoopExits::leads_to(std::uint32_t block) const {
  for (int steps = 0; steps < kMostSteps && blocks_[block].predecessors.size() == 1; ++steps) {
    if (blocks_[block].successors.empty()) return kNone;
    if (blocks_[block].successors.size() > 1) break;
    block = blocks_[block].successors[0];
  }
  return block;
}

void LoopExits::add_exits(std::uint32_t block, Blocks& places) const {
  for (const std::uint32_t to : blocks_[block].successors) {
    if (inside(to)) continue;
    const std::uint32_t place = leads_to(to);
    if (place != kNone && std::find(places.begin(), places.end(), place) == places.end())
      places.push_back(place);
  }
}

// Places in the loop at which the ways of a branch meet that do not leave it, where the others all leave it
// towards one place.
LoopExits::Blocks LoopExits::inner_joins(const Blocks& body) const {
  const auto turn = static_cast<std::uint32_t>(body.size());  // the end of a turn of the loop
  Graph backwards(body.size() + 1);
  for (std::uint32_t i = 0; i < turn; ++i) {
    for (const std::uint32_t to : blocks_[body[i]].successors)
      if (inside(to)) backwards[to == body[0] ? turn : place_[to]].push_back(i);
  }
  const std::vector<std::uint32_t> dominators = immediate_dominators(backwards, turn);
  Blocks result;
  std::vector<std::uint32_t> seen(body.size(), kNone);
  for (std::uint32_t i = 0; i < turn; ++i) {
    const std::uint32_t meets = dominators[i];
    const Blocks& ways = blocks_[body[i]].successors;
    const auto staying =
        std::count_if(ways.begin(), ways.end(), [&](std::uint32_t to) { return inside(to); });
    if (staying < 2 || meets >= turn) continue;
    Blocks places, open{i};
    seen[i] = i;
    while (!open.empty() && places.size() < 2) {
      work_step();
      const std::uint32_t at = body[open.back()];
      open.pop_back();
      add_exits(at, places);
      for (const std::uint32_t to : blocks_[at].successors) {
        if (!inside(to) || to == body[0] || place_[to] == meets || seen[place_[to]] == i) continue;
        seen[place_[to]] = i;
        open.push_back(place_[to]);
      }
    }
    if (places.size() < 2) result.push_back(body[meets]);
  }
  return result;
}

// Whether lanes can get into the loop by another block than its header.
bool LoopExits::entered_inside(const Blocks& body) const {
  return std::any_of(body.begin() + 1, body.end(), [&](std::uint32_t b) {
    const Blocks& from = blocks_[b].predecessors;
    return std::any_of(from.begin(), from.end(), [&](std::uint32_t before) { return !inside(before); });
  });
}

void LoopExits::decide(const Blocks& body) {
  for (std::uint32_t i = 0; i < body.size(); ++i) place_[body[i]] = i;
  Blocks places;
  for (const std::uint32_t b : body) add_exits(b, places);
  const bool entered = entered_inside(body), apart = entered || places.size() > 1;
  for (const std::uint32_t b : body)
    apart_[b] = apart && !std::binary_search(joins_.begin(), joins_.end(), b);
  if (apart && !entered) {
    for (const std::uint32_t b : inner_joins(body)) apart_[b] = false;
  }
  for (const std::uint32_t b : body) place_[b] = kNone;
}

std::vector<bool> LoopExits::solve() {
  for (const Blocks& body : loops()) decide(body);
  return apart_;
}

}  // namespace

std::vector<bool> loops_passed_apart(const Function& function) {
  return LoopExits(function).solve();
}

}  // namespace warplens::ptx
