// Whole programs on a real GPU: the same launches as emulated, each measured, those that are kept run again
// on the emulator. Skipped where there is no GPU or no nvcc.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>

#include "app/model/opened/adopt.h"
#include "app/model/program/gpu_program.h"
#include "app/model/program/run_events.h"
#include "app/model/run/pipeline.h"
#include "tests/support/places.h"

namespace warplens::model {
namespace {

namespace fs = std::filesystem;
using Json = RunEvents::Json;

class ProgramOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    const auto gpu = gpu_for_programs();
    if (!gpu) GTEST_SKIP() << gpu.error().text();
    gpu_ = *gpu;
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static ProgramSources sources(const std::string& name) {
    ProgramSources out;
    out.files = {tests::source_dir() + "/tests/runtime/programs/" + name};
    out.standard = "c++17";
    out.nvcc_options = {"--extended-lambda"};
    return out;
  }
  ProgramEnd on_gpu(const std::string& name, runtime::Settings settings = {},
                    const std::string& argument = {}) {
    ProgramSources from = sources(name);
    from.on_gpu = true;
    from.arch = architecture_of_gpu();
    auto built = build_program(from);
    if (!built) throw std::runtime_error(built.error().text());
    built_ = std::move(*built);
    std::vector<std::string> command{built_->file};
    if (!argument.empty()) command.push_back(argument);
    auto end = run_on_gpu(command, settings, built_->room->folder(), gpu_);
    if (!end) throw std::runtime_error(end.error().text());
    return *end;
  }
  ProgramEnd emulated(const std::string& name) {
    auto built = build_program(sources(name));
    if (!built) throw std::runtime_error(built.error().text());
    auto end = run_program({built->file}, {}, built->room->folder());
    if (!end) throw std::runtime_error(end.error().text());
    return *end;
  }

  MeasuredProgram gpu_;
  std::optional<BuiltProgram> built_;
  const fs::path folder_ = fs::temp_directory_path() / ("warplens_on_gpu_" + std::to_string(::getpid()));
};

TEST_F(ProgramOnGpu, MakesTheSameLaunches) {
  for (const char* name : {"vector_add.cu", "matrix_and_transpose.cu", "reductions.cu", "symbols.cu",
                           "pointers.cu", "public/hotspot.cu", "public/bfs.cu", "public/nbody.cu",
                           "public/conjugate.cu", "public/pipeline.cu", "public/eliminate.cu"}) {
    const ProgramEnd real = on_gpu(name);
    EXPECT_EQ(real.exit_code, 0) << name;
    const auto measured = events_of(real.log).launches;
    // A bundle for a machine with a GPU may not have the stand-in.
    const auto counted = runtime_libraries() ? events_of(emulated(name).log).launches : measured;
    ASSERT_EQ(measured.size(), counted.size()) << name;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      for (const char* what : {"kernel", "number", "grid", "block", "shared_bytes"})
        EXPECT_EQ(measured[i][what], counted[i][what]) << name << " launch " << i;
      EXPECT_EQ(measured[i]["ending"], "completed") << name << " launch " << i;
      EXPECT_GT(measured[i].value("seconds", 0.0), 1e-7) << name << " launch " << i;
      EXPECT_LT(measured[i].value("seconds", 1.0), 0.1) << name << " launch " << i;
    }
  }
}

TEST_F(ProgramOnGpu, KeptLaunchesRunAgainOnTheEmulator) {
  runtime::Settings settings;
  settings.kept.push_back({"*", 0, 1});
  settings.keep_folder = folder_.string();
  for (const char* name : {"public/hotspot.cu", "public/bfs.cu", "reductions.cu"}) {
    const auto launches = events_of(on_gpu(name, settings).log).launches;
    int kept = 0;
    for (const Json& launch : launches) {
      EXPECT_FALSE(launch.contains("not_kept")) << name << launch.value("not_kept", "");
      if (!launch.contains("kept")) continue;
      ++kept;
      ProgramRequest request;
      request.file = (folder_ / launch.value("kept", "")).string();
      const auto program = load_program(request, nullptr);
      ASSERT_TRUE(program) << program.error().text();
      const auto adopted = adopt(**program, {});
      ASSERT_TRUE(adopted) << adopted.error().text();
      RunRequest run;
      run.program = *program;
      run.launch = launch_of(adopted->kernel, default_values(adopted->kernel))->launch;
      const auto result = execute(run, nullptr);
      ASSERT_TRUE(result) << result.error().text();
      EXPECT_TRUE((*result)->report.faults.empty()) << name;
    }
    EXPECT_GT(kept, 0) << name;
  }
}

TEST_F(ProgramOnGpu, AFaultIsTold) {
  const ProgramEnd end = on_gpu("faults.cu", {}, "null");
  EXPECT_EQ(end.exit_code, 7);  // its own check, of a fault
  EXPECT_FALSE(events_of(end.log).errors.empty());
}

}  // namespace
}  // namespace warplens::model
