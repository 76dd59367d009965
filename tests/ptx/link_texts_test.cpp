// Texts of several files become one that parses: declarations meet their definitions, names of a file's own
// and numbers of source files do not collide.
#include "engine/ptx/syntax/link_texts.h"

#include <gmock/gmock.h>

#include "engine/ptx/syntax/parser.h"

namespace warplens::ptx {
namespace {

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

const std::string kMain = kHead + R"(
.extern .func (.param .b32 r) scaled (.param .b32 x);
.extern .global .align 4 .u32 calls;
.global .align 4 .u32 own = 1; // "not a string {
.weak .func common() { .loc 1 3 0
  ret; }
.visible .entry k() {
  .reg .b32 %r<3>;
  .loc 1 7 0
  ld.global.u32 %r1, [own];
  ld.global.u32 %r2, [calls];
  ret;
}
.file 1 "main {.cu"
)";

const std::string kPart = kHead + R"(
.visible .global .align 4 .u32 calls;
.global .align 4 .u32 own = 2;
.weak .func common() { ret; }
.visible .func (.param .b32 r) scaled (.param .b32 x) {
  .reg .b32 %r<2>;
  .loc 1 2 0, function_name $L__info_string0, inlined_at 1 5 1
  ld.global.u32 %r1, [own];
  st.param.b32 [r], %r1;
  ret;
}
.file 1 "part.cu"
.section .debug_str { $L__info_string0: .b8 102, 0 }
)";

TEST(LinkTexts, WhatOneDeclaresAnotherDefines) {
  const std::string text = link_texts({kMain, kPart});
  const auto module = parse(text, {.file = "linked"});
  ASSERT_TRUE(module) << module.error().text() << text;
  const Function* scaled = nullptr;
  int common = 0, calls = 0;
  for (const Function& function : module->functions) {
    if (function.name == "scaled") scaled = &function;
    common += function.name == "common" ? 1 : 0;
  }
  ASSERT_NE(scaled, nullptr);
  EXPECT_FALSE(scaled->is_extern);
  EXPECT_EQ(common, 1);
  for (const Variable& variable : module->variables) {
    calls += variable.name == "calls" ? 1 : 0;
    EXPECT_TRUE(variable.name != "calls" || !variable.is_extern);
  }
  EXPECT_EQ(calls, 1);
}

TEST(LinkTexts, EachFileKeepsItsOwn) {
  const std::string text = link_texts({kMain, kPart});
  EXPECT_THAT(text, testing::HasSubstr("own$0 = 1"));
  EXPECT_THAT(text, testing::HasSubstr("own$1 = 2"));
  EXPECT_THAT(text, testing::HasSubstr("[own$1]"));
  EXPECT_THAT(text, testing::HasSubstr(".file 1 \"main {.cu\""));
  EXPECT_THAT(text, testing::HasSubstr(".file 2 \"part.cu\""));
  EXPECT_THAT(text, testing::HasSubstr(".loc 2 2 0, function_name $file1$L__info_string0, inlined_at 2 5 1"));
}

TEST(LinkTexts, TornTextsEnd) {
  for (const std::string text : {".visible .func f(", "\"", "/*", ".section x {", ".global .u32 a = {1", "}"})
    link_texts({text, text});
}

}  // namespace
}  // namespace warplens::ptx
