#include "tests/visual/fixture_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "tests/sm_sample.h"
#include "tests/visual/hardware_fixtures.h"

namespace warplens::visual {
namespace {

// Copies and kernels of `chunks` pieces, dealt to the streams in turn; each engine does one thing at a time.
StreamTimeline timeline(int streams, int chunks) {
  StreamTimeline out;
  out.streams = streams;
  out.chunks = chunks;
  out.bytes = 64 << 20;
  const double each[3] = {1.2 / chunks, 1.7 / chunks, 1.3 / chunks};
  std::array<double, 3> engine{};
  std::vector<double> ready(static_cast<std::size_t>(streams), 0);
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const int stream = chunk % streams;
    double at = ready[static_cast<std::size_t>(stream)];
    for (std::size_t work = 0; work < 3; ++work) {
      const double begin = std::max(at, engine[work]);
      at = begin + each[work];
      engine[work] = at;
      out.spans.push_back({static_cast<StreamWork>(work), stream, chunk, begin, at});
    }
    ready[static_cast<std::size_t>(stream)] = at;
    out.total_ms = std::max(out.total_ms, at);
  }
  std::sort(out.spans.begin(), out.spans.end(),
            [](const StreamSpan& a, const StreamSpan& b) { return a.begin_ms < b.begin_ms; });
  out.one_stream_ms = 4.2;
  out.note = "on NVIDIA H200, recorded on 2026-11-20";
  return out;
}

// What a clock says of one launch after another: nearly the same, a few far off.
std::vector<double> measured_runs(int count) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) {
    const double noise = static_cast<double>(trace::fmix32(static_cast<std::uint32_t>(i)) % 1000) / 1000;
    out.push_back(2.24 + 0.06 * noise * noise + (i % 97 == 60 ? 0.5 : 0) + (i == 3 ? 9 : 0));
  }
  return out;
}

// The model of a launch that DRAM rules; its SM runs a program made by hand.
void add_models(Fixture& f) {
  using analysis::TimePart;
  analysis::Modelled& m = f.modelled;
  m.device = f.device.name;
  m.constants_measured = true;
  m.constants_of = f.device.cc;
  m.code = std::make_shared<const analysis::SmCode>(
      analysis::sm_sample({.loads = 2, .sums = 12, .turns = 8, .warps = 8, .sectors = 8}));
  m.sm.blocks = m.sm.resident_blocks = 4;
  m.sm.dram_sectors_a_cycle = 0.5;
  m.utilisation_unhidden = 0.047;
  analysis::TimeModel t;
  t.parts = {3.4, 1.9, 2.6, 4.1, 14.2, 6.3, 0, 0.4, 1.1};
  t.rules = TimePart::Dram;
  t.verdict = analysis::Verdict::Dram;
  t.us = 18.4;
  t.without = {15.0, 18.4, 18.2, 17.9, 11.0, 16.4, 18.4, 18.4, 17.3};
  t.waves = 0.97;
  analysis::SmSetup recorded = m.sm;
  recorded.record = 4000;
  t.sm = analysis::simulate_sm(*m.code, recorded);
  m.time = std::move(t);
  m.shelf = {{"V100 SXM2", false, 61.2, TimePart::Dram, 55.0, 1.6, 8},
             {"T4", false, 0, TimePart::Launch, 0, 0, 0},
             {"H200 SXM", true, 18.4, TimePart::Dram, 14.2, 0.97, 8},
             {"RTX 5090", false, 15.1, TimePart::Latency, 9.9, 0.75, 8}};
  f.time = {0.0197, "recorded on 2026-11-20", {"NVIDIA H200", "H200 SXM"}};
}

}  // namespace

void add_context(Fixture& f) {
  add_models(f);
  f.source.file = "kernel.cu";
  f.source.lines = {"// " + f.name,
                    "__global__ void " + f.name + "(const float* in, float* out, int n) {",
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;",
                    "  if (i >= n)",
                    "    return;",
                    "",
                    "",
                    "",
                    "",
                    "",
                    "",
                    "",
                    "",
                    "",
                    "",
                    "}"};
  for (const trace::Site& site : f.report.sites)
    f.source.lines[static_cast<std::size_t>(site.line - 1)] = "  " + site.text;
  for (int line = 1; line < 60; ++line)
    f.source.ptx_lines.push_back(fmt::format("\tadd.s64 \t%rd{}, %rd{}, %rd{};", line + 2, line + 1, line));
  for (trace::Site& site : f.report.sites) site.ptx_line = 20 + static_cast<int>(site.index) * 4;

  f.sweep.x_name = "stride";
  f.sweep.x_now = 2;
  SweepSeries time{"time", "ms", Evidence::Measured, {}},
      count{"sectors a request", "", Evidence::Counted, {}};
  for (int x = 1; x <= 32; ++x) {
    const double y = std::min(8.4, 1.05 * x) + 0.15 * (x % 3);
    time.points.push_back({double(x), y, y * 0.95, y * 1.08});
    count.points.push_back({double(x), double(std::min(32, 4 * x)), 0, 0});
  }
  f.sweep.series = {time, count};
  if (f.name == "stride_2") f.sweep.runs = measured_runs(300);
  if (f.name == "huge") f.sweep.runs = measured_runs(20000);
  if (f.name == "gather") {
    f.sweep.note = "on NVIDIA H200, recorded on 2026-11-20";
    f.sweep.spread = {{2.26, 2.24, 2.25, 2.27, 2.3, 200, {3.1, 2.6}}};
  }
  f.streams = f.name == "huge" ? timeline(4, 256) : f.name == "stride_1" ? timeline(1, 1) : timeline(3, 12);

  f.counters = hardware(f.name == "gather");
  if (f.name == "divergent")
    f.counters = {{}, {}, "", "Counters are kept to administrators: run as root.", false};
  if (f.name == "gather") f.counters.note = "measured, on NVIDIA H200, recorded on 2026-11-20";
  if (f.name == "huge")
    for (CounterLine& line : f.counters.lines) line.measured *= 1e6, line.counted.reset();
  f.transfers = copies();
  if (f.name == "gather") f.transfers.to_device = false;
  if (f.name == "stride_1") f.transfers.series.resize(1);

  f.roofline.device = f.device.name;
  f.roofline.ceilings = {{{analysis::Roof::Dram}, f.device.dram_gbps, 0},
                         {{analysis::Roof::L2}, 12000, 0},
                         {{analysis::Roof::Fp32}, 0, f.device.fp32_tflops * 1000}};
  f.report.flop = analysis::Work{.fp32 = 8e6};
  f.roofline.points = {{"naive", 0.25, 900, Evidence::Measured},
                       {"tile 16", 4, 12000, Evidence::Measured},
                       {"tile 32", 8, 21000, Evidence::Modelled}};
  if (f.name == "gather")  // as the model makes it: one run at four levels
    f.roofline.points.back() = {"tile 32",
                                0.97,
                                11640,
                                Evidence::Modelled,
                                11640,
                                analysis::Roof::L2,
                                {{analysis::Roof::L1, 0.5, Evidence::Counted},
                                 {analysis::Roof::L2, 0.97, Evidence::Modelled},
                                 {analysis::Roof::Dram, 9.2, Evidence::Modelled}},
                                ""};
  if (f.name == "broadcast") f.roofline.points.push_back({"copy", 0, 0});
  if (f.name == "gather") {  // the ladder of a product, some steps close together
    for (const auto& [name, intensity, gflops] :
         {std::tuple{"naive", 0.5, 5400.0}, std::tuple{"tiled", 2.1, 8000.0},
          std::tuple{"+ coarser threads", 3.6, 10600.0}, std::tuple{"+ register tiles", 7.9, 22800.0},
          std::tuple{"+ vectors", 8.2, 30300.0}, std::tuple{"+ double buffering", 8.3, 31500.0}})
      f.roofline.others.push_back({name, intensity, gflops, Evidence::Measured});
    f.roofline.others.push_back({"L2 flushed", 0.9, 2100, Evidence::Measured});
    f.roofline.others_at = "rows and columns 2048";
    f.roofline.library = RooflineCeiling{{}, 0, 50300, "measured", true, "cuBLAS 13.1.0"};
  }
  if (f.name == "gather" || f.name == "stride_1") {
    using Kind = CompiledBound::Kind;
    const auto curve = [](double least, double small) {
      BlockSizeTimes out;
      for (int threads = 32; threads <= 1024; threads *= 2)
        out.times.push_back({threads, least + small / threads});
      return out;
    };
    f.lab.modelled = curve(170, 4000);
    f.lab.measured = curve(182, 4400);
    f.lab.measured->times.back().us = 194;
    f.lab.measured->note = "measured, on NVIDIA H200, recorded on 2026-11-22 · elements 16777216";
    f.lab.compiled = {{Kind::AsWritten, 0, 96, 0, 0},           {Kind::LaunchBounds, 3, 80, 0, 0},
                      {Kind::MostRegisters, 80, 80, 0, 0},      {Kind::LaunchBounds, 4, 64, 0, 0},
                      {Kind::MostRegisters, 64, 64, 0, 0},      {Kind::LaunchBounds, 8, 32, 1512, 2044},
                      {Kind::MostRegisters, 32, 32, 1512, 2044}};
  }
  if (f.name == "huge")
    f.lab.no_compiler = "no ptxas here: install the CUDA toolkit to see what fewer registers cost";
  const auto bytes = [](const analysis::GlobalCounts& c) { return 32.0 * static_cast<double>(c.sectors); };
  const analysis::Totals& t = f.report.totals;
  f.traffic.loaded = bytes(t.global_load) + bytes(t.local_load);
  f.traffic.passed_on =
      bytes(t.global_store) + bytes(t.local_store) + bytes(t.global_atomic) + bytes(t.global_reduction);
  f.traffic.l1_missed = 0.6 * f.traffic.loaded;
  f.traffic.dram_read = 0.3 * *f.traffic.l1_missed;
  f.traffic.dram_written = 0.5 * f.traffic.passed_on;
}

}  // namespace warplens::visual
