#include "engine/ptx/reached_code.h"

#include <gtest/gtest.h>

#include "engine/ptx/parser.h"

namespace warplens::ptx {
namespace {

constexpr const char* kHead = ".version 8.0\n.target sm_90\n.address_size 64\n";

Module parsed(const std::string& body) {
  auto module = parse(kHead + body);
  EXPECT_TRUE(module) << (module ? "" : module.error().text());
  return module ? std::move(*module) : Module{};
}

int barriers_of(const std::string& instructions) {
  const Module module =
      parsed(".visible .entry k() {\n.reg .b32 %r<4>;\n.reg .pred %p<3>;\n" + instructions + "\nret;\n}");
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
  const Module module = parsed(code);
  const auto runs = [&](const char* name) {
    return runs_system_code(module, reached_code(module, *module.find_function(name)));
  };
  EXPECT_TRUE(runs("a"));
  EXPECT_FALSE(runs("b"));
  EXPECT_TRUE(runs("c"));  // a pointer may name whatever the module holds
}

}  // namespace
}  // namespace warplens::ptx
