// A real program in the real window: it runs, its launches are listed, and the third launch of a kernel opens
// with the data that it had.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "engine/base/assets.h"
#include "tests/window/screen.h"

namespace warplens::window::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kProgram = R"(
#include <cstdio>
#include <cstdlib>
__global__ void scale(float* data, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= by;
}
int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 64;
  float* data;
  cudaMallocManaged(&data, n * sizeof(float));
  for (int i = 0; i < n; ++i) data[i] = 1;
  for (int k = 0; k < 4; ++k) scale<<<(n + 31) / 32, 32>>>(data, 2 + k, n);
  cudaDeviceSynchronize();
  std::printf("last is %g\n", data[n - 1]);
  return data[n - 1] == 120 ? 0 : 1;
}
)";

bool has_nvcc() {
  const char* home = std::getenv("CUDA_HOME");
  return has_program("nvcc") || std::filesystem::exists("/usr/local/cuda/bin/nvcc") ||
         (home != nullptr && std::filesystem::exists(std::filesystem::path(home) / "bin/nvcc"));
}

class ProgramScreenTest : public ScreenTest {
 protected:
  void SetUp() override {
    ScreenTest::SetUp();
    if (IsSkipped()) return;
    if (!has_nvcc()) GTEST_SKIP() << "there is no nvcc to compile whole programs with";
  }
  // The reports of a script that is played on a program.
  std::vector<json> play(const std::string& program, const std::string& script) {
    const std::string file = shot("main.cu"), actions = shot("actions.txt"), out = shot("reports.txt");
    EXPECT_TRUE(write_text(file, program));
    EXPECT_TRUE(write_text(actions, "file " + file + "\nwait settled 60\n" + script));
    const Finished done = run_shell(binary("--size 1280x720 --script " + actions, 280) + " > " + out);
    EXPECT_EQ(done.code, 0) << done.error;
    std::vector<json> reports;
    std::istringstream lines(taken(out));
    for (std::string line; std::getline(lines, line);) reports.push_back(json::parse(line, nullptr, false));
    return reports;
  }
};

TEST_F(ProgramScreenTest, RunsListsAndOpensTheThirdLaunchOfAKernel) {
  const std::vector<json> reports =
      play(kProgram, "report\nprogram run 96\nwait program 120\nreport\nscreenshot " + shot("list.png") +
                         "\nprogram launch scale 2\nwait launch 120\nwait settled 60\nreport\nscreenshot " +
                         shot("launch.png") + "\nprogram take " + shot("taken") +
                         "\nwait 1\nprogram back\nreport\n");
  ASSERT_EQ(reports.size(), 4u);
  EXPECT_EQ(reports[0]["program"]["offers"], true);
  EXPECT_EQ(reports[0]["program"]["state"], "ready");
  EXPECT_EQ(reports[1]["program"]["said"], "program.state.ended") << reports[1];
  EXPECT_EQ(reports[1]["program"]["launches"], 4);
  EXPECT_EQ(reports[1]["program"]["last_line"], "last is 120");
  const json& open = reports[2];
  EXPECT_EQ(open["program"]["open"]["number"], 2) << open;
  EXPECT_THAT(open["kernel"].get<std::string>(), HasSubstr("scale"));
  EXPECT_EQ(open["values"]["grid"], 3);
  EXPECT_EQ(open["faults"], 0);
  // What the launch found: 1 * 2 * 3 in each element, and the factor of its own.
  EXPECT_EQ(reports[3]["program"]["shown"], true);
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(shot("taken")) / "launch.toml"));
  const auto text = read_text(std::filesystem::path(shot("taken")) / "launch.toml");
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("index = 2"));
  const float six = 6;
  bool found = false;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(shot("taken")) / "memory")) {
    const auto bytes = read_text(entry.path());
    found = found || (bytes && bytes->find(std::string(reinterpret_cast<const char*>(&six), 4)) == 0);
  }
  EXPECT_TRUE(found) << "no buffer holds the data of the third launch";
}

TEST_F(ProgramScreenTest, SaysWhatWentWrongAndGoesOn) {
  const std::vector<json> broken =
      play("__global__ void k() {}\nint main() { k<<<1, 32>>>(); return not_declared; }\n",
           "program run\nwait program 120\nreport\n");
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0]["program"]["said"], "program.state.not_compiled");
  const std::vector<json> crash = play(
      "__global__ void k() {}\nint main() { k<<<1, 32>>>(); cudaDeviceSynchronize(); *(volatile int*)8 = 1; "
      "}\n",
      "program run\nwait program 120\nreport\nprogram launch k 0\nwait launch 60\nreport\n");
  ASSERT_EQ(crash.size(), 2u);
  EXPECT_EQ(crash[0]["program"]["said"], "program.state.crashed") << crash[0];
  EXPECT_EQ(crash[0]["program"]["launches"], 1);
  EXPECT_EQ(crash[1]["program"]["open"]["number"], 0);
}

}  // namespace
}  // namespace warplens::window::testing
