// A user's file as it opens: what its host code says, and what Warplens adds where that says nothing.
#include "app/model/adopt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace warplens::model {
namespace {

std::shared_ptr<const Program> program_of(const std::string& text) {
  ProgramRequest request;
  request.file = "adopted.cu";
  request.text = text;
  auto program = load_program(request);
  EXPECT_TRUE(program) << program.error().text();
  return program ? *program : nullptr;
}

const Assumption* about(const std::vector<Assumption>& assumed, const std::string& what) {
  const auto found =
      std::find_if(assumed.begin(), assumed.end(), [&](const Assumption& a) { return a.what == what; });
  return found == assumed.end() ? nullptr : &*found;
}

std::string ending_of(const std::shared_ptr<const Program>& program, const GalleryKernel& kernel,
                      const SliderValues& values) {
  const auto bound = launch_of(kernel, values);
  if (!bound) return bound.error().text();
  RunRequest request;
  request.program = program;
  request.launch = bound->launch;
  const auto run = execute(request);
  return run ? std::string(analysis::name((*run)->report.ending)) : run.error().text();
}

constexpr const char* kRowSum = R"cu(
__global__ void rowsum(const float* in, float* out, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int c = 0; c < cols; ++c) sum += in[row * cols + c];
  out[row] = sum;
}
)cu";

TEST(Adopt, ALoneKernelGetsSizesThatFitEachOther) {
  const auto program = program_of(kRowSum);
  ASSERT_TRUE(program);
  const auto adopted = adopt(*program, "");
  ASSERT_TRUE(adopted) << adopted.error().text();
  for (const char* what : {"grid", "block", "in", "out", "rows", "cols"})
    EXPECT_NE(about(adopted->assumed, what), nullptr) << what;
  EXPECT_EQ(about(adopted->assumed, "in")->ours, Assumption::Ours::Size);
  SliderValues values = default_values(adopted->kernel);
  EXPECT_EQ(ending_of(program, adopted->kernel, values), "completed");
  // Larger sizes take their buffers with them.
  values["rows"] = 700;
  values["cols"] = 900;
  EXPECT_EQ(ending_of(program, adopted->kernel, values), "completed");
}

TEST(Adopt, TheFilesOwnLaunchAndItsBuffersFollowTheSliders) {
  const auto program = program_of(R"cu(
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
void run(int n) {
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  dim3 block(128), grid((n + block.x - 1) / block.x);
  saxpy<<<grid, block>>>(n, 2.0f, x, y);
}
int main() { run(1000); }
)cu");
  ASSERT_TRUE(program);
  const auto adopted = adopt(*program, "");
  ASSERT_TRUE(adopted);
  EXPECT_TRUE(adopted->assumed.empty()) << about(adopted->assumed, "grid");
  SliderValues values = default_values(adopted->kernel);
  const auto bound = launch_of(adopted->kernel, values);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->launch.grid, (Dim3{8, 1, 1}));
  EXPECT_EQ(bound->launch.block, (Dim3{128, 1, 1}));
  EXPECT_EQ(bound->launch.arguments[2].count, 1000u);
  values["n"] = 2000;
  values["grid"] = 16;
  EXPECT_EQ(ending_of(program, adopted->kernel, values), "completed");
}

TEST(Adopt, TwoDimensionsAreSeenAndFilled) {
  const auto program = program_of(R"cu(
extern "C" __global__ void invert(unsigned char* image, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) image[y * width + x] = 255 - image[y * width + x];
}
)cu");
  ASSERT_TRUE(program);
  const auto adopted = adopt(*program, "invert");
  ASSERT_TRUE(adopted);
  const SliderValues values = default_values(adopted->kernel);
  const auto bound = launch_of(adopted->kernel, values);
  ASSERT_TRUE(bound);
  EXPECT_GT(bound->launch.grid.y, 1u);
  EXPECT_GT(bound->launch.block.y, 1u);
  EXPECT_EQ(bound->launch.arguments[0].type, trace::ElementType::U8);
  EXPECT_EQ(ending_of(program, adopted->kernel, values), "completed");
}

TEST(Adopt, WhatDependsOnTheDeviceIsSaid) {
  const auto program = program_of(R"cu(
__global__ void count(int* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i]++; }
int main() {
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  int* p;
  cudaMalloc(&p, 4000);
  count<<<prop.multiProcessorCount, 64>>>(p, 1000);
}
)cu");
  ASSERT_TRUE(program);
  const auto adopted = adopt(*program, "");
  ASSERT_TRUE(adopted);
  ASSERT_NE(about(adopted->assumed, "grid"), nullptr);
  EXPECT_EQ(about(adopted->assumed, "grid")->why.key, "assumed.device");
  EXPECT_EQ(about(adopted->assumed, "block"), nullptr);
  EXPECT_EQ(about(adopted->assumed, "p"), nullptr);
}

TEST(Adopt, TemplatesThatNothingInstantiatesAreNamed) {
  const auto program = program_of("template <typename T, int B>\n__global__ void fill(T* p) { p[B] = 1; }\n");
  ASSERT_TRUE(program);
  const auto adopted = adopt(*program, "");
  ASSERT_FALSE(adopted);
  EXPECT_THAT(adopted.error().message, testing::HasSubstr("fill (line 2)"));
  EXPECT_THAT(adopted.error().message, testing::HasSubstr("--kernel \"fill<float, 256>\""));
}

TEST(Adopt, AFaultBehindABufferOfOursIsNotTheKernels) {
  const auto program = program_of(R"cu(
__global__ void far(float* p) { p[1 << 22] = 1; }
)cu");
  ASSERT_TRUE(program);
  const auto adopted = adopt(*program, "");
  ASSERT_TRUE(adopted);
  const auto bound = launch_of(adopted->kernel, default_values(adopted->kernel));
  ASSERT_TRUE(bound);
  RunRequest request;
  request.program = program;
  request.launch = bound->launch;
  const auto run = execute(request);
  ASSERT_TRUE(run);
  ASSERT_FALSE((*run)->report.faults.empty());
  Message fault = (*run)->report.faults[0].what;
  own_up_to_sizes(adopted->assumed, fault);
  const auto catalogue = Catalogue::load("en");
  ASSERT_TRUE(catalogue);
  EXPECT_THAT(catalogue->text(fault), testing::HasSubstr("sized by Warplens"));
  EXPECT_THAT(catalogue->text(fault), testing::Not(testing::HasSubstr("bounds check")));
}

}  // namespace
}  // namespace warplens::model
