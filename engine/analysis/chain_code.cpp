#include "engine/analysis/chain_code.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/analysis/sm_kinds.h"
#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/lowering/lowering.h"

namespace warplens::analysis {
namespace {

using ptx::kNone;
using ptx::MachineInstruction;
using ptx::MachineOp;
using Registers = std::vector<std::uint32_t>;

constexpr std::size_t kMostSources = 6;  // of a value that is handed on

bool accesses(MachineOp op) {
  return op >= MachineOp::Load && op <= MachineOp::ConstantLoad;
}

// Stands for an execution of its own: an access, a barrier, a warp's end.
bool binds(const SmInstruction& i) {
  const bool memory = i.unit == SmUnit::Global || i.unit == SmUnit::Shared;
  return memory ? i.site != trace::kNoSite
                : i.unit == SmUnit::Barrier || i.unit == SmUnit::Exit || i.unit == SmUnit::Fence;
}

class Coder {
 public:
  Coder(const ptx::Module& module, const ptx::Function& function, std::uint32_t plain,
        std::uint32_t registers, SmCode& code)
      : module_(module),
        function_(function),
        facts_(ptx::facts_of(module, function)),
        lowered_(ptx::lowered(module, function)),
        chains_(machine_chains(module, function)),
        parameters_known_(std::ranges::any_of(
            function.machine,
            [](const MachineInstruction& machine) { return machine.parameter != ptx::ParameterRead::None; })),
        switches_(std::ranges::any_of(
            function.machine,
            [](const MachineInstruction& machine) { return machine.op == MachineOp::BranchTable; })),
        plain_(plain),
        registers_(registers),
        text_(static_cast<std::uint32_t>(code.machine_bytes / kInstructionBytes)),
        code_(code),
        parameter_(function.registers.size(), false),
        program_constant_(function.registers.size(), false),
        pointer_(function.registers.size(), false) {
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
      const SmInstruction& made = code.instructions[plain + i];
      const bool moves = made.unit == SmUnit::None && reads_any(i, pointer_);
      for (const ptx::RegisterId r : facts_->uses()[i].writes) {
        if (made.constant) parameter_[r] = true;
        if (made.constant || moves) pointer_[r] = true;
        if (loads_constant(i)) program_constant_[r] = true;
      }
    }
  }

  CodedChains build() {
    CodedChains out;
    out.branches_leave = std::ranges::any_of(function_.machine, [&](const MachineInstruction& machine) {
      return machine.op == MachineOp::Exit && machine.guarded &&
             machine.made_of < function_.instructions.size() &&
             module_.form(function_.instructions[machine.made_of]).opcode == ptx::Opcode::Bra;
    });
    out.of_block.resize(chains_.of_block.size());
    for (std::size_t b = 0; b < chains_.of_block.size(); ++b)
      for (const MachineChain& chain : chains_.of_block[b]) {
        out.of_block[b].push_back(coded(chain));
        if (function_.blocks[b].loop_depth > 0) out.of_block[b].back().loop = static_cast<std::uint32_t>(b);
      }
    for (const std::vector<ChainEntry>& entries : chains_.between)
      out.between.push_back(coded({.turns = 1, .entries = entries, .covers = {}}));
    out.machine = chains_;
    return out;
  }

 private:
  using Place = std::pair<std::uint32_t, std::uint32_t>;  // PTX instruction, turn

  CodedChain coded(const MachineChain& chain) {
    CodedChain out;
    out.turns = chain.turns;
    out.covers = chain.covers;
    out.blocks = chain.blocks;
    trace_values(chain);
    for (const ChainEntry& entry : chain.entries)
      out.steps.push_back(entry.routine ? step_of_routine(entry) : step_of(entry));
    for (const auto& [reg, sources] : now_)
      if (sources.size() != 1 || sources.front() != reg) out.steps.push_back(move_of(reg, sources));
    return out;
  }

  bool loads_constant(std::uint32_t i) const {
    return module_.form(function_.instructions[i]).space == ptx::StateSpace::Const;
  }

  // Parameters are operands: whoever reads what a ld.param loaded reads the constant bank.
  bool reads_parameter(std::uint32_t i) const { return reads_any(i, parameter_); }
  bool reads_any(std::uint32_t i, const std::vector<bool>& of) const {
    return std::ranges::any_of(facts_->uses()[i].reads,
                               [&](ptx::RegisterId r) { return r < of.size() && of[r]; });
  }

  const SmInstruction& plain(std::uint32_t i) const { return code_.instructions[plain_ + i]; }

  // The machine instructions of an instruction and turn pass on what it gives by its last one.
  void trace_values(const MachineChain& chain) {
    reads_.clear();
    writes_.clear();
    links_.clear();
    written_at_.clear();
    at_ = 0;
    now_.clear();
    std::set<Place> stands;
    std::set<std::uint32_t> here;
    for (const ChainEntry& e : chain.entries)
      if (e.made_of != kNone) {
        stands.insert({e.made_of, e.turn});
        here.insert(e.made_of);
      }
    const std::vector<ptx::Uses>& uses = facts_->uses();
    std::map<std::uint32_t, Place> last;  // register -> its last writer
    visit(chain, [&](std::uint32_t i, std::uint32_t turn) {
      if (stands.contains({i, turn}))
        for (const ptx::RegisterId r : uses[i].writes) last[r] = {i, turn};
    });
    for (const Place& place : stands)
      for (const ptx::RegisterId r : uses[place.first].writes) {
        const auto found = last.find(r);
        const bool keeps = found == last.end() || found->second == place;
        writes_[place].push_back(keeps ? registers_ + r : code_.register_count++);
      }
    visit(chain, [&](std::uint32_t i, std::uint32_t turn) {
      const Place place{i, turn};
      Registers from;
      for (const ptx::RegisterId r : uses[i].reads) append(from, current(r));
      if (stands.contains(place)) {
        reads_[place] = std::move(from);
        for (std::size_t w = 0; w < uses[i].writes.size(); ++w)
          now_[registers_ + uses[i].writes[w]] = {writes_[place][w]};
        return;
      }
      if (chains_.made[i] && !here.contains(i)) return;  // stands elsewhere
      // Part of a wider access: comes with that.
      if (const std::uint32_t leader = leader_of(i); leader != i && writes_.contains({leader, turn}))
        from = writes_[{leader, turn}];
      for (const ptx::RegisterId r : uses[i].writes) now_[registers_ + r] = from;
    });
  }

  std::uint32_t leader_of(std::uint32_t i) const {
    return i < lowered_->accesses.size() && lowered_->accesses[i].leader != kNone
               ? lowered_->accesses[i].leader
               : i;
  }

  // The instructions that the chain covers, turn by turn.
  template <typename Visit>
  void visit(const MachineChain& chain, Visit visit) const {
    for (std::uint32_t turn = 0; turn < chain.turns; ++turn)
      for (const std::uint32_t b : chain.covers)
        for (std::uint32_t i = function_.blocks[b].first; i < function_.blocks[b].last; ++i) visit(i, turn);
  }

  Registers current(ptx::RegisterId r) const {
    const auto found = now_.find(registers_ + r);
    return found == now_.end() ? Registers{registers_ + r} : found->second;
  }

  static void append(Registers& to, const Registers& from) {
    for (const std::uint32_t r : from)
      if (to.size() < kMostSources && std::ranges::find(to, r) == to.end()) to.push_back(r);
  }

  // Each needs what the one before has.
  CodedChain::Step step_of_routine(const ChainEntry& entry) {
    if (of_routines_ == kNone) of_routines_ = code_.register_count++;
    SmInstruction made{.unit = SmUnit::Alu, .latency = 4};
    made.place = text_ + entry.machine;
    keep({of_routines_}, made.reads, made.read_count);
    keep({of_routines_}, made.writes, made.write_count);
    code_.instructions.push_back(made);
    return {static_cast<std::uint32_t>(code_.instructions.size() - 1), kNone, 0, false};
  }

  CodedChain::Step step_of(const ChainEntry& entry) {
    const MachineInstruction& machine = function_.machine[entry.machine];
    SmInstruction made;
    if (entry.made_of != kNone) made = plain(entry.made_of);
    const bool beside = entry.made_of != kNone && binds(made) && !accesses(machine.op);
    shape(machine, entry, made);
    made.schedule = machine.schedule;
    made.read_count = made.write_count = 0;
    if (!parameters_known_ && !made.indexed)
      made.constant = made.constant || (entry.made_of != kNone && reads_parameter(entry.made_of));
    CodedChain::Step out{0, entry.made_of, entry.turn, false};
    out.binds = entry.made_of != kNone && binds(made);
    if (entry.made_of != kNone && (!beside || out.binds)) {
      const Place place{entry.made_of, entry.turn};
      const auto found = reads_.find(place);
      Registers reads = found != reads_.end() ? found->second : Registers{};
      Registers writes = writes_[place];
      // One after the other, as far as they are steps of an expansion. What comes too late for the first of
      // them goes into the first that stands behind it: a division begins with its divisor. A parameter is
      // loaded whatever else is read.
      if (!out.binds && !accesses(machine.op) && entry.of > 1) {
        Link& link = links_[place];
        if (link.begun)
          std::erase_if(reads, [&](std::uint32_t r) {
            const auto known = written_at_.find(r);
            return known == written_at_.end() || known->second <= link.at;
          });
        if (made.indexed) reads.clear();
        if (entry.nth > 0) reads.push_back(link.reg);
        link.begun = link.begun || !made.indexed;
        link.at = at_;
        if (entry.nth + 1 < entry.of) writes = {link.reg = code_.register_count++};
      }
      ++at_;
      for (const std::uint32_t r : writes) written_at_[r] = at_;
      keep(reads, made.reads, made.read_count);
      keep(writes, made.writes, made.write_count);
    }
    made.place = text_ + entry.machine;
    out.instruction = static_cast<std::uint32_t>(code_.instructions.size());
    code_.instructions.push_back(made);
    return out;
  }

  // Where the listing does not say: a parameter of 64 bits is no operand, an LDC in front of what reads it
  // brings it into a register.
  bool loads_parameter(const MachineInstruction& machine, const ChainEntry& entry) const {
    if (parameters_known_) return machine.parameter == ptx::ParameterRead::Loaded;
    if (machine.op != MachineOp::Other || entry.made_of == kNone || entry.nth != 0 || entry.of < 2)
      return false;
    const ptx::Type type = module_.form(function_.instructions[entry.made_of]).type();
    return ptx::size_of(type) == 8 && reads_any(entry.made_of, pointer_);
  }

  // What the machine's opcode says over what the PTX's does.
  void shape(const MachineInstruction& machine, const ChainEntry& entry, SmInstruction& made) const {
    const SmUnit unit = made.unit;
    const auto simple = [&](SmUnit as) {
      made.unit = as;
      made.latency = 4;
      made.busy = as == SmUnit::Alu ? kIntegerBusy : 1;
      made.store = made.copies = made.commits = made.waits_for_copies = made.aside = made.table = false;
      made.pause = 0;
      made.hold = 0;
      made.steers = as == SmUnit::Branch;
    };
    const auto constant_load = [&] {  // LDC
      simple(SmUnit::Shared);
      made.latency = kParameterLoad;
      made.busy = kConstantBusy;
      made.constant = false;
      made.aside = true;
      made.site = trace::kNoSite;
    };
    switch (machine.op) {
      case MachineOp::Load:
      case MachineOp::Store:
      case MachineOp::Atomic:
      case MachineOp::Reduction:
      case MachineOp::AsyncCopy:
      case MachineOp::MatrixLoad:
      case MachineOp::ConstantLoad:
        if (unit == SmUnit::Global || unit == SmUnit::Shared) return;
        if (machine.op == MachineOp::ConstantLoad) {
          constant_load();  // where a call or a switch goes: only the latter's are near
          made.named = !switches_;
          return;
        }
        simple(SmUnit::Global);  // a register that is kept in local memory
        made.latency = 33;
        made.store = machine.op == MachineOp::Store;
        made.site = trace::kNoSite;
        return;
      case MachineOp::UniformConstant:
        // Of the program's constants, where it is made of what loads one or of who reads that.
        made.table = entry.made_of != kNone &&
                     (loads_constant(entry.made_of) || reads_any(entry.made_of, program_constant_));
        made.named = !made.table;
        made.unit = SmUnit::Uniform;
        made.latency = 4;
        made.busy = 1;
        made.aside = false;
        made.site = trace::kNoSite;
        return;
      case MachineOp::Branch:
      case MachineOp::BranchTable:
      case MachineOp::BranchDivided:
      case MachineOp::Call:
      case MachineOp::Return:
      case MachineOp::Leave:
        return simple(SmUnit::Branch);
      case MachineOp::Met:
        simple(SmUnit::Branch);
        made.meets = true;
        return;
      case MachineOp::Exit:
        if (unit != SmUnit::Exit) simple(SmUnit::Alu);
        made.steers = true;
        return;
      case MachineOp::Shuffle:
      case MachineOp::Vote:
      case MachineOp::Barrier:
        if (unit == SmUnit::None || unit == SmUnit::Global) simple(SmUnit::Alu);
        return;
      default:
        break;
    }
    if (parameters_known_) {
      made.constant = machine.parameter == ptx::ParameterRead::Immediate;
      made.constant_line = machine.constant_line;
    }
    const bool piped = machine.pipe != ptx::MachinePipe::Unknown;
    if (piped) as_piped(machine.pipe, made);
    if (loads_parameter(machine, entry)) {
      constant_load();
      made.indexed = true;
      return;
    }
    if (piped) return;
    // Arithmetic beside what the PTX instruction is: addresses, the steps of an expansion.
    if (entry.made_of == kNone || unit == SmUnit::None || unit == SmUnit::Branch || unit == SmUnit::Exit ||
        unit == SmUnit::Barrier || unit == SmUnit::Global ||
        (unit == SmUnit::Shared && made.site != trace::kNoSite) ||
        ((unit == SmUnit::Special || unit == SmUnit::Shared || unit == SmUnit::Sleep) &&
         !is_the_one(machine, entry, unit))) {
      simple(SmUnit::Alu);
      made.site = trace::kNoSite;
    }
  }

  // Of several that were made of an instruction the one that the unit takes: whoever needs its result waits
  // for a scoreboard. Where ptxas's schedule is not known, and of a sleep, the last.
  static bool is_the_one(const MachineInstruction& machine, const ChainEntry& entry, SmUnit unit) {
    if (!machine.schedule.known() || unit == SmUnit::Sleep) return entry.nth + 1 == entry.of;
    return machine.schedule.holds != ptx::MachineSchedule::kNone;
  }

  // What its opcode says.
  void as_piped(ptx::MachinePipe pipe, SmInstruction& made) const {
    const SmInstruction was = made;
    made = {.constant = was.constant, .constant_line = was.constant_line, .line = was.line};
    const auto as = [&](SmUnit unit, std::uint16_t latency, float busy) {
      made.unit = unit;
      made.latency = latency;
      made.busy = busy;
      if (was.unit == unit && (unit == SmUnit::Fp64 || unit == SmUnit::Tensor))
        made.latency = was.latency, made.busy = was.busy;
    };
    switch (pipe) {
      case ptx::MachinePipe::Fma:
      case ptx::MachinePipe::Half:
        return as(SmUnit::Fma, 4, kFmaBusy);
      case ptx::MachinePipe::FmaHeavy:
        return as(SmUnit::FmaHeavy, 4, kFmaBusy);
      case ptx::MachinePipe::Wide:
        as(SmUnit::FmaHeavy, 4, 2 * kFmaBusy);
        made.hold = kWideHold;
        return;
      case ptx::MachinePipe::Double:
        return as(SmUnit::Fp64, 8, 2);
      case ptx::MachinePipe::Special:
        return as(SmUnit::Special, 18, 8);
      case ptx::MachinePipe::Tensor:
        return as(SmUnit::Tensor, 33, 8);
      case ptx::MachinePipe::Uniform:
        return as(SmUnit::Uniform, 8, 2);
      case ptx::MachinePipe::SpecialRegister:
        as(SmUnit::Shared, kSpecialRegister, kSpecialRegisterBusy);
        made.special = true;
        return;
      case ptx::MachinePipe::SpecialOfWarp:
        as(SmUnit::Shared, kSpecialRegister, kSpecialRegisterBusy);
        made.aside = true;
        return;
      case ptx::MachinePipe::Control:
        return as(SmUnit::Uniform, 1, 1);
      case ptx::MachinePipe::Match:
        // By the number of different values: of the tiles that ptxas tells apart. What a program's own MATCH
        // finds is not known, and taken for one value (read on an H200: tools/golden/parting.cu).
        return as(SmUnit::Shared, static_cast<std::uint16_t>(26 + 11 * (was.tiles - 1)), 2.0f * was.tiles);
      case ptx::MachinePipe::Sync:
        as(was.tiles > 1 ? SmUnit::Branch : SmUnit::Uniform, 1, 1);
        made.pause = was.tiles > 1 ? static_cast<std::uint16_t>(20 * was.tiles) : 0;
        return;
      default:
        return as(SmUnit::Alu, 4, kAluBusy);
    }
  }

  CodedChain::Step move_of(std::uint32_t reg, const Registers& sources) {
    SmInstruction made;
    made.unit = SmUnit::None;
    keep(sources, made.reads, made.read_count);
    keep({reg}, made.writes, made.write_count);
    CodedChain::Step out;
    out.instruction = static_cast<std::uint32_t>(code_.instructions.size());
    code_.instructions.push_back(made);
    return out;
  }

  void keep(const Registers& registers, std::uint32_t& at, std::uint32_t& count) {
    at = static_cast<std::uint32_t>(code_.registers.size());
    count = static_cast<std::uint32_t>(registers.size());
    code_.registers.insert(code_.registers.end(), registers.begin(), registers.end());
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  const std::shared_ptr<const ptx::FunctionFacts> facts_;
  const std::shared_ptr<const ptx::Lowered> lowered_;
  const MachineChains chains_;
  const bool parameters_known_, switches_;
  const std::uint32_t plain_, registers_, text_;
  SmCode& code_;
  std::vector<bool> parameter_, program_constant_;  // by register
  std::vector<bool> pointer_;                       // by register, also through moves
  std::map<Place, Registers> reads_, writes_;       // of this chain
  std::map<std::uint32_t, Registers> now_;          // register -> what it stands for at the end
  struct Link {  // of an expansion: what its last step gave, and where in the chain that stands
    std::uint32_t reg = 0, at = 0;
    bool begun = false;  // what it is made from was read
  };
  std::map<Place, Link> links_;
  std::map<std::uint32_t, std::uint32_t> written_at_;  // register -> where in this chain
  std::uint32_t at_ = 0;
  std::uint32_t of_routines_ = kNone;  // register that steps of routines hand on
};

}  // namespace

CodedChains code_chains(const ptx::Module& module, const ptx::Function& function, std::uint32_t plain,
                        std::uint32_t registers, SmCode& code) {
  return Coder(module, function, plain, registers, code).build();
}

}  // namespace warplens::analysis
