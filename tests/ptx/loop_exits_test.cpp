// Loops in which lanes stay apart, as the machine code of ptxas has them.
#include "engine/ptx/rules/loop_exits.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/ptx/syntax/parser.h"

namespace warplens::ptx {
namespace {

// The label's block.
bool apart_at(const std::string& body, const std::string& label) {
  const Result<Module> module = parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n" +
      body + "\n}\n");
  EXPECT_TRUE(module) << module.error().text();
  if (!module) return false;
  const Function& function = module->functions[0];
  return loops_passed_apart(function)[function.block_of[function.labels.at(label)]];
}

// for (...) { for (...) { if (p1) continue; LEAVE } }
std::string nested(const std::string& leave) {
  return "OUTER: mov.u32 %r1, 0;\nINNER: add.s32 %r1, %r1, 1;\n@%p1 bra LATCH;\n" + leave +
         "LATCH: add.s32 %r2, %r2, 1;\n@%p4 bra INNER;\nbra.uni NEXT;\n"
         "FOUND: mov.u32 %r3, %r2;\nNEXT: add.s32 %r4, %r4, 1;\n@%p5 bra OUTER;\n"
         "DONE: mov.u32 %r5, %r3;\nret;";
}

TEST(LoopExits, TwoWaysOutOfOneBranchKeepLanesApart) {
  const std::string both = nested("@%p2 bra FOUND;\n@%p3 bra DONE;\n");
  EXPECT_TRUE(apart_at(both, "LATCH"));
  EXPECT_TRUE(apart_at(both, "INNER"));
  EXPECT_FALSE(apart_at(both, "NEXT"));
  EXPECT_FALSE(apart_at(both, "OUTER"));
}

TEST(LoopExits, OneWayOutDoesNot) {
  EXPECT_FALSE(apart_at(nested("@%p2 bra FOUND;\n"), "LATCH"));
  EXPECT_FALSE(apart_at(nested("@%p2 bra FOUND;\n@%p3 bra NEXT;\n"), "LATCH"));
  EXPECT_FALSE(apart_at(nested("@%p3 bra DONE;\n"), "LATCH"));
}

TEST(LoopExits, LanesThatEndAreNoWayOut) {
  const std::string ends = nested("@%p2 bra FOUND;\n@%p3 bra GONE;\n") + "\nGONE: mov.u32 %r6, 1;\nret;";
  EXPECT_FALSE(apart_at(ends, "LATCH"));
}

TEST(LoopExits, ALoopEnteredInTheMiddle) {
  const std::string duff =
      "@%p1 bra TWO;\nONE: add.s32 %r1, %r1, 1;\nTWO: add.s32 %r1, %r1, 2;\n@%p2 bra ONE;\n"
      "OUT: mov.u32 %r2, %r1;\nret;";
  EXPECT_TRUE(apart_at(duff, "ONE"));
  EXPECT_FALSE(apart_at(duff, "OUT"));
}

}  // namespace
}  // namespace warplens::ptx
