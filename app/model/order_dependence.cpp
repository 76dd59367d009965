#include "app/model/order_dependence.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

namespace warplens::model {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;
using trace::Site;
using trace::SiteKind;
using trace::Space;

// Calls use(register) for every register that an operand names.
template <typename Use>
void for_each_register(const Operand& operand, Use use) {
  if (operand.reg != ptx::kNone) use(operand.reg);
  for (const Operand& element : operand.elements) for_each_register(element, use);
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
      if (access.space != Space::Global && access.space != Space::Shared) continue;
      // Each block has a shared memory of its own; that a word is meant in one of them is enough here.
      const std::uint64_t space = access.space == Space::Shared ? std::uint64_t{1} << 63 : 0;
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
    const bool used = site.kind != SiteKind::Reduction && !site.reduction && !in.operands.empty() &&
                      in.operands[0].kind == OperandKind::Register &&
                      is_read(site.function, in.operands[0].reg);
    if (is_atomic(site.kind) && used) {
      source(site, "the result of the atomic is used");
      taint(site.function, in.operands[0].reg);
    }
    if (is_atomic(site.kind) && (form.has("exch") || form.has("cas"))) stores_dependent_.insert(site.index);
    if (is_atomic(site.kind) && form.has("add") && ptx::is_float(form.type()) &&
        !touched_.of(site.index).empty()) {
      source(site, "a floating-point sum is rounded in the order of its terms");
      stores_dependent_.insert(site.index);
    }
    if (site.kind != SiteKind::Load) return;
    const bool polls = form.has("volatile") || form.has("acquire") || form.has("relaxed");
    const bool changes = std::any_of(trace_.sites.begin(), trace_.sites.end(), [&](const Site& other) {
      return is_atomic(other.kind) && other.space != Space::Shared && site.space != Space::Shared &&
             touched_.meet(other.index, site.index);
    });
    if (!polls && !changes) return;
    source(site, changes ? "the load reads words that atomics of the same launch change"
                         : "the load waits for what other warps write");
    for (const Operand& operand : in.operands)
      if (operand.kind != OperandKind::Address)
        for_each_register(operand, [&](ptx::RegisterId reg) { taint(site.function, reg); });
  }

  bool is_read(std::uint32_t function, ptx::RegisterId reg) const {
    for (const Instruction& in : module_.functions[function].instructions) {
      if (in.guard.predicate == reg) return true;
      for (std::size_t i = 0; i < in.operands.size(); ++i) {
        const bool reads =
            i > 0 || in.operands[i].kind == OperandKind::Address || module_.form(in).opcode == "brx";
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
        const bool is_address = in.operands[k].kind == OperandKind::Address;
        const bool is_source = k > 0 || is_address || module_.form(in).opcode == "brx";
        if (!is_source) continue;
        for_each_register(in.operands[k], [&](ptx::RegisterId reg) {
          const bool on = is_tainted(function, reg);
          reads = reads || on;
          address = address || (on && is_address);
        });
      }
      const std::string& opcode = module_.form(in).opcode;
      if ((opcode == "bra" || opcode == "brx") && (is_tainted(function, in.guard.predicate) || reads))
        steer(function, f, i);
      if ((steered || reads) && !in.operands.empty() && in.operands[0].kind != OperandKind::Address)
        for_each_register(in.operands[0], [&](ptx::RegisterId reg) { taint(function, reg); });
      const auto site = at_.find({function, i});
      if (site == at_.end()) continue;
      const bool way =
          site->second->kind == SiteKind::Branch && (reads || is_tainted(function, in.guard.predicate));
      if (steered || address || way) mark(*site->second);
      if (steered || reads) changed_ = stores_dependent_.insert(site->second->index).second || changed_;
    }
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
    if (site.kind != SiteKind::Store || !(stores_dependent_.contains(site.index) || out_.covers(site.index)))
      return;
    for (const Site& load : trace_.sites) {
      if (load.kind != SiteKind::Load || !touched_.meet(site.index, load.index)) continue;
      for (const Operand& operand : instruction_of(load).operands)
        if (operand.kind != OperandKind::Address)
          for_each_register(operand, [&](ptx::RegisterId reg) { taint(load.function, reg); });
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
  std::set<std::pair<std::uint32_t, std::uint32_t>> steered_;  // function, block
  std::set<trace::SiteId> stores_dependent_;
  bool changed_ = false;
};

}  // namespace

OrderDependence order_dependence(const ptx::Module& module, const trace::Trace& trace) {
  return Analysis(module, trace).run();
}

}  // namespace warplens::model
