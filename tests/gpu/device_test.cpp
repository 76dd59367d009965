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

}  // namespace
}  // namespace warplens::gpu
