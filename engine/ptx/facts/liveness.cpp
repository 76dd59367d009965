#include "engine/ptx/facts/liveness.h"

#include <algorithm>
#include <bit>

#include "engine/base/work_limit.h"

namespace warplens::ptx {
namespace {

constexpr std::size_t kMostWords = std::size_t{1} << 25;  // of each of the two bit sets: 256 MiB

// 32-bit registers that a value takes.
std::uint32_t weight(Type type) {
  if (type == Type::Pred) return 0;
  return static_cast<std::uint32_t>(std::max(1, size_of(type) / 4));
}

// What one block does: registers read before any write, and registers surely written. A guarded write keeps
// the old value in some lanes, so it kills nothing.
struct BlockEffects {
  std::vector<RegisterId> exposed, killed;
};

BlockEffects effects_of(const Module& module, const Function& function, const BasicBlock& block,
                        std::vector<std::uint32_t>& killed_in, std::uint32_t block_index) {
  BlockEffects effects;
  for (std::uint32_t i = block.first; i < block.last; ++i) {
    const Instruction& instruction = function.instructions[i];
    const Uses uses = uses_of(module, function, instruction);
    const bool guarded = instruction.guard.predicate != kNone;
    for (const RegisterId reg : uses.reads) {
      if (killed_in[reg] != block_index) effects.exposed.push_back(reg);
    }
    for (const RegisterId reg : uses.writes) {
      if (guarded || killed_in[reg] == block_index) continue;
      killed_in[reg] = block_index;
      effects.killed.push_back(reg);
    }
  }
  return effects;
}

// Live registers while walking a block backwards, with their total weight.
class Counter {
 public:
  Counter(const Function& function, const std::vector<bool>& start) : function_(function), live_(start) {}
  void add(RegisterId reg) {
    if (live_[reg]) return;
    live_[reg] = true;
    touched_.push_back(reg);
    now_ += weight(function_.registers[reg].type);
  }
  void remove(RegisterId reg) {
    if (!live_[reg]) return;
    live_[reg] = false;
    now_ -= weight(function_.registers[reg].type);
  }
  std::uint32_t now() const { return now_; }
  void clear() {
    for (const RegisterId reg : touched_) live_[reg] = false;
    touched_.clear();
    now_ = 0;
  }

 private:
  const Function& function_;
  std::vector<bool> live_;
  std::vector<RegisterId> touched_;
  std::uint32_t now_ = 0;
};

}  // namespace

bool Liveness::get(const std::vector<std::uint64_t>& bits, std::uint32_t block, RegisterId reg) const {
  const std::uint32_t bit = bit_of_[reg];
  if (bit == kNone) return false;
  return everywhere_ || (bits[block * words_ + bit / 64] >> (bit % 64) & 1) != 0;
}

bool Liveness::live_in(std::uint32_t block, RegisterId reg) const {
  return get(in_, block, reg);
}

Liveness Liveness::compute(const Module& module, const Function& function) {
  Liveness result;
  const std::size_t blocks = function.blocks.size();
  result.bit_of_.assign(function.registers.size(), kNone);
  std::vector<BlockEffects> effects(blocks);
  std::vector<std::uint32_t> killed_in(function.registers.size(), kNone);
  for (std::uint32_t b = 0; b < blocks; ++b) {
    effects[b] = effects_of(module, function, function.blocks[b], killed_in, b);
    for (const RegisterId reg : effects[b].exposed) {
      if (result.bit_of_[reg] != kNone) continue;
      result.bit_of_[reg] = static_cast<std::uint32_t>(result.register_of_.size());
      result.register_of_.push_back(reg);
    }
  }
  result.blocks_ = blocks;
  result.words_ = (result.register_of_.size() + 63) / 64;
  result.everywhere_ = blocks != 0 && result.words_ > kMostWords / blocks;
  if (!result.everywhere_) {
    result.solve(function, effects.size(), [&](std::uint32_t b, std::uint64_t* gen, std::uint64_t* kill) {
      const auto set = [&](RegisterId reg, std::uint64_t* row) {
        const std::uint32_t bit = result.bit_of_[reg];
        if (bit != kNone) row[bit / 64] |= std::uint64_t{1} << (bit % 64);
      };
      for (const RegisterId reg : effects[b].exposed) set(reg, gen);
      for (const RegisterId reg : effects[b].killed) set(reg, kill);
    });
  }
  result.measure_pressure(module, function);
  return result;
}

void Liveness::solve(const Function& function, std::size_t blocks,
                     const std::function<void(std::uint32_t, std::uint64_t*, std::uint64_t*)>& effects) {
  in_.assign(blocks * words_, 0);
  out_.assign(blocks * words_, 0);
  std::vector<bool> waiting(blocks, true);
  std::vector<std::uint32_t> work(blocks);  // taken from the back: the last block first
  for (std::uint32_t b = 0; b < blocks; ++b) work[b] = b;
  std::vector<std::uint64_t> gen(words_), kill(words_);
  while (!work.empty()) {
    work_step();
    const std::uint32_t b = work.back();
    work.pop_back();
    waiting[b] = false;
    std::fill(gen.begin(), gen.end(), 0);
    std::fill(kill.begin(), kill.end(), 0);
    effects(b, gen.data(), kill.data());
    std::uint64_t* const out = out_.data() + b * words_;
    std::uint64_t* const in = in_.data() + b * words_;
    bool changed = false;
    for (std::size_t w = 0; w < words_; ++w) {
      for (const std::uint32_t to : function.blocks[b].successors) out[w] |= in_[to * words_ + w];
      const std::uint64_t now = gen[w] | (out[w] & ~kill[w]);
      changed |= now != in[w];
      in[w] = now;
    }
    if (!changed) continue;
    for (const std::uint32_t from : function.blocks[b].predecessors) {
      if (!waiting[from]) work.push_back(from);
      waiting[from] = true;
    }
  }
}

void Liveness::measure_pressure(const Module& module, const Function& function) {
  Counter counter(function, std::vector<bool>(function.registers.size(), false));
  for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
    counter.clear();
    for_each_live_out(b, [&](RegisterId reg) { counter.add(reg); });
    pressure_ = std::max(pressure_, counter.now());
    for (std::uint32_t i = function.blocks[b].last; i-- > function.blocks[b].first;) {
      const Uses uses = uses_of(module, function, function.instructions[i]);
      for (const RegisterId reg : uses.writes) counter.add(reg);  // a result nobody reads still needs a place
      pressure_ = std::max(pressure_, counter.now());
      if (function.instructions[i].guard.predicate == kNone) {
        for (const RegisterId reg : uses.writes) counter.remove(reg);
      }
      for (const RegisterId reg : uses.reads) counter.add(reg);
      pressure_ = std::max(pressure_, counter.now());
    }
  }
}

}  // namespace warplens::ptx
