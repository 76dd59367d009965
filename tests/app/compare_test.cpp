#include <gmock/gmock.h>

#include <map>

#include "app/model/run/gpu_run.h"
#include "engine/ptx/syntax/parser.h"

namespace warplens::model {
namespace {

// A trace of one block whose warps load 4 bytes a lane; `base` is where the back end placed the buffer.
class TraceOf {
 public:
  explicit TraceOf(std::uint64_t base) : base_(base), recorder_({.blocks = 1}) {
    recorder_.on_block_begin(0);
  }
  TraceOf& load(std::uint32_t site, LaneMask active, std::uint64_t first, std::int64_t stride = 4) {
    std::array<std::uint64_t, 32> addresses{};
    for (unsigned lane = 0; lane < 32; ++lane)
      addresses[lane] = base_ + first + static_cast<std::uint64_t>(stride) * lane;
    trace::Access access;
    access.site = site;
    access.active = active;
    access.addresses = addresses.data();
    recorder_.on_access(access);
    return *this;
  }
  trace::Trace take() {
    recorder_.on_block_end(0);
    trace::Trace trace = recorder_.take();
    trace.sites.resize(4);
    trace.buffers.push_back({0, "in", base_, 1 << 20, trace::ElementType::F32});
    return trace;
  }

 private:
  std::uint64_t base_;
  trace::Recorder recorder_;
};

Comparison compared(TraceOf& emulator, TraceOf& gpu) {
  Comparison out;
  compare_traces(emulator.take(), gpu.take(), out);
  return out;
}

TEST(CompareTraces, BuffersMayLieAnywhere) {
  TraceOf a(0x1000), b(0x7f0000000000);
  a.load(0, kFullMask, 0).load(1, 0xff, 64);
  b.load(0, kFullMask, 0).load(1, 0xff, 64);
  const Comparison c = compared(a, b);
  EXPECT_EQ(c.warps_identical, 1u);
  EXPECT_TRUE(c.agrees());
}

TEST(CompareTraces, PathsInAnotherOrderAreNoDifference) {
  TraceOf a(0), b(0);
  a.load(0, 0xffff, 0).load(1, 0xffff0000, 0);
  b.load(1, 0xffff0000, 0).load(0, 0xffff, 0);
  const Comparison c = compared(a, b);
  EXPECT_EQ(c.warps_other_order, 1u);
  EXPECT_TRUE(c.agrees());
}

TEST(CompareTraces, LanesThatRanInOtherGroupsAreToldApart) {
  TraceOf a(0), b(0);
  a.load(0, kFullMask, 0);
  b.load(0, 0xffff, 0).load(0, 0xffff0000, 0);
  const Comparison c = compared(a, b);
  EXPECT_EQ(c.warps_other_groups, 1u);
  EXPECT_TRUE(c.agrees());
}

TEST(CompareTraces, AnotherAddressIsADifferenceAndSaysWhere) {
  TraceOf a(0), b(0);
  a.load(0, kFullMask, 0).load(2, 1, 8);
  b.load(0, kFullMask, 0).load(2, 1, 12);
  const Comparison c = compared(a, b);
  EXPECT_EQ(c.warps_different, 1u);
  EXPECT_FALSE(c.agrees());
  ASSERT_EQ(c.differences.size(), 1u);
  EXPECT_EQ(c.differences[0].site, 2u);
  EXPECT_THAT(c.differences[0].what, testing::HasSubstr("lane 0, step 1"));
}

TEST(CompareTraces, AMissingAccessIsADifference) {
  TraceOf a(0), b(0);
  a.load(0, kFullMask, 0).load(2, 1, 8);
  b.load(0, kFullMask, 0);
  EXPECT_EQ(compared(a, b).warps_different, 1u);
}

// slot = atomicAdd(&count, 1); out[slot] = x;  and a sum whose order does not matter.
constexpr const char* kSlots = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 count, .param .u64 out, .param .u64 bins)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [count];
  ld.param.u64 %rd2, [out];
  ld.param.u64 %rd3, [bins];
  mov.u32 %r1, %tid.x;
  atom.global.add.u32 %r2, [%rd1], 1;
  mul.wide.u32 %rd4, %r2, 4;
  add.s64 %rd5, %rd2, %rd4;
  st.global.u32 [%rd5], %r1;
  red.global.add.u32 [%rd3], %r1;
  ret;
}
)";

TEST(OrderDependence, FollowsTheResultOfAnAtomicToAddressesAndBuffers) {
  const auto module = ptx::parse(kSlots);
  ASSERT_TRUE(module.has_value());
  trace::Recorder recorder({.blocks = 1});
  recorder.on_block_begin(0);
  const std::vector<trace::Site> sites = trace::collect_sites(*module, module->functions[0]);
  const std::uint64_t bases[] = {0x1000, 0x2000, 0x3000};
  std::map<std::string, trace::SiteId> named;
  for (const trace::Site& site : sites) {
    named[site.op] = site.index;
    if (site.space != trace::Space::Global) continue;
    const int buffer = site.op.starts_with("atom") ? 0 : site.op.starts_with("st") ? 1 : 2;
    std::array<std::uint64_t, 32> addresses{};
    for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = bases[buffer] + (buffer == 1 ? 4 * lane : 0);
    trace::Access access;
    access.site = site.index;
    access.kind = site.kind;
    access.active = 0xffffffff;
    access.addresses = addresses.data();
    recorder.on_access(access);
  }
  recorder.on_block_end(0);
  trace::Trace trace = recorder.take();
  trace.sites = sites;
  for (std::uint32_t i = 0; i < 3; ++i)
    trace.buffers.push_back({i, "", bases[i], 256, trace::ElementType::U32});
  const OrderDependence order = order_dependence(*module, trace);
  ASSERT_EQ(order.sources.size(), 1u);
  EXPECT_EQ(order.sources[0].site, named.at("atom.global.add.u32"));
  EXPECT_TRUE(order.covers(named.at("st.global.u32")));
  EXPECT_FALSE(order.covers(named.at("red.global.add.u32")));
  EXPECT_TRUE(order.buffers.contains(1));
  EXPECT_FALSE(order.buffers.contains(2));
}

TEST(Comparison, ADifferenceIsByOrderOnlyWhereTheOrderReaches) {
  Comparison comparison;
  comparison.warps = 2;
  comparison.warps_identical = 1;
  comparison.warps_different = 1;
  EXPECT_EQ(comparison.verdict(), Agreement::Different);
  comparison.warps_by_order = 1;
  EXPECT_EQ(comparison.verdict(), Agreement::ByOrder);
  comparison.outputs.push_back({"out", false, 1, 2, 0, false});
  EXPECT_FALSE(comparison.agrees());
  comparison.outputs[0].by_order = true;
  EXPECT_TRUE(comparison.agrees());
}

// The instrumented run on the GPU ended in an illegal instruction: it left no buffers and no trace.
TEST(CompareRuns, AKernelThatFaultedOnTheGpuIsAnErrorAndNoComparison) {
  RunRequest request;
  request.launch.arguments.push_back(*trace::parse_argument("buf:f32:16:zero"));
  model::Run emulated, measured;
  emulated.buffers.emplace_back(64);
  measured.report.ending = analysis::Ending::Faulted;
  measured.report.device_error = "could not finish k: an illegal instruction was encountered";
  const auto compared = compare_runs(request, emulated, measured);
  ASSERT_FALSE(compared.has_value());
  EXPECT_EQ(compared.error().kind, ErrorKind::Fault);
  EXPECT_THAT(compared.error().message, testing::HasSubstr("illegal instruction"));
}

}  // namespace
}  // namespace warplens::model
