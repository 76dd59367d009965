// An engine without compiler and emulator: one warp-wide load and store a warp, strided as the slider says,
// so that tests know every number. Counts what it was asked to do.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "app/window/session/workbench.h"
#include "engine/analysis/totals.h"
#include "engine/analysis/warp_totals.h"
#include "visual/warp_totals.h"

namespace warplens::window::testing {

struct Calls {
  std::atomic<int> loads{0}, runs{0}, whole_runs{0};
  std::atomic<int> delay_ms{0};  // of each whole run
  std::atomic<bool> throws{false};
  // Of the last load; read while nothing runs.
  std::vector<std::string> include_paths = {};
  std::vector<std::pair<std::string, std::string>> defines = {};
  // The GPU, where the test has one.
  std::atomic<int> timings{0}, glimpses{0}, traces{0};
  std::atomic<bool> faults{false};
  std::atomic<int> timing_ms{0};  // how long each timing takes
  std::atomic<int> readings{0};   // of hardware counters
  std::atomic<bool> no_permission{false};
};

inline model::Slider slider(std::string name, std::int64_t low, std::int64_t high, std::int64_t value) {
  model::Slider s;
  s.name = std::move(name);
  s.min = low;
  s.max = high;
  s.value = value;
  return s;
}

inline model::Gallery gallery(const std::filesystem::path& file) {
  model::Gallery g;
  for (const char* id : {"strided", "other"}) {
    model::GalleryKernel k;
    k.id = id;
    k.topic = "memory";
    k.file = file;
    k.title = {{"en", id}, {"zh", "内核"}};
    k.kernel = id;
    k.views = {"address-map", "bank-view"};
    k.sliders = {slider("stride", 1, 16, 2), slider("blocks", 1, 64, 32)};
    k.sliders.push_back(slider("block", 32, 1024, 64));
    k.sliders.back().powers_of_two = true;
    g.kernels.push_back(k);
  }
  g.kernels.push_back(g.kernels.back());
  g.kernels.back().id = g.kernels.back().kernel = "wide";
  g.kernels.back().sliders[0] = slider("stride", 1, 1000, 2);
  g.kernels.push_back(g.kernels.front());
  g.kernels.back().id = "chosen";
  g.kernels.back().sliders.push_back(slider("form", 0, 1, 0));
  g.kernels.back().sliders.back().choices = {"first", "second"};
  g.topics.push_back({"memory", {{"en", "Memory"}}, {"strided", "other"}});
  return g;
}

inline std::vector<trace::Site> sites() {
  std::vector<trace::Site> out(2);
  out[0].index = out[0].leader = 0;
  out[0].kind = trace::SiteKind::Load;
  out[0].line = 3;
  out[1].index = out[1].leader = 1;
  out[1].kind = trace::SiteKind::Store;
  out[1].line = 4;
  for (trace::Site& s : out) {
    s.space = trace::Space::Global;
    s.bytes = s.executed_bytes = 4;
  }
  return out;
}

inline void access(trace::Listener& counter, trace::Recorder* recorder, trace::WarpId warp,
                   trace::SiteId site, std::int64_t stride) {
  std::uint64_t addresses[32];
  const std::uint64_t first = (warp.block * 64 + warp.warp * 32) * static_cast<std::uint64_t>(stride);
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    addresses[lane] = 4 * (first + lane * static_cast<std::uint64_t>(stride));
  }
  trace::Access a;
  a.site = site;
  a.warp = warp;
  a.kind = site == 0 ? trace::SiteKind::Load : trace::SiteKind::Store;
  a.active = kFullMask;
  a.addresses = addresses;
  a.affine = true;
  a.stride = 4 * stride;
  counter.on_access(a);
  if (recorder) recorder->on_access(a);
}

inline Result<std::shared_ptr<const model::Run>> fake_run(const model::RunRequest& request,
                                                          Progress* progress, Calls& calls) {
  ++calls.runs;
  const bool whole = request.options.only_blocks.empty();
  const bool swept = request.recorder.blocks == 0;  // runs of a sweep record nothing
  if (whole && !swept) ++calls.whole_runs;
  if (calls.throws) throw std::bad_alloc();
  if (whole && !swept && progress && progress->cancelled())
    return Error{ErrorKind::Cancelled, "filling the buffers was stopped", {}, {}};
  for (int i = 0; whole && !swept && i < calls.delay_ms; ++i) {
    if (progress && progress->cancelled()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  auto run = std::make_shared<model::Run>();
  run->program = request.program;
  run->report.launch = request.launch;
  run->report.sites = sites();
  if (whole && progress && progress->cancelled()) run->report.ending = analysis::Ending::Cancelled;
  analysis::TotalsCounter counter(run->report.sites);
  trace::Recorder recorder(request.recorder);
  const std::uint64_t total = request.launch.grid.volume();
  const std::uint64_t warps = (request.launch.block.volume() + 31) / 32;
  std::uint64_t blocks = 0;
  for (std::uint64_t b = 0; b < total; ++b) {
    const auto& only = request.options.only_blocks;
    if (!whole && std::find(only.begin(), only.end(), b) == only.end()) continue;
    ++blocks;
    const bool kept = recorder.wants_block(b);
    if (kept) recorder.on_block_begin(b);
    for (std::uint32_t w = 0; w < warps; ++w) {
      access(counter, kept ? &recorder : nullptr, {b, w}, 0, request.launch.arguments[0].integer);
      access(counter, kept ? &recorder : nullptr, {b, w}, 1, 1);
    }
    if (kept) recorder.on_block_end(b);
  }
  if (whole && !swept) {
    auto warps_of = std::make_shared<analysis::WarpTotals>();
    warps_of->grid = request.launch.grid;
    warps_of->block = request.launch.block;
    warps_of->warps_per_block = static_cast<std::uint32_t>(warps);
    warps_of->all.assign(total * warps, {2, 64, 12, 8, 0, 0});
    run->warps = std::make_shared<const visual::WarpTotals>(visual::sum_up(std::move(warps_of)));
  }
  run->report.totals = counter.totals();
  run->report.blocks_run = blocks;
  run->report.blocks_total = total;
  run->trace = recorder.take();
  run->trace.sites = run->report.sites;
  run->trace.launch = request.launch;
  return std::shared_ptr<const model::Run>(run);
}

inline Engine engine(Calls& calls) {
  Engine e;
  e.load = [&calls](const model::ProgramRequest& request,
                    Progress*) -> Result<std::shared_ptr<const model::Program>> {
    ++calls.loads;
    calls.include_paths = request.include_paths;
    calls.defines = request.defines;
    const std::string text = request.text.value_or("");
    if (text.find("broken") != std::string::npos) {
      return Error{ErrorKind::Compile, "identifier \"broken\" is undefined", {request.file, 2, 5}, {}};
    }
    auto program = std::make_shared<model::Program>();
    program->file = request.file;
    program->text = text;
    return std::shared_ptr<const model::Program>(program);
  };
  e.bind = [](const model::GalleryKernel& kernel,
              const model::SliderValues& values) -> Result<model::BoundLaunch> {
    model::BoundLaunch bound;
    bound.launch.kernel = kernel.kernel;
    bound.launch.grid.x = static_cast<std::uint32_t>(values.at("blocks"));
    bound.launch.block.x = static_cast<std::uint32_t>(values.at("block"));
    bound.launch.arguments.resize(1);
    bound.launch.arguments[0].integer = values.at("stride");
    return bound;
  };
  e.execute = [&calls](const model::RunRequest& request, Progress* progress) {
    return fake_run(request, progress, calls);
  };
  e.adopt = [](const model::Program& program, const std::string&) -> Result<model::Adopted> {
    if (program.text.find("__global__") == std::string::npos) {
      return Error{ErrorKind::Usage, "The file holds no kernel.", {program.file, 0, 0}, {}};
    }
    model::GalleryKernel k = gallery(program.file).kernels[0];
    k.id = "mine";
    k.arguments = {"buf:f32:128:hash"};
    std::vector<model::Assumption> assumed{{"in", "128", {"assumed.no_launch", {}}, 0}};
    return model::Adopted{std::move(k), std::move(assumed), true};
  };
  return e;
}

// An engine with one GPU on which a launch takes as many microseconds as the stride.
inline Engine engine_with_gpu(Calls& calls) {
  Engine e = engine(calls);
  e.inventory = [] {
    Inventory there;
    gpu::DeviceInfo h200;
    h200.name = "NVIDIA H200";
    h200.cc_major = 9;
    there.found.devices = {h200};
    return there;
  };
  e.time = [&calls](const model::RunRequest& request, const gpu::TimingOptions& options, int,
                    Progress* progress) -> Result<gpu::Timing> {
    const bool glimpse = options.max_seconds < 0.1;
    ++(glimpse ? calls.glimpses : calls.timings);
    const int takes = glimpse ? std::min(5, calls.timing_ms.load()) : calls.timing_ms.load();
    for (int i = 0; i < takes && !progress->cancelled(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (calls.faults) {
      return Error{ErrorKind::Fault, "The kernel read an illegal address.", {}, {}};
    }
    gpu::Timing timing;
    timing.median = static_cast<double>(request.launch.arguments[0].integer) / 1000;
    timing.low = timing.median * 0.9;
    timing.high = timing.median * (options.flush_l2 ? 2.0 : 1.1);
    timing.milliseconds.assign(glimpse ? 8 : 10, timing.median);
    timing.peak_bytes_per_second = 4e12;
    return timing;
  };
  e.trace = [&calls](const model::RunRequest& request, int, Progress* progress) {
    ++calls.traces;
    auto run = fake_run(request, progress, calls);
    if (run) {
      auto on_gpu = std::make_shared<model::Run>(**run);
      on_gpu->report.backend = trace::Backend::Gpu;
      on_gpu->warps = nullptr;  // the hardware records the traced blocks
      run = std::shared_ptr<const model::Run>(on_gpu);
    }
    return run;
  };
  // As many sectors a request as the fake run counts, a stall, and nothing else.
  e.counters = [&calls](const model::RunRequest& request, int,
                        Progress* progress) -> Result<gpu::CounterReading> {
    ++calls.readings;
    if (calls.no_permission) return gpu::counters_error(35, "read the counters");
    const auto run = fake_run(request, progress, calls);
    if (!run) return run.error();
    const analysis::Totals& t = (*run)->report.totals;
    return gpu::CounterReading{
        {{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", static_cast<double>(t.global_load.requests)},
         {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", static_cast<double>(t.global_load.sectors)},
         {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 12.5}},
        1};
  };
  e.transfers = [](const model::GalleryKernel&, int, Progress*) -> Result<visual::TransferRates> {
    visual::TransferRates rates;
    rates.series.push_back(
        {true, true, {{4096, 1, 0.004, 0.003, 0.005}, {1 << 20, 1, 0.02, 0.02, 0.02}}, {}});
    return rates;
  };
  e.streams = [](const model::GalleryKernel&, const model::SliderValues& values, int,
                 Progress*) -> Result<visual::StreamTimeline> {
    visual::StreamTimeline line;
    line.streams = static_cast<int>(values.at("stride"));
    line.spans = {{visual::StreamWork::Compute, 0, 0, 0, 1}};
    line.total_ms = 1;
    return line;
  };
  return e;
}

}  // namespace warplens::window::testing
