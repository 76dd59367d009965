#include "engine/gpu/loop_moves.h"

#include <gmock/gmock.h>

#include "engine/ptx/syntax/parser.h"

namespace warplens::gpu {
namespace {

ptx::Module module_with(const std::string& body) {
  auto parsed = ptx::parse(R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .pred %p<4>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<20>;
  .reg .f32 %f<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r9, [n];
  mov.u32 %r1, %tid.x;
  mov.u32 %r4, 0;
  mov.u64 %rd2, %rd1;
)" + body + R"(
  ret;
}
)");
  EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().text());
  return parsed ? std::move(*parsed) : ptx::Module{};
}

struct Found {
  const ptx::Operand* address = nullptr;
  std::uint32_t instruction = 0;
};

// The n-th access of global memory.
Found access(const ptx::Module& module, int n) {
  const ptx::Function& f = module.functions[0];
  for (std::uint32_t i = 0; i < f.instructions.size(); ++i) {
    const ptx::Form& form = module.form(f.instructions[i]);
    if (form.space != ptx::StateSpace::Global || n-- > 0) continue;
    for (const ptx::Operand& operand : f.instructions[i].operands)
      if (operand.kind == ptx::OperandKind::Address) return {&operand, i};
  }
  return {};
}

std::optional<AddressMovement> movement(const ptx::Module& module, int n) {
  const LoopMoves moves(module, module.functions[0]);
  const Found found = access(module, n);
  if (moves.loop_of(module.functions[0].block_of[found.instruction]) == ptx::kNone) return std::nullopt;
  return moves.movement(found.instruction, *found.address, found.instruction);
}

TEST(LoopMoves, APointerThatCountsUpMovesByAConstant) {
  const auto module = module_with(R"(
LOOP:
  ld.global.f32 %f1, [%rd2];
  add.s64 %rd2, %rd2, 24;
  add.s32 %r4, %r4, 1;
  setp.lt.s32 %p1, %r4, %r9;
  @%p1 bra LOOP;)");
  const auto moves = movement(module, 0);
  ASSERT_TRUE(moves);
  EXPECT_EQ(moves->wide.constant, 24);
  EXPECT_TRUE(moves->wide.terms.empty());
  EXPECT_TRUE(moves->widened.empty());
}

TEST(LoopMoves, AWayIntoALoopThatNothingTakesIsNoTurnOfIt) {
  const auto module = module_with(R"(
  bra LOOP;
NEVER:
  @%p2 bra LOOP;
  bra BODY;
LOOP:
  ld.global.f32 %f1, [%rd2];
BODY:
  add.s64 %rd2, %rd2, 24;
  add.s32 %r4, %r4, 1;
  setp.lt.s32 %p1, %r4, %r9;
  @%p1 bra LOOP;)");
  const auto moves = movement(module, 0);
  ASSERT_TRUE(moves);
  EXPECT_EQ(moves->wide.constant, 24);
}

TEST(LoopMoves, AnIndexOf32BitsMovesUntilItWraps) {
  const auto module = module_with(R"(
LOOP:
  mul.wide.s32 %rd5, %r4, 4;
  add.s64 %rd6, %rd1, %rd5;
  ld.global.f32 %f1, [%rd6+8];
  add.s32 %r4, %r4, %r9;
  setp.lt.s32 %p1, %r4, 1000;
  @%p1 bra LOOP;)");
  const auto moves = movement(module, 0);
  ASSERT_TRUE(moves);
  EXPECT_EQ(moves->wide.constant, 0);
  ASSERT_EQ(moves->widened.size(), 1u);
  EXPECT_EQ(module.functions[0].registers[moves->widened[0].source].name, "%r4");
  EXPECT_TRUE(moves->widened[0].is_signed);
  EXPECT_EQ(moves->widened[0].coefficient, 4);
  ASSERT_EQ(moves->widened[0].narrow.terms.size(), 1u);
  EXPECT_EQ(module.functions[0].registers[moves->widened[0].narrow.terms[0].reg].name, "%r9");
}

TEST(LoopMoves, AnIndexTimesAWidthMovesByTheWidth) {
  const auto module = module_with(R"(
LOOP:
  mad.lo.s32 %r5, %r4, %r9, %r1;
  cvt.s64.s32 %rd4, %r5;
  shl.b64 %rd5, %rd4, 2;
  add.s64 %rd6, %rd1, %rd5;
  ld.global.f32 %f1, [%rd6];
  add.s32 %r6, %r4, 2;
  mov.u32 %r4, %r6;
  setp.lt.s32 %p1, %r4, 1000;
  @%p1 bra LOOP;)");
  const auto moves = movement(module, 0);
  ASSERT_TRUE(moves);
  ASSERT_EQ(moves->widened.size(), 1u);
  EXPECT_EQ(moves->widened[0].coefficient, 4);
  ASSERT_EQ(moves->widened[0].narrow.terms.size(), 1u);
  EXPECT_EQ(moves->widened[0].narrow.terms[0].coefficient, 2);
}

TEST(LoopMoves, WhatOnlySomeTurnsChangeIsNotFollowed) {
  const auto module = module_with(R"(
LOOP:
  ld.global.f32 %f1, [%rd2];
  setp.eq.s32 %p2, %r4, %r1;
  @%p2 bra SKIP;
  add.s64 %rd2, %rd2, 4;
SKIP:
  add.s32 %r4, %r4, 1;
  setp.lt.s32 %p1, %r4, %r9;
  @%p1 bra LOOP;)");
  EXPECT_FALSE(movement(module, 0));
}

TEST(LoopMoves, AnAccessThatSomeTurnsSkipIsNotFollowed) {
  const auto module = module_with(R"(
LOOP:
  setp.eq.s32 %p2, %r4, %r1;
  @%p2 bra SKIP;
  ld.global.f32 %f1, [%rd2];
SKIP:
  add.s64 %rd2, %rd2, 4;
  add.s32 %r4, %r4, 1;
  setp.lt.s32 %p1, %r4, %r9;
  @%p1 bra LOOP;)");
  EXPECT_FALSE(movement(module, 0));
}

TEST(LoopMoves, ALoadedIndexIsNotFollowed) {
  const auto module = module_with(R"(
LOOP:
  ld.global.u32 %r5, [%rd2];
  mul.wide.u32 %rd5, %r5, 4;
  add.s64 %rd6, %rd1, %rd5;
  ld.global.f32 %f1, [%rd6];
  add.s64 %rd2, %rd2, 4;
  add.s32 %r4, %r4, 1;
  setp.lt.s32 %p1, %r4, %r9;
  @%p1 bra LOOP;)");
  EXPECT_TRUE(movement(module, 0));
  EXPECT_FALSE(movement(module, 1));
}

TEST(LoopMoves, InANestTheInnermostLoopCounts) {
  const auto module = module_with(R"(
OUTER:
  mov.u32 %r7, 0;
  mov.u64 %rd3, %rd2;
INNER:
  ld.global.f32 %f1, [%rd3];
  add.s64 %rd3, %rd3, 128;
  add.s32 %r7, %r7, 1;
  setp.lt.s32 %p1, %r7, %r9;
  @%p1 bra INNER;
  st.global.f32 [%rd2], %f1;
  add.s64 %rd2, %rd2, 4;
  add.s32 %r4, %r4, 1;
  setp.lt.s32 %p2, %r4, %r9;
  @%p2 bra OUTER;)");
  const auto inner = movement(module, 0), outer = movement(module, 1);
  ASSERT_TRUE(inner && outer);
  EXPECT_EQ(inner->wide.constant, 128);
  EXPECT_EQ(outer->wide.constant, 4);
  const ptx::Function& f = module.functions[0];
  const LoopMoves moves(module, f);
  const std::uint32_t loop = moves.loop_of(f.block_of[access(module, 0).instruction]);
  ASSERT_EQ(moves.entries(loop).size(), 1u);
  EXPECT_NE(moves.loop_of(f.block_of[access(module, 1).instruction]), loop);
}

TEST(LoopMoves, ARegisterWrittenAgainBeforeTheLookIsNotTrusted) {
  const auto module = module_with(R"(
LOOP:
  ld.global.f32 %f1, [%rd2];
  add.s64 %rd2, %rd2, 4;
  ld.global.f32 %f2, [%rd1];
  add.s32 %r4, %r4, 1;
  setp.lt.s32 %p1, %r4, %r9;
  @%p1 bra LOOP;)");
  const LoopMoves moves(module, module.functions[0]);
  const Found first = access(module, 0), second = access(module, 1);
  EXPECT_TRUE(moves.movement(first.instruction, *first.address, first.instruction));
  EXPECT_FALSE(moves.movement(first.instruction, *first.address, second.instruction));
  EXPECT_TRUE(moves.movement(second.instruction, *second.address, second.instruction));
}

}  // namespace
}  // namespace warplens::gpu
