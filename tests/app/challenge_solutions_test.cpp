// Challenges solved in other ways than the reference: what computes the right thing is accepted, with the
// stars that it earns; what only looks as if it did is refused, and told why.
#include <gmock/gmock.h>

#include "app/lesson/grade.h"
#include "app/lesson/shelf.h"
#include "engine/analysis/fault_text.h"

namespace warplens::lesson {
namespace {

struct Solution {
  const char* name;
  const char* challenge;
  int stars;  // at least; 0: refused
  const char* text;
  int most = 0;  // stars; 0: any
};

const Solution kSolutions[] = {
    {"TransposeByRotation", "challenge_transpose", 1, R"(
__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8) {
    int r = threadIdx.y + row;
    tile[r][(threadIdx.x + r) % 32] = __ldg(&in[(y + row) * n + x]);
  }
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8)
    out[(y + row) * n + x] = tile[threadIdx.x][(threadIdx.y + row + threadIdx.x) % 32];
})"},
    {"TransposeWorkedOut", "challenge_transpose", 0, R"(
__global__ void transpose(const float* in, float* out, int n) {
  int x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8) out[(y + row) * n + x] = x * n + y + row;
})"},
    {"ReductionByShuffles", "challenge_reduction", 3, R"(
__global__ void sum(const int* in, int* out, int n) {
  __shared__ int part[8];
  int t = threadIdx.x, v = in[blockIdx.x * blockDim.x + t];
  for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
  if (t % 32 == 0) part[t / 32] = v;
  __syncthreads();
  if (t == 0) {
    int all = 0;
    for (int k = 0; k < 8; ++k) all += part[k];
    out[blockIdx.x] = all;
  }
})"},
    {"ReductionInOneWord", "challenge_reduction", 2, R"(
__global__ void sum(const int* in, int* out, int n) {
  __shared__ int all;
  if (threadIdx.x == 0) all = 0;
  __syncthreads();
  int v = __reduce_add_sync(0xffffffff, in[blockIdx.x * blockDim.x + threadIdx.x]);
  if (threadIdx.x % 32 == 0) atomicAdd(&all, v);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = all;
})"},
    {"RowsByInt4", "challenge_rows", 3, R"(
__global__ void row_sums(const int* in, int* out, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const int4* r = reinterpret_cast<const int4*>(in + row * 256);
  int4 a = r[lane], b = r[lane + 32];
  int sum = a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
  sum = __reduce_add_sync(0xffffffff, sum);
  if (lane == 0) out[row] = sum;
})"},
    {"ParticlesAsFloat4", "challenge_particles", 2, R"(
__global__ void energy(const float4* particles, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = __ldg(&particles[2 * i + 1]);
  out[i] = 0.5f * v.w * (v.x * v.x + v.y * v.y + v.z * v.z);
})"},
    {"TableWithoutATable", "challenge_constant", 3, R"(
__global__ void look_up(const unsigned int* at, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = at[i] * at[i];
})"},
    {"HistogramByOneBlock", "challenge_histogram", 1, R"(
__global__ void histogram(const unsigned char* in, unsigned int* bins, int n) {
  if (blockIdx.x > 0 || threadIdx.x >= 64) return;
  unsigned int count = 0;
  for (int i = 0; i < n; ++i) count += in[i] == threadIdx.x;
  bins[threadIdx.x] = count;
})",
     1},
    {"ReductionByOneThread", "challenge_reduction", 1, R"(
__global__ void sum(const int* in, int* out, int n) {
  if (threadIdx.x > 0) return;
  int all = 0;
  for (int k = 0; k < 256; ++k) all += in[blockIdx.x * 256 + k];
  out[blockIdx.x] = all;
})",
     1},
    {"NeighboursByFloat4", "challenge_neighbours", 3, R"(
__global__ void copy(const float* in, float* out, int n) {
  int first = 2 * blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 2; ++k) {
    int i = first + k * blockDim.x;
    if (4 * i < n) reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
  }
})"},
    {"NeighboursGuessed", "challenge_neighbours", 0, R"(
__global__ void copy(const float* in, float* out, int n) {
  int first = 8 * blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8; ++k) {
    int i = first + k * blockDim.x;
    if (i < n) out[i] = i;
  }
})"},
    {"NeighboursHalfDone", "challenge_neighbours", 0, R"(
__global__ void copy(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
})"},
    {"RaceThoughtThrough", "challenge_race", 3, R"(
__global__ void reverse(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1;  // turned round twice
})"},
    {"RaceGuessed", "challenge_race", 0, R"(
__global__ void reverse(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i + 1;
})"},
    {"HistogramByMatches", "challenge_histogram", 2, R"(
__global__ void histogram(const unsigned char* in, unsigned int* bins, int n) {
  __shared__ unsigned int mine[64];
  if (threadIdx.x < 64) mine[threadIdx.x] = 0;
  __syncthreads();
  int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
    unsigned int same = __match_any_sync(0xffffffff, in[i]);
    if (threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(&mine[in[i]], __popc(same));
  }
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
})"},
    {"DivergenceByWarps", "challenge_divergence", 1, R"(
__global__ void work(const int* in, int* out, int n) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  int i = warp / 2 * 64 + 2 * lane + warp % 2;
  unsigned int v = in[i];
  if (i % 2 == 0) {
    for (int k = 0; k < 32; ++k) v = v * 1664525u + 1013904223u + (v >> 7);
  } else {
    for (int k = 0; k < 32; ++k) v = (v ^ (v << 3)) + 12345u * k + (v >> 9);
  }
  out[i] = v;
})"},
    {"StencilInSharedMemory", "challenge_stencil", 2, R"(
__global__ void blur(const int* in, int* out, int n) {
  __shared__ int tile[264];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  tile[t + 4] = in[i];
  if (t < 4)
    tile[t] = i >= 4 ? in[i - 4] : 0;
  else if (t >= 252)
    tile[t + 8] = i + 4 < n ? in[i + 4] : 0;
  __syncthreads();
  int sum = 0;
  for (int d = 0; d <= 8; ++d) sum += tile[t + d];
  out[i] = sum;
})"},
    {"OccupancyWithLessRoom", "challenge_occupancy", 1, R"(
__global__ void smooth(const int* in, int* out, int n) {
  __shared__ int room[512];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  for (int k = 0; k < 4; ++k) room[k * 128 + t] = in[k * n + i];
  int least = room[t], most = room[t], sum = 0;
  for (int k = 0; k < 4; ++k) {
    int v = room[k * 128 + t];
    least = min(least, v);
    most = max(most, v);
    sum += v;
  }
  out[i] = sum - least - most;
})"},
    {"CompactionByBlocks", "challenge_compaction", 1, R"(
__global__ void keep(const int* in, int* out, unsigned int* count, int n) {
  __shared__ unsigned int mine, base;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) mine = 0;
  __syncthreads();
  bool kept = i < n && in[i] == 1;
  unsigned int at = kept ? atomicAdd(&mine, 1u) : 0;
  __syncthreads();
  if (threadIdx.x == 0) base = atomicAdd(count, mine);
  __syncthreads();
  if (kept) out[base + at] = 1;
})"},
};

class Solutions : public testing::TestWithParam<Solution> {};

TEST_P(Solutions, AreWorthWhatTheyDo) {
  const auto gallery = model::load_gallery();
  ASSERT_TRUE(gallery);
  const Shelf shelf = load_shelf(*gallery);
  const Lesson* const challenge = shelf.find(GetParam().challenge);
  ASSERT_TRUE(challenge);
  Runs runs(*gallery, nullptr);
  const auto grade = lesson::grade(runs, *challenge, GetParam().text);
  ASSERT_TRUE(grade) << grade.error().text();
  if (!grade->run && !grade->problems.empty() && grade->problems.front().kind == ErrorKind::System)
    GTEST_SKIP() << grade->problems.front().text();  // no compiler here
  const std::string why = grade->problems.empty() ? "no problem" : grade->problems.front().text();
  ASSERT_TRUE(grade->compiles) << why;
  if (GetParam().stars == 0) {
    EXPECT_EQ(grade->stars, 0);
    EXPECT_FALSE(grade->output_matches);
    return;
  }
  if (GetParam().most > 0) {
    EXPECT_LE(grade->stars, GetParam().most) << "it does far more work than the reference";
  }
  EXPECT_GE(grade->stars, GetParam().stars)
      << why << "; " << grade->by.value_or(-1) << " against " << grade->reference_by.value_or(-1);
}

// What is wrong stands there with its place; where luck decided what was computed, faults stand there
// instead.
TEST(Solution, AWrongOutputIsSaidWithItsFirstElement) {
  const auto gallery = model::load_gallery();
  ASSERT_TRUE(gallery);
  const Shelf shelf = load_shelf(*gallery);
  const Lesson* const challenge = shelf.find("challenge_race");
  ASSERT_TRUE(challenge);
  const auto reference = read_text(challenge->reference->file);
  ASSERT_TRUE(reference);
  const auto graded = [&](const std::string& what, const std::string& with) {
    std::string text = *reference;
    text.replace(text.find(what), what.size(), with);
    Runs runs(*gallery, nullptr);
    return *lesson::grade(runs, *challenge, text);
  };
  const Grade wrong = graded("other + 1", "other + (t == 5 ? 3 : 1)");
  if (!wrong.run) GTEST_SKIP() << "no compiler here";
  EXPECT_FALSE(wrong.output_matches);
  ASSERT_TRUE(wrong.differs);
  const auto say = Catalogue::load("en");
  ASSERT_TRUE(say);
  EXPECT_EQ(say->text(*wrong.differs), "The output is not right yet: out[250] is 253, not 251");
  EXPECT_FALSE(graded("other + 1", "1 + other").differs);
  const Grade raced = graded("__syncthreads();  // all have stored before anybody reads", "");
  EXPECT_FALSE(raced.output_matches);
  EXPECT_FALSE(raced.differs);
}

// An empty file is not the challenge's own text, which computes the right thing.
TEST(Solution, NoTextIsNoSolution) {
  const auto gallery = model::load_gallery();
  ASSERT_TRUE(gallery);
  const Shelf shelf = load_shelf(*gallery);
  const Lesson* const challenge = shelf.find("challenge_neighbours");
  ASSERT_TRUE(challenge);
  Runs runs(*gallery, nullptr);
  const auto grade = lesson::grade(runs, *challenge, "");
  ASSERT_TRUE(grade) << grade.error().text();
  EXPECT_FALSE(grade->run);
  EXPECT_FALSE(grade->output_matches);
  EXPECT_FALSE(grade->problems.empty());
}

// A loop whose condition nothing changes: said within seconds, not when a budget for anything is used up.
TEST(Solution, ALoopWithoutAnEndIsSaidToBeOne) {
  const auto gallery = model::load_gallery();
  ASSERT_TRUE(gallery);
  const Shelf shelf = load_shelf(*gallery);
  const Lesson* const challenge = shelf.find("challenge_reduction");
  ASSERT_TRUE(challenge);
  std::string text = *read_text(challenge->reference->file);
  const std::string step = "half /= 2";
  ASSERT_NE(text.find(step), std::string::npos);
  text.replace(text.find(step), step.size(), "");
  Runs runs(*gallery, nullptr);
  const auto grade = lesson::grade(runs, *challenge, text);
  ASSERT_TRUE(grade) << grade.error().text();
  if (!grade->run) GTEST_SKIP() << "no compiler here";
  EXPECT_EQ(grade->run->report.ending, analysis::Ending::Faulted);
  EXPECT_TRUE(analysis::goes_on_for_ever(grade->run->report.faults));
  EXPECT_FALSE(grade->output_matches);
  EXPECT_EQ(grade->stars, 0);
  EXPECT_TRUE(grade->problems.empty()) << "the fault says it";
}

// One that nothing proves to be endless ends with the budget, a thousand times what the challenge needs.
TEST(Solution, AFarTooLongLoopIsTakenForOneWithoutAnEnd) {
  const auto gallery = model::load_gallery();
  ASSERT_TRUE(gallery);
  const Shelf shelf = load_shelf(*gallery);
  const Lesson* const challenge = shelf.find("challenge_neighbours");
  ASSERT_TRUE(challenge);
  Runs runs(*gallery, nullptr);
  const auto grade = lesson::grade(
      runs, *challenge,
      "__global__ void copy(const float* in, float* out, int n) {\n  int i = blockIdx.x * blockDim.x + "
      "threadIdx.x;\n  for (unsigned k = 1; i < n && k != 0; k += 2) out[i] = in[i] * k;\n}\n");
  ASSERT_TRUE(grade) << grade.error().text();
  if (!grade->run) GTEST_SKIP() << "no compiler here";
  EXPECT_EQ(grade->run->report.ending, analysis::Ending::Budget);
  ASSERT_EQ(grade->problems.size(), 1u);
  ASSERT_TRUE(grade->problems[0].said);
  EXPECT_EQ(grade->problems[0].said->key, "lesson.no_end");
}

INSTANTIATE_TEST_SUITE_P(Challenges, Solutions, testing::ValuesIn(kSolutions),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace warplens::lesson
