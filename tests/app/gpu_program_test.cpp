// What `warplens run --on gpu` makes of what its witness wrote, and what it says where there is no GPU. The
// witness's own side needs one: tests/gpu/program_test.cpp.
#include "app/model/program/gpu_program.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "app/cli/cli.h"
#include "app/model/opened/adopt.h"
#include "app/model/program/gpu_kept.h"
#include "app/model/program/run_events.h"
#include "app/model/program/run_page.h"
#include "app/model/run/kept_launch.h"
#include "app/model/run/pipeline.h"
#include "engine/base/assets.h"
#include "engine/gpu/device.h"
#include "engine/runtime/fat_binary.h"
#include "engine/runtime/kept_files.h"
#include "engine/simt/load/program.h"

namespace warplens::model {
namespace {

namespace fs = std::filesystem;
using Json = RunEvents::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const MeasuredProgram kGpu{"NVIDIA H200", "580.159.04 (CUDA 13.0)", "2026-11-23", 0.002};

// Two launches of one kernel, one that the driver refuses, a graph of two, one whose end nobody saw.
constexpr const char* kWitnessed = R"({"stream": {"id": 7, "number": 0}}
{"stream": {"id": 13, "number": 2}}
{"asked": {"id": 20, "kernel": "_Z5scalePfi", "grid": [8, 1, 1], "block": [64, 1, 1], "shared_bytes": 0, "begin": 0.1}}
{"asked": {"id": 24, "kernel": "_Z5scalePfi", "grid": [9, 1, 1], "block": [64, 1, 1], "shared_bytes": 16, "begin": 0.2}}
{"asked": {"id": 30, "kernel": "_Z3bigPf", "grid": [1, 1, 1], "block": [4096, 1, 1], "shared_bytes": 0, "begin": 0.3}}
{"refused": {"id": 30, "error": "CUDA_ERROR_INVALID_VALUE"}}
{"wait": {"call": "cuCtxSynchronize", "begin": 0.31, "seconds": 0.01}}
{"ran": {"id": 24, "kernel": "_Z5scalePfi", "grid": [9, 1, 1], "block": [64, 1, 1], "shared_bytes": 16, "stream": 13, "graph": 0, "registers_per_thread": 10, "begin": 0.2001, "seconds": 4e-6}}
{"ran": {"id": 20, "kernel": "_Z5scalePfi", "grid": [8, 1, 1], "block": [64, 1, 1], "shared_bytes": 0, "stream": 7, "graph": 0, "registers_per_thread": 10, "begin": 0.1001, "seconds": 2e-6}}
{"copy": {"kind": "host to device", "bytes": 4096, "stream": 13, "begin": 0.05, "seconds": 1e-6}}
{"ran": {"id": 40, "kernel": "_Z6secondv", "grid": [1, 1, 1], "block": [32, 1, 1], "shared_bytes": 0, "stream": 7, "graph": 1, "registers_per_thread": 4, "begin": 0.402, "seconds": 1e-6}}
{"ran": {"id": 40, "kernel": "_Z5firstv", "grid": [1, 1, 1], "block": [32, 1, 1], "shared_bytes": 0, "stream": 7, "graph": 1, "registers_per_thread": 4, "begin": 0.401, "seconds": 1e-6}}
{"asked": {"id": 50, "kernel": "_Z5scalePfi", "grid": [8, 1, 1], "block": [64, 1, 1], "shared_bytes": 0, "begin": 0.5}}
{"error": {"call": "cuMemcpyDtoH_v2", "error": "CUDA_ERROR_ILLEGAL_ADDRESS"}}
{"overhead": {"seconds": 0.002}}
{"asked": {"id": 60, "ker)";

ProgramEnd measured_end() {
  ProgramEnd end;
  end.command = "main.cu";
  end.seconds = 0.6;
  end.measured = kGpu;
  end.log = measured_log(kWitnessed, "/nowhere", "/nowhere", kGpu).log;
  return end;
}

TEST(GpuProgram, LaunchesStandInTheOrderOfTheirCallsWithWhatWasMeasured) {
  const MeasuredLog log = measured_log(kWitnessed, "/nowhere", "/nowhere", kGpu);
  EXPECT_DOUBLE_EQ(log.overhead, 0.002);
  EXPECT_FALSE(log.blind);
  const RunEvents events = events_of(log.log);
  ASSERT_EQ(events.launches.size(), 6u);
  std::vector<std::string> names, endings;
  for (const Json& launch : events.launches) {
    names.push_back(launch["kernel"]);
    endings.push_back(launch["ending"]);
  }
  EXPECT_THAT(names, ElementsAre("scale(float*, int)", "scale(float*, int)", "big(float*)", "first()",
                                 "second()", "scale(float*, int)"));
  EXPECT_THAT(endings,
              ElementsAre("completed", "completed", "refused", "completed", "completed", "not_measured"));
  EXPECT_EQ(events.launches[1]["stream"], 2);
  EXPECT_EQ(events.launches[1]["number"], 1);
  EXPECT_EQ(events.launches[1]["shared_bytes"], 16);
  EXPECT_DOUBLE_EQ(events.launches[1]["seconds"].get<double>(), 4e-6);
  EXPECT_FALSE(events.launches[5].contains("seconds"));
  EXPECT_EQ(events.transfers.at(0)["stream"], 2);
  EXPECT_EQ(events.waits.size(), 1u);
  EXPECT_EQ(events.errors.at(0)["error"], "CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST(GpuProgram, TheReportSaysWhereItWasMeasuredAndCountsNothing) {
  const Json report = Json::parse(run_json(measured_end()));
  EXPECT_EQ(report["schema"], "warplens.run/1");
  EXPECT_EQ(report["backend"], "gpu");
  EXPECT_EQ(report["measured"]["device"], "NVIDIA H200");
  EXPECT_EQ(report["measured"]["date"], "2026-11-23");
  EXPECT_FALSE(report.contains("checks"));
  const Json& kernel = report["kernels"][0];
  EXPECT_EQ(kernel["kernel"], "scale(float*, int)");  // by time
  EXPECT_EQ(kernel["launches"], 3);
  EXPECT_EQ(kernel["measured"], 2);
  EXPECT_DOUBLE_EQ(kernel["seconds"].get<double>(), 6e-6);
  EXPECT_DOUBLE_EQ(kernel["shortest"].get<double>(), 2e-6);
  EXPECT_FALSE(kernel.contains("sectors"));
}

TEST(GpuProgram, TheTableAndThePageAreOfTimes) {
  const std::string table = run_text(measured_end(), *Catalogue::load("en"));
  EXPECT_THAT(table, HasSubstr("measured on NVIDIA H200, driver 580.159.04 (CUDA 13.0), 2026-11-23"));
  EXPECT_THAT(table, HasSubstr("(1 of its launches were not measured)"));
  EXPECT_THAT(table, Not(HasSubstr("sectors")));
  for (const char* language : {"en", "zh"}) {
    EXPECT_THAT(run_text(measured_end(), *Catalogue::load(language)), Not(HasSubstr("run.table.")))
        << language;
    const std::string page = run_page(measured_end(), *Catalogue::load(language));
    EXPECT_THAT(page, HasSubstr("NVIDIA H200")) << language;
    EXPECT_THAT(page, HasSubstr("2.00 µs")) << language;
    EXPECT_THAT(page, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS")) << language;
    EXPECT_THAT(page, Not(HasSubstr("run.page."))) << language;
  }
}

// A program's memory as a GPU had it: at its own addresses, pointers in a structure and in memory.
class GpuKept : public testing::Test {
 protected:
  static constexpr std::uint64_t kChunk = 0x7f21'4000'0000, kTable = kChunk, kData = kChunk + 0x20'0000,
                                 kScale = kChunk + 0x40'0200, kCalls = kChunk + 0x40'0400;
  // out[i] = table[0][i] * c_scale, and the launch is counted in a variable.
  static constexpr const char* kPtx = R"(.version 8.0
.target sm_90
.address_size 64
.const .align 4 .f32 c_scale;
.global .align 4 .u32 calls;
.visible .entry _Z5scalePPfS_(.param .u64 table, .param .u64 out)
{
  .reg .f32 %f<4>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [table];
  ld.param.u64 %rd2, [out];
  ld.global.u64 %rd3, [%rd1];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd4, %r1, 4;
  add.s64 %rd5, %rd3, %rd4;
  add.s64 %rd6, %rd2, %rd4;
  ld.global.f32 %f1, [%rd5];
  ld.const.f32 %f2, [c_scale];
  mul.f32 %f3, %f1, %f2;
  st.global.f32 [%rd6], %f3;
  red.global.add.u32 [calls], 1;
  ret;
}
)";

  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  template <typename T>
  Json place(const char* name, std::uint64_t address, const std::vector<T>& contents) const {
    const auto file = runtime::keep_contents(
        folder_, {reinterpret_cast<const std::uint8_t*>(contents.data()), contents.size() * sizeof(T)});
    return {{"name", name}, {"address", address}, {"bytes", contents.size() * sizeof(T)}, {"file", *file}};
  }
  static std::string bytes_of(std::uint64_t pointer) {
    return runtime::hexadecimal({reinterpret_cast<const std::uint8_t*>(&pointer), sizeof pointer});
  }
  WitnessedLaunch witnessed() const {
    std::vector<float> data(32);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
    WitnessedLaunch out{"_Z5scalePPfS_", 3, {}, {}, "NVIDIA H200"};
    out.launch = {{"grid", {1, 1, 1}}, {"block", {32, 1, 1}}, {"shared_bytes", 0}};
    out.kept = {{"arguments", {bytes_of(kTable), bytes_of(kData + 4096)}},
                {"allocations", Json::array({place("allocation 1", kTable, std::vector<std::uint64_t>{kData}),
                                             place("allocation 2", kData, data),
                                             place("allocation 3", kData + 4096, std::vector<float>(32))})},
                {"variables", Json::array({place("c_scale", kScale, std::vector<float>{2.5f}),
                                           place("calls", kCalls, std::vector<std::uint32_t>{7})})}};
    return out;
  }
  Result<std::shared_ptr<const model::Run>> run(const fs::path& launch, simt::Checks checks) const {
    ProgramRequest request;
    request.file = launch.string();
    const auto program = load_program(request, nullptr);
    if (!program) return program.error();
    const auto adopted = adopt(**program, {});
    if (!adopted) return adopted.error();
    const auto bound = launch_of(adopted->kernel, default_values(adopted->kernel));
    if (!bound) return bound.error();
    RunRequest run;
    run.program = *program;
    run.launch = bound->launch;
    run.options.checks = checks;
    return execute(run, nullptr);
  }

  const fs::path folder_ = fs::temp_directory_path() / ("warplens_gpu_kept_" + std::to_string(::getpid()));
};

TEST_F(GpuKept, RunsAgainAtTheAddressesOfTheGpuWithEveryCheck) {
  const auto name = write_kept(witnessed(), {{kPtx}}, folder_);
  ASSERT_TRUE(name) << name.error().text();
  EXPECT_EQ(*name, "launch_0003");
  const auto kept = read_kept_launch(folder_ / *name);
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ((*kept)->origin, kChunk);
  for (const simt::Checks checks : {simt::Checks::Memory, simt::Checks::All}) {
    const auto result = run(folder_ / *name, checks);
    ASSERT_TRUE(result) << result.error().text();
    const model::Run& again = **result;
    EXPECT_TRUE(again.report.faults.empty());
    EXPECT_EQ(again.report.totals.global_load.sectors, 1u + 4u);
    const auto* const out = reinterpret_cast<const float*>(again.buffers.at(1).data());
    for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], 2.5f * static_cast<float>(i));
  }
}

TEST_F(GpuKept, SaysWhatCannotRunAgain) {
  WitnessedLaunch without = witnessed();
  without.kept["variables"] = Json::array();
  const auto no_variable = write_kept(without, {{kPtx}}, folder_);
  ASSERT_FALSE(no_variable);
  EXPECT_THAT(no_variable.error().message, HasSubstr("is not to be found on the GPU"));
  const auto no_ptx = write_kept(witnessed(), {}, folder_);
  ASSERT_FALSE(no_ptx);
  EXPECT_THAT(no_ptx.error().message, HasSubstr("no PTX"));
  WitnessedLaunch apart = witnessed();
  apart.kept["allocations"].push_back(place("allocation 4", 0x3'0200'0000, std::vector<float>{1.0f}));
  const auto far = write_kept(apart, {{kPtx}}, folder_);
  ASSERT_FALSE(far);
  EXPECT_THAT(far.error().message, HasSubstr("further apart"));
}

TEST_F(GpuKept, VariablesInsideOfFunctionsAreKeptToo) {
  std::string ptx = kPtx;
  const std::string declared = ".global .align 4 .u32 calls;\n";
  ptx.erase(ptx.find(declared), declared.size());
  ptx.insert(ptx.find("  .reg .f32"), "  " + declared);
  const auto name = write_kept(witnessed(), {{ptx}}, folder_);
  ASSERT_TRUE(name) << name.error().text();
  const auto kept = read_kept_launch(folder_ / *name);
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ((*kept)->variables.at("calls"), kCalls);
}

// The emulator would take accesses to such memory for accesses to its shared memory.
TEST_F(GpuKept, NothingLiesWhereTheEmulatorHasItsOtherSpaces) {
  WitnessedLaunch there = witnessed();
  there.kept["allocations"] =
      Json::array({place("allocation 1", simt::kSharedWindow + 4096, std::vector<float>{1})});
  there.kept["variables"][0]["address"] = there.kept["variables"][1]["address"] = simt::kSharedWindow + 8192;
  const auto refused = write_kept(there, {{kPtx}}, folder_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("where the emulator has other memory"));
  const auto name = write_kept(witnessed(), {{kPtx}}, folder_);
  ASSERT_TRUE(name);
  std::string text = *read_text(folder_ / *name / "launch.toml");
  const std::string before = "origin = " + std::to_string(kChunk);
  ASSERT_NE(text.find(before), std::string::npos);
  text.replace(text.find(before), before.size(), "origin = " + std::to_string(simt::kSharedWindow));
  text += "\n[[allocation]]\naddress = " + std::to_string(simt::kSharedWindow + 4096) +
          "\nbytes = 64\nkind = \"allocation\"\nname = \"a\"\n";
  ASSERT_TRUE(write_text(folder_ / *name / "launch.toml", text));
  const auto read = read_kept_launch(folder_ / *name);
  ASSERT_FALSE(read);
}

// An ELF file with nothing but a section of fat binaries.
std::string program_with(const std::vector<std::string>& ptx) {
  std::string fat;
  for (const std::string& text : ptx) {
    const auto bytes = runtime::make_fat_binary(text, {});
    fat.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    fat.append(fat.size() % 8 == 0 ? 16 : 24 - fat.size() % 8, '\0');  // padding, as linkers leave it
  }
  const std::string names = std::string("\0.nv_fatbin\0.names\0", 19);
  std::string out(64, '\0');
  const auto put = [&](std::size_t at, auto value) { std::memcpy(out.data() + at, &value, sizeof value); };
  std::memcpy(out.data(),
              "\x7f"
              "ELF\2",
              5);
  const std::uint64_t fat_at = out.size(), names_at = fat_at + fat.size(), table = names_at + names.size();
  put(40, table);
  put(60, std::uint16_t{2});
  put(62, std::uint16_t{1});
  out += fat + names;
  for (const auto& [name, from, bytes] :
       {std::tuple{1u, fat_at, fat.size()}, std::tuple{12u, names_at, names.size()}}) {
    const std::size_t at = out.size();
    out.resize(at + 64);
    put(at, std::uint32_t{name});
    put(at + 24, std::uint64_t{from});
    put(at + 32, std::uint64_t{bytes});
  }
  return out;
}

TEST_F(GpuKept, WhatWasCopiedForALaunchThatIsNotKeptIsRemoved) {
  const auto line = [](const char* what, const Json& event) {
    Json out;
    out[what] = event;
    return out.dump() + "\n";
  };
  const WitnessedLaunch good = witnessed();
  Json kept = good.kept, refused = good.kept;
  kept["id"] = 1;
  refused["id"] = 2;
  refused["allocations"] = Json::array({place("allocation 9", kData, std::vector<float>(64, 3.0f))});
  const std::string other = refused["allocations"][0]["file"];
  const Json half = place("allocation 10", kData, std::vector<float>(64, 5.0f));
  std::ofstream(folder_ / "program", std::ios::binary) << program_with({kPtx});
  std::string log;
  for (int id = 1; id <= 3; ++id)
    log += line("asked", {{"id", id},
                          {"kernel", "_Z5scalePPfS_"},
                          {"grid", {1, 1, 1}},
                          {"block", {32, 1, 1}},
                          {"shared_bytes", 0},
                          {"begin", 0.1}});
  log += line("kept", kept) + line("kept", refused);
  log += line("refused", {{"id", 2}, {"error", "CUDA_ERROR"}});
  const Json values =
      Json::array({Json::array({"call", "cuMemcpyDtoH"}), Json::array({"error", "CUDA_ERROR"})});
  log += line("not_kept", {{"id", 3},
                           {"files", Json::array({half["file"]})},
                           {"reason", {{"key", "run.keep.driver"}, {"values", values}}}});
  const auto events = events_of(measured_log(log, folder_ / "program", folder_, kGpu, "zh").log);
  ASSERT_EQ(events.launches.size(), 3u);
  EXPECT_EQ(events.launches[0]["kept"], "launch_0000");
  EXPECT_EQ(events.launches[1]["not_kept"], "GPU 拒绝了这次启动");
  EXPECT_EQ(events.launches[2]["not_kept"], "cuMemcpyDtoH 返回 CUDA_ERROR");
  EXPECT_TRUE(read_kept_launch(folder_ / "launch_0000"));
  EXPECT_FALSE(fs::exists(folder_ / "memory" / fs::path(other).filename()));
  EXPECT_FALSE(fs::exists(folder_ / "memory" / fs::path(half["file"].get<std::string>()).filename()));
}

TEST(GpuProgram, AScriptThatNamesOurRuntimeIsNoProgramWithIt) {
  const fs::path script = fs::temp_directory_path() / ("warplens_script_" + std::to_string(::getpid()));
  ASSERT_TRUE(write_text(script, "#!/bin/sh\nWARPLENS_RUN= exec ./main\n"));
  EXPECT_TRUE(can_run_on_gpu(script.string()));
  fs::remove(script);
}

TEST_F(GpuKept, ThePtxIsFoundInTheProgramsFile) {
  const std::string other =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry _Z5otherv()\n{\n  ret;\n}\n";
  std::ofstream(folder_ / "program", std::ios::binary) << program_with({other, kPtx});
  const ProgramPtx found = read_program_ptx(folder_ / "program");
  ASSERT_EQ(found.texts.size(), 2u);
  ASSERT_NE(found.of("_Z5scalePPfS_"), nullptr);
  EXPECT_EQ(*found.of("_Z5scalePPfS_"), kPtx);
  EXPECT_EQ(found.of("_Z5scalePPf"), nullptr);
  EXPECT_THAT(variables_in(kPtx), testing::UnorderedElementsAre("c_scale", "calls"));
  runtime::Settings settings;
  settings.kept.push_back({"scale", 0, 0});
  ask_for_variables(folder_ / "program", settings);
  EXPECT_THAT(settings.variables, testing::UnorderedElementsAre("c_scale", "calls"));
  settings = {};
  settings.kept.push_back({"other", 0, 0});
  ask_for_variables(folder_ / "program", settings);
  EXPECT_TRUE(settings.variables.empty());
  std::string cut = program_with({kPtx});
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{63}, std::size_t{80}, cut.size() / 2, cut.size() - 100}) {
    std::ofstream(folder_ / "cut", std::ios::binary | std::ios::trunc) << cut.substr(0, size);
    EXPECT_EQ(read_program_ptx(folder_ / "cut").of("_Z5scalePPfS_"), nullptr) << size;
  }
}

// A script in the place of a program: what its witness would write, it writes itself.
TEST_F(GpuKept, AWatcherHearsThatLaunchesWereAskedForAndAtTheEndWhatTheyTook) {
  struct Watcher : ProgramWatcher {
    std::string output;
    std::vector<std::string> events;
    std::vector<double> seconds;
    void on_output(std::string_view bytes) override { output += bytes; }
    void on_event(const Json& line) override {
      events.push_back(line.begin().key());
      if (line.contains("launch")) seconds.push_back(line["launch"].value("seconds", -1.0));
    }
    void on_turn(double) override {}
    Wish wish() override { return Wish::GoOn; }
    std::string typed() override { return {}; }
  } watcher;
  const fs::path script = folder_ / "program", lines = folder_ / "lines";
  std::ofstream(lines) << kWitnessed;
  std::ofstream(script) << "#!/bin/sh\n"
                           "log=${WARPLENS_RUN#*\\\"log\\\":\\\"}\n"
                           "cat '"
                        << lines.string()
                        << "' >> \"${log%%\\\"*}\"\n"
                           "echo printed\nexit 3\n";
  fs::permissions(script, fs::perms::owner_all);
  const auto end = run_on_gpu_watched({script.string()}, folder_, {}, folder_, kGpu, watcher);
  ASSERT_TRUE(end) << end.error().text();
  EXPECT_EQ(end->exit_code, 3);
  EXPECT_EQ(watcher.output, "printed\n");
  ASSERT_TRUE(end->measured);
  EXPECT_EQ(end->measured->device, "NVIDIA H200");
  EXPECT_EQ(std::ranges::count(watcher.events, "asked"), 4);
  EXPECT_EQ(std::ranges::count(watcher.events, "launch"), 6);
  EXPECT_EQ(std::ranges::count(watcher.events, "ran"), 0);
  ASSERT_FALSE(watcher.events.empty());
  EXPECT_EQ(watcher.events.front(), "asked");
  ASSERT_GE(watcher.seconds.size(), 2u);
  EXPECT_DOUBLE_EQ(watcher.seconds[1], 4e-6);
}

TEST(GpuProgram, WithoutAGpuTheCommandSaysSoAndWhatToDo) {
  if (!gpu::discover().devices.empty()) GTEST_SKIP() << "there is a GPU";
  std::vector<std::string> words{"warplens", "run", "--on", "gpu", "main.cu"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  testing::internal::CaptureStderr();
  const int code = cli::run(static_cast<int>(arguments.size()), arguments.data());
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, 2);
  EXPECT_THAT(said, HasSubstr("cannot run on a GPU here"));
  EXPECT_THAT(said, HasSubstr("without --on gpu it runs on the emulator"));
}

TEST(GpuProgram, OptionsOfTheEmulatorAreRefused) {
  for (const auto& [option, value] : {std::pair{"--every", "2"}, std::pair{"--checks", "all"},
                                      std::pair{"--budget", "100"}, std::pair{"--threads", "1"}}) {
    std::vector<std::string> words{"warplens", "run", "--on", "gpu", option, value, "main.cu"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    testing::internal::CaptureStderr();
    EXPECT_EQ(cli::run(static_cast<int>(arguments.size()), arguments.data()), 2) << option;
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr(std::string(option) + " works on the emulator only"));
  }
}

TEST(GpuProgram, AProgramOfTheStandInIsRefused) {
  const fs::path file = fs::temp_directory_path() / ("warplens_ours_" + std::to_string(::getpid()));
  std::ofstream(file) << "\x7f"
                         "ELF with WARPLENS_RUN in it";
  const Status answer = can_run_on_gpu(file);
  fs::remove(file);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("build it with nvcc"));
}

}  // namespace
}  // namespace warplens::model
