// The models: caches and roofline.

#include <gmock/gmock.h>

#include "engine/analysis/caches.h"
#include "engine/analysis/roofline.h"
#include "tests/analysis/trace_builder.h"

namespace warplens::analysis {
namespace {

using trace::SiteKind;
using trace::Space;

CacheSizes sizes(std::int64_t l1, std::int64_t l2) {
  CacheSizes out;
  out.l1_bytes = l1;
  out.l2_bytes = l2;
  return out;
}

TEST(Caches, SecondReadHitsAndSectorsFillOneByOne) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Global, 4);
  b.access([](auto lane) { return 4096 + 4 * lane; }, 0xffu);  // one sector of the line
  b.access([](auto lane) { return 4096 + 4 * lane; });         // it and three more
  const CacheReport r = model_caches(b.build(), sizes(1 << 16, 1 << 20));
  EXPECT_EQ(r.l1, (CacheLevel{5, 1, 0}));
  EXPECT_EQ(r.l2, (CacheLevel{4, 0, 0}));
  EXPECT_EQ(r.dram_read_sectors, 4u);
  EXPECT_EQ(r.sites[0].dram_read_sectors, 4u);
  EXPECT_DOUBLE_EQ(r.l1.hit_rate(), 0.2);
  EXPECT_EQ(r.evidence, Evidence::Modelled);
}

TEST(Caches, TheLeastRecentlyUsedLineLeaves) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Global, 4);
  // Two sets of two lines: lines 0, 2 and 4 share a set.
  for (const std::uint64_t line : {0u, 2u, 0u, 4u, 0u, 2u})
    b.access([&](auto) { return 4096 + 128 * line; }, 1u);
  CacheSizes small = sizes(512, 1 << 20);
  small.l1_sets = 2;
  const CacheReport r = model_caches(b.build(), small);
  EXPECT_EQ(r.l1, (CacheLevel{6, 2, 0}));  // line 0 twice; line 2 was thrown out by 4
  EXPECT_EQ(r.l2.read_hits, 1u);
}

TEST(Caches, StoresGoToL2AndAreWrittenBackOnce) {
  TraceBuilder b;
  b.site(SiteKind::Store, Space::Global, 4);
  for (int i = 0; i < 3; ++i) b.access([](auto lane) { return 4096 + 4 * lane; });
  b.site(SiteKind::Load, Space::Global, 4);
  b.access([](auto lane) { return 4096 + 4 * lane; });
  const CacheReport r = model_caches(b.build(), sizes(1 << 16, 1 << 20));
  EXPECT_EQ(r.l1, (CacheLevel{4, 0, 12}));  // stores bring nothing into L1
  EXPECT_EQ(r.l2, (CacheLevel{4, 4, 12}));
  EXPECT_EQ(r.dram_read_sectors, 0u);
  EXPECT_EQ(r.dram_write_sectors, 4u);
}

TEST(Caches, AtomicsAndBypassingLoadsSkipL1) {
  TraceBuilder b;
  b.site(SiteKind::Atomic, Space::Global, 4);
  b.access([](auto) { return 4096; });
  b.site(SiteKind::Load, Space::Global, 4).op = "ld.global.cg.f32";
  b.access([](auto) { return 4096; });
  const CacheReport r = model_caches(b.build(), sizes(1 << 16, 1 << 20));
  EXPECT_EQ(r.l1.reads, 0u);
  EXPECT_EQ(r.l2, (CacheLevel{2, 1, 0}));
  EXPECT_EQ(r.dram_write_sectors, 1u);
}

TEST(Caches, LocalMemoryIsInterleaved) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Local, 4);
  b.access([](auto) { return 8; });
  const CacheReport r = model_caches(b.build(), sizes(1 << 16, 1 << 20));
  EXPECT_EQ(r.l1.reads, 4u);
}

// Four neighbouring words that ptxas loads at once: the first site's access stands for all of them.
TEST(Caches, AWidenedAccessIsAsWideAsItIsExecuted) {
  TraceBuilder b;
  trace::Site& leader = b.site(SiteKind::Load, Space::Local, 4);
  leader.executed_bytes = 16;
  leader.executed_offset = -4;
  b.access([](auto) { return 20; });
  b.site(SiteKind::Load, Space::Local, 4).leader = 0;
  b.access([](auto) { return 16; });
  const CacheReport r = model_caches(b.build(), sizes(1 << 16, 1 << 20));
  EXPECT_EQ(r.l1, (CacheLevel{16, 0, 0}));  // four words of 32 lanes, four sectors each
}

TEST(Caches, WithoutL1EverythingMissesThere) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Global, 4);
  for (int i = 0; i < 2; ++i) b.access([](auto lane) { return 4096 + 4 * lane; });
  const CacheReport r = model_caches(b.build(), sizes(0, 0));
  EXPECT_EQ(r.l1.read_hits, 0u);
  EXPECT_EQ(r.dram_read_sectors, 8u);
}

TEST(Caches, SizesFollowFromDeviceAndSharedMemory) {
  const auto devices = DeviceCatalogue::load(WARPLENS_SOURCE_DIR "/assets/devices");
  ASSERT_TRUE(devices);
  const Device& h200 = **devices->device("H200 SXM");
  const ComputeCapability& cc = **devices->capability(h200.cc);
  const Occupancy none = occupancy(cc, {.threads_per_block = 1024, .registers_per_thread = 32});
  // Two blocks with the reserved KiB each: the 8 KiB share is enough.
  EXPECT_EQ(cache_sizes(h200, cc, none).l1_bytes, (256 - 8) * 1024);
  const Occupancy full =
      occupancy(cc, {.threads_per_block = 128, .registers_per_thread = 32, .dynamic_shared = 16384});
  EXPECT_EQ(cache_sizes(h200, cc, full).l1_bytes, (256 - 228) * 1024);
}

ptx::Form form(const std::string& opcode, ptx::Type type) {
  return ptx::make_form(opcode + "." + std::string(ptx::name(type)));
}

TEST(Roofline, CountsOperationsByUnit) {
  EXPECT_EQ(flops_of(form("fma", ptx::Type::F32)).fp32, 2);
  EXPECT_EQ(flops_of(form("add", ptx::Type::F64)).fp64, 1);
  EXPECT_EQ(flops_of(form("fma", ptx::Type::F16x2)).fp16, 4);
  EXPECT_EQ(flops_of(form("add", ptx::Type::S32)).total(), 0);
  EXPECT_EQ(flops_of(form("mov", ptx::Type::F32)).total(), 0);
  const Work product = flops_of(form("mma.sync.aligned.m16n8k16.row.col", ptx::Type::F32));
  EXPECT_EQ((product * 32).tensor, 2 * 16 * 8 * 16);
}

TEST(Roofline, SaysWhatBoundsTheKernel) {
  Device device;
  device.sms = 100;
  device.boost_mhz = 1000;
  device.fp32_tflops = 20;
  device.dram_gbps = 2000;
  Work work;
  work.fp32 = 2e9;
  const Roofline streaming =
      roofline(device, work, {.l1 = {}, .l2 = {}, .dram = Figure<double>{8e9, Evidence::Counted}});
  EXPECT_EQ(streaming.bound_by, "dram");
  EXPECT_DOUBLE_EQ(streaming.points[0].intensity, 0.25);
  EXPECT_DOUBLE_EQ(streaming.attainable, 0.5e12);
  EXPECT_DOUBLE_EQ(streaming.ridge, 10);
  EXPECT_FALSE(streaming.attained);
  work.fp32 = 1e12;
  const Roofline dense =
      roofline(device, work, {.l1 = {}, .l2 = {}, .dram = Figure<double>{8e9, Evidence::Modelled}}, 0.1);
  EXPECT_EQ(dense.bound_by, "fp32");
  EXPECT_FALSE(dense.points[0].bandwidth_bound);
  EXPECT_EQ(dense.points[0].evidence, Evidence::Modelled);
  ASSERT_TRUE(dense.attained);
  EXPECT_DOUBLE_EQ(dense.attained->value, 1e13);
  EXPECT_EQ(dense.attained->evidence, Evidence::Measured);
}

TEST(Roofline, TheUnitThatNeedsLongestSetsThePeak) {
  Device device;
  device.sms = 100;
  device.boost_mhz = 1000;
  device.fp32_tflops = 20;
  device.fp64_tflops = 1;
  Work work;
  work.fp32 = 3e9;
  work.fp64 = 1e9;
  const Roofline r = roofline(
      device, work, {.shared = Figure<double>{1e9, Evidence::Counted}, .l1 = {}, .l2 = {}, .dram = {}});
  EXPECT_EQ(r.busiest_unit, "fp64");
  EXPECT_DOUBLE_EQ(r.peak, 4e12);  // a quarter of the work at 1 TFLOP/s, the rest beside it
  EXPECT_EQ(r.bound_by, "fp64");
  ASSERT_EQ(r.points.size(), 1u);
  EXPECT_EQ(r.points[0].level, "shared");
  EXPECT_DOUBLE_EQ(r.points[0].intensity, 4);
}

TEST(Roofline, LevelsWithoutFiguresAreLeftOut) {
  Device device;
  device.sms = 1;
  device.boost_mhz = 1;
  device.fp32_tflops = 1;
  const Roofline r = roofline(device, {}, {});
  EXPECT_TRUE(r.points.empty());
  ASSERT_EQ(r.ceilings.size(), 2u);  // compute, and L1, which follows from the clock
  EXPECT_EQ(r.ceilings[1].name, "l1");
}

}  // namespace
}  // namespace warplens::analysis
