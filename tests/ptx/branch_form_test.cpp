// What the rules say becomes of branches and loops on the machine. How often ptxas does that is counted in
// rules_against_ptxas_test.cpp and in tests/conformance.
#include "engine/ptx/rules/branch_form.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/ptx/facts/unrolled_loops.h"
#include "engine/ptx/lowering/lowering.h"
#include "engine/ptx/syntax/parser.h"
#include "tests/ptx/kernel_text.h"

namespace warplens::ptx {
namespace {

Module branching_kernel(const std::string& body) {
  auto module = parse(kernel_text(body));
  EXPECT_TRUE(module) << module.error().text();
  return std::move(*module);
}

// Forms of the branches in the order of the text: B, L, R.
std::string forms(const std::string& body) {
  const Module module = branching_kernel(body);
  const Function& function = module.functions.front();
  const std::vector<BranchForm> found = executed_branches(module, function).forms;
  std::string out;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (module.form(function.instructions[i]).opcode == Opcode::Bra)
      out += "BLR"[static_cast<std::size_t>(found[i])];
  return out;
}

std::string many_times(const std::string& line, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += line;
  return out;
}

std::string skipping(const std::string& condition, const std::string& body) {
  return condition + "@%p1 bra SKIP;\n" + body + "SKIP:\n bar.sync 0;\n st.global.u32 [%rd1], %r5;\n ret;";
}

const std::string kByLane = "setp.lt.s32 %p1, %r1, 9;\n";
const std::string kUniform = "setp.lt.s32 %p1, %r2, 9;\n";

TEST(BranchForm, ShortPartsArePredicated) {
  const std::string step = "xor.b32 %r5, %r5, %r1;\n";
  EXPECT_EQ(forms(skipping(kByLane, many_times(step, 8))), "R");
  EXPECT_EQ(forms(skipping(kByLane, many_times(step, 10))), "B");
  EXPECT_EQ(forms(skipping(kUniform, many_times(step, 6))), "R");
  EXPECT_EQ(forms(skipping(kUniform, many_times(step, 8))), "B");
}

TEST(BranchForm, GlobalLoadsAllowLongerParts) {
  const auto loading = [](int pairs) {
    return skipping(kByLane, many_times("ld.global.f32 %f1, [%rd1+64];\n add.f32 %f2, %f2, %f1;\n", pairs));
  };
  EXPECT_EQ(forms(loading(1)), "R");
  EXPECT_EQ(forms(loading(9)), "R");
  EXPECT_EQ(forms(loading(11)), "B");
}

TEST(BranchForm, OneSideIsEnoughWhereBothEndTheThread) {
  const std::string sides = R"(@%p1 bra OTHER;
  red.global.add.u32 [%rd1], %r1;
  bra.uni END;
OTHER:
  st.global.u32 [%rd1+4], %r1;
END:
  ret;)";
  EXPECT_EQ(forms(kByLane + sides), "RR");
}

TEST(BranchForm, QuestionsAboutOneRegisterAreATable) {
  const auto questions = [](int second) {
    return "st.global.u32 [%rd1+64], %r1;\n setp.eq.s32 %p1, %r2, 1;\n @%p1 bra ONE;\n" +
           fmt::format("setp.eq.s32 %p2, %r2, {};\n @%p2 bra TWO;\n", second) +
           "red.global.add.u32 [%rd1], %r1;\n bra.uni END;\nONE:\n red.global.add.u32 [%rd1], 3;\n bra.uni "
           "END;\n"
           "TWO:\n red.global.add.u32 [%rd1], 4;\nEND:\n bar.sync 0;\n st.global.u32 [%rd1], %r5;\n ret;";
  };
  EXPECT_EQ(forms(questions(10)).substr(0, 2), "BR");
  EXPECT_EQ(forms(questions(13)).substr(0, 2), "BB");
  const auto further = [&](int second) {
    const Module module = branching_kernel(questions(second));
    return executed_branches(module, module.functions.front()).further_questions;
  };
  EXPECT_EQ(further(10), std::vector<std::uint32_t>{7});  // the second branch, behind ld, ld, mov, st
  EXPECT_TRUE(further(13).empty());
}

TEST(BranchForm, AtomicsDivisionsAndShufflesStayBehindABranch) {
  EXPECT_EQ(forms(skipping(kByLane, "red.global.add.u32 [%rd1], 5;\n")), "B");
  EXPECT_EQ(forms(skipping(kByLane, "div.rn.f32 %f1, %f2, %f3;\n")), "B");
  EXPECT_EQ(forms(skipping(kByLane, "rem.s32 %r5, %r1, %r2;\n")), "B");
  EXPECT_EQ(forms(skipping(kByLane, "rem.s32 %r5, %r1, 7;\n")), "R");
  EXPECT_EQ(forms(skipping(kByLane, "shfl.sync.bfly.b32 %r5, %r5, 1, 31, -1;\n")), "B");
}

TEST(BranchForm, JumpsToTheEndLeave) {
  EXPECT_EQ(forms(kByLane + "@%p1 bra END;\n st.global.u32 [%rd1], %r1;\nEND:\n ret;"), "L");
}

TEST(BranchForm, AJumpBehindAConditionalOneIsNoneOfItsOwn) {
  EXPECT_EQ(forms(kByLane + R"(HEAD:
  shfl.sync.bfly.b32 %r5, %r5, 1, 31, -1;
  setp.gt.s32 %p2, %r5, 100;
  @%p2 bra DONE;
  bra.uni HEAD;
DONE:
  st.global.u32 [%rd1], %r5;
  ret;)"),
            "BR");
}

TEST(BranchForm, BothSidesOfAChoiceArePredicated) {
  const std::string text = kByLane + R"(@%p1 bra OTHER;
  add.s32 %r5, %r1, 3;
  bra.uni MEET;
OTHER:
  xor.b32 %r5, %r1, 7;
MEET:
  bar.sync 0;
  st.global.u32 [%rd1], %r5;
  ret;)";
  EXPECT_EQ(forms(text), "RR");
}

TEST(BranchForm, APartThatHoldsAPredicatedOneKeepsItsBranch) {
  const auto nested = [](int steps) {
    const std::string part = many_times("xor.b32 %r5, %r5, %r1;\n", steps);
    return kByLane + "@%p1 bra SKIP;\n" + part + "setp.gt.s32 %p2, %r5, 3;\n@%p2 bra INNER;\n" + part +
           "INNER:\n add.s32 %r5, %r5, 1;\nSKIP:\n bar.sync 0;\n st.global.u32 [%rd1], %r5;\n ret;";
  };
  EXPECT_EQ(forms(nested(1)), "BR");
  EXPECT_EQ(forms(nested(5)), "BR");
}

TEST(BranchForm, AnIfElseOfTheWholeWarpBranches) {
  const std::string choice = R"(@%p1 bra OTHER;
  add.s32 %r5, %r1, 3;
  bra.uni MEET;
OTHER:
  xor.b32 %r5, %r1, 7;
MEET:
  bar.sync 0;
  st.global.u32 [%rd1], %r5;
  ret;)";
  EXPECT_EQ(forms(kUniform + choice), "BB");
}

TEST(BranchForm, AConditionDecidedBeforeIsNotAskedAgain) {
  const std::string part = many_times("xor.b32 %r5, %r5, %r1;\n", 12);
  EXPECT_EQ(forms(kByLane + "@%p1 bra FIRST;\n" + part + "FIRST:\n @%p1 bra SECOND;\n" + part +
                  "SECOND:\n bar.sync 0;\n st.global.u32 [%rd1], %r5;\n ret;"),
            "BR");
}

// `@p bra A; bra B; A: ...; bra M; B: ...; M:` has B in front of A on the machine.
TEST(BranchForm, TheSideThatDoesNotJumpComesFirst) {
  const std::string part = many_times("xor.b32 %r5, %r5, %r1;\n", 12);
  const Module module =
      branching_kernel(kByLane + "@%p1 bra A;\n bra.uni B;\nA:\n" + part + "bra.uni M;\nB:\n" + part +
                       "M:\n bar.sync 0;\n st.global.u32 [%rd1], %r5;\n ret;");
  const ExecutedBranches found = executed_branches(module, module.functions.front());
  const std::uint32_t first = 4;  // behind ld, ld, mov, setp
  EXPECT_EQ(found.forms[first], BranchForm::Branches);
  EXPECT_EQ(found.forms[first + 1], BranchForm::Removed);
  EXPECT_EQ(found.forms[first + 14], BranchForm::Removed);
  ASSERT_EQ(found.jump_after.size(), 1u);
  EXPECT_EQ(found.jump_after[0], first + 1);  // executed as often as B
}

TEST(AddedBranches, ShufflesOfAPartTestWhoIsThere) {
  const auto added = [](const std::string& body) {
    const Module module = branching_kernel(body);
    int sum = 0;
    for (const std::uint32_t one : lower(module, module.functions.front()).added_branches)
      sum += static_cast<int>(one);
    return sum;
  };
  const std::string shuffle = "shfl.sync.bfly.b32 %r5, %r5, 1, 31, -1;\n";
  EXPECT_EQ(added(skipping(kByLane, shuffle + shuffle)), 1);
  EXPECT_EQ(added(skipping(kUniform, shuffle)), 0);
  EXPECT_EQ(added(skipping(kByLane, "bar.warp.sync -1;\n" + shuffle)), 0);
  EXPECT_EQ(added(shuffle + "st.global.u32 [%rd1], %r5;\n ret;"), 0);
  EXPECT_EQ(added("sqrt.rn.f32 %f1, %f2;\n st.global.f32 [%rd1], %f1;\n ret;"), 1);
}

std::string loop(const std::string& before, const std::string& body, const std::string& test) {
  return "add.s32 %r4, %r1, %r2;\n" + before + "LOOP:\n" + body + "add.s32 %r3, %r3, 4;\n" + test +
         "@%p1 bra LOOP;\n st.global.f32 [%rd1], %f2;\n ret;";
}

std::vector<UnrolledLoop> loops(const std::string& body) {
  const Module module = branching_kernel(body);
  return unrolled_loops(module, module.functions.front());
}

TEST(UnrolledLoops, SmallCountedLoopsAreUnrolledAgain) {
  const std::string body = "ld.global.f32 %f1, [%rd1];\n add.f32 %f2, %f2, %f1;\n";
  const std::string start = "add.s32 %r3, %r1, 0;\n";
  const auto up = loops(loop(start, body, "setp.lt.s32 %p1, %r3, %r4;\n"));
  ASSERT_EQ(up.size(), 1u);
  EXPECT_FALSE(up[0].ends_by_equality);
  EXPECT_FALSE(up[0].uniform);
  const auto equal = loops(loop("add.s32 %r3, %r2, 8;\n", body, "setp.ne.s32 %p1, %r3, 0;\n"));
  ASSERT_EQ(equal.size(), 1u);
  EXPECT_TRUE(equal[0].ends_by_equality);
  EXPECT_TRUE(equal[0].uniform);
}

TEST(UnrolledLoops, OthersStayAsWritten) {
  const std::string body = "ld.global.f32 %f1, [%rd1];\n add.f32 %f2, %f2, %f1;\n";
  const std::string start = "add.s32 %r3, %r1, 0;\n", test = "setp.lt.s32 %p1, %r3, %r4;\n";
  EXPECT_TRUE(loops(loop(start, ".pragma \"nounroll\";\n" + body, test)).empty());
  EXPECT_TRUE(loops(loop(start, body + "div.rn.f32 %f2, %f2, %f1;\n", test)).empty());
  EXPECT_TRUE(loops(loop(start, body + "red.global.add.u32 [%rd1], 5;\n", test)).empty());
  EXPECT_TRUE(loops(loop(start, many_times(body, 30), test)).empty());
  EXPECT_TRUE(loops(loop(start, body, "add.s32 %r6, %r3, %r2;\n setp.ne.s32 %p1, %r6, 0;\n")).empty());
  EXPECT_TRUE(loops(loop("mov.u32 %r3, 0;\n", body, "setp.ne.s32 %p1, %r3, 64;\n")).empty());
}

TEST(UnrolledLoops, CopiesStayAsWrittenUnlessAValueGoesOn) {
  const std::string start = "add.s32 %r3, %r1, 0;\n", test = "setp.lt.s32 %p1, %r3, %r4;\n";
  const std::string load = "ld.global.f32 %f1, [%rd1];\n", store = "st.global.f32 [%rd1+512], %f1;\n";
  const auto count = [&](const std::string& body) { return loops(loop(start, body, test)).size(); };
  EXPECT_EQ(count(load + store), 0u);
  EXPECT_EQ(count(load + store + "add.s64 %rd1, %rd1, 16;\n"), 0u);  // the address goes on, no value
  EXPECT_EQ(count(load + store + store), 0u);
  EXPECT_EQ(count(load + load + store), 1u);
  EXPECT_EQ(count(store), 1u);
  EXPECT_EQ(count(load + "add.f32 %f2, %f2, %f1;\n" + store), 1u);
}

}  // namespace
}  // namespace warplens::ptx
