// What goes wrong is found, named and placed; what is right raises no alarm.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "engine/ptx/syntax/parser.h"
#include "tests/simt/core_machine.h"
#include "tests/told.h"

namespace warplens::simt::core {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using trace::FaultKind;

TEST(Faults, OneElementTooMany) {
  const Finished run = launch("one_too_many", {5}, {256}, {"buf:f32:1024:zero", "i32:1024"});
  EXPECT_EQ(run.outcome.ending, Ending::Faulted);
  const trace::Fault fault = run.fault(FaultKind::OutOfBounds);
  EXPECT_EQ(fault.block.x, 4u);
  EXPECT_EQ(fault.thread.x, 0u);
  EXPECT_GT(fault.line, 0);
  EXPECT_NE(fault.site, trace::kNoSite);
  EXPECT_THAT(told(fault),
              HasSubstr("element 1,024 of argument 0, which has 1,024 elements: the last index is 1,023"));
  EXPECT_THAT(told(fault), HasSubstr("bounds check"));
}

TEST(Faults, TheFirstFailureIsTheSameForAnyNumberOfWorkers) {
  for (const int threads : {1, 2, 8}) {
    const Finished run =
        launch("one_too_many", {200}, {32}, {"buf:f32:1000:zero", "i32:100000"}, with(threads));
    ASSERT_EQ(run.outcome.faults.size(), 1u);
    EXPECT_EQ(run.outcome.faults[0].block.x, 31u);
    EXPECT_EQ(run.outcome.faults[0].thread.x, 8u);
  }
}

TEST(Faults, NegativeIndex) {
  const Finished run = launch("negative_index", {1}, {32}, {"buf:i32:32:zero"});
  EXPECT_THAT(told(run.fault(FaultKind::OutOfBounds)), HasSubstr("the index is negative"));
}

TEST(Faults, NullPointer) {
  const Finished run = launch("null_pointer", {1}, {1}, {"buf:i32:1:zero", "i64:16"});
  EXPECT_THAT(told(run.fault(FaultKind::InvalidAddress)), HasSubstr("null pointer"));
}

TEST(Faults, WildPointers) {
  for (const char* address : {"i64:-8", "i64:9223372036854775804", "i64:123149597278208", "i64:1099511627776",
                              "i64:2199023255552", "i64:3298534883328", "i64:4398046511104"}) {
    const Finished run = launch("null_pointer", {1}, {1}, {"buf:i32:1:zero", address});
    EXPECT_EQ(run.outcome.ending, Ending::Faulted) << address;
  }
}

TEST(Faults, Misaligned) {
  const Finished run = launch("misaligned", {1}, {8}, {"buf:i32:32:zero", "buf:i8:200:iota"});
  EXPECT_THAT(told(run.fault(FaultKind::Misaligned)), HasSubstr("not a multiple of 4"));
}

// Every block of these would end the launch. The first does, and how many others had met their own by then
// is nobody's number.
TEST(Faults, TheirNumberDoesNotDependOnTheNumberOfWorkers) {
  for (const int threads : {1, 2, 8}) {
    Options options;
    options.threads = threads;
    const Finished run = launch("misaligned", {50}, {8}, {"buf:i32:32:zero", "buf:i8:200:iota"}, options);
    EXPECT_EQ(run.outcome.faults_total, 8u) << threads;
  }
}

TEST(Faults, SharedMemory) {
  const Finished run = launch("shared_overrun", {1}, {32}, {"buf:i32:32:zero"});
  const trace::Fault fault = run.fault(FaultKind::OutOfBounds);
  EXPECT_EQ(fault.thread.x, 31u);
  EXPECT_THAT(told(fault), HasSubstr("128 bytes"));
}

// ptxas makes such addresses of `tile[(t + 1) % 3]`: a base below address 0 and a distance that leads back.
TEST(Faults, AddressesOfThirtyTwoBitsWrapAround) {
  const auto module = ptx::parse(R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .reg .pred %p<2>;
  .shared .align 4 .b8 s[256];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, s;
  add.s32 %r4, %r3, %r2;
  st.shared.u32 [%r4], %r1;
  sub.s32 %r5, %r4, 256;
  ld.shared.u32 %r6, [%r5+256];
  sub.s32 %r5, %r4, 64;
  setp.lt.u32 %p1, %r1, 24;
  @%p1 ld.shared.u32 %r7, [%r5+64];
  @!%p1 mov.u32 %r7, 0;
  add.s32 %r6, %r6, %r7;
  mul.wide.u32 %rd2, %r2, 1;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
  ret;
}
)");
  ASSERT_TRUE(module) << module.error().text();
  const auto kernel = Kernel::load(std::make_shared<const ptx::Module>(*module), "k");
  ASSERT_TRUE(kernel);
  trace::Launch launch{"k", {1, 1, 1}, {32, 1, 1}, 0, {*trace::parse_argument("buf:u32:32:zero")}};
  for (const Checks checks : {Checks::None, Checks::Memory, Checks::All}) {
    Options options;
    options.checks = checks;
    const auto outcome = run(*kernel, launch, options, {});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->ending, Ending::Completed);
    std::uint32_t out[32];
    std::memcpy(out, outcome->buffers[0].data(), sizeof out);
    for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t < 24 ? 2 * t : t);
  }
}

// The first half of the warp begins below address 0 and ends above it, in memory that the same instruction
// has just read.
TEST(Faults, ANegativeIndexIntoTheFirstSharedArray) {
  const auto module = ptx::parse(R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k() {
  .reg .b32 %r<6>;
  .reg .pred %p<2>;
  .shared .align 4 .b8 s[256];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, s;
  add.s32 %r4, %r3, %r2;
  st.shared.u32 [%r4], %r1;
  st.shared.u32 [%r4+128], %r1;
  add.s32 %r4, %r4, 16;
  mov.u32 %r5, 0;
again:
  ld.shared.u32 %r1, [%r4+-16];
  add.s32 %r4, %r4, -16;
  add.s32 %r5, %r5, 1;
  setp.lt.s32 %p1, %r5, 2;
  @%p1 bra again;
  ret;
}
)");
  ASSERT_TRUE(module) << module.error().text();
  const auto kernel = Kernel::load(std::make_shared<const ptx::Module>(*module), "k");
  ASSERT_TRUE(kernel);
  for (const Checks checks : {Checks::Memory, Checks::All}) {
    Options options;
    options.checks = checks;
    const auto outcome = run(*kernel, {"k", {1, 1, 1}, {32, 1, 1}, 0, {}}, options, {});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->ending, Ending::Faulted);
    ASSERT_FALSE(outcome->faults.empty());
    EXPECT_EQ(outcome->faults[0].kind, FaultKind::OutOfBounds);
    EXPECT_EQ(outcome->faults[0].thread.x, 0u);
  }
}

TEST(Faults, WithoutChecksNothingOutsideIsTouched) {
  Options options;
  options.checks = Checks::None;
  const Finished run = launch("one_too_many", {200}, {32}, {"buf:f32:1000:zero", "i32:100000"}, options);
  EXPECT_TRUE(run.completed());
  for (const float value : run.buffer<float>(0)) EXPECT_EQ(value, 1.f);
  EXPECT_TRUE(launch("misaligned", {1}, {8}, {"buf:i32:32:zero", "buf:i8:200:iota"}, options).completed());
}

TEST(Checks, MissingBarrierNamesBothSides) {
  const Finished run = launch("missing_barrier", {1}, {64}, {"buf:i32:64:zero"}, all_checks());
  const trace::Fault fault = run.fault(FaultKind::Race);
  EXPECT_NE(fault.line, 0);
  EXPECT_NE(fault.other_line, 0);
  EXPECT_NE(fault.line, fault.other_line);
  EXPECT_NE(fault.thread.x / 32, fault.other_thread.x / 32);
  EXPECT_THAT(told(fault), HasSubstr("__syncthreads()"));
  EXPECT_TRUE(
      launch("missing_barrier", {1}, {64}, {"buf:i32:64:zero"}).completed());  // only Checks::All looks
}

TEST(Checks, LockStepIsNoOrder) {
  const Finished run = launch("missing_syncwarp", {1}, {32}, {"buf:i32:32:zero"}, all_checks());
  EXPECT_THAT(told(run.fault(FaultKind::Race)), HasSubstr("__syncwarp()"));
  EXPECT_TRUE(launch("with_syncwarp", {1}, {32}, {"buf:i32:32:zero"}, all_checks()).completed());
}

TEST(Checks, UnwrittenSharedMemory) {
  const Finished run = launch("unwritten_shared", {1}, {64}, {"buf:i32:64:zero"}, all_checks());
  const trace::Fault fault = run.fault(FaultKind::UninitialisedRead);
  EXPECT_EQ(fault.thread.x, 32u);
  EXPECT_EQ(run.outcome.faults_total, 32u);
  EXPECT_EQ(run.buffer<int>(0)[0], 1);  // reported, and the run goes on
}

TEST(Checks, UnwrittenLocalMemory) {
  const Finished run = launch("unwritten_local", {1}, {32}, {"buf:i32:32:zero", "i32:2"}, all_checks());
  const trace::Fault fault = run.fault(FaultKind::UninitialisedRead);
  EXPECT_EQ(fault.thread.x, 1u);  // 0, 2, 4 and 6 are written
  EXPECT_EQ(run.outcome.faults_total, 16u);
  EXPECT_THAT(told(fault), HasSubstr("local memory"));
  EXPECT_TRUE(launch("unwritten_local", {1}, {32}, {"buf:i32:32:zero", "i32:2"}).completed());
}

TEST(Checks, PaddingThatIsCopiedIsNotRead) {
  EXPECT_TRUE(launch("padded_local", {1}, {32}, {"buf:f64:32:zero", "i32:1"}, all_checks()).completed());
}

TEST(Checks, WritingTheSameValueIsANote) {
  const Finished run = launch("same_value", {1}, {64}, {"buf:i32:1:zero"}, all_checks());
  EXPECT_TRUE(run.completed());
  EXPECT_THAT(run.outcome.notes, Contains(testing::Field(&Message::key, "note.same_value")));
}

TEST(Checks, RacesBetweenBlocks) {
  const Finished run = launch("block_race", {4}, {1}, {"buf:i32:1:zero"}, all_checks());
  const trace::Fault fault = run.fault(FaultKind::Race);
  EXPECT_NE(fault.block.x, fault.other_block.x);
  EXPECT_THAT(told(fault), HasSubstr("between blocks"));
}

TEST(Checks, AnAtomicAgainstAPlainAccessIsARace) {
  const Finished run = launch("atomic_and_plain", {4}, {32}, {"buf:i32:2:zero"}, all_checks());
  run.fault(FaultKind::Race);
  EXPECT_EQ(run.buffer<int>(0)[0], 128);
}

TEST(Checks, NoFalseAlarm) {
  const auto clean = [](const std::string& kernel, Dim3 grid, Dim3 block,
                        const std::vector<std::string>& arguments, std::uint32_t shared = 0) {
    const Finished run = launch(kernel, grid, block, arguments, all_checks(), shared);
    EXPECT_TRUE(run.completed()) << kernel << ": " << run.error;
    for (const trace::Fault& fault : run.outcome.faults) ADD_FAILURE() << kernel << ": " << told(fault);
  };
  clean("copy", {4}, {256}, {"buf:f32:1000:zero", "buf:f32:1000:iota", "i32:1000"});
  clean("transpose", {2, 2}, {32, 8}, {"buf:f32:4096:zero", "buf:f32:4096:iota", "i32:64"});
  clean("matmul", {2, 2}, {16, 16},
        {"buf:f32:1024:zero", "buf:f32:1024:hash", "buf:f32:1024:hash", "i32:32"});
  clean("block_reduce", {3}, {128}, {"buf:f32:3:zero", "buf:f32:384:iota"}, 512);
  clean("histogram", {4}, {128}, {"buf:u32:64:zero", "buf:u32:4096:hash", "i32:4096"});
  clean("bytes_apart", {1}, {64}, {"buf:u8:64:zero"});
  clean("grid_barrier", {20}, {64}, {"buf:i32:1:zero", "buf:i32:20:zero", "buf:i32:20:zero"});
  clean("fenced_sum", {40}, {64}, {"buf:i32:40:zero", "buf:u32:1:zero", "buf:i32:1:zero"});
  clean("lane_lock", {2}, {64}, {"buf:i32:1:zero", "buf:i32:1:zero"});
  clean("atomics", {2}, {32},
        {"buf:i32:8:zero", "buf:u32:8:zero", "buf:u64:4:zero", "buf:f32:1:zero", "buf:f64:1:zero"});
  clean("early_exit", {1}, {64}, {"buf:i32:64:zero", "i32:64"});
  clean("async_copy", {1}, {64}, {"buf:f32:192:zero", "buf:f32:128:iota", "i32:1"});
}

TEST(Checks, TwoBarriersAtOnceAreToldButStopNothing) {
  const Finished run = launch("both_sides_barrier", {1}, {64}, {"buf:i32:64:zero"}, all_checks());
  EXPECT_THAT(told(run.fault(FaultKind::DivergentBarrier)),
              HasSubstr("threads of this block wait at another barrier"));
  EXPECT_TRUE(launch("both_sides_barrier", {1}, {64}, {"buf:i32:64:zero"}).completed());
}

// Few or many go around the first barrier: that one is told, as the second is where all come.
TEST(Checks, OfTwoBarriersTheOneIsToldThatOthersWentAround) {
  for (const int threads : {32, 96}) {
    const Finished run = launch("around_barrier", {1}, {128},
                                {"buf:i32:128:zero", "i32:" + std::to_string(threads)}, all_checks());
    const trace::Fault fault = run.fault(FaultKind::DivergentBarrier);
    EXPECT_EQ(fault.thread.x, 0u) << threads;
    EXPECT_THAT(told(fault), HasSubstr("have gone around this barrier"));
    EXPECT_THAT(told(fault), HasSubstr(fmt::format("thread ({},0,0), on line {}", threads, fault.line + 3)));
    for (const trace::Fault& other : run.outcome.faults)
      EXPECT_THAT(told(other), Not(HasSubstr("move the return"))) << "it only followed";
  }
}

TEST(Checks, ThreadsThatHaveReturnedBeforeABarrierAreToldButStopNothing) {
  const Finished run = launch("early_exit", {1}, {64}, {"buf:i32:64:zero", "i32:40"}, all_checks());
  EXPECT_THAT(told(run.fault(FaultKind::DivergentBarrier)),
              HasSubstr("24 of the block's 64 threads have returned before this barrier"));
  EXPECT_EQ(run.buffer<int>(0)[0], 39 * 40 / 2);
  EXPECT_TRUE(launch("early_exit", {1}, {64}, {"buf:i32:64:zero", "i32:40"}).completed());
}

}  // namespace
}  // namespace warplens::simt::core
