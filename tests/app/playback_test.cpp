// `warplens time` on a machine without a GPU: it plays a recording, says so, and says why when it cannot. And
// what the recordings that the program brings say about its own counts.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "app/cli/cli.h"
#include "app/model/recording/measure.h"
#include "app/model/recording/recording.h"
#include "app/model/run/counters_table.h"
#include "engine/base/assets.h"

namespace warplens::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::HasSubstr;

struct Played {
  int code = 0;
  std::string out, err;
  Json json() const { return Json::parse(out); }
};

Played warplens(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "warplens");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Played out;
  out.code = cli::run(static_cast<int>(argv.size()), argv.data());
  out.out = testing::internal::GetCapturedStdout();
  out.err = testing::internal::GetCapturedStderr();
  return out;
}

class Playback : public testing::Test {
 protected:
  void SetUp() override {
    file_ = fs::temp_directory_path() / ("warplens_playback_" + std::to_string(::getpid()) + ".json");
    const auto gallery = load_gallery();
    ASSERT_TRUE(gallery.has_value());
    const GalleryKernel* kernel = gallery->find("copy_strided");
    ASSERT_NE(kernel, nullptr);
    Recording r;
    r.device.name = "NVIDIA Test";
    r.device.sms = 4;
    r.device.l2_bytes = 1 << 16;
    r.date = "2026-11-20";
    r.empty_kernel = 0.002;
    r.peak_bytes_per_second = 1e12;
    RecordedKernel recorded;
    recorded.id = kernel->id;
    recorded.source = source_hash(*kernel, *read_text(kernel->file));
    for (const Slider& slider : kernel->sliders) recorded.sliders.push_back(slider.name);
    for (const std::int64_t stride : {1, 2, 4}) {
      SliderValues values = measured_values(*kernel, default_values(*kernel));
      values["stride"] = stride;
      const double ms = 0.1 * static_cast<double>(stride);
      recorded.points.push_back({*recorded.ordered(values),
                                 {ms, ms, ms, ms, ms, 30, {}},
                                 Spread{2 * ms, ms, ms, 3 * ms, 3 * ms, 30, {}},
                                 {}});
    }
    recorded.counters.push_back(
        {recorded.points[1].values, {{{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 2048.0}}, 0}});
    r.kernels.push_back(recorded);
    r.transfers.push_back({1 << 20, 1, true, true, {0.02, 0.02, 0.02, 0.02, 0.02, 12, {}}});
    r.streams.push_back(
        {3, 8, 1 << 20, {1, 1, 1, 1, 1, 15, {}}, {{visual::StreamWork::CopyIn, 2, 5, 0, 0.5}}, "cupti"});
    ASSERT_TRUE(write_text(file_, recording_json(r)).has_value());
  }
  void TearDown() override { fs::remove(file_); }
  Played time(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"time"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {"--recording", file_.string(), "--json", "-"});
    return warplens(arguments);
  }
  fs::path file_;
};

TEST_F(Playback, ALaunchComesWithItsEvidence) {
  const Played played = time({"copy_strided", "--counters", "--warm-l2"});
  ASSERT_EQ(played.code, 0) << played.err;
  const Json json = played.json();
  EXPECT_EQ(json["schema"], "warplens.timing/1");
  EXPECT_DOUBLE_EQ(json["median_ms"], 0.2);
  EXPECT_EQ(json["evidence"], "measured");
  EXPECT_EQ(json["evidence_text"], "measured, on NVIDIA Test, recorded on 2026-11-20");
  EXPECT_EQ(json["recording"]["date"], "2026-11-20");
  EXPECT_EQ(json["l2"], "warm");
  EXPECT_TRUE(json["warnings"].empty());
  EXPECT_EQ(json["counters"]["rows"][0]["measured"], 2048);
  EXPECT_DOUBLE_EQ(time({"copy_strided", "--flush-l2"}).json()["median_ms"], 0.4);
  // Its own file asks for a flushed L2, and for more elements than the picture has.
  EXPECT_DOUBLE_EQ(time({"copy_strided"}).json()["median_ms"], 0.4);
  EXPECT_EQ(time({"copy_strided", "--set", "n=65536"}).code, 2);
}

TEST_F(Playback, ASweepIsEveryRecordedValue) {
  const Played played = time({"copy_strided", "--sweep", "stride", "--warm-l2"});
  ASSERT_EQ(played.code, 0) << played.err;
  const Json points = played.json()["points"];
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[2]["value"], 4);
  EXPECT_DOUBLE_EQ(points[2]["median_ms"], 0.4);
  EXPECT_EQ(time({"copy_strided", "--sweep", "nothing"}).code, 2);
}

TEST_F(Playback, CopiesAndStreamsPlay) {
  const Json transfers = time({"host_transfer"}).json();
  EXPECT_EQ(transfers["schema"], "warplens.transfers/1");
  EXPECT_EQ(transfers["rows"][0]["direction"], "host to device");
  const Json streams = time({"streams"}).json();
  EXPECT_EQ(streams["schema"], "warplens.streams/1");
  EXPECT_EQ(streams["runs"][0]["spans"][0]["work"], "copy in");
  EXPECT_EQ(streams["runs"][0]["spans"][0]["chunk"], 5);
  EXPECT_EQ(time({"streams", "--set", "streams=1"}).code, 2);
}

// What is printed, in both languages, is named and has all of its values.
TEST_F(Playback, SpeaksTheLanguageThatIsAskedFor) {
  const auto printed = [&](std::vector<std::string> what, const std::string& language) {
    std::vector<std::string> arguments{"time"};
    arguments.insert(arguments.end(), what.begin(), what.end());
    arguments.insert(arguments.end(), {"--recording", file_.string(), "--language", language});
    const Played played = warplens(arguments);
    EXPECT_EQ(played.code, 0) << played.err;
    EXPECT_THAT(played.out, Not(HasSubstr("timing.text."))) << language;
    EXPECT_THAT(played.out, Not(HasSubstr("{"))) << language;
    return played.out;
  };
  EXPECT_THAT(printed({"copy_strided", "--counters", "--warm-l2"}, "en"), HasSubstr("SM clock"));
  EXPECT_THAT(printed({"copy_strided", "--counters", "--warm-l2"}, "zh"), HasSubstr("中位数"));
  EXPECT_THAT(printed({"copy_strided", "--sweep", "stride", "--warm-l2"}, "zh"), HasSubstr("有区别"));
  EXPECT_THAT(printed({"host_transfer"}, "zh"), HasSubstr("到 GPU"));
  EXPECT_THAT(printed({"streams"}, "zh"), HasSubstr("3 个流"));
}

TEST_F(Playback, WhatWasNotRecordedIsNotMadeUp) {
  const Played between = time({"copy_strided", "--set", "stride=3"});
  EXPECT_EQ(between.code, 2);
  EXPECT_THAT(between.err, HasSubstr("has nothing for these values"));
  EXPECT_EQ(between.out, "");
  EXPECT_EQ(time({"copy"}).code, 2);
  EXPECT_THAT(warplens({"time", "copy", "--recording", "/nowhere.json"}).err, HasSubstr("cannot read"));
}

TEST(RecordedPoints, CoverEverySliderAndEveryChoiceOnce) {
  const auto gallery = load_gallery();
  ASSERT_TRUE(gallery.has_value());
  for (const GalleryKernel& kernel : gallery->kernels) {
    const auto points = recorded_points(kernel, false);
    EXPECT_EQ(std::set<SliderValues>(points.begin(), points.end()).size(), points.size());
    EXPECT_LT(points.size(), 1500u) << kernel.id;
    for (const SliderValues& choice : choice_points(kernel))
      EXPECT_NE(std::find(points.begin(), points.end(), choice), points.end()) << kernel.id;
    for (const Slider& slider : kernel.sliders) {
      std::set<std::int64_t> values;
      for (const SliderValues& point : points) values.insert(point.at(slider.name));
      EXPECT_TRUE(values.contains(slider.min) && values.contains(slider.max))
          << kernel.id << " " << slider.name;
    }
    EXPECT_LT(recorded_points(kernel, true).size(), 20u) << kernel.id;
  }
}

struct Compared {
  int kernels = 0, rows = 0;
};

Compared expect_counts(const GalleryKernel& kernel, const gpu::CounterReading& reading, const Run& run) {
  Compared out{.kernels = 1};
  for (const visual::CounterLine& row : counters_table(reading, &run.report)) {
    if (!row.counted) continue;
    ++out.rows;
    // Which warp's atomic comes first decides where its results go, and so how many sectors they share.
    if (kernel.id == "compaction" && row.metric.ends_with("mem_global_op_st.sum")) continue;
    // In launches as long as those for the clock, warps also meet each other at the banks.
    if (row.metric.find("wavefronts") != std::string::npos ||
        row.metric.find("conflicts") != std::string::npos)
      EXPECT_GE(row.measured, *row.counted) << kernel.id << " " << row.metric;
    else
      EXPECT_EQ(row.measured, *row.counted) << kernel.id << " " << row.metric;
  }
  return out;
}

// The GPUs' own counters, as recorded, against the emulator: the same number, kernel by kernel.
TEST(RecordedCounters, AreWhatTheEmulatorCounts) {
  const Recordings recordings = load_recordings({assets_folder() / "recordings", {}});
  ASSERT_EQ(recordings.all.size(), 2u);
  const auto gallery = load_gallery();
  ASSERT_TRUE(gallery.has_value());
  constexpr std::uint64_t kMostThreads = 1 << 18;  // what is larger takes too long here
  std::vector<Compared> compared(recordings.all.size());
  for (const GalleryKernel& kernel : gallery->kernels) {
    const SliderValues values = measured_values(kernel, default_values(kernel));
    const std::string source = source_hash(kernel, *read_text(kernel.file));
    const auto reading_of = [&](const Recording& r) { return r.counters(kernel, source, values); };
    if (std::ranges::none_of(recordings.all, reading_of)) continue;
    const auto bound = launch_of(kernel, values);
    ASSERT_TRUE(bound.has_value());
    if (bound->launch.grid.volume() * bound->launch.block.volume() > kMostThreads) continue;
    ProgramRequest wanted = program_request(kernel, *bound);
    wanted.compiler = source::Compiler::Nvcc;
    const auto program = load_program(wanted);
    if (!program) GTEST_SKIP() << "counts compare with the same compiler only: " << program.error().message;
    RunRequest request;
    request.program = *program;
    request.launch = bound->launch;
    const auto run = execute(request);
    ASSERT_TRUE(run.has_value()) << kernel.id << ": " << run.error().text();
    for (std::size_t i = 0; i < recordings.all.size(); ++i) {
      const gpu::CounterReading* reading = reading_of(recordings.all[i]);
      if (reading == nullptr) continue;
      const Compared more = expect_counts(kernel, *reading, **run);
      compared[i].kernels += more.kernels;
      compared[i].rows += more.rows;
    }
  }
  for (std::size_t i = 0; i < compared.size(); ++i) {
    std::printf("%d kernels, %d counters of %s compared with the emulator's\n", compared[i].kernels,
                compared[i].rows, recordings.all[i].device.name.c_str());
    EXPECT_GT(compared[i].kernels, 10);
  }
}

TEST(Recordings, LessonsQuoteTheFirstAndADeviceFindsItsOwn) {
  const Recordings all = load_recordings({assets_folder() / "recordings", {}});
  ASSERT_NE(all.best(), nullptr);
  EXPECT_EQ(all.best()->device.name, "NVIDIA H200");
  EXPECT_EQ(all.best_for("H100 SXM")->device.name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(all.best_for("H200 SXM"), all.best());
  EXPECT_EQ(all.best_for("A100 80 SXM"), all.best()) << "none of it: what is shown says whose it is";
}

}  // namespace
}  // namespace warplens::model
