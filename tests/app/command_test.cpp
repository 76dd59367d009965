// What the program answers on the command line: exit codes, and messages that name what is wrong.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/cli.h"
#include "app/model/run/gpu_advice.h"
#include "engine/base/assets.h"
#include "tests/support/places.h"

namespace warplens::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Answer {
  int code = 0;
  std::string out, err;
};

class CommandTest : public testing::Test {
 protected:
  CommandTest()
      : folder_(std::filesystem::temp_directory_path() / ("warplens_cli_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~CommandTest() override { std::filesystem::remove_all(folder_); }

  static Answer ask(std::vector<std::string> words) {
    words.insert(words.begin(), "warplens");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Answer answer;
    answer.code = run(static_cast<int>(arguments.size()), arguments.data());
    answer.out = testing::internal::GetCapturedStdout();
    answer.err = testing::internal::GetCapturedStderr();
    return answer;
  }

  // `warplens trace` of a kernel of the tests' own PTX.
  static Answer trace(const std::string& kernel, std::vector<std::string> more) {
    std::vector<std::string> words{"trace", tests::source_dir() + "/tests/simt/data/core.ptx", "--kernel",
                                   kernel};
    words.insert(words.end(), more.begin(), more.end());
    return ask(words);
  }
  static Answer copy(std::vector<std::string> more) {
    std::vector<std::string> words{"--grid",          "1",     "--block",         "32",    "--arg",
                                   "buf:f32:32:zero", "--arg", "buf:f32:32:iota", "--arg", "i32:32"};
    words.insert(words.end(), more.begin(), more.end());
    return trace("copy", words);
  }

  std::filesystem::path folder_;
};

TEST_F(CommandTest, TheAnswerAloneGoesToStandardOutput) {
  const Answer answer = copy({"--json", "-"});
  EXPECT_EQ(answer.code, kDone);
  EXPECT_EQ(answer.err, "");
  const auto report = nlohmann::json::parse(answer.out);
  EXPECT_EQ(report["schema"], "warplens.report/1");
  EXPECT_EQ(report["global"]["load"]["sectors"], 4);
}

// Like the other commands; a file of that name comes first.
TEST_F(CommandTest, InspectTakesTheNameOfAGalleryKernel) {
  const Answer answer = ask({"inspect", "matmul_tiled", "--json", "-"});
  if (answer.code == kUsage && answer.err.find("compiler") != std::string::npos) GTEST_SKIP() << answer.err;
  ASSERT_EQ(answer.code, kDone) << answer.err;
  const auto inspected = nlohmann::json::parse(answer.out);
  EXPECT_THAT(inspected["file"].get<std::string>(), HasSubstr("matmul_tiled.cu"));
  EXPECT_THAT(inspected["kernels"][0]["name"].get<std::string>(), HasSubstr("matmul_tiled"));
  const Answer nobody = ask({"inspect", "no_such_kernel"});
  EXPECT_EQ(nobody.code, kUsage);
  EXPECT_THAT(nobody.err, HasSubstr("no_such_kernel"));
}

TEST_F(CommandTest, InspectSpeaksTheLanguageAskedFor) {
  const std::filesystem::path file = folder_ / "inspected.ptx";
  ASSERT_TRUE(write_text(file,
                         ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                         "wgmma.fence.sync.aligned;\nret;\n}\n"));
  const Answer english = ask({"inspect", file.string(), "--block", "64"});
  ASSERT_EQ(english.code, kDone) << english.err;
  EXPECT_THAT(english.out, HasSubstr("0 bytes of static shared memory"));
  EXPECT_THAT(english.out, HasSubstr("not supported: wgmma.fence.sync.aligned (line 6)"));
  EXPECT_THAT(english.out, HasSubstr("warps fit an SM"));
  const Answer chinese = ask({"inspect", file.string(), "--block", "64", "--language", "zh"});
  ASSERT_EQ(chinese.code, kDone) << chinese.err;
  EXPECT_THAT(chinese.out, HasSubstr("静态共享内存 0 字节"));
  EXPECT_THAT(chinese.out, HasSubstr("不支持：wgmma.fence.sync.aligned（第 6 行）"));
  EXPECT_THAT(chinese.out, Not(HasSubstr("inspect.")));
  EXPECT_THAT(chinese.out, Not(HasSubstr("SM (")));
}

TEST_F(CommandTest, UnknownCommandsAndOptionsAreNamed) {
  const Answer command = ask({"frobnicate"});
  EXPECT_EQ(command.code, kUsage);
  EXPECT_THAT(command.err, HasSubstr("there is no command 'frobnicate'; there are app, inspect, trace"));
  const Answer option = copy({"--frobnicate"});
  EXPECT_EQ(option.code, kUsage);
  EXPECT_THAT(option.err, StartsWith("warplens: "));
  EXPECT_THAT(option.err, HasSubstr("warplens trace --help"));
  EXPECT_EQ(ask({"trace", "--help"}).code, kDone);
}

// Whatever is wrong with the words, it is said in the language that they ask for.
TEST_F(CommandTest, WrongWordsAreToldInTheLanguageAskedFor) {
  const std::vector<std::pair<std::vector<std::string>, std::pair<std::string, std::string>>> cases{
      {{"trace"}, {"file is missing", "缺少 file"}},
      {{"trace", "x.cu", "--frob"}, {"mean nothing here: --frob", "这里不认识：--frob"}},
      {{"trace", "x.cu", "--on", "mars"},
       {"--on takes one of emulator, gpu, not 'mars'", "--on 的取值是 emulator, gpu 之一，而不是“mars”"}},
      {{"trace", "x.cu", "--threads", "-3"}, {"--threads cannot be negative", "--threads 不能是负数"}},
      {{"trace", "x.cu", "--threads", "many"},
       {"--threads takes a number, not 'many'", "--threads 要一个数"}},
      {{"inspect", "x.cu", "--block", "5000"},
       {"--block takes 1 to 1024, not 5000", "--block 的取值是 1 到 1024"}},
      {{"trace", "x.cu", "--grid"}, {"--grid needs a value", "--grid 后面要有一个值"}},
      {{"trace", "nowhere.cu"}, {"nowhere.cu: cannot read this file", "无法读取这个文件"}}};
  for (auto [words, said] : cases) {
    const Answer english = ask(words);
    EXPECT_EQ(english.code, kUsage) << words.back();
    EXPECT_THAT(english.err, HasSubstr(said.first));
    if (words[0] != "trace") continue;
    words.insert(words.begin() + 1, "--language=zh");
    const Answer chinese = ask(words);
    EXPECT_EQ(chinese.code, kUsage) << words.back();
    EXPECT_THAT(chinese.err, HasSubstr(said.second));
  }
}

// What is wrong with what stands behind an option too, and what to write instead.
TEST_F(CommandTest, WrongLaunchesAreToldInTheLanguageAskedFor) {
  const std::vector<std::pair<std::vector<std::string>, std::pair<std::string, std::string>>> cases{
      {{"--checks", "some"},
       {"--checks takes one of none, memory, all", "--checks 的取值是 none, memory, all 之一"}},
      {{"--grid", "0"}, {"--grid 0: expected X, X,Y or X,Y,Z", "--grid 0：应写成 X、X,Y 或 X,Y,Z"}},
      {{"--arg", "buf:f32:8"}, {"a buffer is buf:TYPE:COUNT:INIT", "缓冲区应写成 buf:TYPE:COUNT:INIT"}},
      {{"--arg", "i32:many"},
       {"'many' is not a whole number; i32 takes one", "“many”不是整数；i32 要一个整数"}},
      {{"--arg", "nobody=i32:4"},
       {"no parameter of that name; its parameters are", "没有这个名字的参数；它的参数有"}},
      {{"--arg", "i32:4"}, {"write one --arg for each, in order", "请按顺序给每个参数写一个 --arg"}},
      {{"--set", "nobody=4"}, {"has no slider 'nobody'; its sliders are", "没有名为“nobody”的滑块"}},
      {{"--arg", "in=i32:4"}, {"is a pointer and takes a buffer", "是指针，要一个缓冲区"}}};
  for (const auto& [words, said] : cases) {
    // By its file: a kernel of the gallery by its name has sliders.
    const std::string file = tests::source_dir() + "/kernels/global_memory/copy_strided.cu";
    std::vector<std::string> line{"trace", words[0] == "--set" ? "copy_strided" : file};
    line.insert(line.end(), words.begin(), words.end());
    const Answer english = ask(line);
    if (english.err.find("compiler") != std::string::npos) GTEST_SKIP() << english.err;
    EXPECT_EQ(english.code, kUsage) << words.back();
    EXPECT_THAT(english.err, HasSubstr(said.first));
    line.push_back("--language=zh");
    const Answer chinese = ask(line);
    EXPECT_EQ(chinese.code, kUsage) << words.back();
    EXPECT_THAT(chinese.err, HasSubstr(said.second));
  }
}

// What was asked for and cannot be done is said, not left out.
TEST_F(CommandTest, AKernelOfTheGalleryTakesItsLaunchFromItsSliders) {
  const Answer answer = ask({"trace", "copy_strided", "--grid", "8"});
  EXPECT_EQ(answer.code, kUsage);
  EXPECT_THAT(answer.err, HasSubstr("--grid"));
  EXPECT_THAT(answer.err, HasSubstr("copy_strided.cu"));
}

TEST_F(CommandTest, NegativeCountsAreRefused) {
  for (const char* name : {"--threads", "--sample", "--budget", "--shared", "--gpu"}) {
    const Answer answer = copy({name, "-3"});
    EXPECT_EQ(answer.code, kUsage) << name;
    EXPECT_THAT(answer.err, HasSubstr(name));
    EXPECT_EQ(answer.out, "") << name;
  }
}

TEST_F(CommandTest, ABrokenKernelOfTheGalleryGivesItsReason) {
  std::filesystem::create_directories(folder_ / "kernels" / "topic");
  ASSERT_TRUE(write_text(folder_ / "kernels" / "topic" / "mine.toml", "title = 1\n[[[\n"));
  ::setenv("WARPLENS_KERNELS", (folder_ / "kernels").c_str(), 1);
  for (const char* command : {"inspect", "trace"}) {
    const Answer answer = ask({command, "mine"});
    EXPECT_EQ(answer.code, kUsage);
    EXPECT_THAT(answer.err, HasSubstr("mine.toml:2:"));
  }
  ::unsetenv("WARPLENS_KERNELS");
}

TEST_F(CommandTest, ATypingMistakeInAPathMakesNoFolders) {
  const Answer answer = copy({"--json", (folder_ / "typo" / "x.json").string()});
  EXPECT_EQ(answer.code, kUsage);
  EXPECT_THAT(answer.err, HasSubstr("no such folder"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "typo"));
}

TEST_F(CommandTest, TimesWithoutAnEndAreRefused) {
  for (const char* seconds : {"1e300", "inf", "nan", "0", "-1"})
    EXPECT_EQ(copy({"--compile-seconds", seconds}).code, kUsage) << seconds;
  EXPECT_EQ(ask({"app", "--scale", "nan"}).code, kUsage);
}

// A pipe that nobody writes to, wherever a file is named.
TEST_F(CommandTest, APipeIsNotWaitedForForEver) {
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(ask({"inspect", pipe.string()}).code, kUsage);
  const Answer argument = trace("copy", {"--grid", "1", "--block", "32", "--arg", "buf:f32:32:zero", "--arg",
                                         "buf:f32:32:file:" + pipe.string(), "--arg", "i32:32"});
  EXPECT_EQ(argument.code, kUsage);
  EXPECT_THAT(argument.err, HasSubstr("name a file"));
}

TEST_F(CommandTest, ConstantsThatNoGpuHasRoomForAreNamed) {
  const std::filesystem::path file = folder_ / "constants.ptx";
  ASSERT_TRUE(write_text(file,
                         ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 4 .b8 few[4];\n"
                         ".const .align 4 .b8 many[70000];\n.visible .entry k()\n{\nret;\n}\n"));
  const Answer traced = ask({"trace", file.string(), "--grid", "1", "--block", "32"});
  EXPECT_EQ(traced.code, kNotCompiled);
  EXPECT_THAT(traced.err, HasSubstr("many alone takes 70,000 (PTX line 5)"));
  EXPECT_THAT(traced.err, Not(HasSubstr("--on gpu")));
}

TEST_F(CommandTest, SharedMemoryOfAnySizeIsNoInternalError) {
  const std::filesystem::path file = folder_ / "shared.ptx";
  ASSERT_TRUE(write_text(file,
                         ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                         ".shared .b8 big[4294967295];\n.reg .b64 %rd<3>;\nmov.u64 %rd1, big;\nret;\n}\n"));
  const Answer traced = ask({"trace", file.string(), "--grid", "1", "--block", "32"});
  EXPECT_EQ(traced.code, kUsage);
  EXPECT_THAT(traced.err, HasSubstr("shared memory"));
  EXPECT_THAT(ask({"inspect", file.string()}).err, Not(HasSubstr("internal")));
}

TEST_F(CommandTest, AGridOfAnySizeIsRunOrSampled) {
  const std::vector<std::string> arguments{"--block",         "1",     "--arg",  "buf:f32:32:zero", "--arg",
                                           "buf:f32:32:iota", "--arg", "i32:32", "--json",          "-"};
  for (const auto& [grid, blocks] : {std::pair{"300", 300.0}, std::pair{"70000,2", 140000.0}}) {
    std::vector<std::string> words{"--grid", grid};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Answer answer = trace("copy", words);
    ASSERT_EQ(answer.code, kDone) << answer.err;
    const auto coverage = nlohmann::json::parse(answer.out)["coverage"];
    EXPECT_EQ(coverage["blocks_traced"], blocks);
    EXPECT_EQ(coverage["blocks_stored"], 1);
  }
  std::vector<std::string> largest{"--grid", "2147483647,65535,65535"};
  largest.insert(largest.end(), arguments.begin(), arguments.end());
  const Answer answer = trace("copy", largest);
  ASSERT_EQ(answer.code, kDone) << answer.err;
  EXPECT_LT(nlohmann::json::parse(answer.out)["coverage"]["blocks_traced"], 1 << 21);
  // The models keep no list of blocks that nobody counted.
  rusage used{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &used), 0);
  EXPECT_LT(used.ru_maxrss, 2L << 20) << "KiB";
}

TEST_F(CommandTest, AnEndlessLoopEndsWithTheBudget) {
  const std::filesystem::path file = folder_ / "endless.ptx";
  ASSERT_TRUE(write_text(file,
                         ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                         ".reg .b32 %r<3>;\nLOOP: add.u32 %r1, %r1, 1;\nbra LOOP;\n}\n"));
  const Answer inspected = ask({"inspect", file.string()});
  EXPECT_EQ(inspected.code, kDone) << inspected.err;
  const Answer traced = ask({"trace", file.string(), "--grid", "1", "--block", "32", "--budget", "10000"});
  EXPECT_EQ(traced.code, kBudget) << traced.err;
  EXPECT_THAT(traced.err, HasSubstr("budget ran out"));
}

TEST_F(CommandTest, AScalarOfTheOtherKindIsRefused) {
  const Answer answer = trace("copy", {"--grid", "1", "--block", "32", "--arg", "buf:f32:32:zero", "--arg",
                                       "buf:f32:32:iota", "--arg", "f32:32"});
  EXPECT_EQ(answer.code, kUsage);
  EXPECT_THAT(answer.err, HasSubstr("'f32:32' is a floating-point number"));
  EXPECT_THAT(answer.err, HasSubstr("i32:42"));
}

TEST_F(CommandTest, ABudgetThatRunsOutAndAFaultStillReport) {
  const Answer budget = trace("endless", {"--grid", "1", "--block", "32", "--arg", "buf:i32:32:zero",
                                          "--budget", "100000", "--json", "-"});
  EXPECT_EQ(budget.code, kBudget);
  EXPECT_EQ(nlohmann::json::parse(budget.out)["ending"], "budget");
  EXPECT_THAT(budget.err, HasSubstr("--budget"));
  const Answer fault = trace("copy", {"--grid", "2", "--block", "32", "--arg", "buf:f32:8:zero", "--arg",
                                      "buf:f32:64:iota", "--arg", "i32:64", "--json", "-"});
  EXPECT_EQ(fault.code, kFaulted);
  EXPECT_FALSE(nlohmann::json::parse(fault.out)["faults"].empty());
}

TEST_F(CommandTest, WhatOnlyAGpuCanRunNamesTheWayToRunItThere) {
  const auto file = folder_ / "only.ptx";
  ASSERT_TRUE(write_text(file, R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  wgmma.fence.sync.aligned;
  ret;
}
)"));
  const std::vector<std::string> words{"trace", file.string(), "--kernel", "k",     "--grid",
                                       "1",     "--block",     "128",      "--arg", "buf:f32:8:zero"};
  const Answer english = ask(words);
  EXPECT_EQ(english.code, kNotCompiled);
  EXPECT_THAT(english.err, HasSubstr("wgmma"));
  EXPECT_THAT(english.err, HasSubstr("--on gpu"));
  std::vector<std::string> chinese = words;
  chinese.insert(chinese.end(), {"--language", "zh"});
  EXPECT_THAT(ask(chinese).err, HasSubstr("可以运行它"));
}

TEST(GpuAdvice, DependsOnWhetherThereIsAGpu) {
  const Error only{ErrorKind::Unsupported, "the kernel uses wgmma", {}, {}};
  const auto none = model::gpu_advice(only, {{}, "", {ErrorKind::System, "no driver", {}, {}}});
  ASSERT_TRUE(none.has_value());
  EXPECT_EQ(*none, (Message{"gpu.only.missing", {{"reason", value_of("no driver")}}}));
  gpu::DeviceInfo device;
  device.name = "NVIDIA H200";
  EXPECT_EQ(model::gpu_advice(only, {{device}, "", {}})->key, "gpu.only.there");
  EXPECT_FALSE(model::gpu_advice({ErrorKind::Fault, "", {}, {}}, {{device}, "", {}}).has_value());
}

TEST_F(CommandTest, RenderChecksWhatItIsAskedFor) {
  const std::string picture = (folder_ / "picture.svg").string();
  const auto render = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"render",   tests::source_dir() + "/tests/simt/data/core.ptx",
                                   "--kernel", "copy",
                                   "--grid",   "1",
                                   "--block",  "32",
                                   "--arg",    "buf:f32:32:zero",
                                   "--arg",    "buf:f32:32:iota",
                                   "--arg",    "i32:32",
                                   "--out",    picture};
    words.insert(words.end(), more.begin(), more.end());
    return ask(words);
  };
  EXPECT_THAT(render({"--step", "99999"}).err, HasSubstr("--step 99999: the trace has "));
  EXPECT_THAT(render({"--step", "99999", "--language", "zh"}).err, HasSubstr("--step 99999：轨迹共有"));
  EXPECT_THAT(render({"--step", "-1"}).err, HasSubstr("negative"));
  EXPECT_THAT(render({"--scale", "0"}).err, HasSubstr("--scale"));
  EXPECT_THAT(render({"--simulate", "grey"}).err, HasSubstr("--simulate"));
  EXPECT_FALSE(std::filesystem::exists(picture));
  const Answer answer = render({"--json", "-"});
  EXPECT_EQ(answer.code, kDone) << answer.err;
  EXPECT_EQ(nlohmann::json::parse(answer.out)["file"], picture);
  EXPECT_TRUE(std::filesystem::exists(picture));
}

TEST_F(CommandTest, TimeSaysWhichNameIsUnknown) {
  const Answer answer = ask({"time", "no_such_kernel"});
  EXPECT_EQ(answer.code, kUsage);
  EXPECT_THAT(answer.err, HasSubstr("there is no file 'no_such_kernel'"));
  EXPECT_THAT(answer.err, HasSubstr("copy_strided")) << "the names that there are";
  EXPECT_THAT(ask({"time", "no/such_file"}).err, HasSubstr("no/such_file: cannot read this file"));
}

TEST(ReadText, StopsAtADeviceThatNeverEnds) {
  const auto text = read_text("/dev/zero", Streams::Wait);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("256 MB"));
}

// As the window opens the file; parts of it can be replaced by name.
TEST_F(CommandTest, TraceTakesLaunchAndArgumentsFromTheFile) {
  const std::filesystem::path file = folder_ / "scale.cu";
  ASSERT_TRUE(write_text(file,
                         "__global__ void scale(float* p, int n) { int i = blockIdx.x * blockDim.x + "
                         "threadIdx.x; if (i < n) p[i] *= 2; }\n"
                         "int main(int argc, char** argv) {\n  int n = argc > 1 ? atoi(argv[1]) : 512;\n"
                         "  float* p;\n  cudaMalloc(&p, n * sizeof(float));\n"
                         "  scale<<<n / 128, 128>>>(p, n);\n}\n"));
  const Answer alone = ask({"trace", file.string(), "--json", "-"});
  ASSERT_EQ(alone.code, kDone) << alone.err;
  const auto report = nlohmann::json::parse(alone.out);
  EXPECT_EQ(report["launch"]["grid"][0], 4);
  EXPECT_EQ(report["buffers"][0]["count"], 512);
  ASSERT_FALSE(report["assumed"].empty());
  EXPECT_EQ(report["assumed"][0]["what"], "grid");
  EXPECT_EQ(report["assumed"][0]["ours"], "nothing");
  const Answer other = ask({"trace", file.string(), "--grid", "2", "--arg", "n=i32:100", "--json", "-"});
  ASSERT_EQ(other.code, kDone) << other.err;
  EXPECT_EQ(nlohmann::json::parse(other.out)["launch"]["grid"][0], 2);
  const Answer wrong = ask({"trace", file.string(), "--arg", "m=i32:100"});
  EXPECT_EQ(wrong.code, kUsage);
  EXPECT_THAT(wrong.err, HasSubstr("p, n"));
}

TEST_F(CommandTest, InspectSaysWhichTemplatesWaitForAnInstance) {
  const std::filesystem::path file = folder_ / "templates.cu";
  ASSERT_TRUE(write_text(file,
                         "template <typename T, int N>\n__global__ void tk(T* p, int n) { p[n] = N; }\n"
                         "__global__ void plain(int* q, unsigned m) { q[m] = 1; }\n"));
  const Answer answer = ask({"inspect", file.string()});
  ASSERT_EQ(answer.code, kDone) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("plain(int* q, unsigned m)"));
  EXPECT_THAT(answer.out, HasSubstr("--kernel \"tk<float, 256>\""));
  const Answer traced = ask({"trace", file.string(), "--kernel", "tk"});
  EXPECT_EQ(traced.code, kUsage);
  EXPECT_THAT(traced.err, HasSubstr("tk is a template"));
}

TEST_F(CommandTest, AFileWithoutKernelsSaysWhy) {
  const std::filesystem::path file = folder_ / "host.cu";
  ASSERT_TRUE(write_text(file, "int main() { return 0; }\n"));
  const Answer answer = ask({"inspect", file.string()});
  EXPECT_THAT(answer.out, HasSubstr("nothing in it is marked __global__"));
}

// What a kernel launches is seen by nvcc alone; the file's other kernels run all the same.
TEST_F(CommandTest, AKernelThatLaunchesKernelsIsCalledThat) {
  const std::filesystem::path file = folder_ / "nested.cu";
  ASSERT_TRUE(write_text(file,
                         "__global__ void child(int* p) { p[threadIdx.x] = 1; }\n"
                         "__global__ void parent(int* p) { child<<<1, 32>>>(p); }\n"
                         "int main() { int* p; cudaMalloc(&p, 128); parent<<<1, 1>>>(p); }\n"));
  const Answer inspected = ask({"inspect", file.string(), "--compiler", "nvcc"});
  if (inspected.code == kUsage) GTEST_SKIP() << inspected.err;
  ASSERT_EQ(inspected.code, kDone) << inspected.err;
  EXPECT_THAT(inspected.out, HasSubstr("dynamic parallelism"));
  const Answer parent = ask({"trace", file.string(), "--compiler", "nvcc"});
  EXPECT_EQ(parent.code, kNotCompiled);
  EXPECT_THAT(parent.err, HasSubstr("trace the kernel that it launches"));
  const Answer child = ask(
      {"trace", file.string(), "--compiler", "nvcc", "--kernel", "child", "--grid", "1", "--block", "32"});
  EXPECT_EQ(child.code, kDone) << child.err;
}

// The student's own file is named, once, in the words of the class.
TEST_F(CommandTest, GradeSpeaksOfTheSolutionInTheLanguageAskedFor) {
  const std::filesystem::path solution = folder_ / "mine.cu";
  ASSERT_TRUE(write_text(solution,
                         "__global__ void copy(const float* in, float* out, int n) {\n"
                         "  int i = blockIdx.x * blockDim.x + threadIdx.x\n"
                         "  if (i < n) out[i] = in[i];\n}\n"));
  const Answer english = ask({"lesson", "grade", "challenge_neighbours", solution.string()});
  if (english.err.find("compiler") != std::string::npos) GTEST_SKIP() << english.err;
  EXPECT_EQ(english.code, 1);
  EXPECT_THAT(english.err, HasSubstr(solution.string() + ":"));
  EXPECT_THAT(english.err, Not(HasSubstr("start.cu")));
  EXPECT_THAT(english.err, HasSubstr("It is missing at the end of line 2."));
  EXPECT_THAT(english.out, HasSubstr("compiles        no\n"));
  EXPECT_THAT(english.out, HasSubstr("stars           0 of 3\n"));
  const Answer chinese =
      ask({"lesson", "grade", "challenge_neighbours", solution.string(), "--language", "zh"});
  EXPECT_THAT(chinese.out, HasSubstr("能编译    否\n"));
  EXPECT_THAT(chinese.out, Not(HasSubstr("wanted")));
  EXPECT_THAT(ask({"lesson", "grade", "coalescing", solution.string()}).err, HasSubstr("is no challenge"));
}

}  // namespace
}  // namespace warplens::cli
