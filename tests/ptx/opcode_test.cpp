#include "engine/ptx/syntax/opcode.h"

#include <gtest/gtest.h>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {
namespace {

constexpr Opcode kOpcodes[] = {
#define OPCODE(name, ...) Opcode::name,
#include "engine/ptx/syntax/opcodes.inc"
#undef OPCODE
};

TEST(Opcode, EveryRowIsFoundByItsText) {
  for (const Opcode opcode : kOpcodes) {
    EXPECT_FALSE(name(opcode).empty());
    EXPECT_EQ(opcode_from_name(name(opcode)), opcode) << name(opcode);
  }
#define MODIFIER(row, text) EXPECT_EQ(modifier_from_name(text), Modifier::row) << text;
#include "engine/ptx/syntax/modifiers.inc"
#undef MODIFIER
}

TEST(Opcode, WhatHasNoRowIsUnknown) {
  EXPECT_EQ(opcode_from_name(""), Opcode::Unknown);
  EXPECT_EQ(opcode_from_name("frobnicate"), Opcode::Unknown);
  EXPECT_EQ(opcode_from_name("ldx"), Opcode::Unknown);
  EXPECT_EQ(modifier_from_name("sideways"), Modifier::Unknown);
  EXPECT_EQ(name(Opcode::Unknown), "");
  // Nothing good is assumed of it.
  EXPECT_FALSE(effects_of(Opcode::Unknown).is(kQuiet | kPure));
}

TEST(Opcode, EffectsOfARowDoNotContradictEachOther) {
  for (const Opcode opcode : kOpcodes) {
    const Effects& effects = effects_of(opcode);
    const bool moves = effects.memory == MemoryUse::Store || effects.memory == MemoryUse::Atomic ||
                       effects.memory == MemoryUse::Reduce || effects.memory == MemoryUse::Copy ||
                       effects.memory == MemoryUse::StoreMatrix || effects.memory == MemoryUse::Barrier;
    EXPECT_FALSE(moves && effects.is(kQuiet)) << name(opcode);
    EXPECT_TRUE(!moves || effects.is(kAnchored)) << name(opcode);
    EXPECT_TRUE(!effects.is(kPure) || effects.is(kQuiet)) << name(opcode);
    EXPECT_FALSE(effects.is(kPure) && (effects.is(kWaits) || effects.is(kAnchored))) << name(opcode);
    EXPECT_TRUE(!effects.is(kPure) || effects.lanes == Lanes::Own) << name(opcode);
    EXPECT_TRUE(!effects.is(kOrders) || effects.is(kWaits)) << name(opcode);
    EXPECT_TRUE(!effects.leaves() || effects.ends_block()) << name(opcode);
    const bool steers = effects.control != Control::Next && effects.control != Control::Barrier;
    EXPECT_TRUE(!steers || effects.written == Written::None) << name(opcode);
  }
}

TEST(Opcode, AFormKnowsWhetherThreadsMayTalkByIt) {
  for (const char* strong :
       {"ld.volatile.global.u32", "st.volatile.shared.f32", "ld.relaxed.gpu.global.u32", "ld.acquire.sys.u64",
        "st.release.gpu.global.u32", "atom.acq_rel.gpu.global.add.u32", "ld.mmio.relaxed.sys.global.u32"})
    EXPECT_TRUE(make_form(strong).is_strong()) << strong;
  for (const char* weak : {"ld.global.f32", "ld.weak.global.u32", "st.global.v4.f32", "ld.global.nc.u32"})
    EXPECT_FALSE(make_form(weak).is_strong()) << weak;
}

TEST(Opcode, AFormKnowsItsShapeItsSpaceAndItsModifiers) {
  const Form product = make_form("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  ASSERT_TRUE(product.shape);
  EXPECT_EQ(product.shape->m * 10000 + product.shape->n * 100 + product.shape->k, 160816);
  EXPECT_EQ(product.modifiers[2], Modifier::Unknown);
  EXPECT_FALSE(make_form("mma.m16n8k16x").shape);
  EXPECT_FALSE(make_form("mma.m16n8k99999999999").shape);
  EXPECT_EQ(make_form("wmma.mma.sync.m16n16k16.row.col.f16.f16").space, StateSpace::None);
  EXPECT_EQ(make_form("wmma.load.a.sync.aligned.row.m16n16k16.f16").space, StateSpace::Generic);
  EXPECT_EQ(make_form("tex.2d.v4.f32.f32").space, StateSpace::Tex);
  EXPECT_EQ(make_form("setp.lt.and.ftz.f32").modifiers,
            (std::vector{Modifier::Lt, Modifier::And, Modifier::Ftz, Modifier::F32}));
}

}  // namespace
}  // namespace warplens::ptx
