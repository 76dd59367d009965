// Loops without an end are told for sure and soon, long ones never: what decides that (turns.cpp).
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/simt/core_machine.h"
#include "tests/told.h"

namespace warplens::simt::core {
namespace {

using ::testing::HasSubstr;
using trace::FaultKind;

// A kernel of two buffers and a number in %r2, with %r1 the thread.
Finished run_body(const std::string& body, Dim3 block, int number, const Options& options = {}) {
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, "
      ".param .u32 n)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<19>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<19>;\n"
      ".shared .align 4 .b8 tile[4096];\nld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\n"
      "ld.param.u32 %r2, [n];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\n"
      "add.s64 %rd5, %rd2, %rd3;\n" +
      body + "\nDONE: ret;\n}\n";
  auto parsed = ptx::parse(text);
  EXPECT_TRUE(parsed) << parsed.error().text();
  if (!parsed) return {};
  const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
  return run_module(module, "k", {2}, block,
                    {"buf:f32:4096:zero", "buf:i32:4096:iota", fmt::format("i32:{}", number)}, options);
}

// The first number of the buffer that kernel k of the text leaves, when it has come to its end.
std::uint32_t ended_with(const std::string& text, unsigned threads, const std::string& buffer) {
  auto parsed = ptx::parse(text);
  EXPECT_TRUE(parsed) << parsed.error().text();
  if (!parsed) return 0;
  const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
  Options options;
  options.block_seconds = 60;
  const Finished run = run_module(module, "k", {1}, {threads}, {buffer}, options);
  EXPECT_TRUE(run.completed()) << run.error
                               << (run.outcome.faults.empty() ? "" : told(run.outcome.faults.front()));
  return run.completed() ? run.buffer<std::uint32_t>(0)[0] : 0;
}

struct Loop {
  const char* name;
  const char* body;
  int number;
  const char* says;
};

const Loop kEndless[] = {
    {"no way out",
     "A: ld.global.f32 %f1, [%rd4];\nadd.f32 %f1, %f1, 0f3F800000;\nst.global.f32 [%rd4], %f1;\nbra A;", 0,
     "no way leads out"},
    {"a barrier in it", "A: bar.sync 0;\nadd.s32 %r3, %r3, 1;\nbra A;", 0, "no way leads out"},
    {"a step of nothing, and a sum",
     "mov.u32 %r3, %r1;\nmov.u32 %r4, 0;\nA: add.s32 %r4, %r4, 1;\nadd.s32 %r3, %r3, %r2;\n"
     "setp.lt.s32 %p1, %r3, 100000;\n@%p1 bra A;\nst.global.u32 [%rd4], %r4;",
     0, "the same turns come again"},
    {"a circle of 7 turns",
     "mov.u32 %r3, 1;\nA: st.global.u32 [%rd4], %r3;\nmul.lo.u32 %r3, %r3, 3;\nrem.u32 %r3, %r3, 7;\n"
     "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra A;",
     0, "the same turns come again"},
    {"with an inner loop, and a barrier",
     "mov.u32 %r3, %ntid.x;\nA: shr.u32 %r3, %r3, 1;\nmov.u32 %r4, 0;\nB: add.u32 %r4, %r4, 1;\n"
     "setp.lt.u32 %p1, %r4, 5;\n@%p1 bra B;\nbar.sync 0;\nsetp.ge.s32 %p2, %r3, 0;\n@%p2 bra A;",
     0, "the same turns come again"},
    {"a search that does not come nearer",
     "mov.u32 %r3, 0;\nmov.u32 %r4, %r2;\nA: add.u32 %r5, %r3, %r4;\nshr.u32 %r5, %r5, 1;\n"
     "mul.wide.u32 %rd6, %r5, 4;\nadd.s64 %rd6, %rd2, %rd6;\nld.global.u32 %r6, [%rd6];\n"
     "setp.lt.u32 %p1, %r6, %r1;\nselp.u32 %r3, %r5, %r3, %p1;\nselp.u32 %r4, %r4, %r5, %p1;\n"
     "setp.lt.u32 %p2, %r3, %r4;\n@%p2 bra A;\nst.global.u32 [%rd4], %r3;",
     1024, "the memory that it reads too"},
};

TEST(Endless, IsToldWithoutABudgetAndWithoutChecks) {
  for (const Loop& loop : kEndless) {
    for (const Checks checks : {Checks::None, Checks::Memory, Checks::All}) {
      Options options;
      options.checks = checks;
      options.block_seconds = 60;  // should it not be told
      const Finished run = run_body(loop.body, {96}, loop.number, options);
      EXPECT_EQ(run.outcome.ending, Ending::Faulted) << loop.name << run.error;
      EXPECT_THAT(told(run.fault(FaultKind::Deadlock)), HasSubstr(loop.says)) << loop.name;
    }
  }
}

// Whatever looks alike and has an end runs to it.
TEST(Endless, IsNeverSaidOfALongLoop) {
  constexpr const char* kLong[] = {
      // Two million turns, in which only the counter changes.
      "mov.u32 %r3, 0;\nA: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 2000000;\n@%p1 bra A;\n"
      "st.global.u32 [%rd4], %r3;",
      // An inner loop begins with the same values again and again.
      "mov.u32 %r3, 0;\nA: mov.u32 %r4, 0;\nB: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 1000;\n@%p1 bra "
      "B;\n"
      "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 2000;\n@%p2 bra A;",
      // It ends by what it writes to memory.
      "A: ld.global.u32 %r3, [%rd4];\nadd.u32 %r3, %r3, 1;\nst.global.u32 [%rd4], %r3;\n"
      "setp.lt.u32 %p1, %r3, 1000000;\n@%p1 bra A;",
      // By what another warp says at a barrier, and by what it hands over.
      "mov.u32 %r3, 0;\nA: add.u32 %r3, %r3, 1;\nsetp.gt.u32 %p2, %r3, 400000;\nand.b32 %r5, %r1, 64;\n"
      "setp.ne.u32 %p3, %r5, 0;\nand.pred %p2, %p2, %p3;\nbar.red.or.pred %p1, 0, %p2;\n@!%p1 bra A;",
      "mov.u32 %r3, 0;\nA: add.u32 %r3, %r3, 1;\nvote.sync.any.pred %p2, %p4, 0xffffffff;\n"
      "setp.gt.u32 %p1, %r3, 1000000;\nmov.pred %p4, %p1;\n@!%p2 bra A;",
      // By a clock.
      "mov.u64 %rd6, %clock64;\nadd.s64 %rd6, %rd6, 3000000;\nA: add.u32 %r3, %r3, 1;\nst.global.u32 [%rd4], "
      "%r3;\n"
      "mov.u64 %rd7, %clock64;\nsetp.lt.u64 %p1, %rd7, %rd6;\n@%p1 bra A;",
  };
  for (const char* body : kLong) {
    Options options;
    options.block_seconds = 60;
    const Finished run = run_body(body, {96}, 0, options);
    EXPECT_TRUE(run.completed()) << body << run.error
                                 << (run.outcome.faults.empty() ? "" : told(run.outcome.faults.front()));
  }
}

// A function's loop begins alike in every call.
TEST(Endless, IsNeverSaidOfTheNextCall) {
  constexpr const char* kCalls = R"(.version 8.0
.target sm_90
.address_size 64
.func (.param .b32 sum) count(.param .b32 turns)
{
.reg .pred %p<3>;
.reg .b32 %r<9>;
ld.param.u32 %r1, [turns];
mov.u32 %r2, 0;
A: add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, %r1;
@%p1 bra A;
st.param.b32 [sum], %r2;
ret;
}
.visible .entry k(.param .u64 out)
{
.reg .pred %p<2>;
.reg .b32 %r<9>;
.reg .b64 %rd<3>;
ld.param.u64 %rd1, [out];
mov.u32 %r1, 0;
mov.u32 %r2, 1000;
mov.u32 %r4, 0;
A: add.u32 %r1, %r1, 1;
{
.param .b32 to;
.param .b32 from;
st.param.b32 [to], %r2;
call.uni (from), count, (to);
ld.param.b32 %r3, [from];
}
add.u32 %r4, %r4, %r3;
setp.lt.u32 %p1, %r1, 1000;
@%p1 bra A;
st.global.u32 [%rd1], %r4;
ret;
}
)";
  EXPECT_EQ(ended_with(kCalls, 32, "buf:i32:32:zero"), 1000u * 1000u);
}

// What a loop only reads may be written by a function that it calls.
TEST(Endless, IsNeverSaidOfALoopWhoseFunctionWrites) {
  constexpr const char* kCalls = R"(.version 8.0
.target sm_90
.address_size 64
.global .align 4 .u32 steps;
.func step()
{
.reg .b32 %r<3>;
ld.global.u32 %r1, [steps];
add.u32 %r2, %r1, 1;
st.global.u32 [steps], %r2;
ret;
}
.visible .entry k(.param .u64 out)
{
.reg .pred %p<2>;
.reg .b32 %r<3>;
.reg .b64 %rd<2>;
ld.param.u64 %rd1, [out];
A: call.uni step;
ld.global.u32 %r1, [steps];
setp.lt.u32 %p1, %r1, 1000000;
@%p1 bra A;
st.global.u32 [%rd1], %r1;
ret;
}
)";
  EXPECT_EQ(ended_with(kCalls, 1, "buf:u32:32:zero"), 1000000u);
}

// A return on one way through a function, and a trap, are ways out.
TEST(Endless, WaysOutAreNotOnlyBranches) {
  const Finished leaves =
      run_body("mov.u32 %r3, 0;\nA: add.u32 %r3, %r3, 1;\nsetp.gt.u32 %p1, %r3, 1000000;\n@%p1 exit;\nbra A;",
               {32}, 0);
  EXPECT_TRUE(leaves.completed()) << leaves.error;
  const Finished traps =
      run_body("mov.u32 %r3, 0;\nA: add.u32 %r3, %r3, 1;\nsetp.gt.u32 %p1, %r3, 1000000;\n@%p1 trap;\nbra A;",
               {32}, 0);
  EXPECT_EQ(traps.fault(FaultKind::Trap).kind, FaultKind::Trap);
}

// The lowest block is told, whatever runs on other threads.
TEST(Endless, IsTheSameForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 3}) {
    Options options;
    options.threads = threads;
    const Finished run = run_body(kEndless[2].body, {64}, 0, options);
    const trace::Fault fault = run.fault(FaultKind::Deadlock);
    EXPECT_EQ(fault.block.x, 0u);
    EXPECT_EQ(fault.thread.x, 0u);
  }
}

}  // namespace
}  // namespace warplens::simt::core
