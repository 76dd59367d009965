#include "engine/gpu/keep_roundings.h"

#include <fmt/format.h>

#include "engine/ptx/lowering/lowering.h"
#include "engine/ptx/syntax/printer.h"
#include "engine/ptx/syntax/rounding.h"

namespace warplens::gpu {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::RegisterId;

constexpr std::size_t kOpcode = 3;  // letters of add, sub and mul

class Keeper {
 public:
  Keeper(const ptx::Module& module, std::uint32_t number, ptx::Module& rewritten)
      : module_(module),
        before_(module.functions[number]),
        number_(number),
        rewritten_(rewritten),
        function_(rewritten.functions[number]) {}

  void run(TextBefore& texts) {
    const auto& carried = ptx::lowered(module_, before_)->contracted;
    for (std::uint32_t i = 0; i < carried.size(); ++i) {
      const ptx::Form& form = module_.form(before_.instructions[i]);
      if (carried[i].product != ptx::kNone && carried[i].product != i)
        fuse(i, carried[i], texts);
      else if (carried[i].product == ptx::kNone && form.opcode == Opcode::Mul &&
               ptx::leaves_rounding_open(form))
        set_form(i, "mul.rn" + form.text.substr(kOpcode));
    }
  }

 private:
  void set_form(std::uint32_t i, const std::string& text) {
    function_.instructions[i].form = static_cast<ptx::FormId>(rewritten_.forms.size());
    rewritten_.forms.push_back(ptx::make_form(text));
  }

  void fuse(std::uint32_t sum, const ptx::Contracted& how, TextBefore& texts) {
    const Instruction &from = before_.instructions[how.product], &to = before_.instructions[sum];
    const ptx::Form& form = module_.form(to);
    Operand a = from.operands[1], c = to.operands[3 - how.operand];
    const bool subtracts = form.opcode == Opcode::Sub;
    if (how.negated != (subtracts && how.operand == 2)) negate(a, form.type(), 0, texts[{number_, sum}]);
    if (subtracts && how.operand == 1) negate(c, form.type(), 1, texts[{number_, sum}]);
    set_form(sum, "fma.rn" + form.text.substr(kOpcode));
    function_.instructions[sum].operands = {to.operands[0], a, from.operands[2], c};
  }

  void negate(Operand& term, ptx::Type type, int which, std::string& text) {
    Instruction negation;
    negation.form = static_cast<ptx::FormId>(rewritten_.forms.size());
    rewritten_.forms.push_back(ptx::make_form("neg." + std::string(ptx::name(type))));
    Operand there;
    there.kind = ptx::OperandKind::Register;
    there.reg = spare_of(type, which);
    negation.operands = {there, term};
    text += "\t" + ptx::print(rewritten_, function_, negation) + "\n";
    term = there;
  }

  // Registers for what is negated, two of each type.
  RegisterId spare_of(ptx::Type type, int which) {
    const auto [found, fresh] =
        spares_.try_emplace({type, which}, static_cast<RegisterId>(function_.registers.size()));
    if (fresh) {
      const int bytes = ptx::size_of(type);
      const bool is_float = type == ptx::Type::F32 || type == ptx::Type::F64;
      function_.registers.push_back(
          {fmt::format("%wln{}{}", which == 0 ? "" : "c", ptx::name(type)), is_float     ? type
                                                                            : bytes == 2 ? ptx::Type::B16
                                                                                         : ptx::Type::B32});
    }
    return found->second;
  }

  const ptx::Module& module_;
  const ptx::Function& before_;
  std::uint32_t number_;
  ptx::Module& rewritten_;
  ptx::Function& function_;
  std::map<std::pair<ptx::Type, int>, RegisterId> spares_;
};

}  // namespace

TextBefore keep_roundings(const ptx::Module& module, const std::vector<std::uint32_t>& functions,
                          ptx::Module& rewritten) {
  TextBefore out;
  for (const std::uint32_t number : functions) Keeper(module, number, rewritten).run(out);
  return out;
}

}  // namespace warplens::gpu
