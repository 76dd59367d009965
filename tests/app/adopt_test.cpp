// A user's file as it opens: what its host code says, and what Warplens adds where that says nothing.
#include "app/model/opened/adopt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/model/opened/give.h"
#include "app/model/run/signature.h"

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

// What another kernel of the file needs would take room from L1, and from blocks beside it.
TEST(Adopt, OnlyAKernelThatUsesADynamicArrayGetsRoomForIt) {
  const auto program = program_of(R"cu(
__device__ float first_of(const float* in) {
  extern __shared__ float rest[];
  rest[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  return rest[0];
}
__global__ void staged(const float* in, float* out) { out[threadIdx.x] = first_of(in); }
__global__ void plain(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
)cu");
  ASSERT_TRUE(program);
  const auto staged = adopt(*program, "staged"), plain = adopt(*program, "plain");
  ASSERT_TRUE(staged && plain);
  EXPECT_NE(about(staged->assumed, "shared"), nullptr);
  EXPECT_EQ(staged->kernel.shared, "16 * block") << "as aligned as nvcc makes it";
  EXPECT_EQ(about(plain->assumed, "shared"), nullptr);
  EXPECT_EQ(plain->kernel.shared, "0");
  EXPECT_EQ(ending_of(program, staged->kernel, default_values(staged->kernel)), "completed");
}

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
  EXPECT_THAT(adopted.error().message, testing::HasSubstr("fill is a template"));
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

// "data: const float*, n: size_t" of each kernel, by its mangled name.
std::string parameters_of(const Program& program, const std::string& kernel) {
  std::string out;
  for (const ptx::Function* entry : entries_of(program)) {
    const Signature signature = signature_of(program, *entry);
    if (signature.name != kernel) continue;
    for (const Parameter& parameter : signature.parameters)
      out += (out.empty() ? "" : ", ") + parameter.name + ": " + parameter.written;
  }
  return out;
}

TEST(Signature, NamesAndTypesAreThoseOfTheSource) {
  const auto program = program_of(R"cu(
#define KERNEL extern "C" __global__
#define FILL(T) __global__ void fill_##T(T* values, int count) { values[threadIdx.x] = count; }
typedef struct { float x, y; } Point;
KERNEL void move(const Point* __restrict__ points, unsigned n, float* out, size_t step) { out[n] = points[n].x + step; }
FILL(float)
namespace a { __global__ void same(int* first) { *first = 1; } }
namespace b { __global__ void same(float* second, int third) { *second = third; } }
__global__ void over(int* ints, int n) { ints[n] = n; }
__global__ void over(float* floats, int m) { floats[m] = m; }
__global__ void quiet(int*, int n) {}
template <typename T> __global__ void copy(T* to, const T* from) { *to = *from; }
template __global__ void copy<double>(double*, const double*);
)cu");
  ASSERT_TRUE(program);
  EXPECT_EQ(parameters_of(*program, "move"), "points: const Point*, n: unsigned, out: float*, step: size_t");
  EXPECT_EQ(parameters_of(*program, "fill_float"), "values: float*, count: int");
  EXPECT_EQ(parameters_of(*program, "a::same"), "first: int*");
  EXPECT_EQ(parameters_of(*program, "b::same"), "second: float*, third: int");
  const std::string both = parameters_of(*program, "over");
  EXPECT_THAT(both, testing::HasSubstr("ints: int*, n: int"));
  EXPECT_THAT(both, testing::HasSubstr("floats: float*, m: int"));
  EXPECT_EQ(parameters_of(*program, "quiet"), "argument 0: int*, n: int");
  EXPECT_EQ(parameters_of(*program, "copy<double>"), "to: double*, from: double const*");
}

TEST(Signature, TemplatesThatWaitAreNamedBesideKernelsThatDoNot) {
  const auto program = program_of(R"cu(
template <typename T, int B> __global__ void fill(T* p) { p[B] = 1; }
template <typename T> __global__ void used(T* p) { *p = 1; }
__global__ void plain(int* p) { *p = 1; }
int main() { used<float><<<1, 1>>>(nullptr); }
)cu");
  ASSERT_TRUE(program);
  const auto waiting = waiting_templates(*program);
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0]->line, 2);
  EXPECT_EQ(example_instance(*waiting[0]), "fill<float, 256>");
  const auto asked = adopt(*program, "fill");
  ASSERT_FALSE(asked);
  EXPECT_THAT(asked.error().message,
              testing::HasSubstr("launch it in the host code, as fill<float, 256><<<"));
  EXPECT_THAT(asked.error().message, testing::HasSubstr("--kernel \"fill<float, 256>\""));
}

TEST(Adopt, ALaunchThatNoGpuRunsIsKeptAndRefused) {
  const auto program = program_of(R"cu(
__global__ void k(float* p) { p[threadIdx.x] = 1; }
int main() { float* p; cudaMalloc(&p, 8192); k<<<1, 2048>>>(p); }
)cu");
  ASSERT_TRUE(program);
  const auto adopted = adopt(*program, "");
  ASSERT_TRUE(adopted);
  EXPECT_EQ(about(adopted->assumed, "block"), nullptr);
  EXPECT_THAT(ending_of(program, adopted->kernel, default_values(adopted->kernel)),
              testing::HasSubstr("2,048 x 1 x 1 threads is too large"));
  const auto empty = program_of(R"cu(
__global__ void k(float* p) { p[threadIdx.x] = 1; }
int main() { int none = 0; float* p; cudaMalloc(&p, 8192); k<<<1, none>>>(p); }
)cu");
  const auto none = adopt(*empty, "");
  ASSERT_TRUE(none);
  EXPECT_THAT(ending_of(empty, none->kernel, default_values(none->kernel)),
              testing::HasSubstr("adopted.cu: 'block' is 0, which is no size"));
}

// Of several instances the launched one opens, not the first that was compiled.
TEST(Adopt, TheInstanceThatIsLaunchedIsChosen) {
  const auto program = program_of(R"cu(
template <typename T, unsigned B, bool Twice> __global__ void fill(T* p) { p[threadIdx.x] = Twice ? 2 * B : B; }
template <typename T> void run(int threads, T* p) {
  switch (threads) {
    case 512: fill<T, 512, true><<<1, threads>>>(p); break;
    case 256: fill<T, 256, true><<<1, threads>>>(p); break;
    case 128: fill<T, 128u, true><<<1, threads>>>(p); break;
  }
}
int main() { float* p; cudaMalloc(&p, 4096); run(128, p); }
)cu");
  ASSERT_TRUE(program);
  const auto adopted = adopt(*program, "");
  ASSERT_TRUE(adopted);
  EXPECT_EQ(adopted->kernel.title.at("en"), "fill<float, 128u, true>");
  EXPECT_EQ(default_values(adopted->kernel).at("block"), 128);
}

TEST(Adopt, WhyAFileShowsNoKernelIsSaid) {
  const auto why = [](const std::string& text) {
    const auto program = program_of(text);
    return program ? no_kernel(*program).text() : std::string();
  };
  EXPECT_THAT(why("int main() { return 0; }\n"), testing::HasSubstr("nothing in it is marked __global__"));
  EXPECT_THAT(why("void add(int* a) { a[0] = 1; }\nint main() {\n  add<<<1, 32>>>(0);\n}\n"),
              testing::HasSubstr("adopted.cu:3: add is launched here, but it is no kernel"));
  EXPECT_THAT(why(std::string("\xff\xfei\0n\0t\0", 8)), testing::HasSubstr("UTF-16"));
  EXPECT_THAT(why(std::string("int x\0;", 7)), testing::HasSubstr("byte 5 of it is 0"));
}

TEST(Adopt, StructuresThatAreMadeUpAreOwnedUpTo) {
  const auto program = program_of(R"cu(
template <class F> __global__ void apply(F f, int n) { if (threadIdx.x < n) f(threadIdx.x); }
int main() { int* p; cudaMalloc(&p, 400); apply<<<1, 128>>>([=] __device__(int i) { p[i] = i; }, 100); }
)cu");
  ASSERT_TRUE(program);
  const auto adopted = adopt(*program, "");
  ASSERT_TRUE(adopted);
  const auto ours = made_up_arguments(adopted->assumed);
  ASSERT_TRUE(ours);
  EXPECT_THAT(Catalogue::load("en")->text(*ours), testing::StartsWith("f: made up"));
}

// A pointer that nobody gave, in a structure or in a buffer, is no fault of the kernel; a kernel's own is.
TEST(Adopt, AddressesThatAreMadeUpAreOwnedUpTo) {
  const auto program = program_of(R"cu(
struct Entry { unsigned key; Entry* next; };
struct Table { unsigned long long count; Entry** entries; Entry* pool; };
__global__ void by_value(const unsigned* keys, Table table) {
  table.pool[threadIdx.x].key = keys[threadIdx.x];
}
__global__ void by_buffer(float* const* rows, float* out) { out[threadIdx.x] = rows[threadIdx.x][0]; }
__global__ void in_list(const Entry* head, unsigned* out) {
  unsigned sum = 0;
  for (const Entry* e = head; e != nullptr; e = e->next) sum += e->key;
  *out = sum;
}
__global__ void by_index(const int* column, const float* x, float* out) {
  out[threadIdx.x] = x[1000000000ll * column[threadIdx.x]];
}
__global__ void its_own(float* out) { *reinterpret_cast<double*>(out + 1) = threadIdx.x; }
)cu");
  ASSERT_TRUE(program);
  const auto catalogue = Catalogue::load("en");
  ASSERT_TRUE(catalogue);
  for (const auto& [kernel, whose] :
       {std::pair{"by_value", "table"}, std::pair{"by_buffer", "rows"}, std::pair{"in_list", "head"},
        std::pair{"by_index", "column"}, std::pair{"its_own", ""}}) {
    auto adopted = adopt(*program, kernel);
    ASSERT_TRUE(adopted) << kernel;
    list_arguments(*program, *adopted);
    const auto bound = launch_of(adopted->kernel, default_values(adopted->kernel));
    ASSERT_TRUE(bound) << kernel;
    RunRequest request;
    request.program = program;
    request.launch = bound->launch;
    const auto run = execute(request);
    ASSERT_TRUE(run) << kernel;
    ASSERT_FALSE((*run)->report.faults.empty()) << kernel;
    trace::Fault fault = (*run)->report.faults[0];
    EXPECT_EQ(own_up_to_addresses(*program, request.launch.kernel, adopted->assumed, fault), *whose != 0)
        << kernel;
    const std::string text = catalogue->text(fault.what);
    if (*whose != 0)
      EXPECT_THAT(text, testing::HasSubstr("comes from what " + std::string(whose) + " holds")) << kernel;
    else
      EXPECT_THAT(text, testing::Not(testing::HasSubstr("made that up"))) << kernel;
  }
}

TEST(Give, EverythingAssumedCanBeChanged) {
  const auto program = program_of(R"cu(
__global__ void add(float* out, const int* keys, float by, int n) {
  int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = by + keys[i];
}
)cu");
  ASSERT_TRUE(program);
  auto adopted = adopt(*program, "add");
  ASSERT_TRUE(adopted);
  list_arguments(*program, *adopted);
  for (const char* what : {"grid", "block", "out", "keys", "by", "n"})
    ASSERT_NE(about(adopted->assumed, what), nullptr) << what;
  ASSERT_TRUE(give(*adopted, "grid", "4, 2"));
  ASSERT_TRUE(give(*adopted, "n", "100000"));
  ASSERT_TRUE(give(*adopted, "out", "2 * n"));
  ASSERT_TRUE(give(*adopted, "keys", "buf:i32:{n}:mod:7"));
  EXPECT_EQ(adopted->kernel.arguments[1], "buf:i32:{n}:mod:7");
  ASSERT_TRUE(give(*adopted, "keys", "buf:i32:3 * n:hash"));
  ASSERT_TRUE(give(*adopted, "by", "0.25"));
  const auto bound = launch_of(adopted->kernel, default_values(adopted->kernel));
  ASSERT_TRUE(bound) << bound.error().text();
  EXPECT_EQ(bound->launch.grid, (Dim3{4, 2, 1}));
  EXPECT_EQ(bound->launch.arguments[0].count, 200000u);
  EXPECT_EQ(bound->launch.arguments[1].count, 300000u);
  EXPECT_EQ(bound->launch.arguments[2].text, "f32:0.25");
  EXPECT_EQ(bound->launch.arguments[3].text, "i32:100000");
  EXPECT_EQ(about(adopted->assumed, "by")->why.key, "assumed.yours");
}

TEST(Give, WhatDoesNotFitChangesNothing) {
  const auto program = program_of("__global__ void k(float* out, int n) { out[n] = 1; }\n");
  ASSERT_TRUE(program);
  auto adopted = adopt(*program, "");
  ASSERT_TRUE(adopted);
  const auto before = adopted->kernel.arguments;
  for (const auto& [what, text] : {std::pair{"grid", "0"},
                                   {"grid", "1,2,3,4"},
                                   {"block", "many"},
                                   {"n", "3.5"},
                                   {"out", "buf:f32"},
                                   {"out", "unknown * 2"},
                                   {"out", "buf:f32:unknown * 2:zero"},
                                   {"nobody", "1"}})
    EXPECT_FALSE(give(*adopted, what, text)) << what << " " << text;
  EXPECT_EQ(adopted->kernel.arguments, before);
}

}  // namespace
}  // namespace warplens::model
