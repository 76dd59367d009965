// Executed operations and where they put a kernel under the roofline, against numbers known by hand.
#include "app/model/study/roofline_chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/model/gallery/gallery.h"
#include "app/model/picture/view_data.h"
#include "app/model/study/level_traffic.h"
#include "engine/analysis/known_counts.h"
#include "engine/base/assets.h"

namespace warplens::model {
namespace {

// Every lane: one f32 fma, two halves added, an f64 product; the product of f32 under a guard that half the
// lanes fail.
constexpr const char* kArithmetic = R"ptx(
.version 7.8
.target sm_90
.address_size 64
.visible .entry arithmetic(.param .u64 out)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .f64 %d<3>;
  .reg .pred %p<2>;
  mov.u32 %r1, %tid.x;
  cvt.rn.f32.u32 %f1, %r1;
  fma.rn.f32 %f2, %f1, %f1, %f1;
  add.rn.f16x2 %r2, %r1, %r1;
  cvt.rn.f64.u32 %d1, %r1;
  mul.rn.f64 %d2, %d1, %d1;
  and.b32 %r3, %r1, 1;
  setp.eq.u32 %p1, %r3, 0;
  @%p1 mul.rn.f32 %f2, %f2, %f1;
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.f32 [%rd3], %f2;
  ret;
}
)ptx";

std::shared_ptr<const Run> run_ptx(const char* text, int threads) {
  ProgramRequest request;
  request.file = "arithmetic.ptx";
  request.text = text;
  const auto program = load_program(request);
  if (!program) return nullptr;
  RunRequest run;
  run.program = *program;
  run.launch.kernel = "arithmetic";
  run.launch.block = {static_cast<std::uint32_t>(threads), 1, 1};
  const auto argument = trace::parse_argument("buf:f32:64:zero");
  if (!argument) return nullptr;
  run.launch.arguments = {*argument};
  const auto result = execute(run);
  return result ? *result : nullptr;
}

TEST(ExecutedFlop, AreCountedByUnitAndGuardsAreNamed) {
  const auto run = run_ptx(kArithmetic, 40);
  ASSERT_NE(run, nullptr);
  ASSERT_TRUE(run->report.flop);
  EXPECT_EQ(run->report.flop->fp32,
            40 * 3);  // the guarded product counts for every active lane, and is named
  EXPECT_EQ(run->report.flop->fp16, 40 * 2);
  EXPECT_EQ(run->report.flop->fp64, 40);
  EXPECT_EQ(run->report.flop->tensor, 0);
  EXPECT_EQ(run->report.flop_guarded, 40);
  const Catalogue catalogue = Catalogue::load("en").value();
  const auto json = nlohmann::json::parse(analysis::to_json(run->report, catalogue));
  const nlohmann::json wanted{{"f16", 80}, {"f32", 120}, {"f64", 40}, {"tensor", 0}, {"guarded", 40}};
  EXPECT_EQ(json["execution"]["flop"], wanted);
  analysis::Report uncounted = run->report;
  uncounted.flop.reset();
  EXPECT_TRUE(nlohmann::json::parse(analysis::to_json(uncounted, catalogue))["execution"]["flop"].is_null());
  EXPECT_EQ(json["occupancy"]["evidence"], "modelled");
}

std::shared_ptr<const Run> run_gallery(const std::string& id, const SliderValues& values,
                                       std::string& skipped, std::uint64_t blocks = 64) {
  const auto gallery = load_gallery(kernels_folder());
  if (!gallery || !gallery->find(id)) return nullptr;
  const GalleryKernel& kernel = *gallery->find(id);
  const auto bound = launch_of(kernel, values);
  if (!bound) return nullptr;
  const auto program = load_program(program_request(kernel, *bound));
  if (!program) {
    skipped = "no CUDA compiler here: " + program.error().message;
    return nullptr;
  }
  RunRequest request;
  request.program = *program;
  request.launch = bound->launch;
  request.recorder.blocks = blocks;
  const auto run = execute(request);
  return run ? *run : nullptr;
}

const visual::RooflineLevel* level(const visual::RooflinePoint& point, analysis::Roof at) {
  for (const visual::RooflineLevel& l : point.levels)
    if (l.level == at) return &l;
  return nullptr;
}

// Tiles of width T load each element T times less often: T / 4 FLOP a byte, less the one store of the result.
TEST(RooflineChart, ATiledProductStandsAtAQuarterOfItsTile) {
  const auto devices = analysis::DeviceCatalogue::load();
  ASSERT_TRUE(devices);
  const analysis::Device& h200 = **devices->device("H200 SXM");
  constexpr double n = 96;
  for (const int tile : {8, 16, 32}) {
    std::string skipped;
    const auto run = run_gallery("matmul_tiled", {{"tile", tile}, {"n", 96}}, skipped);
    if (!skipped.empty()) GTEST_SKIP() << skipped;
    ASSERT_NE(run, nullptr);
    EXPECT_EQ(run->report.flop->fp32, 2 * n * n * n);
    const auto chart = roofline_chart(*run, h200, nullptr);
    ASSERT_EQ(chart.points.size(), 1u);
    const auto* l1 = level(chart.points[0], analysis::Roof::L1);
    ASSERT_NE(l1, nullptr);
    const double bytes = 8 * n * n * n / tile + 4 * n * n;
    EXPECT_DOUBLE_EQ(l1->flop_per_byte, 2 * n * n * n / bytes);
    EXPECT_NEAR(l1->flop_per_byte, tile / 4.0, 0.16 * tile / 4.0);
    EXPECT_EQ(l1->evidence, counted(analysis::known_counts(run->report).global()));
    EXPECT_EQ(chart.points[0].evidence, Evidence::Modelled);
    EXPECT_DOUBLE_EQ(chart.points[0].gflops, chart.points[0].roof);
  }
}

TEST(RooflineChart, ACopyComputesNothing) {
  const auto devices = analysis::DeviceCatalogue::load();
  ASSERT_TRUE(devices);
  std::string skipped;
  const auto run = run_gallery("copy", {}, skipped);
  if (!skipped.empty()) GTEST_SKIP() << skipped;
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->report.flop->total(), 0);
  const auto chart = roofline_chart(*run, **devices->device("H200 SXM"), nullptr);
  ASSERT_EQ(chart.points.size(), 1u);
  EXPECT_EQ(chart.points[0].flop_per_byte, 0);
}

TEST(RooflineChart, ATimeMakesThePointMeasuredAndTheTrailStaysBefore) {
  const auto devices = analysis::DeviceCatalogue::load();
  ASSERT_TRUE(devices);
  const auto run = run_ptx(kArithmetic, 64);
  ASSERT_NE(run, nullptr);
  std::vector<visual::RooflinePoint> trail{{"of another", 1, 2}, {"before", 1, 2}};
  trail[0].device = "A100 40 SXM";
  trail[1].device = "H200 SXM";
  const auto chart = roofline_chart(*run, **devices->device("H200 SXM"), nullptr, trail,
                                    MeasuredTime{2e-3, "by a clock", {"NVIDIA H200", "H200 SXM"}});
  EXPECT_FALSE(chart.elsewhere);
  ASSERT_EQ(chart.points.size(), 2u);
  EXPECT_EQ(chart.points[0].name, "before");
  EXPECT_EQ(chart.points[1].evidence, Evidence::Measured);
  EXPECT_DOUBLE_EQ(chart.points[1].gflops, 64 * 6 / 2e-6 / 1e9);
  EXPECT_EQ(chart.points[1].note, "by a clock");
  // Six operations on the four bytes that a lane stores; the f64 product is what takes longest.
  EXPECT_DOUBLE_EQ(chart.points[1].flop_per_byte, 1.5);
}

// Every rate of a view follows from the bytes that are drawn beside it.
void expect_consistent(const visual::LevelTraffic& t) {
  ASSERT_TRUE(t.l2_bytes() && t.dram_read && t.dram_written && t.l1_missed);
  EXPECT_LE(*t.l1_missed, t.loaded);
  EXPECT_DOUBLE_EQ(*t.l2_bytes(), *t.l1_missed + t.passed_on);
  EXPECT_LE(*t.dram_read, *t.l2_bytes());
  const double hits = *t.l2_hit_rate() * *t.l2_bytes();
  EXPECT_NEAR(hits + *t.dram_read, *t.l2_bytes(), 1e-6 * *t.l2_bytes()) << "what enters is hits and misses";
  if (t.loaded > 0) {
    EXPECT_NEAR(*t.l1_hit_rate() * t.loaded + *t.l1_missed, t.loaded, 1e-6 * t.loaded);
  }
}

// Seen: the time of an H200 as measured under the roofs of an A100.
TEST(RooflineChart, ATimeOfAnotherGpuMakesNoPointMeasured) {
  const auto devices = analysis::DeviceCatalogue::load();
  ASSERT_TRUE(devices);
  const auto run = run_ptx(kArithmetic, 64);
  ASSERT_NE(run, nullptr);
  for (const MeasuredOn& on : {MeasuredOn{"NVIDIA H200", "H200 SXM"}, MeasuredOn{"NVIDIA TITAN V", ""}}) {
    const auto chart = roofline_chart(*run, **devices->device("A100 40 SXM"), nullptr, {},
                                      MeasuredTime{2e-3, "by a clock", on});
    ASSERT_EQ(chart.points.size(), 1u);
    EXPECT_EQ(chart.points[0].evidence, Evidence::Modelled);
    EXPECT_DOUBLE_EQ(chart.points[0].gflops, chart.points[0].roof);
    EXPECT_EQ(chart.points[0].note, "");
    ASSERT_TRUE(chart.elsewhere);
    EXPECT_EQ(chart.elsewhere->on, on);
    EXPECT_DOUBLE_EQ(chart.elsewhere->milliseconds, 2e-3);
  }
}

// Seen: a warm run whose data lie in L2 was 1.6 times as fast as the DRAM ceiling that it stood under.
TEST(RooflineChart, AWarmRunThatFitsL2StandsUnderNoDramCeiling) {
  const auto devices = analysis::DeviceCatalogue::load();
  ASSERT_TRUE(devices);
  const analysis::Device& h200 = **devices->device("H200 SXM");
  const auto run = run_ptx(kArithmetic, 64);
  ASSERT_NE(run, nullptr);
  visual::LevelTraffic traffic = level_traffic(*run, h200, **devices->capability(h200.cc));
  traffic.dram_read = 4096;
  const auto has_dram = [&](bool flushed, double buffers) {
    traffic.host_bytes = buffers;
    const auto chart = roofline_chart(*run, h200, &traffic, {},
                                      MeasuredTime{2e-3, "by a clock", {"NVIDIA H200", "H200 SXM"}, flushed});
    const auto& levels = chart.points.at(0).levels;
    return std::ranges::any_of(levels, [](const auto& level) { return level.level == analysis::Roof::Dram; });
  };
  EXPECT_FALSE(has_dram(false, 1 << 20));
  EXPECT_TRUE(has_dram(true, 1 << 20)) << "an empty L2 has to be filled";
  EXPECT_TRUE(has_dram(false, 1 << 30)) << "more than L2 holds";
}

TEST(LevelTraffic, DramMovesNoMoreThanTheBuffersThatFitIntoL2) {
  const auto devices = analysis::DeviceCatalogue::load();
  ASSERT_TRUE(devices);
  const analysis::Device& h200 = **devices->device("H200 SXM");
  std::string skipped;
  const auto run = run_gallery("matmul_naive", {}, skipped);
  if (!skipped.empty()) GTEST_SKIP() << skipped;
  ASSERT_NE(run, nullptr);
  const auto traffic = level_traffic(*run, h200, **devices->capability(h200.cc));
  expect_consistent(traffic);
  EXPECT_EQ(traffic.evidence, Evidence::Modelled);
  EXPECT_EQ(traffic.blocks_modelled, 36u);
  EXPECT_FALSE(traffic.l2_hits_at_least);
  // Two matrices are read once and one is written once: everything else is found in L2.
  EXPECT_DOUBLE_EQ(*traffic.dram_read, *traffic.host_bytes * 2 / 3);
  EXPECT_DOUBLE_EQ(*traffic.dram_written, 0) << "what is written stays in L2";
  EXPECT_LE(*traffic.l2_bytes(), lane_bytes(run->report.totals));
}

// Seen: hit rates of a window that stores one block were those of that block alone.
TEST(LevelTraffic, DoesNotDependOnHowManyBlocksAreStored) {
  const auto devices = analysis::DeviceCatalogue::load();
  ASSERT_TRUE(devices);
  const analysis::Device& h200 = **devices->device("H200 SXM");
  for (const char* id : {"matmul_tiled", "matmul_naive"}) {
    std::string skipped;
    const auto part = run_gallery(id, {}, skipped, 1), all = run_gallery(id, {}, skipped, 1024);
    if (!skipped.empty()) GTEST_SKIP() << skipped;
    ASSERT_TRUE(part && all);
    const auto bound = level_traffic(*part, h200, **devices->capability(h200.cc));
    const auto whole = level_traffic(*all, h200, **devices->capability(h200.cc));
    expect_consistent(bound);
    expect_consistent(whole);
    EXPECT_FALSE(bound.l2_hits_at_least);
    EXPECT_EQ(bound.blocks_modelled, whole.blocks_modelled);
    EXPECT_DOUBLE_EQ(*bound.l1_hit_rate(), *whole.l1_hit_rate()) << id;
    EXPECT_DOUBLE_EQ(*bound.dram_read, *whole.dram_read) << id;
    EXPECT_LE(*bound.dram_bytes(), *bound.host_bytes + 1) << "a tile is read by more than one block";
  }
}

TEST(LevelTraffic, WhatOnlyStoresFindsItsPlaceInL2) {
  const auto devices = analysis::DeviceCatalogue::load();
  ASSERT_TRUE(devices);
  const analysis::Device& h200 = **devices->device("H200 SXM");
  const auto run = run_ptx(kArithmetic, 64);
  ASSERT_NE(run, nullptr);
  const auto traffic = level_traffic(*run, h200, **devices->capability(h200.cc));
  expect_consistent(traffic);
  EXPECT_FALSE(traffic.l1_hit_rate()) << "nothing is loaded";
  EXPECT_DOUBLE_EQ(*traffic.l2_bytes(), 256);
  EXPECT_DOUBLE_EQ(*traffic.l2_hit_rate(), 1);
  EXPECT_DOUBLE_EQ(*traffic.dram_written, 0);
}

}  // namespace
}  // namespace warplens::model
