// Mistakes of whole programs, and what is told of them; beside each a program that is right.
#include <csignal>
#include <map>

#include "tests/runtime/whole_program.h"

namespace warplens {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(WholeProgram, WrongCallsAreExplained) {
  const std::string built = in_folder("misuse");
  ASSERT_EQ(ask({"cc", program("misuse.cu"), "-o", built}).code, 0);
  const Answer english = ask({"run", "--", built}), chinese = ask({"run", "--language", "zh", "--", built});
  EXPECT_EQ(english.code, 0) << english.err;
  EXPECT_EQ(english.out, "all of it was wrong\n") << english.err;
  for (const char* said :
       {"cudaSetDevice(3) answered cudaErrorInvalidDevice",
        "the program finds 1 device, the last is number 0",
        "cudaFree: the pointer lies 16 bytes inside of allocation 2",
        "cudaFree: allocation 3 was made by a call of another kind",
        "cudaFree: the CUDA runtime has not given out this pointer",
        "cudaMemcpy of 400 bytes: allocation 1 has only 200",
        "cudaMemcpy: memory of the host stands where",
        "cudaMemset: one of its pointers is null",
        "cudaMemset of 404 bytes: allocation 1 has only 400",
        "named by text, \"table\": since CUDA 5",
        "of no __device__ or __constant__ variable",
        "a launch of write(int*, int) was refused (cudaErrorInvalidValue): its grid is 0 x 1 x 1 blocks",
        "its block is 32 x 64 x 1 threads",
        "its grid is 1 x 70,000 x 1 blocks",
        "it asks for 102,400 bytes of dynamic shared memory, and may have 49,152",
        "its block has 256 threads, and the kernel was compiled for at most 128 (__launch_bounds__)",
        "this memory was freed before; it was allocation 1, of 400 bytes",
        "cudaMemset: the memory was freed before",
        "lay in allocation 1, of 400 bytes, which the program has freed",
        "The run goes on; --strict ends the launch"})
    EXPECT_THAT(english.err, HasSubstr(said));
  EXPECT_EQ(chinese.out, english.out);
  EXPECT_THAT(chinese.err, HasSubstr("cudaFree 之后仍在使用这个指针"));
  EXPECT_THAT(chinese.err, Not(HasSubstr("allocation")));
  EXPECT_THAT(chinese.err, HasSubstr("第 0 次启动（write(int*, int)）"));
}

TEST_F(WholeProgram, ReadsOfMemoryThatNobodyWroteAreTold) {
  const std::string built = in_folder("unwritten");
  ASSERT_EQ(ask({"cc", program("unwritten.cu"), "-o", built}).code, 0);
  EXPECT_THAT(ask({"run", "--", built}).err, Not(HasSubstr("nobody has written")));
  for (const char* threads : {"1", "2"}) {
    const std::string file = in_folder("unwritten.json");
    const Answer answer = ask({"run", "--checks", "all", "--threads", threads, "--json", file, "--", built});
    EXPECT_EQ(answer.out, "ran to its end\n") << answer.err;
    json report;
    std::ifstream(file) >> report;
    std::map<std::string, int> told;
    for (const json& launch : report["launches"])
      for (const json& fault : launch["faults"])
        ++told[launch["kernel"].get<std::string>().substr(0, 6) + fault["kind"].get<std::string>()];
    // Of five launches that read the same only the first.
    const std::map<std::string, int> expected{
        {"twice(uninitialised_read", 1}, {"add_upuninitialised_read", 1}, {"bytes_uninitialised_read", 1}};
    EXPECT_EQ(told, expected);
    EXPECT_THAT(answer.err, HasSubstr("block (2,0,0), thread (0,0,0): the thread reads"));
    EXPECT_THAT(answer.err, HasSubstr("block (0,0,0), thread (32,0,0): the thread reads"));
  }
}

// An H100 (driver 580.159.04, CUDA 13.0) ends at the first, gives old numbers at the second, prints nothing
// at the third and answers the same error to the last.
TEST_F(WholeProgram, HostCodeThatOnlyTheEmulatorLetsPassIsTold) {
  const std::string built = in_folder("touches");
  ASSERT_EQ(ask({"cc", "-g", program("host_touches.cu"), "-o", built}).code, 0);
  const auto run = [&](const std::string& what) {
    return ask({"run", "--checks", "all", "--", built, what});
  };

  const Answer right = run("right");
  EXPECT_EQ(right.code, 0);
  EXPECT_EQ(right.out, "18000\na kernel's words\n");
  EXPECT_EQ(right.err, "");

  const Answer device = run("device");
  EXPECT_EQ(device.code, 128 + SIGSEGV);
  EXPECT_THAT(device.err,
              HasSubstr("host_touches.cu:39 touches memory of the device (allocation 1, of 12,000 bytes)"));

  const Answer managed = run("managed");
  EXPECT_EQ(managed.code, 0);
  EXPECT_EQ(managed.out, right.out);
  EXPECT_THAT(managed.err,
              HasSubstr("host_touches.cu:27 touches managed memory (allocation 2) that launch 0 (twice"));

  const Answer printed = run("printed");
  EXPECT_EQ(printed.out, "a kernel's words\n");
  EXPECT_THAT(printed.err, HasSubstr("launch 0 (says()) printed, and the program ended without waiting"));

  const Answer grid = run("grid");
  EXPECT_EQ(grid.out, "cudaErrorLaunchFailure\n");
  EXPECT_THAT(grid.err, HasSubstr("cudaLaunchCooperativeKernel"));
}

// Bounds are watched in memory of the program's own, races in the device's beside it.
TEST_F(WholeProgram, RegisteredMemoryWithEveryCheck) {
  const std::string built = in_folder("registered");
  ASSERT_EQ(ask({"cc", program("registered.cu"), "-o", built}).code, 0);
  for (const char* threads : {"1", "2"}) {
    const auto run = [&](const std::string& what) {
      return ask({"run", "--checks", "all", "--threads", threads, "--", built, what});
    };
    const Answer right = run("right");
    EXPECT_EQ(right.out, "registered\n");
    EXPECT_EQ(right.err, "");
    const Answer race = run("race");
    EXPECT_THAT(race.err, AllOf(HasSubstr("tally"), HasSubstr("allocation 1")));
    const Answer bounds = run("bounds");
    EXPECT_EQ(bounds.code, 1);
    EXPECT_THAT(bounds.err, HasSubstr("which has 1,000 elements"));
  }
}

// The first is what is told; with "right" nothing is.
TEST_F(WholeProgram, StreamsWithoutAnOrderAreTold) {
  const std::string built = in_folder("unordered");
  ASSERT_EQ(ask({"cc", "-g", program("unordered_streams.cu"), "-o", built}).code, 0);
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"run", "--checks", "all", "--json", in_folder("unordered.json"), "--", built});
    const Answer answer = ask(arguments);
    EXPECT_EQ(answer.out, "ran to its end\n") << arguments.back() << answer.err;
    std::vector<std::string> conflicts;
    const json report = json::parse(read(in_folder("unordered.json")));
    for (const json& one : report["unordered"]) conflicts.push_back(one["conflict"]);
    return std::pair{answer.err, conflicts};
  };
  const std::map<std::string, std::vector<std::string>> told{
      {"launches", {"read"}}, {"early_event", {"read"}}, {"copy", {"read"}},
      {"default", {"both"}},  {"freed", {"freed"}},      {"overwritten", {"overwritten"}},
      {"counters", {"both"}}, {"graph", {"read"}},       {"repeated", {"read", "overwritten"}}};
  for (const auto& [what, conflicts] : told) {
    EXPECT_EQ(run({what}).second, conflicts) << what;
    EXPECT_THAT(run({what, "right"}).second, testing::IsEmpty()) << what;
  }
  EXPECT_THAT(run({"fine"}).second, testing::IsEmpty());

  const std::string err = run({"launches"}).first;
  EXPECT_THAT(err, HasSubstr("launch 0 of fill_with(int*, int, int) (unordered_streams.cu:59) in stream 2 "
                             "writes bytes 0 to 16,383 of allocation 1, and launch 1 of twice(int const*, "
                             "int*, int) (unordered_streams.cu:64) in stream 3 reads that"));
  EXPECT_THAT(run({"default"}).first, HasSubstr("does not wait for the default stream"));
  EXPECT_THAT(ask({"run", "--", built, "launches"}).err, Not(HasSubstr("without waiting")));
}

TEST_F(WholeProgram, AnswersThatAProgramDoesNotLookAtAreTold) {
  std::ofstream(in_folder("careless.cu"))
      << "__constant__ float w[9];\n"
         "int main() {\n"
         "  float h[100] = {}, *d;\n"
         "  size_t pitch;\n"
         "  cudaMemcpyToSymbol(w, h, 64);\n"
         "  cudaMallocPitch(&d, &pitch, 100, 2);\n"
         "  cudaMemcpy2D(d, pitch, h, 40, 60, 2, cudaMemcpyHostToDevice);\n"
         "  cudaMallocManaged(&d, 4, 99);\n"
         "  return cudaFree(d);\n"
         "}\n";
  const Answer answer = ask({"run", in_folder("careless.cu")});
  EXPECT_EQ(answer.code, 0);
  EXPECT_THAT(answer.err, HasSubstr("a copy reaches to byte 64 of the variable w, which has 36 bytes"));
  EXPECT_THAT(answer.err, HasSubstr("careless.cu:7: this call answered cudaErrorInvalidPitchValue"));
  EXPECT_THAT(answer.err, Not(HasSubstr("careless.cu:5")));
  // Called by a template of the toolkit's header.
  EXPECT_THAT(answer.err, HasSubstr("careless.cu:8: this call answered cudaErrorInvalidValue"));
  EXPECT_THAT(answer.err, Not(HasSubstr("cuda_runtime.h")));
}

TEST_F(WholeProgram, FaultsStayAndSayWhere) {
  const std::string built = in_folder("faults");
  ASSERT_EQ(ask({"cc", program("faults.cu"), "-o", built}).code, 0);
  const std::map<std::string, std::string> said{{"", "element 32 of argument 0"},
                                                {"null", "null"},
                                                {"far", "cudaErrorIllegalAddress"},
                                                {"misaligned", "cudaErrorMisalignedAddress"},
                                                {"assert", "cudaErrorAssert"}};
  for (const auto& [argument, text] : said) {
    const Answer answer = ask({"run", "--strict", "--json", in_folder("run.json"), "--", built, argument});
    EXPECT_EQ(answer.code, 7) << argument << answer.out << answer.err;
    EXPECT_THAT(answer.out + answer.err, HasSubstr(text));
    const json report = json::parse(read(in_folder("run.json")), nullptr, false);
    ASSERT_TRUE(report.is_object());
    EXPECT_EQ(report["exit_code"], 7);
    EXPECT_EQ(report["launches"][0]["ending"], "faulted");
    EXPECT_EQ(report["launches"][0]["faults"].size(), 1u) << report.dump(1);
  }
}

// As an H200 lets it pass: the program goes on, and is told of it once a line.
TEST_F(WholeProgram, WhatAGpuLetsPassIsToldAndTheRunGoesOn) {
  const std::string built = in_folder("strays");
  ASSERT_EQ(ask({"cc", program("strays.cu"), "-o", built}).code, 0);
  for (const std::string checks : {"memory", "all"}) {
    const Answer answer = ask({"run", "--checks", checks, "--json", in_folder("run.json"), "--", built});
    EXPECT_EQ(answer.code, 3) << answer.out << answer.err;
    EXPECT_EQ(answer.out, "went on\n") << answer.err;
    for (const char* said : {"element 32 of argument 0", "A GPU lets this pass, so the launch went on",
                             "The run goes on; --strict ends the launch", "the shared array", "local memory",
                             "launches with accesses out of bounds that a GPU lets pass: 8"})
      EXPECT_THAT(answer.err, HasSubstr(said));
    std::size_t told = 0;
    for (std::size_t at = 0; (at = answer.err.find("element 32 of", at)) != std::string::npos; ++at) ++told;
    EXPECT_EQ(told, 1u) << answer.err;
    const json report = json::parse(read(in_folder("run.json")), nullptr, false);
    ASSERT_TRUE(report.is_object());
    EXPECT_EQ(report["launches"][0]["ending"], "completed");
    EXPECT_EQ(report["launches"][0]["faults"][0]["let_pass"], true);
    // The last is 2 MiB behind the start of an array of 2 MiB, where nothing is mapped.
    EXPECT_EQ(report["launches"].back()["ending"], "faulted");
    EXPECT_EQ(report["launches"].back()["faults"][0]["let_pass"], false);
  }
  const Answer chinese = ask({"run", "--language", "zh", "--", built});
  EXPECT_THAT(chinese.err, HasSubstr("GPU 会放过这样的访问"));
}

TEST_F(WholeProgram, ARaceIsFoundWithEveryCheck) {
  EXPECT_TRUE(run_json("race.cu")["launches"][0]["faults"].empty());
  const json report = run_json("race.cu", {}, {"--checks", "all"});
  ASSERT_FALSE(report["launches"][0]["faults"].empty());
  EXPECT_EQ(report["launches"][0]["faults"][0]["kind"], "race");
}

}  // namespace
}  // namespace warplens
