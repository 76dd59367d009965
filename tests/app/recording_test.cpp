#include "app/model/recording/recording.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "app/model/recording/measure.h"
#include "app/model/recording/recorder.h"
#include "engine/base/assets.h"
#include "engine/base/message.h"

namespace warplens::model {
namespace {

namespace fs = std::filesystem;

Spread around(double milliseconds) {
  return {milliseconds, milliseconds * 0.98, milliseconds * 0.99, milliseconds * 1.01, milliseconds * 1.02,
          30,           {milliseconds * 3}};
}

GalleryKernel strided() {
  GalleryKernel kernel;
  kernel.id = "copy_strided";
  kernel.kernel = "copy_strided";
  kernel.grid = {"ceil(n / block)"};
  kernel.block = {"block"};
  kernel.arguments = {"buf:f32:{n * stride}:iota", "buf:f32:{n}:zero"};
  for (const auto& [name, value] : {std::pair{"stride", 2}, std::pair{"n", 4096}, std::pair{"block", 128}}) {
    Slider slider;
    slider.name = name;
    slider.min = 1;
    slider.max = 1 << 20;
    slider.value = value;
    kernel.sliders.push_back(slider);
  }
  return kernel;
}
constexpr const char* kStridedText = "__global__ void copy_strided() {}";

Recording sample() {
  Recording r;
  r.device.name = "NVIDIA H200";
  r.device.cc_major = 9;
  r.device.sms = 132;
  r.device.l2_bytes = 60u << 20;
  r.driver = "580.159.04 (CUDA 13.0)";
  r.toolkit = "13.0.88";
  r.date = "2026-11-20";
  r.clock_before = r.clock_after = 1980;
  r.empty_kernel = 0.002;
  r.peak_bytes_per_second = 4.2e12;
  r.ceilings = {{"dram", 4.2e12}, {"fp32", 6.1e13}};
  RecordedKernel kernel;
  kernel.id = "copy_strided";
  kernel.source = source_hash(strided(), kStridedText);
  kernel.sliders = {"stride", "n", "block"};
  kernel.clock_before = kernel.clock_after = 1980;
  for (const std::int64_t stride : {1, 2, 4, 8})
    kernel.points.push_back(
        {{stride, 4096, 128}, around(0.01 * static_cast<double>(stride)), around(0.05), {}});
  kernel.points.push_back({{8, 8192, 128}, around(0.2), std::nullopt, {0.25, 0.2}});
  kernel.counters = {{{2, 4096, 128}, {{{"dram__bytes_read.sum", 16384.0}, {"idc__requests.sum", 0.5}}, 0}},
                     {{4, 4096, 128}, {{{"idc__requests.sum", 7.0}}, 0}}};
  r.kernels.push_back(kernel);
  r.transfers.push_back({4096, 1, false, true, around(0.004)});
  r.transfers.push_back({1 << 20, 1, false, true, around(0.1)});
  r.transfers.push_back({4096, 256, false, true, around(0.9)});
  r.transfers.push_back({1 << 20, 1, true, true, around(0.02)});
  using visual::StreamWork;
  r.streams.push_back({1, 1, 1 << 20, around(3), {{StreamWork::CopyIn, 0, 0, 0, 1}}, "events"});
  r.streams.push_back({2,
                       4,
                       1 << 20,
                       around(2),
                       {{StreamWork::CopyIn, 0, 0, 0, 0.5}, {StreamWork::Compute, 1, 3, 0.5, 1.75}},
                       "events"});
  r.products.push_back({{2048, 2048, 2048}, around(0.4), "cuBLAS 13.0.2", {}});
  r.products.push_back({{1024, 1024, 1024}, around(0.1), "cuBLAS 13.0.2", "2026-12-01"});
  r.updates.push_back({"2026-12-01", "580", "nvcc 13.0", 0, 0, 0, 0, 1});
  return r;
}

TEST(Recording, ComesBackTheSame) {
  const std::string text = recording_json(sample());
  const auto back = parse_recording(text, "a.json");
  ASSERT_TRUE(back.has_value()) << back.error().text();
  EXPECT_EQ(recording_json(*back), text);
  EXPECT_EQ(back->device.name, "NVIDIA H200");
  EXPECT_DOUBLE_EQ(back->empty_kernel, 0.002);
  ASSERT_EQ(back->kernels.size(), 1u);
  EXPECT_EQ(back->kernels[0].points.size(), 5u);
  EXPECT_NEAR(back->kernels[0].points[0].warm.outliers.at(0), 0.03, 1e-9);
  EXPECT_THAT(back->kernels[0].points[4].runs, testing::ElementsAre(0.25, 0.2));
  EXPECT_FALSE(back->kernels[0].points[4].cold.has_value());
  const gpu::CounterReading* counters = back->counters(strided(), source_hash(strided(), kStridedText),
                                                       {{"stride", 4}, {"n", 4096}, {"block", 128}});
  ASSERT_NE(counters, nullptr);
  EXPECT_FALSE(counters->has("dram__bytes_read.sum"));  // not read there, and not zero either
  EXPECT_DOUBLE_EQ(counters->value("idc__requests.sum"), 7);
  EXPECT_EQ(back->counters(strided(), "edited", {{"stride", 4}, {"n", 4096}, {"block", 128}}), nullptr);
  EXPECT_EQ(back->transfers.size(), 4u);
  EXPECT_EQ(back->streams[1].spans[1].chunk, 3);
  ASSERT_EQ(back->products.size(), 2u);
  EXPECT_EQ(back->products[1].date, "2026-12-01");
  EXPECT_EQ(back->updates.at(0).products, 1);
  // Its day stands beside it where the times above are of another.
  EXPECT_EQ(back->name_of(back->products[0], "copy_strided"), "cuBLAS 13.0.2");
  EXPECT_EQ(back->name_of(back->products[1], "copy_strided"), "cuBLAS 13.0.2, 2026-12-01");
  EXPECT_EQ(back->products[0].size, (gpu::ProductSize{2048, 2048, 2048}));
  EXPECT_DOUBLE_EQ(back->products[0].time.median, 0.4);
}

TEST(Recording, TheLibraryIsALineForWhatMakesTheSameProduct) {
  const Recording r = sample();
  const Gallery gallery = *load_gallery();
  const GalleryKernel& ladder = *gallery.find("matmul_ladder");
  const auto over_steps = r.library_line(ladder, "step", measured_values(ladder, default_values(ladder)));
  ASSERT_TRUE(over_steps);
  EXPECT_EQ(over_steps->name, "cuBLAS 13.0.2");
  EXPECT_EQ(over_steps->points.size(), 6u);  // each step makes the same product
  const auto over_sizes = r.library_line(ladder, "n", default_values(ladder));
  ASSERT_TRUE(over_sizes);
  ASSERT_EQ(over_sizes->points.size(), 1u);  // of 2048 alone was it measured
  EXPECT_EQ(over_sizes->points[0].x, 2048);
  EXPECT_DOUBLE_EQ(over_sizes->points[0].y, 0.4);
  EXPECT_FALSE(r.library_line(ladder, "step", default_values(ladder)));
  const GalleryKernel& copy = *gallery.find("copy");
  EXPECT_FALSE(r.library_line(copy, "n", default_values(copy)));
}

TEST(Recording, FindsExactValuesOfTheSameTextOnly) {
  const Recording r = sample();
  const GalleryKernel kernel = strided();
  const std::string source = source_hash(kernel, kStridedText);
  const SliderValues values{{"stride", 4}, {"n", 4096}, {"block", 128}};
  const RecordedPoint* point = r.find(kernel, source, values);
  ASSERT_NE(point, nullptr);
  EXPECT_DOUBLE_EQ(point->warm.median, 0.04);
  EXPECT_EQ(r.find(kernel, source, {{"stride", 3}, {"n", 4096}, {"block", 128}}), nullptr);
  EXPECT_EQ(r.find(kernel, source, {{"stride", 4}, {"n", 4096}}), nullptr);
  EXPECT_EQ(r.find(kernel, source_hash(kernel, std::string(kStridedText) + " "), values), nullptr);
  GalleryKernel other = kernel;
  other.arguments[0] = "buf:f32:{n}:iota";
  EXPECT_NE(source_hash(other, kStridedText), source);
  EXPECT_EQ(source_hash(kernel, "a\r\nb"), source_hash(kernel, "a\nb"));
  other = kernel;
  other.id = "copy";
  EXPECT_EQ(r.find(other, source, values), nullptr);
}

TEST(Recording, ASweepIsEveryPointInWhichOneSliderDiffers) {
  const Recording r = sample();
  const GalleryKernel kernel = strided();
  const std::string source = source_hash(kernel, kStridedText);
  const SliderValues values{{"stride", 2}, {"n", 4096}, {"block", 128}};
  const auto series = r.sweep(kernel, source, "stride", values);
  ASSERT_TRUE(series.has_value());
  std::vector<double> x, y;
  for (const visual::SweepPoint& p : series->points) {
    x.push_back(p.x);
    y.push_back(p.y);
    EXPECT_LT(p.low, p.y);
    EXPECT_GT(p.high, p.y);
  }
  EXPECT_THAT(x, testing::ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(y, testing::ElementsAre(0.01, 0.02, 0.04, 0.08));
  EXPECT_EQ(series->evidence, Evidence::Measured);
  EXPECT_FALSE(r.sweep(kernel, source, "block", values).has_value());  // one point is no sweep
  const SliderValues at_eight{{"stride", 8}, {"n", 4096}, {"block", 128}};
  EXPECT_EQ(r.sweep(kernel, source, "n", at_eight)->points.size(), 2u);
  EXPECT_FALSE(r.sweep(kernel, source, "n", at_eight, true).has_value());  // one of them was never flushed
  EXPECT_FALSE(r.sweep(kernel, "edited", "stride", values).has_value());
}

TEST(Recording, ATimingCarriesTheWarningsOfItsEvidence) {
  const Recording r = sample();
  const GalleryKernel kernel = strided();
  const std::string source = source_hash(kernel, kStridedText);
  const SliderValues values{{"stride", 8}, {"n", 4096}, {"block", 128}};
  const auto bound = launch_of(kernel, values);
  ASSERT_TRUE(bound.has_value());
  const auto timing = r.timing(kernel, source, values, bound->launch);
  ASSERT_TRUE(timing.has_value());
  EXPECT_DOUBLE_EQ(timing->median, 0.08);
  EXPECT_DOUBLE_EQ(timing->peak_bytes_per_second, 4.2e12);
  EXPECT_EQ(timing->buffer_bytes, 4096u * 4 * 9);
  std::vector<std::string> keys;
  for (const Message& m : timing->warnings) keys.push_back(m.key);
  EXPECT_THAT(keys, testing::ElementsAre("timing.too_small", "timing.fits_in_l2"));
  EXPECT_TRUE(r.timing(kernel, source, values, bound->launch, true).has_value());
}

TEST(Recording, TransfersAndStreamsPlay) {
  const Recording r = sample();
  const visual::TransferRates rates = r.transfer_rates();
  ASSERT_EQ(rates.series.size(), 2u) << "nothing was copied back";
  EXPECT_TRUE(rates.series[0].pinned);
  const visual::TransferSeries& pageable = rates.series[1];
  EXPECT_TRUE(pageable.to_device);
  ASSERT_EQ(pageable.single.size(), 2u) << "the batch is not on the curve";
  EXPECT_NEAR(pageable.single[1].rate(), 10.48576, 1e-6);
  ASSERT_EQ(pageable.pieces.size(), 2u);
  EXPECT_EQ(pageable.pieces[0].count, 1) << "the whole comes first";
  EXPECT_EQ(pageable.pieces[1].count, 256);
  EXPECT_NEAR(r.transfers[2].bytes_per_second(), 4096.0 * 256 / 0.0009, 1);
  const auto timeline = r.timeline(2);
  ASSERT_TRUE(timeline.has_value());
  EXPECT_EQ(timeline->spans.size(), 2u);
  EXPECT_DOUBLE_EQ(timeline->total_ms, 1.75);
  EXPECT_DOUBLE_EQ(timeline->one_stream_ms, 3);
  EXPECT_FALSE(r.timeline(3).has_value());
  EXPECT_FALSE(r.timeline(2, 8).has_value());
}

TEST(Recording, OutliersAreKept) {
  std::vector<double> runs(40, 1.0);
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i] += 0.001 * static_cast<double>(i % 4);
  runs[7] = 9;
  runs[8] = 4;
  const Spread s = spread_of(runs);
  EXPECT_EQ(s.runs, 40);
  EXPECT_THAT(s.outliers, testing::ElementsAre(9, 4));
  EXPECT_LE(s.p5, s.p25);
  EXPECT_LE(s.p75, s.p95);
}

TEST(Recording, DamagedFilesEndInAMessageWithTheirName) {
  const std::string whole = recording_json(sample());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const std::vector<std::string> damaged{"",
                                         "[]",
                                         "null",
                                         "{",
                                         whole.substr(0, whole.size() / 2),
                                         with("recording/1", "recording/9"),
                                         with("\"kernels\": [", "\"kernels\": 7, \"x\": ["),
                                         with("[10,", "[-1,"),
                                         with("[10,", "[1e999,"),
                                         with("[10,", "[\"10\","),
                                         with("[[1,4096,128]", "[[1,4096]"),
                                         with("[[1,4096,128]", "[[1.5,4096,128]"),
                                         with("\"compute\",1", "\"compute\",7"),
                                         with("\"NVIDIA H200\"", "17"),
                                         with("\"count\": 256", "\"count\": 0"),
                                         std::string(100000, '[')};
  const Catalogue chinese = Catalogue::load("zh").value();
  for (const std::string& text : damaged) {
    const auto result = parse_recording(text, "damaged.json");
    ASSERT_FALSE(result.has_value()) << text.substr(0, 200);
    EXPECT_EQ(result.error().place.file, "damaged.json");
    EXPECT_THAT(chinese.text(result.error()),
                testing::AllOf(testing::StartsWith("这不是可用的录制数据："),
                               testing::Not(testing::HasSubstr("file.recording"))));
  }
}

TEST(Recording, AFolderGivesWhatCanBeReadAndNamesTheRest) {
  const fs::path folder = fs::temp_directory_path() / ("warplens_recordings_" + std::to_string(::getpid()));
  fs::create_directories(folder / "own");
  Recording own = sample();
  own.device.name = "NVIDIA RTX";
  ASSERT_TRUE(write_text(folder / "h200.json", recording_json(sample())).has_value());
  ASSERT_TRUE(write_text(folder / "broken.json", "{").has_value());
  Recordings found = load_recordings({folder, folder / "own"});
  ASSERT_EQ(found.all.size(), 1u);
  ASSERT_EQ(found.problems.size(), 1u);
  EXPECT_EQ(found.best()->device.name, "NVIDIA H200");
  ASSERT_TRUE(write_text(folder / "own" / "mine.json", recording_json(own)).has_value());
  found = load_recordings({folder, folder / "own"});
  EXPECT_EQ(found.best()->device.name, "NVIDIA RTX");
  EXPECT_EQ(load_recordings({folder / "none", folder / "nowhere"}).best(), nullptr);
  fs::remove_all(folder);
}

TEST(Recording, SaysWhatItIs) {
  const auto english = Catalogue::load("en"), chinese = Catalogue::load("zh");
  ASSERT_TRUE(english.has_value() && chinese.has_value());
  EXPECT_EQ(english->text(sample().evidence()), "measured, on NVIDIA H200, recorded on 2026-11-20");
  EXPECT_THAT(chinese->text(sample().evidence()), testing::HasSubstr("实测"));
}

// Whatever recordings the program brings can be read, and say which gallery they belong to.
TEST(Recording, TheProgramsOwnCanBeRead) {
  const Recordings found = load_recordings({assets_folder() / "recordings", {}});
  EXPECT_TRUE(found.problems.empty());
  for (const Recording& r : found.all) {
    EXPECT_FALSE(r.date.empty());
    EXPECT_FALSE(r.kernels.empty());
    EXPECT_EQ(recording_json(r), *read_text(r.file)) << "not as the program writes it";
  }
}

TEST(Recorder, AnUpdateMeasuresWhatIsMissingOrEdited) {
  const GalleryKernel kernel = strided();
  const std::string source = source_hash(kernel, kStridedText);
  const RecorderPlan all = recorder_plan(kernel, source, nullptr, false);
  EXPECT_FALSE(all.keeps);
  EXPECT_EQ(all.points.size(), recorded_points(kernel, false).size());
  EXPECT_EQ(all.counters.size(), 2u) << "at the values it starts with, and at the largest problem";

  Recording base = sample();
  const RecorderPlan counters_anew = recorder_plan(kernel, source, &base, false);
  EXPECT_TRUE(counters_anew.keeps);
  EXPECT_EQ(counters_anew.counters.size(), 2u) << "the base has two of all the names";
  const auto lacks = [&](std::int64_t stride) {
    const SliderValues values{{"stride", stride}, {"n", 4096}, {"block", 128}};
    const auto& points = counters_anew.points;
    return std::find(points.begin(), points.end(), values) != points.end();
  };
  EXPECT_FALSE(lacks(2));
  EXPECT_FALSE(lacks(1));
  EXPECT_EQ(counters_anew.points.size(), all.points.size() - 2) << "of the base's five these two are wanted";

  gpu::CounterReading whole;
  for (const char* name : gpu::counter_names()) whole.values.emplace_back(name, 1.0);
  base.kernels[0].counters = {{{2, 4096, 128}, whole}};
  const RecorderPlan rest = recorder_plan(kernel, source, &base, false);
  ASSERT_EQ(rest.counters.size(), 1u);
  EXPECT_EQ(rest.counters[0].at("n"), 1 << 20);

  const RecorderPlan edited = recorder_plan(kernel, source_hash(kernel, "other"), &base, false);
  EXPECT_FALSE(edited.keeps);
  EXPECT_EQ(edited.points.size(), all.points.size());
}

TEST(Recording, WhatAnUpdateMeasuredHasItsOwnDay) {
  Recording r = sample();
  r.kernels[0].counters_date = "2026-11-21";
  r.updates.push_back({"2026-11-21", "580.159.04 (CUDA 13.0)", "", 0, 2, 0, 0, 0});
  const auto back = parse_recording(recording_json(r), "a.json");
  ASSERT_TRUE(back.has_value()) << back.error().text();
  EXPECT_EQ(recording_json(*back), recording_json(r));
  ASSERT_EQ(back->updates.size(), 2u);
  EXPECT_EQ(back->updates[1].counters, 2);
  const Catalogue text = Catalogue::load("en").value();
  EXPECT_EQ(text.text(back->evidence("copy_strided")), "measured, on NVIDIA H200, recorded on 2026-11-20");
  EXPECT_EQ(text.text(back->counters_evidence("copy_strided")),
            "measured, on NVIDIA H200, recorded on 2026-11-21");
  EXPECT_EQ(text.text(back->counters_evidence("nothing")), text.text(back->evidence()));
}

}  // namespace
}  // namespace warplens::model
