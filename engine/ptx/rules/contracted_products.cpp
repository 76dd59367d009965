#include "engine/ptx/rules/contracted_products.h"

#include <algorithm>
#include <map>

#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/syntax/rounding.h"

namespace warplens::ptx {
namespace {

bool is_plain(const Operand& operand) {
  return operand.kind == OperandKind::Register && operand.symbol.empty() && !operand.negated;
}

class Contraction {
 public:
  Contraction(const Module& module, const Function& function)
      : module_(module), function_(function), facts_(facts_of(module, function)) {}

  std::vector<std::uint32_t> run() {
    carried_by_.assign(function_.instructions.size(), kNone);
    find_products();
    if (products_.empty()) return std::move(carried_by_);
    find_writes();
    find_uses();
    std::vector<std::uint32_t> sums;
    for (std::uint32_t i = 0; i < carried_by_.size(); ++i)
      if (is_sum(i)) sums.push_back(i);
    for (const std::uint32_t sum : sums)
      take_first(sum, [&](const Product& p) { return p.reads.size() == 1; });
    for (const std::uint32_t sum : sums)
      if (carried_by_[sum] == kNone) take_first(sum, [&](const Product& p) { return goes_into_all(p); });
    for (const auto& [reg, product] : products_)
      if (goes_into_all(product) && !product.reads.empty() &&
          carried_by_[product.reads.front()] == product.at)
        carried_by_[product.at] = product.at;
    return std::move(carried_by_);
  }

 private:
  struct Product {
    std::uint32_t at = kNone;  // the multiplication
    std::vector<std::uint32_t> reads;
    bool fits = true;  // all that read it are sums that it might go into
  };

  const Instruction& instruction(std::uint32_t i) const { return function_.instructions[i]; }
  const Form& form(std::uint32_t i) const { return module_.form(instruction(i)); }

  bool is_sum(std::uint32_t i) const {
    const Form& f = form(i);
    return (f.opcode == Opcode::Add || f.opcode == Opcode::Sub) && leaves_rounding_open(f) &&
           instruction(i).operands.size() == 3;
  }

  void find_products() {
    for (std::uint32_t i = 0; i < carried_by_.size(); ++i) {
      const Instruction& in = instruction(i);
      const Form& f = form(i);
      if (f.opcode != Opcode::Mul || !leaves_rounding_open(f) || f.has(Modifier::Sat)) continue;
      if (in.guard.predicate != kNone || in.operands.size() != 3 || !is_plain(in.operands[0])) continue;
      const auto [found, first] = products_.try_emplace(in.operands[0].reg, Product{i, {}, true});
      if (!first) found->second.fits = false;
    }
  }

  void find_uses() {
    for (std::uint32_t i = 0; i < carried_by_.size(); ++i) {
      for (const RegisterId reg : facts_->uses()[i].writes)
        if (const auto found = products_.find(reg); found != products_.end() && found->second.at != i)
          found->second.fits = false;
      for (const RegisterId reg : facts_->uses()[i].reads) {
        const auto found = products_.find(reg);
        if (found == products_.end()) continue;
        found->second.reads.push_back(i);
        if (!may_go_into(found->second, reg, i)) found->second.fits = false;
      }
    }
    std::erase_if(products_, [](const auto& entry) { return !entry.second.fits; });
  }

  bool may_go_into(const Product& product, RegisterId reg, std::uint32_t sum) const {
    if (!is_sum(sum) || sum <= product.at || function_.block_of[sum] != function_.block_of[product.at])
      return false;
    const Form &a = form(product.at), &b = form(sum);
    if (a.type() != b.type() || a.has(Modifier::Ftz) != b.has(Modifier::Ftz)) return false;
    const std::vector<Operand>& operands = instruction(sum).operands;
    const bool first = is_plain(operands[1]) && operands[1].reg == reg;
    const bool second = is_plain(operands[2]) && operands[2].reg == reg;
    return first != second && operands_stay(product.at, sum);
  }

  // Where registers are written, and where functions are called: most registers are written once.
  void find_writes() {
    writes_.resize(function_.registers.size());
    for (std::uint32_t i = 0; i < carried_by_.size(); ++i) {
      for (const RegisterId reg : facts_->uses()[i].writes) writes_[reg].push_back(i);
      if (form(i).effects().control == Control::Call) calls_.push_back(i);
    }
  }

  static bool any_between(const std::vector<std::uint32_t>& places, std::uint32_t first, std::uint32_t last) {
    const auto next = std::ranges::lower_bound(places, first);
    return next != places.end() && *next < last;
  }

  bool operands_stay(std::uint32_t product, std::uint32_t sum) const {
    if (any_between(calls_, product, sum)) return false;
    return std::ranges::none_of(instruction(product).operands, [&](const Operand& operand) {
      if (operand.reg == kNone || &operand == instruction(product).operands.data()) return false;
      return any_between(writes_[operand.reg], product, sum);
    });
  }

  bool goes_into_all(const Product& product) const {
    return std::ranges::all_of(product.reads, [&](std::uint32_t sum) {
      return carried_by_[sum] == kNone || carried_by_[sum] == product.at;
    });
  }

  template <typename Fits>
  void take_first(std::uint32_t sum, const Fits& fits) {
    for (std::size_t o = 1; o < 3; ++o) {
      const auto found = products_.find(instruction(sum).operands[o].reg);
      if (found == products_.end() || !fits(found->second)) continue;
      carried_by_[sum] = found->second.at;
      return;
    }
  }

  const Module& module_;
  const Function& function_;
  std::shared_ptr<const FunctionFacts> facts_;
  std::map<RegisterId, Product> products_;
  std::vector<std::vector<std::uint32_t>> writes_;  // of each register, in order
  std::vector<std::uint32_t> calls_;
  std::vector<std::uint32_t> carried_by_;
};

}  // namespace

std::vector<std::uint32_t> contracted_products(const Module& module, const Function& function) {
  const auto& options = module.target_options;
  if (std::ranges::find(options, "debug") != options.end())
    return std::vector<std::uint32_t>(function.instructions.size(), kNone);
  return Contraction(module, function).run();
}

}  // namespace warplens::ptx
