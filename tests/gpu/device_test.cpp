// What only a GPU can prove; without one these tests say why they are skipped. In a bundle
// (tools/gpu/bundle): WARPLENS_PROGRAM=test_gpu ./warplens --gtest_filter='Device.*'
#include "engine/gpu/device.h"

#include <gmock/gmock.h>

#include "app/model/run/compare_totals.h"
#include "app/model/run/gpu_totals.h"
#include "engine/gpu/execution.h"
#include "engine/ptx/syntax/parser.h"
#include "engine/simt/emulator.h"

namespace warplens::gpu {
namespace {

// Every third lane leaves; the others walk a loop of different lengths, add to shared memory and store.
constexpr const char* kKernel = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b8 bins[128];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  rem.u32 %r2, %r1, 3;
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra DONE;
  and.b32 %r3, %r1, 7;
  mov.u32 %r4, bins;
LOOP:
  shl.b32 %r5, %r3, 3;
  add.u32 %r5, %r5, %r4;
  atom.shared.add.u32 %r6, [%r5], 1;
  sub.u32 %r3, %r3, 1;
  setp.ge.s32 %p2, %r3, 0;
  @%p2 bra LOOP;
  mul.wide.u32 %rd2, %r1, 8;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
DONE:
  ret;
}
)";

class Device : public testing::Test {
 protected:
  void SetUp() override {
    const Discovery& found = discover();
    if (found.devices.empty()) GTEST_SKIP() << "no GPU: " << found.reason.message;
    auto parsed = ptx::parse(kKernel);
    ASSERT_TRUE(parsed.has_value());
    module_ = std::make_shared<const ptx::Module>(std::move(*parsed));
    launch_.kernel = "k";
    launch_.grid = {4, 1, 1};
    launch_.block = {96, 1, 1};
    launch_.arguments.push_back(*trace::parse_argument("buf:u32:192:zero"));
    auto session = Session::open(module_, 0);
    ASSERT_TRUE(session.has_value()) << session.error().text();
    session_ = std::move(*session);
  }
  std::shared_ptr<const ptx::Module> module_;
  trace::Launch launch_;
  std::unique_ptr<Session> session_;
};

TEST_F(Device, CountsWhatTheEmulatorCountsAndLeavesTheSameBytes) {
  const auto kernel = simt::Kernel::load(module_, "k");
  ASSERT_TRUE(kernel.has_value());
  analysis::TotalsCounter counter(kernel->sites());
  trace::Listener* const listener = &counter;
  const auto emulated = simt::run(*kernel, launch_, {}, {&listener, 1});
  ASSERT_TRUE(emulated.has_value());
  TraceOptions how;
  how.records = false;
  how.totals = true;
  const auto counted = session_->trace(launch_, how, {}, nullptr);
  ASSERT_TRUE(counted.has_value()) << counted.error().text();
  ASSERT_TRUE(counted->totals.has_value());
  EXPECT_EQ(counted->buffers, emulated->buffers);
  EXPECT_EQ(counted->totals->thread_instructions, emulated->thread_instructions);
  for (const model::FieldDifference& d :
       model::compare_totals(counter.totals(), model::totals_of(*counted->totals, kernel->sites())))
    ADD_FAILURE() << d.field << ": " << d.emulator << " in the emulator, " << d.gpu << " on the GPU";
}

TEST_F(Device, AnIllegalAddressTakesDownNeitherTheSessionNorTheProgram) {
  trace::Launch outside = launch_;
  outside.arguments[0] = *trace::parse_argument("u64:16");  // nobody's: what lies high may be mapped
  const auto faulted = session_->run(outside);
  ASSERT_FALSE(faulted.has_value());
  EXPECT_EQ(faulted.error().kind, ErrorKind::Fault);
  EXPECT_TRUE(session_->run(launch_).has_value());
}

// What a lane reads tells which element it is; the places of the constants have to say the same.
TEST_F(Device, TellsWhereConstantsLie) {
  constexpr const char* kConstants = R"(.version 7.0
.target sm_75
.address_size 64
.const .align 4 .b32 threes[3] = {0, 1, 2};
.const .align 16 .b32 fives[5] = {0, 1, 2, 3, 4};
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  rem.u32 %r2, %r1, 3;
  rem.u32 %r3, %r1, 5;
  mul.wide.u32 %rd2, %r2, 4;
  mul.wide.u32 %rd3, %r3, 4;
  mov.u64 %rd4, threes;
  mov.u64 %rd5, fives;
  add.s64 %rd6, %rd4, %rd2;
  add.s64 %rd7, %rd5, %rd3;
  ld.const.u32 %r4, [%rd6];
  ld.const.u32 %r5, [%rd7];
  add.u32 %r6, %r4, %r5;
  mul.wide.u32 %rd8, %r1, 4;
  add.s64 %rd9, %rd1, %rd8;
  st.global.u32 [%rd9], %r6;
  ret;
}
)";
  auto parsed = ptx::parse(kConstants);
  ASSERT_TRUE(parsed.has_value());
  const auto session = Session::open(std::make_shared<const ptx::Module>(std::move(*parsed)), 0);
  ASSERT_TRUE(session.has_value()) << session.error().text();
  trace::Launch launch = launch_;
  launch.grid = {1, 1, 1};
  launch.block = {32, 1, 1};
  trace::Recorder recorder({.blocks = 1, .constants = true});
  trace::Listener* const listener = &recorder;
  const auto run = (*session)->trace(launch, {}, {&listener, 1}, nullptr);
  ASSERT_TRUE(run.has_value()) << run.error().text();
  ASSERT_EQ(run->constants.size(), 2u);
  trace::Trace trace = recorder.take();
  std::vector<trace::AccessView> loads;
  for (std::size_t i = 0; i < trace.size(); ++i)
    if (trace.steps()[i].kind == trace::StepKind::Access)
      if (const auto access = trace.access(i); access.space == trace::Space::Constant)
        loads.push_back(access);
  ASSERT_EQ(loads.size(), 2u);
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(loads[0].addresses[lane], run->constants.at("threes") + 4 * (lane % 3)) << lane;
    EXPECT_EQ(loads[1].addresses[lane], run->constants.at("fives") + 4 * (lane % 5)) << lane;
  }
}

}  // namespace
}  // namespace warplens::gpu
