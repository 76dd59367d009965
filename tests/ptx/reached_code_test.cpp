#include "engine/ptx/facts/reached_code.h"

#include <gtest/gtest.h>

#include "engine/ptx/syntax/parser.h"

namespace warplens::ptx {
namespace {

constexpr const char* kHopperHead = ".version 8.0\n.target sm_90\n.address_size 64\n";

Module hopper_module(const std::string& body) {
  auto module = parse(kHopperHead + body);
  EXPECT_TRUE(module) << (module ? "" : module.error().text());
  return module ? std::move(*module) : Module{};
}

int barriers_of(const std::string& instructions) {
  const Module module = hopper_module(".visible .entry k() {\n.reg .b32 %r<4>;\n.reg .pred %p<3>;\n" +
                                      instructions + "\nret;\n}");
  return named_barriers(module, reached_code(module, *module.find_function("k")));
}

TEST(ReachedCode, NamedBarriersAreCountedToTheHighestNumber) {
  EXPECT_EQ(barriers_of(""), 0);
  EXPECT_EQ(barriers_of("bar.sync 0;"), 1);
  EXPECT_EQ(barriers_of("barrier.sync 0;\nbar.arrive 4, 64;"), 5);
  EXPECT_EQ(barriers_of("bar.red.popc.u32 %r1, 2, %p1;"), 3);
  EXPECT_EQ(barriers_of("bar.warp.sync 0xffffffff;\nbarrier.cluster.arrive;"), 0);
  EXPECT_EQ(barriers_of("mov.u32 %r1, %tid.x;\nbar.sync %r1, 64;"), 16);
}

TEST(ReachedCode, FindsTheDriversRoutinesThroughCallsAndPointers) {
  const std::string code =
      ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
      ".func says() {\n.reg .b64 %rd<2>;\n{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\n"
      "call.uni (r), vprintf, (f, a);\n}\nret;\n}\n"
      ".func quiet() {\nret;\n}\n"
      ".visible .entry a() {\ncall.uni says, ();\nret;\n}\n"
      ".visible .entry b() {\ncall.uni quiet, ();\nret;\n}\n"
      ".visible .entry c() {\n.reg .b64 %rd<2>;\nmov.u64 %rd1, quiet;\n"
      "prototype_0 : .callprototype ()_ ();\ncall %rd1, (), prototype_0;\nret;\n}\n";
  const Module module = hopper_module(code);
  const auto runs = [&](const char* name) {
    return runs_system_code(module, reached_code(module, *module.find_function(name)));
  };
  EXPECT_TRUE(runs("a"));
  EXPECT_FALSE(runs("b"));
  EXPECT_TRUE(runs("c"));  // a pointer may name whatever the module holds
}

TEST(ReachedCode, FollowsTablesOfAddressesInTheOrderOfTheText) {
  const Module module = hopper_module(
      ".func b() {\nret;\n}\n.func a() {\nret;\n}\n.func unused() {\nret;\n}\n"
      ".global .align 8 .u64 table[2] = {a, b};\n.global .align 8 .u64 other[1] = {unused};\n"
      ".visible .entry k() {\n.reg .b64 %rd<2>;\nmov.u64 %rd1, table;\nret;\n}\n"
      ".visible .entry through() {\n.reg .b64 %rd<2>;\nmov.u64 %rd1, 8;\n"
      "prototype_0 : .callprototype ()_ ();\ncall %rd1, (), prototype_0;\nret;\n}\n");
  const auto names = [&](const char* entry) {
    std::vector<std::string> out;
    for (const Function* function : reached_code(module, *module.find_function(entry)).functions)
      out.push_back(function->name);
    return out;
  };
  EXPECT_EQ(names("k"), (std::vector<std::string>{"k", "a", "b"}));
  // A pointer may mean whatever the module's memory holds.
  EXPECT_EQ(names("through"), (std::vector<std::string>{"through", "a", "b", "unused"}));
}

TEST(ReachedCode, ANameOfOnesOwnHidesNothingFromOthers) {
  const Module module = hopper_module(
      ".shared .align 4 .b8 f[4];\n.func leaf() {\nret;\n}\n"
      ".func calls() {\ncall.uni leaf, ();\nret;\n}\n"
      ".visible .entry k() {\n.reg .b32 %r<2>;\n{\n.param .b32 leaf;\nst.param.b32 [leaf], %r1;\n}\n"
      "call.uni calls, ();\nret;\n}\n");
  EXPECT_EQ(reached_code(module, *module.find_function("k")).functions.size(), 3u);
}

}  // namespace
}  // namespace warplens::ptx
