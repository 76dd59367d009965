#include "engine/ptx/lowering/lowering.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/syntax/parser.h"

namespace warplens::ptx {
namespace {

constexpr const char* kPair =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<8>;\n"
    ".shared .align 16 .b8 s[64];\nmov.u32 %r1, s;\nld.shared.u32 %r2, [%r1];\n"
    "ld.shared.u32 %r3, [%r1+4];\nld.shared.u32 %r4, [%r1+8];\nld.shared.u32 %r5, [%r1+12];\n"
    "add.u32 %r2, %r2, %r3;\nadd.u32 %r4, %r4, %r5;\nadd.u32 %r2, %r2, %r4;\n"
    "st.shared.u32 [%r1+32], %r2;\nret;\n}\n";

Module parsed() {
  auto module = parse(kPair);
  EXPECT_TRUE(module) << (module ? "" : module.error().text());
  return module ? std::move(*module) : Module{};
}

TEST(Lowering, SaysWhoLeadsAnAccessAndHowThatIsKnown) {
  const Module module = parsed();
  const auto facts = lowered(module, module.functions[0]);
  EXPECT_EQ(facts->provider, Known::Rule);
  EXPECT_EQ(facts->accesses[1].leader, 1u);
  EXPECT_EQ(facts->accesses[1].bytes, 16);
  EXPECT_EQ(facts->accesses[1].known, Known::Rule);
  EXPECT_EQ(facts->accesses[4].leader, 1u);
  EXPECT_EQ(facts->accesses[8].leader, 8u);
  EXPECT_EQ(facts->accesses[8].bytes, 4);
  EXPECT_EQ(facts->accesses[8].known, Known::AsWritten);
}

// An atomic that shared memory has no instruction for is a loop there; the PTX does not say so, and of a
// generic address only the run tells where it leads.
TEST(Lowering, SaysWhichAtomicsAreLoopsInSharedMemory) {
  const auto module = parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<8>;\n"
      ".reg .b64 %rd<4>;\n.reg .f32 %f<4>;\n.shared .align 16 .b8 s[64];\nmov.u32 %r1, s;\n"
      "atom.shared.add.f32 %f1, [%r1], %f2;\natom.shared.add.u32 %r2, [%r1], %r3;\n"
      "atom.shared.cas.b64 %rd1, [%r1], %rd2, %rd3;\natom.shared.add.u64 %rd1, [%r1], %rd2;\n"
      "red.global.add.f32 [%rd1], %f2;\nred.add.f32 [%rd1], %f2;\nst.shared.f32 [%r1], %f1;\n"
      "st.shared.u64 [%r1], %rd1;\nst.shared.u32 [%r1], %r2;\nret;\n}\n");
  ASSERT_TRUE(module) << module.error().text();
  const auto facts = lowered(*module, module->functions[0]);
  const std::vector<bool> loops{false, true, false, false, true, false, true, false};
  for (std::size_t i = 0; i < loops.size(); ++i) EXPECT_EQ(facts->accesses[i].loop_in_shared, loops[i]) << i;
  EXPECT_EQ(facts->accesses[1].known, Known::Rule);
  EXPECT_EQ(facts->accesses[3].known, Known::AsWritten);
}

// Of branches and barriers too, and of what a loop that a rule unrolls holds.
TEST(Lowering, SaysHowItIsKnownOfEveryInstruction) {
  auto module = parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b32 %r<8>;\n"
      ".reg .b64 %rd<4>;\n.reg .pred %p<2>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
      "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra END;\nst.global.u32 [%rd1], %r1;\nbar.sync 0;\n"
      "st.global.u32 [%rd1+4], %r1;\nEND: ret;\n}\n");
  ASSERT_TRUE(module) << module.error().text();
  const auto by_rules = lowered(*module, module->functions[0]);
  const bool leaves = by_rules->branches.forms[3] != BranchForm::Branches;
  EXPECT_EQ(by_rules->accesses[3].known, leaves ? Known::Rule : Known::AsWritten);
  EXPECT_EQ(by_rules->accesses[5].known, Known::AsWritten);
  module->functions[0].machine.resize(1);
  module->derived.forget();
  const auto by_machine_code = lowered(*module, module->functions[0]);
  EXPECT_EQ(by_machine_code->accesses[3].known, Known::MachineCode);
  EXPECT_EQ(by_machine_code->accesses[5].known, Known::MachineCode);
}

TEST(Lowering, GiantCodeIsLeftAsWrittenAndSaysSo) {
  std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<8>;\n"
      ".reg .pred %p<2>;\nsetp.eq.s32 %p1, %r1, 0;\n";
  for (int i = 0; i < 2100; ++i)
    text += "@%p1 bra L" + std::to_string(i) + ";\nadd.u32 %r2, %r2, 1;\nL" + std::to_string(i) + ":\n";
  const auto giant = parse(text + "ret;\n}\n");
  ASSERT_TRUE(giant) << giant.error().text();
  const auto facts = lowered(*giant, giant->functions[0]);
  EXPECT_TRUE(facts->giant);
  EXPECT_EQ(facts->branches.forms[1], BranchForm::Branches);
  const Module small = parsed();
  EXPECT_FALSE(lowered(small, small.functions[0])->giant);
}

TEST(Lowering, IsMadeOnceHoweverManyAsk) {
  const Module module = parsed();
  const std::uint64_t before = times_lowered();
  std::vector<std::thread> threads;
  std::vector<const Lowered*> seen(8);
  for (std::size_t t = 0; t < seen.size(); ++t)
    threads.emplace_back([&, t] { seen[t] = lowered(module, module.functions[0]).get(); });
  for (std::thread& thread : threads) thread.join();
  for (const Lowered* facts : seen) EXPECT_EQ(facts, seen[0]);
  EXPECT_EQ(times_lowered(), before + 1);
  EXPECT_EQ(facts_of(module, module.functions[0]), facts_of(module, module.functions[0]));
}

TEST(Lowering, ACopyAndAnEditedFunctionAreLookedAtAgain) {
  Module module = parsed();
  const auto first = lowered(module, module.functions[0]);
  const Module copy = module;
  EXPECT_NE(lowered(copy, copy.functions[0]), first);
  EXPECT_EQ(lowered(module, module.functions[0]), first);
  module.functions[0].machine.resize(1);
  EXPECT_EQ(lowered(module, module.functions[0])->provider, Known::MachineCode);
  module.functions[0].machine.clear();
  module.derived.forget();
  EXPECT_NE(lowered(module, module.functions[0]), first);
  // A function that is none of the module's is not kept.
  const Function stray = module.functions[0];
  EXPECT_NE(lowered(module, stray), lowered(module, stray));
}

}  // namespace
}  // namespace warplens::ptx
