#include "app/model/machine/bench.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <utility>

#include "app/model/picture/picture.h"
#include "app/model/run/pipeline.h"
#include "engine/analysis/totals.h"
#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/source/process.h"
#include "engine/source/toolchain.h"
#include "visual/export.h"

namespace warplens::model {
namespace {

struct Case {
  const char* kernel;
  Dim3 grid, block;
  std::vector<const char*> arguments;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"copy", {4096, 1, 1}, {256, 1, 1}, {"buf:f32:1048576:hash", "buf:f32:1048576:zero", "i32:1048576"}},
      {"strided",
       {4096, 1, 1},
       {256, 1, 1},
       {"buf:f32:1048576:hash", "buf:f32:1048576:zero", "i32:1048576", "i32:33"}},
      {"transpose", {32, 32, 1}, {32, 8, 1}, {"buf:f32:1048576:hash", "buf:f32:1048576:zero", "i32:1024"}},
      {"matmul",
       {16, 16, 1},
       {16, 16, 1},
       {"buf:f32:65536:hash", "buf:f32:65536:hash", "buf:f32:65536:zero", "i32:256"}},
      {"gather",
       {4096, 1, 1},
       {256, 1, 1},
       {"buf:f32:1048576:hash", "buf:i32:1048576:mod:1048576", "buf:f32:1048576:zero", "i32:1048576"}},
      {"histogram", {256, 1, 1}, {256, 1, 1}, {"buf:u32:1048576:hash", "buf:u32:256:zero", "i32:1048576"}},
      {"mandelbrot", {64, 64, 1}, {16, 16, 1}, {"buf:i32:1048576:zero", "i32:1024", "i32:1024", "i32:256"}},
  };
  return all;
}

trace::Launch launch_of(const Case& c) {
  trace::Launch launch;
  launch.kernel = c.kernel;
  launch.grid = c.grid;
  launch.block = c.block;
  for (const char* text : c.arguments) launch.arguments.push_back(*trace::parse_argument(text));
  return launch;
}

enum class Mode { Plain, Recording, AllChecks };

// Best seconds of the runs so far and the lane instructions of one.
struct Rate {
  double seconds = 0;
  std::uint64_t lane_instructions = 0;
  double per_second() const { return seconds > 0 ? static_cast<double>(lane_instructions) / seconds : 0; }
};

Status emulate(const simt::Kernel& kernel, const trace::Launch& launch, Mode mode, int threads, Rate& best) {
  simt::Options options;
  options.threads = threads;
  options.checks = mode == Mode::Plain       ? simt::Checks::None
                   : mode == Mode::Recording ? simt::Checks::Memory
                                             : simt::Checks::All;
  analysis::TotalsCounter counter(kernel.sites());
  trace::Recorder recorder({.blocks = 1});
  std::vector<trace::Listener*> listeners;
  if (mode != Mode::Plain) listeners = {&counter, &recorder};
  const auto outcome = simt::run(kernel, launch, options, listeners);
  if (!outcome) return outcome.error();
  if (best.seconds == 0 || outcome->seconds < best.seconds) best.seconds = outcome->seconds;
  best.lane_instructions = outcome->thread_instructions;
  return Done{};
}

std::filesystem::path opencl_runner() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "warplens-opencl-bench";
}

// Seconds that the OpenCL runner prints, started by a program such as oclgrind if one is named; nullopt when
// it fails.
std::optional<double> opencl_seconds(const std::string& starter, const Case& c, int runs) {
  std::vector<std::string> command{
      opencl_runner().string(),
      std::filesystem::absolute(assets_folder() / "bench" / "kernels.cl").string(),
      c.kernel,
      fmt::format("{},{}", c.grid.x * c.block.x, c.grid.y * c.block.y),
      fmt::format("{},{}", c.block.x, c.block.y),
      std::to_string(runs)};
  command.insert(command.end(), c.arguments.begin(), c.arguments.end());
  if (!starter.empty()) command.insert(command.begin(), starter);
  constexpr source::CompileLimits kLimits{.seconds = 3600, .memory_mib = 1 << 20};
  const auto ran = source::run_process(command, {.limits = kLimits});
  const double seconds = ran ? std::atof(ran->out.c_str()) : 0;
  if (seconds <= 0) return std::nullopt;
  return seconds;
}

ProgramRequest bench_program() {
  ProgramRequest request;
  request.file = (assets_folder() / "bench" / "kernels.cu").string();
  request.arch = "sm_80";
  return request;
}

using Clock = std::chrono::steady_clock;

// Seconds since `from`, which becomes now.
double lap(Clock::time_point& from) {
  const Clock::time_point before = std::exchange(from, Clock::now());
  return std::chrono::duration<double>(from - before).count();
}

Result<FirstPicture> draw_first_picture(const Pictures& pictures, const BenchOptions& how,
                                        const std::filesystem::path& file) {
  const Case& c = cases().front();
  FirstPicture times;
  times.kernel = c.kernel;
  times.threads = c.grid.volume() * c.block.volume();
  Clock::time_point clock = Clock::now();
  const auto program = load_program(bench_program());
  if (!program) return program.error();
  times.program = lap(clock);
  RunRequest request;
  request.program = *program;
  request.launch = launch_of(c);
  request.options.threads = how.threads;
  const auto run = execute(request);
  if (!run) return run.error();
  times.run = lap(clock);
  PictureOptions picture;
  picture.size = {1280, 720};
  const auto scene = pictures.draw(**run, picture);
  if (!scene) return scene.error();
  times.layout = lap(clock);
  if (const Status written = visual::export_scene(*scene, visual::Theme::light(), file); !written)
    return written.error();
  times.png = lap(clock);
  return times;
}

// What a person waits for after an edit: exact totals of 2^20 threads and the picture.
Result<FirstPicture> time_first_picture(const Pictures& pictures, const BenchOptions& how) {
  std::error_code ignored;
  const std::filesystem::path file =
      std::filesystem::temp_directory_path(ignored) / fmt::format("warplens-bench-{}.png", ::getpid());
  Result<FirstPicture> best = draw_first_picture(pictures, how, file);
  for (int i = 1; i < how.runs && best; ++i) {
    Result<FirstPicture> now = draw_first_picture(pictures, how, file);
    if (!now || now->total() < best->total()) best = std::move(now);
  }
  std::filesystem::remove(file, ignored);
  return best;
}

Result<std::shared_ptr<const Program>> open_for_slider(const Case& c, SliderMove& times) {
  auto program = load_program(bench_program());
  if (!program) return program;
  Clock::time_point clock = Clock::now();
  const auto kernel = (*program)->kernel(c.kernel);
  if (!kernel) return kernel.error();
  times.decoding = lap(clock);
  return program;
}

// The launch that a slider sets: blocks of other sizes over the same program.
Result<SliderMove> time_slider(const Pictures& pictures, const BenchOptions& how) {
  const Case& c = cases().front();
  SliderMove best;
  best.kernel = c.kernel;
  const auto program = open_for_slider(c, best);
  if (!program) return program.error();
  for (int i = 0; i < how.runs; ++i) {
    RunRequest request;
    request.program = *program;
    request.launch = launch_of(c);
    const std::uint32_t times = i % 2 == 0 ? 2 : 4;
    request.launch.block.x /= times;
    request.launch.grid.x *= times;
    request.options.threads = how.threads;
    best.threads = request.launch.grid.volume() * request.launch.block.volume();
    Clock::time_point clock = Clock::now();
    const auto run = execute(request);
    if (!run) return run.error();
    const double ran = lap(clock);
    PictureOptions picture;
    picture.size = {1280, 720};
    if (const auto scene = pictures.draw(**run, picture); !scene) return scene.error();
    const double laid_out = lap(clock);
    if (i > 0 && ran + laid_out >= best.total()) continue;
    best.run = ran;
    best.layout = laid_out;
  }
  return best;
}

}  // namespace

Result<BenchResult> run_bench(const BenchOptions& options) {
  const auto program = load_program(bench_program());
  if (!program) return program.error();

  BenchResult out;
  out.threads = options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
  std::error_code ignored;
  const std::string oclgrind =
      source::find_program("oclgrind", source::SearchPlaces::from_environment().program_folders);
  const bool runner = std::filesystem::exists(opencl_runner(), ignored);
  if (!options.rivals) {
    out.rivals_note = "not asked for";
  } else if (!runner) {
    out.rivals_note = "this build has no OpenCL runner (WARPLENS_TESTS=OFF)";
  }
  const bool compare = options.rivals && runner;
  for (const Case& c : cases()) {
    if (options.on_kernel) options.on_kernel(c.kernel);
    const auto kernel = simt::Kernel::load((*program)->module, c.kernel, 80);
    if (!kernel) return kernel.error();
    const trace::Launch launch = launch_of(c);
    BenchRow row;
    row.kernel = c.kernel;
    // Turn by turn, so that a machine busy for a while does not change the ratios.
    constexpr std::array kModes{Mode::Plain, Mode::Recording, Mode::AllChecks};
    std::array<Rate, kModes.size()> best;
    for (int i = 0; i < options.runs; ++i)
      for (std::size_t m = 0; m < kModes.size(); ++m)
        if (Status ran = emulate(*kernel, launch, kModes[m], options.threads, best[m]); !ran)
          return ran.error();
    row.lane_instructions = best[0].lane_instructions;
    row.plain = best[0].per_second();
    row.recording = best[1].per_second();
    row.all_checks = best[2].per_second();
    row.recording_seconds = best[1].seconds;
    row.all_checks_seconds = best[2].seconds;
    if (compare) {
      row.pocl_seconds = opencl_seconds("", c, options.runs);
      if (!oclgrind.empty()) row.oclgrind_seconds = opencl_seconds(oclgrind, c, 1);
    }
    out.rows.push_back(std::move(row));
  }
  const auto catalogue = Catalogue::load("en");
  if (!catalogue) return catalogue.error();
  const auto pictures = Pictures::make(*catalogue);
  if (!pictures) return pictures.error();
  const auto picture = time_first_picture(*pictures, options);
  if (!picture) return picture.error();
  out.first_picture = *picture;
  const auto slider = time_slider(*pictures, options);
  if (!slider) return slider.error();
  out.slider = *slider;
  if (compare && !out.rows.empty() && !out.rows[0].pocl_seconds && !out.rows[0].oclgrind_seconds)
    out.rivals_note = "neither PoCL nor Oclgrind is installed (Debian: pocl-opencl-icd, oclgrind)";
  return out;
}

}  // namespace warplens::model
