#include "app/model/run/order_dependence.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

namespace warplens::model {
namespace {

using ptx::Function;
using ptx::Instruction;
using trace::Site;
using trace::SiteKind;

bool is_address(const ptx::Operand& operand) {
  return operand.kind == ptx::OperandKind::Address;
}

// Special registers that answer differently each time, or as the machine places a warp.
const char* why_of(ptx::SpecialRegister which) {
  using S = ptx::SpecialRegister;
  switch (which) {
    case S::Clock:
    case S::ClockHi:
    case S::Clock64:
    case S::GlobalTimer:
    case S::GlobalTimerLo:
    case S::GlobalTimerHi:
      return "the clock is read";
    case S::SmId:
    case S::NsmId:
    case S::WarpId:
    case S::NwarpId:
    case S::GridId:
    case S::Pm:
      return "it is asked where the machine has put the warp";
    default:
      return nullptr;
  }
}

// The words (4 bytes) that each site touches in the trace, a key for global and shared memory alike.
using Words = std::unordered_set<std::uint64_t>;

class Touched {
 public:
  explicit Touched(const trace::Trace& trace) : words_(trace.sites.size()) {
    for (std::size_t step = 0; step < trace.size(); ++step) {
      if (trace.steps()[step].kind != trace::StepKind::Access) continue;
      const trace::AccessView access = trace.access(step);
      if (access.site >= words_.size()) continue;
      if (access.space != trace::Space::Global && access.space != trace::Space::Shared) continue;
      // Each block has a shared memory of its own; that a word is meant in one of them is enough here.
      const std::uint64_t space = access.space == trace::Space::Shared ? std::uint64_t{1} << 63 : 0;
      for (int lane = 0; lane < kWarpSize; ++lane) {
        if ((access.active >> lane & 1u) == 0) continue;
        const std::uint64_t address = access.addresses[static_cast<std::size_t>(lane)];
        const auto bytes = static_cast<std::uint64_t>(std::max(access.bytes, 1));
        for (std::uint64_t word = address >> 2; word <= (address + bytes - 1) >> 2; ++word)
          words_[access.site].insert(space | word);
      }
    }
  }
  const Words& of(trace::SiteId site) const { return words_[site]; }
  bool meet(trace::SiteId a, trace::SiteId b) const {
    const Words &x = words_[a], &y = words_[b];
    const Words& fewer = x.size() < y.size() ? x : y;
    const Words& more = x.size() < y.size() ? y : x;
    return std::any_of(fewer.begin(), fewer.end(), [&](std::uint64_t word) { return more.contains(word); });
  }

 private:
  std::vector<Words> words_;
};

class Analysis {
 public:
  Analysis(const ptx::Module& module, const trace::Trace& trace)
      : module_(module), trace_(trace), touched_(trace) {
    out_.sites.assign(trace.sites.size(), false);
    for (const Site& site : trace.sites) at_[{site.function, site.instruction}] = &site;
  }

  OrderDependence run() {
    for (const Site& site : trace_.sites) add_source(site);
    std::set<std::uint32_t> functions;
    for (const Site& site : trace_.sites) functions.insert(site.function);
    for (const std::uint32_t function : functions) add_questions_to_the_machine(function);
    while (changed_) {
      changed_ = false;
      for (const std::uint32_t function : functions) spread(function);
      for (const Site& site : trace_.sites) through_memory(site);
    }
    for (const Site& site : trace_.sites) {
      const bool writes = site.kind == SiteKind::Store || is_atomic(site.kind);
      if (writes && (stores_dependent_.contains(site.index) || out_.covers(site.index))) add_buffers(site);
    }
    return std::move(out_);
  }

 private:
  using Place = std::pair<std::uint32_t, std::uint32_t>;

  const Instruction& instruction_of(const Site& site) const {
    return module_.functions[site.function].instructions[site.instruction];
  }

  void source(const Site& site, const char* why) {
    out_.sources.push_back({site.index, site.line, why});
    changed_ = true;
  }

  void add_source(const Site& site) {
    const Instruction& in = instruction_of(site);
    const ptx::Form& form = module_.form(in);
    if (form.opcode == ptx::Opcode::Mbarrier &&
        (form.has(ptx::Modifier::TestWait) || form.has(ptx::Modifier::TryWait))) {
      source(site, "it is asked whether the phase of an mbarrier is over");
      for_each_register(in.operands[0], [&](ptx::RegisterId reg) { taint(site.function, reg); });
    }
    const bool used = site.kind != SiteKind::Reduction && !site.reduction && !in.operands.empty() &&
                      in.operands[0].kind == ptx::OperandKind::Register &&
                      is_read(site.function, in.operands[0].reg);
    if (is_atomic(site.kind) && used) {
      source(site, "the result of the atomic is used");
      taint(site.function, in.operands[0].reg);
    }
    if (is_atomic(site.kind) && (form.has(ptx::Modifier::Exch) || form.has(ptx::Modifier::Cas)))
      stores_dependent_.insert(site.index);
    if (is_atomic(site.kind) && form.has(ptx::Modifier::Add) && ptx::is_float(form.type()) &&
        !touched_.of(site.index).empty()) {
      source(site, "a floating-point sum is rounded in the order of its terms");
      stores_dependent_.insert(site.index);
    }
    if (site.kind != SiteKind::Load) return;
    const bool polls = form.has(ptx::Modifier::Volatile) || form.has(ptx::Modifier::Acquire) ||
                       form.has(ptx::Modifier::Relaxed);
    const bool changes = std::any_of(trace_.sites.begin(), trace_.sites.end(), [&](const Site& other) {
      return is_atomic(other.kind) && other.space != trace::Space::Shared &&
             site.space != trace::Space::Shared && touched_.meet(other.index, site.index);
    });
    if (!polls && !changes) return;
    source(site, changes ? "the load reads words that atomics of the same launch change"
                         : "the load waits for what other warps write");
    taint_loaded(site);
  }

  // Where the kernel's own text asks, be it through a library.
  static int line_of(const Function& f, const Instruction& in) {
    std::uint32_t frame = in.source;
    for (std::size_t steps = 0; steps < f.source_lines.size() && frame < f.source_lines.size(); ++steps) {
      if (f.source_lines[frame].inlined_at == ptx::kNone) return f.source_lines[frame].line;
      frame = f.source_lines[frame].inlined_at;
    }
    return 0;
  }

  void taint_loaded(const Site& load) {
    for (const ptx::Operand& operand : instruction_of(load).operands)
      if (!is_address(operand))
        for_each_register(operand, [&](ptx::RegisterId reg) { taint(load.function, reg); });
  }

  // Clocks, where a warp runs, and which lanes happen to run together.
  void add_questions_to_the_machine(std::uint32_t function) {
    const Function& f = module_.functions[function];
    for (const Instruction& in : f.instructions) {
      if (in.operands.empty()) continue;
      const char* why = nullptr;
      for (const ptx::Operand& operand : in.operands)
        if (operand.kind == ptx::OperandKind::Special) why = why_of(operand.special);
      if (module_.form(in).opcode == ptx::Opcode::Activemask) why = "it is asked which lanes run together";
      if (why == nullptr) continue;
      out_.sources.push_back({trace::kNoSite, line_of(f, in), why});
      for_each_register(in.operands[0], [&](ptx::RegisterId reg) { taint(function, reg); });
    }
  }

  bool is_read(std::uint32_t function, ptx::RegisterId reg) const {
    for (const Instruction& in : module_.functions[function].instructions) {
      if (in.guard.predicate == reg) return true;
      for (std::size_t i = 0; i < in.operands.size(); ++i) {
        const bool reads = i > 0 || is_address(in.operands[i]) || module_.form(in).opcode == ptx::Opcode::Brx;
        bool found = false;
        if (reads) for_each_register(in.operands[i], [&](ptx::RegisterId r) { found = found || r == reg; });
        if (found) return true;
      }
    }
    return false;
  }

  void taint(std::uint32_t function, ptx::RegisterId reg) {
    changed_ = tainted_.insert({function, reg}).second || changed_;
  }
  bool is_tainted(std::uint32_t function, ptx::RegisterId reg) const {
    return reg != ptx::kNone && tainted_.contains({function, reg});
  }

  // From sources to destinations, and to whatever runs only on one way of a dependent branch.
  void spread(std::uint32_t function) {
    const Function& f = module_.functions[function];
    for (std::uint32_t i = 0; i < f.instructions.size(); ++i) {
      const Instruction& in = f.instructions[i];
      const bool steered =
          is_tainted(function, in.guard.predicate) || steered_.contains({function, f.block_of[i]});
      bool reads = false, address = false;
      for (std::size_t k = 0; k < in.operands.size(); ++k) {
        const bool is_source =
            k > 0 || is_address(in.operands[k]) || module_.form(in).opcode == ptx::Opcode::Brx;
        if (!is_source) continue;
        for_each_register(in.operands[k], [&](ptx::RegisterId reg) {
          const bool on = is_tainted(function, reg);
          reads = reads || on;
          address = address || (on && is_address(in.operands[k]));
        });
      }
      reads = through_call_frame(function, in, reads || steered) || reads;
      const ptx::Opcode opcode = module_.form(in).opcode;
      if ((opcode == ptx::Opcode::Bra || opcode == ptx::Opcode::Brx) &&
          (is_tainted(function, in.guard.predicate) || reads))
        steer(function, f, i);
      if ((steered || reads) && !in.operands.empty() && !is_address(in.operands[0]))
        for_each_register(in.operands[0], [&](ptx::RegisterId reg) { taint(function, reg); });
      const auto site = at_.find({function, i});
      if (site == at_.end()) continue;
      const bool way =
          site->second->kind == SiteKind::Branch && (reads || is_tainted(function, in.guard.predicate));
      if (steered || address || way) mark(*site->second);
      if (steered || reads) changed_ = stores_dependent_.insert(site->second->index).second || changed_;
    }
  }

  // Arguments and results of functions that are really called live in variables of the parameter space.
  // True when the instruction loads one that depends.
  bool through_call_frame(std::uint32_t function, const Instruction& in, bool depends) {
    const ptx::Opcode opcode = module_.form(in).opcode;
    if (opcode == ptx::Opcode::Call) {
      const Function* callee = module_.find_function(in.operands[0].symbol);
      if (callee == nullptr) return false;
      const auto number = static_cast<std::uint32_t>(callee - module_.functions.data());
      if (depends) steer_all(number, *callee);
      for (std::size_t k = 0; k < std::min(in.call_arguments.size(), callee->parameters.size()); ++k)
        if (frame_.contains({function, in.call_arguments[k].symbol}))
          taint_frame(number, callee->parameters[k].name);
      for (std::size_t k = 0; k < std::min(in.call_returns.size(), callee->returns.size()); ++k)
        if (frame_.contains({number, callee->returns[k].name}))
          taint_frame(function, in.call_returns[k].symbol);
      return false;
    }
    if (module_.form(in).space != ptx::StateSpace::Param) return false;
    for (const ptx::Operand& operand : in.operands) {
      if (!is_address(operand) || operand.symbol.empty()) continue;
      if (opcode == ptx::Opcode::St && depends) taint_frame(function, operand.symbol);
      if (opcode == ptx::Opcode::Ld && frame_.contains({function, operand.symbol})) return true;
    }
    return false;
  }

  void taint_frame(std::uint32_t function, const std::string& variable) {
    changed_ = frame_.insert({function, variable}).second || changed_;
  }

  // What a call calls, on one way of a dependent branch.
  void steer_all(std::uint32_t function, const Function& f) {
    for (std::uint32_t block = 0; block < f.blocks.size(); ++block)
      changed_ = steered_.insert({function, block}).second || changed_;
  }

  void mark(const Site& site) {
    if (out_.sites[site.index]) return;
    out_.sites[site.index] = true;
    changed_ = true;
  }

  // The blocks between a branch and the place where its lanes meet again.
  void steer(std::uint32_t function, const Function& f, std::uint32_t instruction) {
    const ptx::BasicBlock& from = f.blocks[f.block_of[instruction]];
    std::vector<std::uint32_t> next = from.successors;
    while (!next.empty()) {
      const std::uint32_t block = next.back();
      next.pop_back();
      if (block == from.immediate_post_dominator || !steered_.insert({function, block}).second) continue;
      changed_ = true;
      next.insert(next.end(), f.blocks[block].successors.begin(), f.blocks[block].successors.end());
    }
  }

  // What a dependent store wrote is dependent where it is read.
  void through_memory(const Site& site) {
    if (site.kind != SiteKind::Store && !is_atomic(site.kind)) return;
    if (!stores_dependent_.contains(site.index) && !out_.covers(site.index)) return;
    for (const Site& load : trace_.sites) {
      const bool loads = load.kind == SiteKind::Load || load.kind == SiteKind::MatrixLoad;
      if (loads && touched_.meet(site.index, load.index)) taint_loaded(load);
    }
  }

  void add_buffers(const Site& site) {
    for (const trace::BufferPlacement& buffer : trace_.buffers) {
      const std::uint64_t first = buffer.base >> 2, last = (buffer.base + buffer.bytes) >> 2;
      const Words& words = touched_.of(site.index);
      if (std::any_of(words.begin(), words.end(), [&](std::uint64_t w) { return w >= first && w < last; }))
        out_.buffers.insert(buffer.argument);
    }
  }

  const ptx::Module& module_;
  const trace::Trace& trace_;
  Touched touched_;
  OrderDependence out_;
  std::map<Place, const Site*> at_;
  std::set<std::pair<std::uint32_t, ptx::RegisterId>> tainted_;
  std::set<std::pair<std::uint32_t, std::string>> frame_;      // function, variable of a call
  std::set<std::pair<std::uint32_t, std::uint32_t>> steered_;  // function, block
  std::set<trace::SiteId> stores_dependent_;
  bool changed_ = false;
};

}  // namespace

OrderDependence order_dependence(const ptx::Module& module, const trace::Trace& trace) {
  return Analysis(module, trace).run();
}

}  // namespace warplens::model
