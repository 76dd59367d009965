// Programs as people write them, each with its own check, run as they are: compiled with nvcc and emulated
// without a GPU (tests/runtime/programs).
#include "tests/runtime/whole_program.h"

#include <algorithm>
#include <map>

namespace warplens {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

TEST_F(WholeProgram, TheReportHasEachLaunchWithItsCounts) {
  const json report = run_json("vector_add.cu", {"1024"});
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report["schema"], "warplens.run/1");
  EXPECT_EQ(report["exit_code"], 0);
  EXPECT_TRUE(report["not_supported"].empty());
  ASSERT_EQ(report["launches"].size(), 1u);
  const json& launch = report["launches"][0];
  EXPECT_EQ(launch["kernel"], "add(float const*, float const*, float*, int)");
  EXPECT_EQ(launch["grid"], json({4, 1, 1}));
  EXPECT_EQ(launch["block"], json({256, 1, 1}));
  EXPECT_EQ(launch["ending"], "completed");
  EXPECT_EQ(launch["global"]["load"]["requests"], 64);
  EXPECT_EQ(launch["global"]["load"]["sectors"], 256);
  EXPECT_EQ(launch["global"]["store"]["sectors"], 128);
}

TEST_F(WholeProgram, TilesStreamsAndEvents) {
  expect_passes("matrix_and_transpose.cu", "multiplied and transposed");
}
TEST_F(WholeProgram, ReductionsHistogramAndScan) {
  expect_passes("reductions.cu", "reduced");
}
TEST_F(WholeProgram, SymbolsOutliveLaunches) {
  expect_passes("symbols.cu", "symbols kept");
}
TEST_F(WholeProgram, PointersMeanTheSameOnBothSides) {
  expect_passes("pointers.cu", "pointers followed");
}
TEST_F(WholeProgram, CopiesOfAllDirections) {
  expect_passes("copies.cu", "copied");
}
TEST_F(WholeProgram, TexturesAndSurfaces) {
  expect_passes("textures.cu", "textures read");
}
TEST_F(WholeProgram, CooperativeGroupsAndClusters) {
  const Answer answer = ask({"run", program("cooperative.cu"), "--std", "c++17"});
  EXPECT_EQ(answer.out, "groups met\n") << answer.err;
  EXPECT_THAT(answer.err, AllOf(HasSubstr("compiled for clusters of 2"),
                                HasSubstr("its clusters have 16 blocks, and may have 8")));
}
TEST_F(WholeProgram, BlocksThatWaitForEachOtherInRounds) {
  expect_passes("rounds.cu", "rounds ended");
  expect_passes("rounds.cu", "rounds ended", {"--checks", "all"});
}
TEST_F(WholeProgram, WhatBreaksACapture) {
  expect_passes("captures.cu", "captures answered");
}
TEST_F(WholeProgram, GraphsAndPools) {
  expect_passes("graphs_and_pools.cu", "graphs launched");
}
TEST_F(WholeProgram, PoolsOfDevicesAndBatches) {
  expect_passes("batches_and_pools.cu", "pooled and batched");
}
TEST_F(WholeProgram, MemoryNodesOfGraphs) {
  expect_passes("graph_memory.cu", "graphs allocated");
}
TEST_F(WholeProgram, GraphsThatDecide) {
  const Answer answer = ask({"run", program("conditional_graphs.cu")});
  EXPECT_EQ(answer.out, "graphs decided\n") << answer.err;
  EXPECT_THAT(answer.err, HasSubstr("a while node of a graph was stopped: its condition is 1"));
}
TEST_F(WholeProgram, LibrariesThatAreLoaded) {
  expect_passes("library.cu", "library served");
}
TEST_F(WholeProgram, KernelsAskTheRuntime) {
  expect_passes("asked_by_kernels.cu", "cudaErrorMemoryAllocation: out of memory\nkernels were served");
}
TEST_F(WholeProgram, FunctionsThatAKernelCannotReachAreInNobodysWay) {
  expect_passes("unreached.cu", "nothing in the way");
}
TEST_F(WholeProgram, KernelsLaunchKernels) {
  const json report = run_json("nested_launches.cu");
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report["exit_code"], 0);
  // The parent, eight of its children in the order of its blocks, and last the one for the tail.
  const json& launches = report["launches"];
  ASSERT_GT(launches.size(), 20u);
  EXPECT_FALSE(launches[0].contains("launched_by"));
  for (std::size_t i = 1; i < 10; ++i) EXPECT_EQ(launches[i]["launched_by"], 0) << i;
  EXPECT_EQ(launches[1]["kernel"], "fill(int*, Part)");
  EXPECT_EQ(launches[1]["shared_bytes"], 128);
  EXPECT_EQ(launches[9]["kernel"], "sum(int const*, int, int*)");
  EXPECT_FALSE(launches[10].contains("launched_by"));
  expect_passes("nested_launches.cu", "kernels launched kernels", {"--checks", "all"});
}
TEST_F(WholeProgram, WhatProgramsAsk) {
  expect_passes("asked.cu", "answered", {"--std", "c++17"});
}
// Launches that find what an earlier one found have its results and its counts; those that change what they
// read are executed each time.
TEST_F(WholeProgram, RepeatedLaunchesAreTheSameAsExecuted) {
  json once, each;
  for (const bool all : {false, true}) {
    std::vector<std::string> words{"run", program("repeated.cu"), "--json", in_folder("repeated.json")};
    if (all) words.emplace_back("--execute-all");
    const Answer answer = ask(words);
    ASSERT_EQ(answer.code, 0) << answer.out << answer.err;
    EXPECT_EQ(answer.out, "again\nagain\nagain\nagain\nagain\nthe same each time\n");
    EXPECT_EQ(answer.err.find("--execute-all") == std::string::npos, all) << answer.err;
    std::ifstream(in_folder("repeated.json")) >> (all ? each : once);
  }
  ASSERT_EQ(once["launches"].size(), each["launches"].size());
  std::map<std::string, int> repeated;
  for (std::size_t i = 0; i < once["launches"].size(); ++i) {
    const json &a = once["launches"][i], &b = each["launches"][i];
    for (const char* what : {"kernel", "number", "ending", "global", "warp_instructions"})
      EXPECT_EQ(a[what], b[what]) << i;
    EXPECT_FALSE(b.contains("same_as"));
    if (!a.contains("same_as")) continue;
    ++repeated[a["kernel"].get<std::string>().substr(0, 6)];
    EXPECT_EQ(once["launches"][a["same_as"].get<std::size_t>()]["kernel"], a["kernel"]);
  }
  EXPECT_GE(repeated["grow(f"], 10);
  EXPECT_GE(repeated["add_up"], 10);
  EXPECT_EQ(repeated["count_"], 0);
  EXPECT_EQ(repeated["look_a"], 0);
}
TEST_F(WholeProgram, WhatHasChangedBetweenLaunchesIsFound) {
  const json report = run_json("changed_between.cu");
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report["exit_code"], 0);
  EXPECT_THAT(read(in_folder("out")), HasSubstr("0: 0\n0: 0\n0: 0\n1: 0\n1: 0\n1: 0\nnothing was mistaken"));
  const auto is_repeated = [](const json& launch) { return launch.contains("same_as"); };
  EXPECT_GE(std::ranges::count_if(report["launches"], is_repeated), 5);
}
TEST_F(WholeProgram, SeveralDevicesAreOne) {
  const Answer two = ask({"run", program("devices.cu"), "-l", "cuda", "--devices", "2"});
  EXPECT_EQ(two.code, 0) << two.out << two.err;
  EXPECT_EQ(two.out, "2 devices took turns\n");
  EXPECT_THAT(two.err, HasSubstr("2 devices, which are one"));
  EXPECT_EQ(ask({"run", program("devices.cu"), "-l", "cuda"}).code, 2);  // waived: there is one
  EXPECT_EQ(ask({"run", program("devices.cu"), "--devices", "17"}).code, 2);
}
TEST_F(WholeProgram, VirtualMemoryAndTheLinkerOfTheDriver) {
  expect_passes("driver_memory.cu", "mapped and linked", {"-l", "cuda"});
}
TEST_F(WholeProgram, WhatNvrtcCompilesForAGpu) {
  expect_passes("compiled_at_run_time.cu", "squared", {"-l", "cuda", "-l", "nvrtc"});
}
TEST_F(WholeProgram, ThrustAndCub) {
  expect_passes("libraries.cu", "sorted and summed", {"--std", "c++17"});
}

TEST_F(WholeProgram, TheSameWithEveryCheck) {
  expect_passes("reductions.cu", "reduced", {"--checks", "all"});
}

TEST_F(WholeProgram, KernelsPrintWhereTheProgramDoes) {
  const Answer answer = ask({"run", program("device.cu")});
  EXPECT_EQ(answer.code, 0) << answer.out;
  EXPECT_EQ(answer.out, "before\n(nil)|    0x1234|0x1   |\nblock 0 of 2\nblock 1 of 2\nafter\n")
      << answer.err;
  EXPECT_THAT(answer.err, HasSubstr("cudaIpcGetMemHandle is not supported"));
  EXPECT_THAT(answer.err, testing::ContainsRegex("\\(called at device.cu:[0-9]+\\).*leave the call out"));
}

TEST_F(WholeProgram, SeveralFilesWithDefinitions) {
  const Answer answer =
      ask({"run", program("parts/main.cu"), program("parts/part.cu"), "-D", "GREETING=\"two words\""});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(answer.out, "parts agree, two words\n");
}

TEST_F(WholeProgram, DeviceCodeOfSeveralFilesIsLinked) {
  const std::string main = program("linked/main.cu"), part = program("linked/part.cu");
  const Answer answer = ask({"run", main, part, "--nvcc=-rdc=true"});
  EXPECT_EQ(answer.code, 0) << answer.out << answer.err;
  EXPECT_EQ(answer.out, "two files linked\n");
  // As a Makefile does it.
  ASSERT_EQ(ask({"cc", "-dc", main, "-o", in_folder("main.o")}).code, 0);
  ASSERT_EQ(ask({"cc", "-dc", part, "-o", in_folder("part.o")}).code, 0);
  const std::string built = in_folder("linked");
  const Answer linked = ask({"cc", in_folder("main.o"), in_folder("part.o"), "-o", built});
  ASSERT_EQ(linked.code, 0) << linked.err;
  EXPECT_EQ(ask({"run", "--", built}).out, "two files linked\n");
}

// With device code of several files, and the runtime as people name it there.
TEST_F(WholeProgram, ACMakeProject) {
  const fs::path compiler = in_folder("nvcc");
  std::ofstream(compiler) << "#!/bin/sh\nexec '" << tests::binary_dir() << "/warplens' cc \"$@\"\n";
  fs::permissions(compiler, fs::perms::owner_all);
  fs::create_directory(in_folder("project"));
  std::ofstream(in_folder("project/CMakeLists.txt"))
      << "cmake_minimum_required(VERSION 3.20)\nproject(linked LANGUAGES CXX CUDA)\n"
         "find_package(CUDAToolkit REQUIRED)\n"
         "add_library(part STATIC "
      << program("linked/part.cu") << ")\nadd_executable(linked " << program("linked/main.cu")
      << ")\nset_target_properties(part linked PROPERTIES CUDA_SEPARABLE_COMPILATION ON)\n"
         "target_link_libraries(linked part CUDA::cudart)\n";
  const std::string built = in_folder("built"), log = in_folder("cmake.log");
  const std::string command = "(cmake -S '" + in_folder("project").string() + "' -B '" + built +
                              "' -DCMAKE_CUDA_COMPILER='" + compiler.string() +
                              "' -DCMAKE_CUDA_ARCHITECTURES='80;90' && cmake --build '" + built + "') > '" +
                              log + "' 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << read(log);
  const Answer answer = ask({"run", "--", built + "/linked"});
  EXPECT_EQ(answer.out, "two files linked\n") << answer.err;
}

TEST_F(WholeProgram, TheDriverApi) {
  const Answer answer = ask({"run", program("driver.cu"), "-l", "cuda"});
  EXPECT_EQ(answer.code, 0) << answer.out << answer.err;
  EXPECT_EQ(answer.out, "driver drove\n");
  EXPECT_THAT(answer.err, HasSubstr("cuIpcCloseMemHandle is not supported"));
}

TEST_F(WholeProgram, CallsOfLibrariesAreComputedAndSaid) {
  const Answer answer = ask({"run", program("host_libraries.cu"), "-l", "cublas", "-l", "curand", "-l",
                             "cufft", "--json", in_folder("run.json")});
  EXPECT_EQ(answer.code, 0) << answer.out << answer.err;
  EXPECT_EQ(answer.out, "libraries computed\n");
  EXPECT_THAT(answer.err, HasSubstr("not emulated"));
  EXPECT_THAT(answer.err, HasSubstr("cublasStrsv_v2 is not supported"));
  const json report = json::parse(read(in_folder("run.json")), nullptr, false);
  ASSERT_TRUE(report.is_object());
  EXPECT_THAT(report["not_emulated"].get<std::vector<std::string>>(),
              IsSupersetOf({"cublasSgemm", "cublasSdot", "curandGenerateUniform", "cufftExecC2C"}));
}

TEST_F(WholeProgram, TimeBetweenEventsIsModelled) {
  const Answer answer = ask({"run", program("events.cu")});
  EXPECT_EQ(answer.code, 0) << answer.out << answer.err;
  EXPECT_EQ(answer.out, "time modelled\n");
  EXPECT_THAT(answer.err, HasSubstr("modelled for one H200"));
}

TEST_F(WholeProgram, FatBinariesOfEveryCompression) {
  for (const std::string mode : {"none", "speed", "size", "balance"}) {
    const std::string built = in_folder("add_" + mode);
    ASSERT_EQ(
        ask({"cc", "-arch=sm_80", "--compress-mode=" + mode, program("vector_add.cu"), "-o", built}).code, 0);
    const Answer answer = ask({"run", "--", built, "100"});
    EXPECT_EQ(answer.code, 0) << mode << answer.err;
    EXPECT_EQ(answer.out, "100 elements added\n");
  }
}

TEST_F(WholeProgram, SkippedLaunchesAreSaid) {
  const json report = run_json("graphs_and_pools.cu", {}, {"--every", "2"});
  std::map<std::string, int> endings;
  for (const json& launch : report["launches"]) ++endings[launch["ending"]];
  EXPECT_GT(endings["skipped"], 0);
  EXPECT_GT(endings["completed"], 0);
}

// As anybody's nvcc has built it, with the vendor's runtime as a library or in it.
TEST_F(WholeProgram, AProgramThatWasLinkedWithTheSharedRuntime) {
  const Answer shared =
      ask({"run", "--json", in_folder("run.json"), "--", build("shared", "vector_add.cu", ""), "1000"});
  EXPECT_EQ(shared.code, 0) << shared.err;
  EXPECT_EQ(shared.out, "1000 elements added\n");
  EXPECT_EQ(json::parse(read(in_folder("run.json")), nullptr, false)["launches"].size(), 1u);
  const Answer libraries =
      ask({"run", "--", build("shared", "host_libraries.cu", "-lcublas -lcurand -lcufft -lcuda")});
  EXPECT_EQ(libraries.out, "libraries computed\n") << libraries.err;
  const Answer inside = ask({"run", "--", build("static", "vector_add.cu", "")});
  EXPECT_EQ(inside.code, 2);
  EXPECT_THAT(inside.err, HasSubstr("-cudart shared"));
}

// Whoever asked for a report finds in it why there is nothing else in it.
TEST_F(WholeProgram, ARefusedRunHasItsReport) {
  const auto refused = [&](std::vector<std::string> words) {
    fs::remove(in_folder("run.json"));
    words.insert(words.begin(), {"run", "--json", in_folder("run.json"), "--html", in_folder("run.html")});
    const Answer answer = ask(words);
    const json report = json::parse(read(in_folder("run.json")), nullptr, false);
    EXPECT_TRUE(report.is_object()) << answer.err;
    if (!report.is_object()) return json::object();
    EXPECT_EQ(report["schema"], "warplens.run/1");
    EXPECT_EQ(report["ending"], "refused");
    EXPECT_EQ(report["exit_code"], answer.code);
    EXPECT_TRUE(report["launches"].empty());
    const std::string why = report["refused"];
    EXPECT_THAT(answer.err, HasSubstr(why));
    EXPECT_THAT(read(in_folder("run.html")), Not(HasSubstr("was freed")));
    return report;
  };
  // Found on a machine with a GPU, where such a program ran on it and "0 launches" were reported.
  const json elsewhere =
      refused({"--", build("shared", "vector_add.cu",
                           "-Xlinker --disable-new-dtags -Xlinker -rpath=/usr/local/cuda/lib64")});
  EXPECT_EQ(elsewhere["exit_code"], 2);
  EXPECT_THAT(elsewhere["refused"], HasSubstr("nothing was emulated"));
  EXPECT_TRUE(elsewhere["program_exit_code"].is_number());
  const json inside = refused({"--", build("static", "vector_add.cu", "")});
  EXPECT_EQ(inside["exit_code"], 2);
  EXPECT_THAT(inside["refused"], HasSubstr("-cudart shared"));
  EXPECT_FALSE(inside.contains("program_exit_code"));
  std::ofstream(in_folder("broken.cu")) << "int main() { return nothing; }\n";
  const json broken = refused({in_folder("broken.cu")});
  EXPECT_EQ(broken["exit_code"], 3);
  EXPECT_THAT(broken["refused"], HasSubstr("broken.cu:1"));
}

TEST_F(WholeProgram, WhatCannotRunIsSaid) {
  std::ofstream(in_folder("broken.cu")) << "int main() { return nothing; }\n";
  const Answer broken = ask({"run", in_folder("broken.cu")});
  EXPECT_EQ(broken.code, 3);
  EXPECT_THAT(broken.err, HasSubstr("broken.cu:1"));
  EXPECT_EQ(ask({"run", in_folder("absent.cu")}).code, 2);
  EXPECT_EQ(ask({"run"}).code, 2);
  EXPECT_EQ(ask({"run", "--", in_folder("absent")}).code, 2);
}

TEST_F(WholeProgram, WhatOlderToolkitsHadIsPutBackAndSaid) {
  const Answer names = ask({"run", program("older/declarations.cu")});
  EXPECT_EQ(names.code, 0) << names.out << names.err;
  EXPECT_EQ(names.out, "older names answered\n");
  EXPECT_THAT(names.err, HasSubstr("written for a toolkit before CUDA 13"));
  const Answer textures = ask({"run", program("older/textures.cu")});
  EXPECT_EQ(textures.code, 0) << textures.out << textures.err;
  EXPECT_EQ(textures.out, "references bound\n");
  EXPECT_THAT(textures.err, HasSubstr("texture references"));
  const Answer surfaces = ask({"run", program("older/surfaces.cu")});
  EXPECT_EQ(surfaces.code, 0) << surfaces.out << surfaces.err;
  EXPECT_EQ(surfaces.out, "surface references written\n");
  EXPECT_THAT(surfaces.err, HasSubstr("surface references"));
  const Answer samples = ask({"run", program("older/samples.cu"), "--", "-n=65"});
  EXPECT_EQ(samples.code, 0) << samples.out << samples.err;
  EXPECT_THAT(samples.out, HasSubstr("65 points turned"));
  EXPECT_THAT(samples.err, HasSubstr("not found: helper_cuda.h; headers of Warplens"));
  const Answer cutil = ask({"run", program("older/cutil.cu"), "-l", "nvToolsExt"});
  EXPECT_EQ(cutil.code, 0) << cutil.out << cutil.err;
  EXPECT_THAT(cutil.out, HasSubstr("Test PASSED"));
  EXPECT_THAT(cutil.err, HasSubstr("-fopenmp"));
  EXPECT_THAT(cutil.err, HasSubstr("cutil.h"));
  // Asked for, it is put back at once.
  const std::string built = in_folder("older");
  ASSERT_EQ(ask({"cc", "--older-cuda=textures", program("older/textures.cu"), "-o", built}).code, 0);
  EXPECT_EQ(ask({"run", "--", built}).out, "references bound\n");
}

// A file that is opened by itself finds what is put back for whole programs.
// In a Makefile nobody says --older-cuda: what nvcc misses is put back, and said.
TEST_F(WholeProgram, CcPutsBackWhatNvccMisses) {
  for (const char* const name : {"samples", "textures"}) {
    const std::string object = in_folder(std::string(name) + ".o"), built = in_folder(name);
    const Answer compiled = ask({"cc", "-c", program(std::string("older/") + name + ".cu"), "-o", object});
    ASSERT_EQ(compiled.code, 0) << name << compiled.err;
    EXPECT_THAT(compiled.err, HasSubstr("warplens: ")) << name;
    ASSERT_EQ(ask({"cc", object, "-o", built}).code, 0);
    EXPECT_EQ(ask({"run", "--", built}).code, 0) << name;
  }
  // A C++ file is refused by the host's compiler, in other words.
  std::ofstream(in_folder("host.cpp")) << "#include <cuda_runtime.h>\nint main() { cudaDeviceProp p; "
                                          "cudaGetDeviceProperties(&p, 0); cudaThreadSynchronize(); "
                                          "return p.clockRate > 0 ? 0 : 1; }\n";
  const Answer host = ask({"cc", "--language", "zh", in_folder("host.cpp"), "-o", in_folder("host")});
  ASSERT_EQ(host.code, 0) << host.err;
  EXPECT_THAT(host.err, HasSubstr("CUDA 13 之前"));
  EXPECT_EQ(ask({"run", "--", in_folder("host")}).code, 0);
  // Warnings in front of the first error are passed on once, however many tries there are.
  std::ofstream(in_folder("broken.cu"))
      << "#warning \"noted\"\nint main() { cudaDeviceProp p; return p.clockRate + nothing; }\n";
  const Answer broken = ask({"cc", in_folder("broken.cu"), "-o", in_folder("broken")});
  EXPECT_NE(broken.code, 0);
  EXPECT_THAT(broken.err, HasSubstr("\"nothing\" is undefined"));
  EXPECT_THAT(broken.err, HasSubstr("clockRate"));
  EXPECT_THAT(broken.err, HasSubstr("noted"));
}

TEST_F(WholeProgram, KernelsInACppFile) {
  const Answer run = ask({"run", program("older/launches_from.cpp")});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(run.out, "squared\n");
  EXPECT_THAT(run.err, HasSubstr("-x cu"));
  const std::string built = in_folder("launches_from");
  ASSERT_EQ(ask({"cc", "-x", "cu", program("older/launches_from.cpp"), "-o", built}).code, 0);
  EXPECT_EQ(ask({"run", "--", built}).out, "squared\n");
}
TEST_F(WholeProgram, SamplesOfTheDriverCompileTheirKernels) {
  const Answer run = ask(
      {"run", program("older/driver_sample.cpp"), "-l", "cuda", "-l", "nvrtc", "--", in_folder("twice.cu")});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("doubled\n"));
}
TEST_F(WholeProgram, ALoneKernelFindsWhatOlderToolkitsHad) {
  const std::string file = in_folder("older_lone.cu");
  std::ofstream(file) << "__global__ void up(float* a) { a[threadIdx.x] = __shfl_down(a[threadIdx.x], 1); }\n"
                         "int main() {\n  cudaDeviceProp p;\n  cudaGetDeviceProperties(&p, 0);\n"
                         "  float* a;\n  cudaMalloc(&a, 128 + 0 * p.clockRate);\n  up<<<1, 32>>>(a);\n"
                         "  cudaThreadSynchronize();\n}\n";
  const Answer opened = ask({"inspect", file});
  EXPECT_EQ(opened.code, 0) << opened.err;
  EXPECT_THAT(opened.out, HasSubstr("up(float* a)"));
  EXPECT_THAT(opened.out, HasSubstr("what CUDA 13 dropped from its headers is put back"));
  EXPECT_EQ(ask({"trace", file}).code, 0);
  const Answer textures = ask({"inspect", program("older/textures.cu")});
  EXPECT_EQ(textures.code, 0) << textures.err;
  EXPECT_THAT(textures.out, HasSubstr("texture references"));
}

// A file that is opened by itself finds the same headers, but for those that its owner has.
TEST_F(WholeProgram, ALoneKernelFindsTheHeadersOfSamplesAndBooks) {
  fs::create_directories(in_folder("common"));
  std::ofstream(fs::path(in_folder("common")) / "common.h") << "#define TIMES 3\n";
  fs::create_directories(in_folder("lone"));
  const std::string file = (fs::path(in_folder("lone")) / "scale.cu").string();
  std::ofstream(file)
      << "#include <helper_cuda.h>\n#include \"../common/book.h\"\n#include \"../common/common.h\"\n"
         "__global__ void scale(int* data) { data[threadIdx.x] *= TIMES; }\n"
         "int main() {\n  int* data;\n  HANDLE_ERROR(cudaMalloc(&data, 128));\n"
         "  scale<<<1, 32>>>(data);\n  checkCudaErrors(cudaDeviceSynchronize());\n}\n";
  const Answer opened = ask({"inspect", file});
  EXPECT_EQ(opened.code, 0) << opened.err;
  EXPECT_THAT(opened.out, HasSubstr("scale(int* data)"));
  EXPECT_THAT(opened.out + opened.err,
              HasSubstr("headers of Warplens's own stand in for helper_cuda.h, ../common/book.h"));
  EXPECT_THAT(opened.out + opened.err, Not(HasSubstr("nvcc refuses")));
}

// What is wrong for another reason is told as nvcc told it first.
TEST_F(WholeProgram, AProgramThatIsBrokenAndOldIsToldInItsOwnWords) {
  std::ofstream(in_folder("both.cu")) << "int main() { cudaDeviceProp p; return p.clockRate + nothing; }\n";
  const Answer both = ask({"run", in_folder("both.cu")});
  EXPECT_EQ(both.code, 3);
  EXPECT_THAT(both.err, HasSubstr("nothing"));
  EXPECT_THAT(both.err, Not(HasSubstr("warplens_headers")));
}

TEST_F(WholeProgram, ASignalThatEndsAProgramIsItsExitCode) {
  std::ofstream(in_folder("dies.cu")) << "#include <csignal>\nint main() { raise(SIGTERM); }\n";
  EXPECT_EQ(ask({"run", in_folder("dies.cu")}).code, 128 + SIGTERM);
}

}  // namespace
}  // namespace warplens
