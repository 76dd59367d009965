#include "engine/analysis/exchanges.h"

#include <algorithm>
#include <map>
#include <optional>

#include "engine/ptx/facts/function_facts.h"
#include "engine/trace/source_place.h"

namespace warplens::analysis {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::OperandKind;
using Held = std::array<LaneMask, kWarpSize>;  // lane -> lanes whose values it has

Held own_values() {
  Held out;
  for (int lane = 0; lane < kWarpSize; ++lane) out[static_cast<std::size_t>(lane)] = LaneMask{1} << lane;
  return out;
}

std::optional<Exchange::Kind> kind_of(const ptx::Form& form) {
  switch (form.opcode) {
    case Opcode::Shfl:
      return Exchange::Kind::Shuffle;
    case Opcode::Vote:
      return form.has(Modifier::Ballot) ? Exchange::Kind::Ballot
             : form.has(Modifier::All)  ? Exchange::Kind::All
                                        : Exchange::Kind::Any;
    case Opcode::Match:
      return Exchange::Kind::Match;
    case Opcode::Redux:
      return Exchange::Kind::Reduction;
    default:
      return std::nullopt;
  }
}

// CUDA C++ Programming Guide, warp vote, match, reduce and shuffle functions.
std::string function_of(const ptx::Form& form) {
  const auto has = [&](Modifier modifier) { return form.has(modifier); };
  switch (form.opcode) {
    case Opcode::Shfl:
      return has(Modifier::Up)     ? "__shfl_up_sync"
             : has(Modifier::Down) ? "__shfl_down_sync"
             : has(Modifier::Bfly) ? "__shfl_xor_sync"
                                   : "__shfl_sync";
    case Opcode::Vote:
      return has(Modifier::Ballot) ? "__ballot_sync" : has(Modifier::All) ? "__all_sync" : "__any_sync";
    case Opcode::Match:
      return has(Modifier::All) ? "__match_all_sync" : "__match_any_sync";
    default:
      return has(Modifier::And)   ? "__reduce_and_sync"
             : has(Modifier::Or)  ? "__reduce_or_sync"
             : has(Modifier::Min) ? "__reduce_min_sync"
             : has(Modifier::Max) ? "__reduce_max_sync"
             : has(Modifier::Xor) ? "__reduce_xor_sync"
                                  : "__reduce_add_sync";
  }
}

class Networks {
 public:
  Networks(const ptx::Module& module, const ptx::Function& function)
      : module_(module), function_(function), facts_(ptx::facts_of(module, function)), places_(function) {}

  std::vector<ExchangeNetwork> find() {
    find_constants();
    for (const ptx::BasicBlock& block : function_.blocks) {
      held_.clear();
      network_of_.clear();
      for (std::uint32_t i = block.first; i < block.last; ++i) step(i);
      for (ExchangeNetwork& network : open_) close(std::move(network));
      open_.clear();
    }
    return std::move(out_);
  }

 private:
  const ptx::Instruction& instruction(std::uint32_t i) const { return function_.instructions[i]; }

  // Registers that are written once, with a number.
  void find_constants() {
    std::map<ptx::RegisterId, int> writes;
    for (const ptx::Uses& uses : facts_->uses())
      for (const ptx::RegisterId reg : uses.writes) ++writes[reg];
    for (const ptx::Instruction& in : function_.instructions) {
      const bool moves = module_.form(in).opcode == Opcode::Mov && in.operands.size() == 2 &&
                         in.operands[0].kind == OperandKind::Register &&
                         in.operands[1].kind == OperandKind::Integer;
      if (moves && writes[in.operands[0].reg] == 1) constants_[in.operands[0].reg] = in.operands[1].value;
    }
  }

  std::optional<std::uint32_t> constant(const ptx::Operand& operand) const {
    if (operand.kind == OperandKind::Integer) return static_cast<std::uint32_t>(operand.value);
    if (operand.kind != OperandKind::Register) return std::nullopt;
    const auto found = constants_.find(operand.reg);
    return found == constants_.end() ? std::nullopt
                                     : std::optional(static_cast<std::uint32_t>(found->second));
  }

  Held held(ptx::RegisterId reg) const {
    const auto found = held_.find(reg);
    return found == held_.end() ? own_values() : found->second;
  }

  void step(std::uint32_t i) {
    const ptx::Instruction& in = instruction(i);
    const ptx::Form& form = module_.form(in);
    if (const auto kind = kind_of(form)) return exchange(in, form, *kind);
    const ptx::Uses& uses = facts_->uses()[i];
    Held result{};
    std::optional<std::size_t> network;
    if (form.effects().memory == ptx::MemoryUse::None) {
      for (const ptx::RegisterId reg : uses.reads) {
        if (function_.registers[reg].type == ptx::Type::Pred || constants_.contains(reg)) continue;
        const Held of = held(reg);
        for (std::size_t lane = 0; lane < of.size(); ++lane) result[lane] |= of[lane];
        if (const auto found = network_of_.find(reg); found != network_of_.end()) network = found->second;
      }
    }
    for (std::size_t lane = 0; lane < result.size(); ++lane)
      if (result[lane] == 0) result[lane] = LaneMask{1} << lane;
    for (const ptx::RegisterId reg : uses.writes) {
      held_[reg] = result;
      if (network)
        network_of_[reg] = *network;
      else
        network_of_.erase(reg);
    }
    // What was received has gone into the lane's own; sums may take several instructions.
    if (!network || uses.writes.empty()) return;
    Held& holds = open_[*network].exchanges.back().holds;
    for (std::size_t lane = 0; lane < holds.size(); ++lane) holds[lane] |= result[lane];
  }

  void exchange(const ptx::Instruction& in, const ptx::Form& form, Exchange::Kind kind) {
    if (in.operands.size() < 2) return;
    const ptx::Operand& to =
        in.operands[0].kind == OperandKind::Vector ? in.operands[0].elements.front() : in.operands[0];
    Exchange out;
    out.kind = kind;
    out.op = form.text;
    out.function = function_of(form);
    if (const ptx::SourceLine* place = places_.of(in)) out.line = place->line;
    out.held = in.operands[1].kind == OperandKind::Register &&
                       function_.registers[in.operands[1].reg].type != ptx::Type::Pred
                   ? held(in.operands[1].reg)
                   : own_values();
    if (const auto members = constant(in.operands.back()); members && form.has(Modifier::Sync))
      out.members = *members;
    if (kind == Exchange::Kind::Shuffle) {
      shuffle(in, form, out);
    } else {
      LaneMask all = 0;
      for (int lane = 0; lane < kWarpSize; ++lane)
        if (out.members >> lane & 1u) all |= out.held[static_cast<std::size_t>(lane)];
      for (int lane = 0; lane < kWarpSize; ++lane)
        out.holds[static_cast<std::size_t>(lane)] =
            out.members >> lane & 1u ? all : out.held[static_cast<std::size_t>(lane)];
    }
    const auto before = in.operands[1].kind == OperandKind::Register ? network_of_.find(in.operands[1].reg)
                                                                     : network_of_.end();
    const std::size_t network = before == network_of_.end() ? open_.size() : before->second;
    if (network == open_.size())
      open_.emplace_back();
    else
      open_[network].exchanges.back().holds = out.held;  // that is what goes on
    if (to.kind == OperandKind::Register) {
      held_[to.reg] = out.holds;
      network_of_[to.reg] = network;
    }
    open_[network].exchanges.push_back(std::move(out));
  }

  // PTX ISA, shfl.sync: c holds the clamp in bits 0 to 4 and the mask of the segment in bits 8 to 12.
  void shuffle(const ptx::Instruction& in, const ptx::Form& form, Exchange& out) const {
    const auto b = in.operands.size() > 3 ? constant(in.operands[2]) : std::nullopt;
    const auto c = in.operands.size() > 3 ? constant(in.operands[3]) : std::nullopt;
    out.known = b && c;
    out.holds = out.held;
    if (!out.known) return;
    const int amount = static_cast<int>(*b & 31), segment = static_cast<int>(*c >> 8 & 31),
              clamp = static_cast<int>(*c & 31);
    out.distance = amount;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const int lowest = lane & segment, limit = lowest | (clamp & ~segment);
      const int wanted = form.has(Modifier::Up)     ? lane - amount
                         : form.has(Modifier::Down) ? lane + amount
                         : form.has(Modifier::Bfly) ? lane ^ amount
                                                    : lowest | (amount & ~segment);
      const bool inside = form.has(Modifier::Up) ? wanted >= limit : wanted <= limit;
      const auto from = static_cast<std::size_t>(inside ? wanted : lane);
      out.source[static_cast<std::size_t>(lane)] = static_cast<std::uint8_t>(from);
      out.holds[static_cast<std::size_t>(lane)] = out.held[from];
    }
  }

  void close(ExchangeNetwork network) {
    const auto same = std::ranges::find(out_, network.exchanges, &ExchangeNetwork::exchanges);
    if (same != out_.end())
      ++same->times;
    else
      out_.push_back(std::move(network));
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  std::shared_ptr<const ptx::FunctionFacts> facts_;
  trace::SourcePlaces places_;
  std::map<ptx::RegisterId, std::int64_t> constants_;
  std::map<ptx::RegisterId, Held> held_;               // of the block, so far; others hold their lane's own
  std::vector<ExchangeNetwork> open_;                  // of the block
  std::map<ptx::RegisterId, std::size_t> network_of_;  // whose exchanges went into a register's value
  std::vector<ExchangeNetwork> out_;
};

}  // namespace

std::vector<ExchangeNetwork> exchange_networks(const ptx::Module& module, const ptx::Function& kernel) {
  return Networks(module, kernel).find();
}

}  // namespace warplens::analysis
