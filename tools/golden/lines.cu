// What is joined in front of L2 when SMs of a GPC ask for different sectors of the same lines: which requests
// are remembered, how many, and what makes room for another (together.cu reads who joins, and for how long).
//
//   nvcc -arch=sm_90 -std=c++17 -o lines lines.cu
//   ncu --cache-control none --clock-control none --csv --page raw --print-units base --metrics
//     lts__t_sectors_srcunit_tex_op_read.sum,l1tex__m_xbar2l1tex_read_sectors.sum ./lines
//
// One line a launch, in the profiler's order: who asks for which sectors of a line (a bit each), when. All of
// it is done for kLines lines that nobody has read before, one line after the other, or a burst of them.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

constexpr int kLines = 64, kCluster = 16, kMost = 32;

struct Ask {
  int block, delay, sectors;
  int from;  // line of the group of `lines` that it begins with
  int again = -1, again_delay = 0;  // a block that asks for the same later
};

struct Asks {
  Ask of[kMost] = {};
  int count, gap;  // asks; cycles from one line to the next
  int lines;       // each ask reads so many in a row, one after the other without waiting
  int stride;      // lines from one turn to the next
};

__device__ int read(const int* from) {
  int value;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(from));
  return value;
}

// Warp n does the nth ask, if it is its block's.
__global__ void several(const int* data, Asks asks, int turns, int* sink) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Ask mine = asks.of[warp];
  int sum = 0;
  asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
  const bool again = mine.again == int(blockIdx.x);
  const long long begin = clock64() + 300 + (again ? mine.again_delay : mine.delay);
  if (mine.block == int(blockIdx.x) || again)
    for (int turn = 0; turn < turns; ++turn) {
      while (clock64() < begin + turn * asks.gap) {
      }
      const int* line = data + (turn * asks.stride + mine.from) * 32 + lane;
      if (mine.sectors >> (lane / 8) & 1) {
        if (asks.lines == 1) {
          sum += read(line);
        } else {
#pragma unroll 16
          for (int k = 0; k < asks.lines; ++k) sum += read(line + k * 32);
        }
      }
    }
  if (sum == 12345) *sink = sum;
}

int* data;
int* sink;
size_t next = 0;

void told(const char* what, std::vector<Ask> list, int lines = 1, int turns = kLines) {
  Asks asks{};
  asks.count = int(list.size());
  asks.gap = 6000;
  asks.lines = lines;
  int reach = lines;
  for (size_t n = 0; n < list.size(); ++n) {
    asks.of[n] = list[n];
    if (list[n].from + lines > reach) reach = list[n].from + lines;
  }
  asks.stride = reach;
  cudaLaunchConfig_t launch{};
  launch.gridDim = kCluster;
  launch.blockDim = 32 * int(list.size());
  launch.dynamicSmemBytes = 200 << 10;
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {kCluster, 1, 1};
  launch.attrs = &cluster;
  launch.numAttrs = 1;
  const int* from = data + next;
  next += (size_t(reach) * turns + 64) / 64 * 64 * 32;
  const cudaError_t error = cudaLaunchKernelEx(&launch, several, from, asks, turns, sink);
  if (error != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
    exit(printf("failed %d\n", static_cast<int>(error)));
  printf("%s, %d lines a turn, %d turns:", what, lines, turns);
  for (const Ask& a : list)
    if (a.again < 0)
      printf(" %d:%x@%d+%d", a.block, a.sectors, a.delay, a.from);
    else
      printf(" %d:%x@%d,%d@%d+%d", a.block, a.sectors, a.delay, a.again, a.again_delay, a.from);
  printf("\n");
}

int main() {
  cudaMalloc(&data, size_t(1) << 30);
  cudaMemset(data, 0, size_t(1) << 30);
  cudaMalloc(&sink, 4);
  cudaFuncSetAttribute(several, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  cudaFuncSetAttribute(several, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
  for (const int m : {1, 2, 8, 3, 12, 5, 7, 15}) told("the same", {{0, 0, m, 0}, {1, 60, m, 0}});
  const int two[][2] = {{1, 2}, {1, 4}, {1, 8}, {3, 12}, {15, 1}, {1, 15}, {1, 3}, {3, 1}, {7, 8}};
  for (const auto& [a, b] : two) {
    told("another SM between, the first again", {{0, 0, a, 0}, {2, 30, b, 0}, {1, 90, a, 0}});
    told("another SM between, its own again", {{0, 0, a, 0}, {2, 30, b, 0}, {1, 90, b, 0}});
    told("another SM between, both again", {{0, 0, a, 0}, {2, 30, b, 0}, {1, 90, a, 0}, {3, 120, b, 0}});
  }
  for (const auto& [a, b] : {std::pair{1, 2}, {1, 8}, {3, 12}}) {
    told("the same SM between, the first again", {{0, 0, a, 0}, {0, 30, b, 0}, {1, 90, a, 0}});
    told("the same SM between, the second again", {{0, 0, a, 0}, {0, 30, b, 0}, {1, 90, b, 0}});
    told("the same SM between, both again", {{0, 0, a, 0}, {0, 30, b, 0}, {1, 90, a, 0}, {1, 120, b, 0}});
  }
  for (const int apart : {4, 30})
    for (const int others : {1, 2, 3, 5, 7}) {
      std::vector<Ask> list;
      for (int sm = 0; sm <= others; ++sm)
        for (int s = 0; s < 4; ++s) list.push_back({sm, (sm == 0 ? 0 : 150) + s * apart, 1 << s, 0});
      told("four sectors one by one, then others alike", list);
    }
  // At once, from each SM all four.
  for (const int sms : {2, 4, 8}) {
    std::vector<Ask> list;
    for (int sm = 0; sm < sms; ++sm)
      for (int s = 0; s < 4; ++s) list.push_back({sm, s * 2, 1 << s, 0});
    told("four sectors at once, all alike", list);
  }
  for (const int sms : {2, 4, 8}) {
    std::vector<Ask> list;
    for (int sm = 0; sm < sms; ++sm)
      for (int s = 0; s < 4; ++s) list.push_back({sm, s * 2, 1 << (s + sm) % 4, 0});
    told("four sectors at once, each in its own order", list);
  }
  // When a line can be joined again after two asked for different sectors of it.
  for (const int between : {30, 300})
    for (const int later : {350, 450, 550, 650, 750, 900, 1100, 1400})
      told("different sectors, then two alike", {{0, 0, 1, 0}, {2, between, 8, 0}, {1, later, 2, 0}, {3, later + 30, 2, 0}});
  for (const int later : {350, 450, 550, 650, 750, 900, 1100, 1400})
    told("different sectors, then two for all of it", {{0, 0, 1, 0}, {2, 30, 8, 0}, {1, later, 15, 0}, {3, later + 30, 15, 0}});
  for (const int apart : {0, 1, 2, 4, 8, 16, 32})
    told("different sectors, then two alike soon", {{0, 0, 1, 0}, {2, 30, 8, 0}, {1, 150, 2, 0}, {3, 150 + apart, 2, 0}});
  for (const int apart : {0, 1, 2, 4, 8, 16, 32})
    told("different sectors, then four alike soon",
         {{0, 0, 1, 0}, {2, 30, 8, 0}, {1, 150, 2, 0}, {3, 150 + apart, 2, 0}, {4, 150 + 2 * apart, 2, 0}, {5, 150 + 3 * apart, 2, 0}});
  // The same where L2 holds the line: another SM has read it long before.
  for (const int second : {0, 5, 10, 20, 40})
    told("in L2, the same", {{15, 0, 15, 0}, {0, 2500, 1, 0}, {1, 2500 + second, 1, 0}});
  for (const int later : {2510, 2520, 2540, 2580, 2640, 2720, 2800, 2900, 3100}) {
    told("in L2, different sectors, then two alike",
         {{15, 0, 15, 0}, {0, 2500, 1, 0}, {2, 2505, 8, 0}, {1, later, 2, 0}, {3, later + 10, 2, 0}});
    told("in L2, different sectors, then two for all of it",
         {{15, 0, 15, 0}, {0, 2500, 1, 0}, {2, 2505, 8, 0}, {1, later, 15, 0}, {3, later + 10, 15, 0}});
  }
  for (const int sms : {2, 4, 6, 8}) {
    std::vector<Ask> list{{15, 0, 15, 0}};
    for (int sm = 0; sm < sms; ++sm) list.push_back({sm, 2500, 15, 0});
    told("in L2, several at once", list);
    list.clear();
    for (int sm = 0; sm < sms; ++sm) list.push_back({sm, 0, 15, 0});
    told("several at once", list);
  }
  // Neighbours.
  for (const int apart : {1, 2, 3, 4, 8, 16, 32})
    told("different sectors of a line further on between", {{0, 0, 1, 0}, {2, 30, 2, apart}, {1, 90, 1, 0}}, 1, 40);
  // How many lines are remembered: every warp has sixteen of them under way.
  for (const int sectors : {15, 1})
    for (const int warps : {1, 2, 4, 6, 8, 12, 16, 24, 32}) {
      std::vector<Ask> list;
      for (int w = 0; w < warps; ++w) list.push_back({0, 0, sectors, w * 16, 1, 120});
      told("a burst, then the same", list, 16, 1);
    }
  for (const int sms : {2, 4, 8, 12}) {
    std::vector<Ask> list;
    for (int sm = 0; sm < sms; ++sm)
      for (int w = 0; w < 2; ++w) list.push_back({sm, 0, 15, sm * 32 + w * 16, sm == 0 ? 15 : -1, 200});
    told("bursts of several SMs, then the first one's", list, 16, 1);
  }
}
