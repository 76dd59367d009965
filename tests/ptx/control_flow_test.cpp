// Blocks, post-dominators and loops on small graphs; on random ones against a definition by brute force.
#include "engine/ptx/syntax/control_flow.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "engine/ptx/syntax/parser.h"

namespace warplens::ptx {
namespace {

Module graph_kernel(const std::string& body) {
  Result<Module> module = parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {\n.reg .pred %p<4>;\n.reg .b32 %r<10>;\n" +
      body + "\n}\n");
  EXPECT_TRUE(module) << module.error().text();
  return module ? *std::move(module) : Module{};
}

// The first instruction behind a branch that all lanes come to.
std::uint32_t reconvergence_point(const Function& function, std::uint32_t instruction) {
  const std::uint32_t meets = function.blocks[function.block_of[instruction]].immediate_post_dominator;
  return meets == kNone ? kNone : function.blocks[meets].first;
}

TEST(ControlFlow, IfMeetsBehindIt) {
  const Module module = graph_kernel("@%p1 bra L;\nmov.u32 %r1, 1;\nL: mov.u32 %r1, 2;\nret;");
  const Function& function = module.functions[0];
  ASSERT_EQ(function.blocks.size(), 3u);
  EXPECT_EQ(reconvergence_point(function, 0), 2u);
  EXPECT_EQ(reconvergence_point(function, 1), 2u);
  EXPECT_EQ(reconvergence_point(function, 3), kNone);
}

TEST(ControlFlow, IfElseWithEarlyReturn) {
  const Module module = graph_kernel(
      "@%p1 bra E;\nmov.u32 %r1, 1;\nbra J;\nE: mov.u32 %r1, 2;\n@%p2 ret;\nJ: mov.u32 %r2, 3;\nret;");
  // The return parts some lanes for ever, so the two sides meet only at the exit.
  EXPECT_EQ(reconvergence_point(module.functions[0], 0), kNone);
}

TEST(ControlFlow, NestedLoops) {
  const Module module = graph_kernel(
      "mov.u32 %r1, 0;\nA: mov.u32 %r2, 0;\nB: add.s32 %r2,%r2,1;\n@%p1 bra B;\nadd.s32 %r1,%r1,1;\n@%p2 bra "
      "A;\nret;");
  const Function& function = module.functions[0];
  const auto depth = [&](std::uint32_t i) { return function.blocks[function.block_of[i]].loop_depth; };
  EXPECT_EQ(depth(0), 0u);
  EXPECT_EQ(depth(1), 1u);
  EXPECT_EQ(depth(2), 2u);
  EXPECT_EQ(depth(4), 1u);
  EXPECT_EQ(depth(6), 0u);
  EXPECT_EQ(reconvergence_point(function, 3), 4u);
}

TEST(ControlFlow, EndlessLoopStillReconverges) {
  const Module module = graph_kernel("A: @%p1 bra L;\nmov.u32 %r1, 1;\nL: mov.u32 %r1, 2;\nbra A;");
  EXPECT_EQ(reconvergence_point(module.functions[0], 0), 2u);
}

// As compilers write it: what every turn ends with stands first in the text.
TEST(ControlFlow, LanesOfAnEndlessLoopMeetWhereItsTurnsEnd) {
  const Module module = graph_kernel("bra A;\nL: mov.u32 %r1, 2;\nA: @%p1 bra L;\nmov.u32 %r1, 1;\nbra L;");
  EXPECT_EQ(reconvergence_point(module.functions[0], 2), 1u);
}

// Every node on all paths from `from` to the exit, by removing one node at a time.
bool post_dominates(const Function& function, std::uint32_t candidate, std::uint32_t from) {
  std::set<std::uint32_t> seen;
  std::vector<std::uint32_t> open{from};
  while (!open.empty()) {
    const std::uint32_t b = open.back();
    open.pop_back();
    if (b == candidate || !seen.insert(b).second) continue;
    if (function.blocks[b].successors.empty()) return false;
    for (const std::uint32_t to : function.blocks[b].successors) open.push_back(to);
  }
  return true;
}

bool reaches_exit(const Function& function, std::uint32_t from) {
  return !post_dominates(function, kNone, from);
}

TEST(ControlFlow, PostDominatorsOfRandomGraphs) {
  std::minstd_rand engine(7);
  const auto random = [&] { return static_cast<unsigned>(engine()) >> 8; };
  for (int round = 0; round < 60; ++round) {
    const unsigned nodes = 3 + random() % 12;
    std::string body;
    for (unsigned i = 0; i < nodes; ++i) {
      body += "L" + std::to_string(i) + ": mov.u32 %r1, 1;\n";
      if (random() % 3 != 0) body += "@%p1 bra L" + std::to_string(random() % nodes) + ";\n";
      if (random() % 8 == 0) body += "ret;\n";
    }
    const Module module = graph_kernel(body + "ret;");
    const Function& function = module.functions[0];
    for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
      if (!reaches_exit(function, b)) continue;
      const std::uint32_t meets = function.blocks[b].immediate_post_dominator;
      std::set<std::uint32_t> all;  // strict post-dominators
      for (std::uint32_t c = 0; c < function.blocks.size(); ++c) {
        if (c != b && post_dominates(function, c, b)) all.insert(c);
      }
      if (meets == kNone) {
        EXPECT_TRUE(all.empty()) << body;
        continue;
      }
      ASSERT_TRUE(all.contains(meets)) << body;
      for (const std::uint32_t c : all) EXPECT_TRUE(c == meets || post_dominates(function, c, meets)) << body;
    }
  }
}

}  // namespace
}  // namespace warplens::ptx
