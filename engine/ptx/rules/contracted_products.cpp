#include "engine/ptx/rules/contracted_products.h"

#include <algorithm>
#include <map>
#include <optional>

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

  std::vector<Contracted> run() {
    out_.resize(function_.instructions.size());
    find_products();
    if (products_.empty()) return std::move(out_);
    find_writes();
    find_uses();
    std::vector<std::uint32_t> sums;
    for (std::uint32_t i = 0; i < out_.size(); ++i)
      if (is_sum(i)) sums.push_back(i);
    for (const std::uint32_t sum : sums)
      take_first(sum, [&](const Product& p) { return p.reads.size() == 1; });
    for (const std::uint32_t sum : sums)
      if (out_[sum].product == kNone) take_first(sum, [&](const Product& p) { return goes_into_all(p); });
    for (const Product& product : products_) {
      if (!product.fits || product.reads.empty() || !goes_into_all(product) ||
          out_[product.reads.front()].product != product.at)
        continue;
      out_[product.at].product = product.at;
      for (const std::uint32_t copy : product.copies) out_[copy].product = copy;
    }
    return std::move(out_);
  }

 private:
  struct Product {
    std::uint32_t at = kNone;           // the multiplication
    std::vector<std::uint32_t> copies;  // of it, and with its sign changed
    std::vector<std::uint32_t> reads;   // of it or of a copy, by what is no copy
    bool fits = true;                   // all that read it are sums that it might go into
  };
  // A register that holds a product.
  struct Holder {
    std::size_t product = 0;   // of products_
    std::uint32_t at = kNone;  // what writes it
    bool negated = false;
  };

  const Instruction& instruction(std::uint32_t i) const { return function_.instructions[i]; }
  const Form& form(std::uint32_t i) const { return module_.form(instruction(i)); }

  bool is_sum(std::uint32_t i) const {
    const Form& f = form(i);
    return (f.opcode == Opcode::Add || f.opcode == Opcode::Sub) && leaves_rounding_open(f) &&
           instruction(i).operands.size() == 3;
  }

  void find_products() {
    for (std::uint32_t i = 0; i < out_.size(); ++i) {
      const Instruction& in = instruction(i);
      if (in.guard.predicate != kNone || in.operands.size() < 2 || !is_plain(in.operands[0])) continue;
      std::optional<Holder> holder;
      if (const Form& f = form(i); f.opcode == Opcode::Mul) {
        if (!leaves_rounding_open(f) || f.has(Modifier::Sat) || in.operands.size() != 3) continue;
        holder = Holder{products_.size(), i, false};
        products_.push_back({i, {}, {}, true});
      } else if (const Holder* const source = copied_by(i)) {
        holder = Holder{source->product, i, source->negated != (f.opcode == Opcode::Neg)};
        products_[source->product].copies.push_back(i);
      }
      if (!holder) continue;
      const auto [found, first] = holders_.try_emplace(in.operands[0].reg, *holder);
      if (!first) products_[holder->product].fits = products_[found->second.product].fits = false;
    }
  }

  const Holder* holder_of(const Operand& operand) const {
    const auto found = is_plain(operand) ? holders_.find(operand.reg) : holders_.end();
    return found == holders_.end() ? nullptr : &found->second;
  }

  // What an instruction copies or negates, where that is a product of its block.
  const Holder* copied_by(std::uint32_t i) const {
    const Form& f = form(i);
    if ((f.opcode != Opcode::Mov && f.opcode != Opcode::Neg) || instruction(i).operands.size() != 2)
      return nullptr;
    const Holder* const source = holder_of(instruction(i).operands[1]);
    if (source == nullptr) return nullptr;
    const std::uint32_t product = products_[source->product].at;
    if (function_.block_of[i] != function_.block_of[product]) return nullptr;
    const Form& of = form(product);
    if (f.opcode == Opcode::Mov) return size_of(f.type()) == size_of(of.type()) ? source : nullptr;
    const bool flushes = f.has(Modifier::Ftz) && !(of.type() == Type::F32 && of.has(Modifier::Ftz));
    // A pair of bfloat16 is negated by an instruction of its own.
    return f.type() == of.type() && !flushes && f.type() != Type::BF16x2 ? source : nullptr;
  }

  void find_uses() {
    for (std::uint32_t i = 0; i < out_.size(); ++i) {
      for (const RegisterId reg : facts_->uses()[i].writes)
        if (const auto found = holders_.find(reg); found != holders_.end() && found->second.at != i)
          products_[found->second.product].fits = false;
      for (const RegisterId reg : facts_->uses()[i].reads) {
        const auto found = holders_.find(reg);
        if (found == holders_.end()) continue;
        Product& product = products_[found->second.product];
        if (std::ranges::find(product.copies, i) != product.copies.end()) continue;
        product.reads.push_back(i);
        if (!may_go_into(found->second.product, i)) product.fits = false;
      }
    }
  }

  bool may_go_into(std::size_t number, std::uint32_t sum) const {
    const Product& product = products_[number];
    if (!is_sum(sum) || sum <= product.at || function_.block_of[sum] != function_.block_of[product.at])
      return false;
    const Form &a = form(product.at), &b = form(sum);
    if (a.type() != b.type() || a.has(Modifier::Ftz) != b.has(Modifier::Ftz)) return false;
    const std::vector<Operand>& operands = instruction(sum).operands;
    const auto is_it = [&](const Operand& operand) {
      const Holder* const holder = holder_of(operand);
      return holder != nullptr && holder->product == number;
    };
    return is_it(operands[1]) != is_it(operands[2]) && operands_stay(product.at, sum);
  }

  // Where registers are written, and where functions are called: most registers are written once.
  void find_writes() {
    writes_.resize(function_.registers.size());
    for (std::uint32_t i = 0; i < out_.size(); ++i) {
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
      return out_[sum].product == kNone || out_[sum].product == product.at;
    });
  }

  template <typename Fits>
  void take_first(std::uint32_t sum, const Fits& fits) {
    for (std::uint8_t o = 1; o < 3; ++o) {
      const Holder* const holder = holder_of(instruction(sum).operands[o]);
      if (holder == nullptr) continue;
      const Product& product = products_[holder->product];
      if (!product.fits || !fits(product)) continue;
      out_[sum] = {product.at, o, holder->negated};
      return;
    }
  }

  const Module& module_;
  const Function& function_;
  std::shared_ptr<const FunctionFacts> facts_;
  std::vector<Product> products_;
  std::map<RegisterId, Holder> holders_;
  std::vector<std::vector<std::uint32_t>> writes_;  // of each register, in order
  std::vector<std::uint32_t> calls_;
  std::vector<Contracted> out_;
};

}  // namespace

std::vector<Contracted> contracted_products(const Module& module, const Function& function) {
  const auto& options = module.target_options;
  if (std::ranges::find(options, "debug") != options.end())
    return std::vector<Contracted>(function.instructions.size());
  return Contraction(module, function).run();
}

}  // namespace warplens::ptx
