#include <gmock/gmock.h>

#include "app/model/gpu_run.h"

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

}  // namespace
}  // namespace warplens::model
