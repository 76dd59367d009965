// What a kernel may ask for and must not get, and what it may do for too long: the emulator keeps its own
// memory whole, and its program as it was loaded.
#include <gmock/gmock.h>

#include "engine/ptx/syntax/parser.h"
#include "engine/simt/checks/shadow.h"
#include "tests/simt/core_machine.h"
#include "tests/told.h"

namespace warplens::simt::core {
namespace {

using ::testing::HasSubstr;
using trace::FaultKind;

// A kernel k of this body; `head` goes in front of it.
std::shared_ptr<const ptx::Module> kernel_of(const std::string& parameters, const std::string& body,
                                             const std::string& head = "") {
  auto module = ptx::parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n" + head + "\n.visible .entry k(" + parameters +
      ") {\n  .reg .b32 %r<16>;\n  .reg .b64 %rd<16>;\n  .reg .pred %p<4>;\n" + body + "\n  ret;\n}\n");
  EXPECT_TRUE(module) << module.error().text();
  return module ? std::make_shared<const ptx::Module>(std::move(*module)) : nullptr;
}

Finished run_body(const std::string& parameters, const std::string& body, Dim3 grid, Dim3 block,
                  const std::vector<std::string>& arguments, const Options& options,
                  const std::string& head = "") {
  return run_module(kernel_of(parameters, body, head), "k", grid, block, arguments, options);
}

// Two allocations of a negative number of bytes: both fail, as on the machine.
TEST(Misuse, MallocOfMoreThanThereIs) {
  const std::string head = R"(
.extern .func (.param .b64 result) malloc(.param .b64 bytes);
)";
  const std::string body = R"(
  ld.param.u64 %rd1, [out];
  {
    .param .b64 bytes;
    .param .b64 result;
    st.param.b64 [bytes], -1;
    call.uni (result), malloc, (bytes);
    ld.param.b64 %rd2, [result];
  }
  {
    .param .b64 bytes2;
    .param .b64 result2;
    st.param.b64 [bytes2], -1;
    call.uni (result2), malloc, (bytes2);
    ld.param.b64 %rd3, [result2];
  }
  st.global.u64 [%rd1], %rd2;
  st.global.u64 [%rd1+8], %rd3;
)";
  for (const Checks checks : {Checks::Memory, Checks::All}) {
    Options options;
    options.checks = checks;
    const Finished run = run_body(".param .u64 out", body, {1}, {1}, {"buf:u64:2:iota"}, options, head);
    ASSERT_TRUE(run.completed()) << run.error;
    EXPECT_THAT(run.buffer<std::uint64_t>(0), ::testing::ElementsAre(0, 0));
  }
}

// A sum of constants is worked out once, but its carry belongs to the instruction that follows it.
TEST(Misuse, ACarryOfConstantsIsNotOlderThanTheOneBehindIt) {
  const std::string body = R"(
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [a];
  mov.u32 %r2, %ctaid.x;
  add.cc.u32 %r3, %r1, %r1;
  addc.u32 %r4, 0, 0;
  sub.u32 %r5, 0, %r2;
  add.cc.u32 %r6, %r5, 1;
  addc.u32 %r7, 0, 0;
  mul.wide.u32 %rd2, %r2, 8;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r4;
  st.global.u32 [%rd3+4], %r7;
)";
  const Finished run = run_body(".param .u64 out, .param .u32 a", body, {3}, {1},
                                {"buf:u32:6:zero", "u32:0x80000000"}, with(1));
  ASSERT_TRUE(run.completed()) << run.error;
  EXPECT_THAT(run.buffer<std::uint32_t>(0), ::testing::ElementsAre(1, 0, 1, 1, 1, 0));
}

// Constant memory belongs to the loaded program, which other launches share.
TEST(Misuse, ConstantMemoryIsNotWritten) {
  const std::string head = ".const .align 4 .u32 c = 7;";
  const std::string body = R"(
  ld.param.u64 %rd1, [out];
  mov.u64 %rd2, c;
  cvta.const.u64 %rd3, %rd2;
  ld.const.u32 %r1, [c];
  st.global.u32 [%rd1], %r1;
  st.u32 [%rd3], 8;
)";
  const auto module = kernel_of(".param .u64 out", body, head);
  const auto kernel = Kernel::load(module, "k");
  ASSERT_TRUE(kernel);
  trace::Launch launch{"k", {1, 1, 1}, {1, 1, 1}, 0, {*trace::parse_argument("buf:u32:1:zero")}};
  for (const Checks checks : {Checks::All, Checks::Memory, Checks::None, Checks::None}) {
    Options options;
    options.checks = checks;
    const auto outcome = run(*kernel, launch, options, {});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->buffers[0][0], 7);
    if (checks == Checks::None) continue;
    ASSERT_EQ(outcome->ending, Ending::Faulted);
    EXPECT_EQ(outcome->faults[0].kind, FaultKind::InvalidAddress);
    EXPECT_THAT(told(outcome->faults[0]), HasSubstr("only read"));
  }
}

TEST(Misuse, ABulkCopyGoesToGlobalMemoryOnly) {
  const std::string head =
      ".const .align 16 .b8 c[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};";
  const std::string body = R"(
  .shared .align 16 .b8 s[16];
  ld.param.u64 %rd1, [out];
  mov.u64 %rd2, c;
  cvta.const.u64 %rd3, %rd2;
  mov.u32 %r1, s;
  st.shared.u32 [s], 0;
  st.shared.u32 [s+4], 0;
  st.shared.u32 [s+8], 0;
  st.shared.u32 [s+12], 0;
  cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r1], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ld.const.u32 %r2, [c];
  st.global.u32 [%rd1], %r2;
)";
  const Finished run = run_body(".param .u64 out", body, {1}, {1}, {"buf:u32:1:zero"}, all_checks(), head);
  EXPECT_EQ(run.outcome.ending, Ending::Faulted);
}

// Copies that nobody waits for: the machine lets them land when it likes, and here they do not fill the
// memory.
TEST(Misuse, CopiesThatNobodyWaitsFor) {
  const std::string body = R"(
  .shared .align 16 .b8 s[128];
  ld.param.u64 %rd1, [a];
  mov.u32 %r1, s;
  mov.u32 %r2, 0;
again:
  cp.async.ca.shared.global [%r1], [%rd1], 4;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 100000;
  @%p1 bra again;
  ld.shared.u32 %r3, [s];
  st.global.u32 [%rd1+4], %r3;
)";
  const Finished run = run_body(".param .u64 a", body, {1}, {1}, {"buf:u32:2:const:9"}, with(1));
  ASSERT_TRUE(run.completed()) << run.error;
  EXPECT_THAT(run.buffer<std::uint32_t>(0), ::testing::ElementsAre(9, 9));
}

// Shared memory through a register of 64 bits and a distance that leads back.
TEST(Misuse, AnAsynchronousCopyToAPlaceBeforeItsRegister) {
  const std::string body = R"(
  .shared .align 16 .b8 s[128];
  ld.param.u64 %rd1, [a];
  mov.u64 %rd2, s;
  add.u64 %rd3, %rd2, 16;
  cp.async.ca.shared.global [%rd3-16], [%rd1], 4;
  cp.async.wait_all;
  ld.shared.u32 %r3, [s];
  st.global.u32 [%rd1+4], %r3;
)";
  const Finished run = run_body(".param .u64 a", body, {1}, {1}, {"buf:u32:2:const:9"}, all_checks());
  ASSERT_TRUE(run.completed()) << run.error;
  for (const trace::Fault& fault : run.outcome.faults) ADD_FAILURE() << told(fault);
}

// Two lanes as far apart as addresses can be: the distance has no positive counterpart.
TEST(Misuse, AddressesHalfTheSpaceApart) {
  const std::string body = R"(
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  cvt.u64.u32 %rd2, %r1;
  shl.b64 %rd3, %rd2, 63;
  add.u64 %rd4, %rd1, %rd3;
  st.global.u32 [%rd4], %r1;
)";
  struct Quiet : trace::Listener {
    std::unique_ptr<Listener> fork() const override { return std::make_unique<Quiet>(); }
    void join(Listener&) override {}
    Wants wants() const override { return {.accesses = true}; }
    void on_access(const trace::Access& access) override { EXPECT_FALSE(access.affine); }
  } quiet;
  const Finished run =
      run_module(kernel_of(".param .u64 out", body), "k", {1}, {2}, {"buf:u32:1:zero"}, with(1), 0, {&quiet});
  EXPECT_EQ(run.outcome.ending, Ending::Faulted);
}

// A kernel that publishes in a loop: what is remembered of it has an end.
TEST(Misuse, ReleasesAreForgotten) {
  GlobalShadow::Releases releases;
  for (std::uint64_t stamp = 0; stamp < 100000; ++stamp) {
    GlobalShadow::Release release;
    release.stamp = stamp;
    releases.add(release);
  }
  EXPECT_EQ(releases.size(), 100000u);
  EXPECT_FALSE(releases.remembers(90000));
  EXPECT_TRUE(releases.remembers(99500));
  EXPECT_EQ(releases[99500].stamp, 99500u);
}

}  // namespace
}  // namespace warplens::simt::core
