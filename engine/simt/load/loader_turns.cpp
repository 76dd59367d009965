// Where loops begin another turn, and which rows decide whether that is the last.
#include <algorithm>

#include "engine/ptx/facts/function_facts.h"
#include "engine/simt/load/loader.h"

namespace warplens::simt {

namespace {

// Of all turns together; what a hostile text wants beyond them is not watched.
constexpr std::size_t kMostRows = std::size_t{1} << 20;

}  // namespace

void Loader::mark_turns(std::uint32_t routine) {
  const auto facts = ptx::facts_of(module_, *function_);
  const ptx::SteeredLoops& loops = facts->steered();
  if (loops.loops.empty()) return;
  std::size_t rows = 0;
  for (const LoopTurn& turn : program_->turns) rows += turn.rows.size();
  for (std::uint32_t s = program_->routines[routine].entry; s < program_->segments.size(); ++s) {
    const Segment& edge = program_->segments[s];
    if (edge.flow != Flow::Branch || edge.target > s) continue;
    Segment& begins = program_->segments[edge.target];
    if (begins.turn != kNoRow || begins.instruction_count == 0) continue;
    const std::uint32_t first = program_->instructions[begins.first_instruction].index;
    const std::uint32_t block = function_->block_of[first];
    if (loops.loop_of[block] == ptx::kNone) continue;
    const ptx::SteeredLoop& loop = loops.loops[loops.loop_of[block]];
    const std::uint32_t base = begins.first_instruction - first;
    LoopTurn turn;
    turn.leads_out = loop.leads_out;
    turn.first = base + loop.first;
    turn.back = base + loop.back;
    turn.reads_memory = loop.by == ptx::SteeredLoop::By::Memory;
    // The rows of a recursive routine are those of its innermost call.
    turn.steered =
        loop.by != ptx::SteeredLoop::By::More && !program_->routines[routine].recursive && rows < kMostRows;
    if (turn.steered) {
      facts->liveness().for_each_live_in(block, [&](ptx::RegisterId r) {
        if (launch_constant_[r] || rows_[r] == kNoRow || !std::ranges::binary_search(loop.steering, r))
          return;
        const ptx::Type type = function_->registers[r].type;
        const int bytes = type == ptx::Type::Pred ? 0 : ptx::size_of(type);
        turn.rows.push_back({rows_[r], static_cast<std::uint8_t>(bytes)});
      });
      rows += turn.rows.size();
    }
    begins.turn = static_cast<std::uint32_t>(program_->turns.size());
    program_->turns.push_back(std::move(turn));
  }
}

}  // namespace warplens::simt
