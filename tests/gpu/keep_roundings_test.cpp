// Sums of a rewritten kernel that carry out a product, with every sign that they can have.
#include "engine/gpu/keep_roundings.h"

#include <gtest/gtest.h>

#include "engine/ptx/syntax/parser.h"
#include "engine/ptx/syntax/printer.h"

namespace warplens::gpu {
namespace {

// What stands for the last sum of `body`: its negations and itself.
std::string kept(const std::string& body) {
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n"
      "{ .reg .f32 %f<9>; .reg .f64 %d<9>;\n" +
      body + "\nret; }";
  const auto module = ptx::parse(text);
  EXPECT_TRUE(module) << module.error().text();
  if (!module) return "";
  ptx::Module rewritten = *module;
  const TextBefore texts = keep_roundings(*module, {0}, rewritten);
  const auto last = static_cast<std::uint32_t>(rewritten.functions[0].instructions.size() - 2);
  const auto before = texts.find({0, last});
  return (before == texts.end() ? "" : before->second) +
         ptx::print(rewritten, rewritten.functions[0], rewritten.functions[0].instructions[last]);
}

TEST(KeepRoundings, SumsCarryOutTheirProductWithItsSign) {
  const std::string product = "mul.f32 %f3, %f1, %f2; ", negated = product + "neg.f32 %f4, %f3; ";
  EXPECT_EQ(kept(product + "add.f32 %f6, %f5, %f3;"), "fma.rn.f32 %f6, %f1, %f2, %f5;");
  EXPECT_EQ(kept(product + "sub.f32 %f6, %f3, %f5;"),
            "\tneg.f32 %wlncf32, %f5;\nfma.rn.f32 %f6, %f1, %f2, %wlncf32;");
  EXPECT_EQ(kept(product + "sub.f32 %f6, %f5, %f3;"),
            "\tneg.f32 %wlnf32, %f1;\nfma.rn.f32 %f6, %wlnf32, %f2, %f5;");
  EXPECT_EQ(kept(negated + "add.f32 %f6, %f5, %f4;"),
            "\tneg.f32 %wlnf32, %f1;\nfma.rn.f32 %f6, %wlnf32, %f2, %f5;");
  EXPECT_EQ(kept(negated + "sub.f32 %f6, %f5, %f4;"), "fma.rn.f32 %f6, %f1, %f2, %f5;");
  EXPECT_EQ(kept(negated + "sub.f32 %f6, %f4, %f5;"),
            "\tneg.f32 %wlnf32, %f1;\n\tneg.f32 %wlncf32, %f5;\nfma.rn.f32 %f6, %wlnf32, %f2, %wlncf32;");
}

TEST(KeepRoundings, WhatIsRoundedTwiceStaysSo) {
  EXPECT_EQ(kept("mul.f32 %f3, %f1, %f2; abs.f32 %f4, %f3; add.f32 %f6, %f5, %f4;"),
            "add.f32 %f6, %f5, %f4;");
}

}  // namespace
}  // namespace warplens::gpu
