// wmma loads and stores as accesses: how many, of how many bytes, and where each lane's part lies.
#include "engine/trace/fragments.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace warplens::trace {
namespace {

std::optional<FragmentMovement> movement(const std::string& op) {
  return fragment_movement(ptx::make_form(op));
}

TEST(Fragments, AsManyAccessesAsTheMachineCodeHasInstructions) {
  struct Case {
    const char* op;
    int accesses, bytes;
    LaneMask naming;
  };
  const Case cases[] = {
      {"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", 1, 16, kFullMask},
      {"wmma.load.a.sync.aligned.row.m32n8k16.shared.f16", 2, 16, kFullMask},
      {"wmma.load.b.sync.aligned.row.m32n8k16.shared.f16", 1, 16, 0xffff},
      {"wmma.load.a.sync.aligned.row.m16n16k16.shared.s8", 1, 16, 0xffff},
      {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16", 4, 4, kFullMask},
      {"wmma.load.a.sync.aligned.col.m16n16k16.global.f16", 4, 4, kFullMask},
      {"wmma.load.c.sync.aligned.row.m16n16k16.global.f32", 4, 8, kFullMask},
      {"wmma.store.d.sync.aligned.col.m16n16k16.f32", 8, 4, kFullMask},
      {"wmma.load.a.sync.aligned.row.m16n16k8.tf32", 4, 4, kFullMask},
  };
  for (const Case& one : cases) {
    const auto found = movement(one.op);
    ASSERT_TRUE(found) << one.op;
    EXPECT_EQ(found->accesses(), one.accesses) << one.op;
    EXPECT_EQ(found->bytes(), one.bytes) << one.op;
    EXPECT_EQ(found->naming(), one.naming) << one.op;
  }
  EXPECT_FALSE(movement("wmma.load.a.sync.aligned.row.m8n8k128.global.b1"));
  EXPECT_FALSE(movement("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32"));
  EXPECT_FALSE(movement("ld.global.f32"));
}

// All accesses of a fragment move each byte of its matrix, and (but for the rows that ldmatrix hands out)
// once.
TEST(Fragments, TheAccessesCoverTheMatrix) {
  for (const char* shape : {"m16n16k16", "m32n8k16", "m8n32k16"})
    for (const char* layout : {"row", "col"})
      for (const char* space : {"shared", "global"})
        for (const char* use : {"a.f16", "b.f16", "a.s8", "b.u8", "c.f16", "c.f32"}) {
          const std::string type = std::string(use).substr(2);
          const std::string op =
              fmt::format("wmma.load.{}.sync.aligned.{}.{}.{}.{}", use[0], layout, shape, space, type);
          const auto found = movement(op);
          ASSERT_TRUE(found) << op;
          const std::uint64_t stride = found->default_stride();
          std::set<std::uint64_t> bytes;
          std::size_t moved = 0;
          for (int access = 0; access < found->accesses(); ++access)
            for (int lane = 0; lane < kWarpSize; ++lane) {
              if ((found->naming() >> lane & 1u) == 0) continue;
              const std::uint64_t begin = found->offset(access, lane, stride);
              for (int i = 0; i < found->bytes(); ++i, ++moved)
                bytes.insert(begin + static_cast<std::uint64_t>(i));
            }
          const auto matrix = static_cast<std::size_t>(found->fragment.rows() * found->fragment.columns() *
                                                       bits_of(found->fragment.element) / 8);
          EXPECT_EQ(bytes.size(), matrix) << op;
          EXPECT_EQ(moved, matrix) << op;
          EXPECT_EQ(*bytes.rbegin(), matrix - 1) << op;
        }
}

// The rewrite computes places on the GPU as a sum over the bits of the lane's number.
TEST(Fragments, APlaceIsASumOverTheBitsOfTheLane) {
  for (const char* shape : {"m16n16k16", "m32n8k16", "m8n32k16", "m16n16k8", "m8n8k4"})
    for (const char* layout : {"row", "col"})
      for (const char* space : {"shared", "global"})
        for (const char* use : {"a.f16", "b.bf16", "a.s8", "b.u8", "a.tf32", "b.f64", "c.f32", "c.f64"}) {
          const auto found = movement(fmt::format("wmma.load.{}.sync.aligned.{}.{}.{}.{}", use[0], layout,
                                                  shape, space, std::string(use).substr(2)));
          if (!found) continue;
          for (int access = 0; access < found->accesses(); ++access) {
            const auto base = found->index(access, 0);
            for (int lane = 0; lane < kWarpSize; ++lane) {
              FragmentMovement::Index sum = base;
              for (int bit = 0; bit < 5; ++bit) {
                if ((lane >> bit & 1) == 0) continue;
                const auto with = found->index(access, 1 << bit);
                sum.lines += with.lines - base.lines;
                sum.elements += with.elements - base.elements;
              }
              EXPECT_EQ(sum, found->index(access, lane)) << use << layout << shape << space;
            }
          }
        }
}

}  // namespace
}  // namespace warplens::trace
