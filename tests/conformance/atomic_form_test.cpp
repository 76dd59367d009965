// The forms that ptxas gives to atomics, as the names of the kernels in atomic_forms.cu state them.
#include "engine/ptx/rules/atomic_form.h"

#include <gtest/gtest.h>

#include "engine/base/assets.h"
#include "engine/ptx/syntax/parser.h"
#include "tests/support/places.h"

namespace warplens::ptx {
namespace {

std::string stated_form(const AtomicExecution& execution, const Form& form) {
  constexpr std::array<const char*, 4> kNames{"each", "one", "full", "count"};
  const std::string where = form.space == StateSpace::Shared ? "shared"
                            : execution.reduction            ? "red"
                                                             : "atom";
  return std::string(kNames[static_cast<std::size_t>(execution.form)]) + "_" + where;
}

TEST(AtomicForm, EqualsWhatPtxasMakesOfEveryKernel) {
  const auto text =
      read_text(std::filesystem::path(tests::source_dir()) / "tests/conformance/ptx/atomic_forms.ptx");
  ASSERT_TRUE(text);
  const auto module = parse(*text);
  ASSERT_TRUE(module) << module.error().text();
  int kernels = 0;
  for (const Function& function : module->functions) {
    if (!function.is_entry) continue;
    ++kernels;
    const auto executions = atomic_executions(*module, function);
    ASSERT_EQ(executions.size(), function.instructions.size());
    for (std::size_t i = 0; i < executions.size(); ++i) {
      const Form& form = module->form(function.instructions[i]);
      if (form.opcode != ptx::Opcode::Atom) continue;
      const std::string stated = stated_form(executions[i], form);
      EXPECT_TRUE(function.demangled.starts_with(stated)) << function.demangled << " taken for " << stated;
    }
  }
  EXPECT_GE(kernels, 50);
}

}  // namespace
}  // namespace warplens::ptx
