// Whose reads L2 is asked for once: two SMs, or all of them, read the same lines at nearly the same time.
//
//   nvcc -arch=sm_90 -o together together.cu
//   ncu --cache-control none --clock-control none --csv --page raw --print-units base --metrics
//     lts__t_sectors_srcunit_tex_op_read.sum,l1tex__m_xbar2l1tex_read_sectors.sum ./together
//
// One line a launch, in the profiler's order: what was asked, then where (the SM of each block). Sectors that
// L2 was asked for, and that SMs were given, are the profiler's.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kLines = 64, kCluster = 16;

struct Ask {
  int first, second;        // blocks of a cluster that read
  int delay, gap;           // cycles from the one to the other, and from one line to the next
  int lanes, second_lanes;  // that read: eight of them ask for a sector
  int before;               // a block that has read all of it before, or -1
};

__device__ unsigned here() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

__device__ int read(const int* from) {
  int value;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(from));
  return value;
}

__global__ void two(const int* data, Ask ask, int* where, int* sink) {
  if (threadIdx.x == 0) where[blockIdx.x] = here();
  const int rank = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  int sum = 0;
  if (rank == ask.before)
    for (int k = warp; k < kLines; k += warps) sum += read(data + k * 32 + lane);
  asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
  const long long begin = clock64() + 200 + (rank == ask.first ? 0 : ask.delay);
  if (rank == ask.first || rank == ask.second)
    for (int k = warp; k < kLines; k += warps) {
      while (clock64() < begin + k * ask.gap) {
      }
      if (lane < (rank == ask.first ? ask.lanes : ask.second_lanes)) sum += read(data + k * 32 + lane);
    }
  if (sum == 12345) *sink = sum;
}

__global__ void every(const int* data, int lines, int* where, int* sink) {
  if (threadIdx.x == 0) where[blockIdx.x] = here();
  int sum = 0;
  for (int k = 0; k < lines; ++k) sum += read(data + k * 32 + threadIdx.x + sum);
  if (sum == 12345) *sink = sum;
}

int* data;
int* where;
size_t next = 0;

const int* fresh(int lines) {
  const int* out = data + next;
  next += size_t(lines) * 32;
  return out;
}

void told(int blocks) {
  std::vector<int> at(blocks);
  cudaMemcpy(at.data(), where, blocks * 4, cudaMemcpyDeviceToHost);
  for (const int sm : at) printf(" %d", sm);
  printf("\n");
}

void pair(const char* what, Ask ask, int threads = 32) {
  cudaLaunchConfig_t launch{};
  launch.gridDim = kCluster;
  launch.blockDim = threads;
  launch.dynamicSmemBytes = 200 << 10;
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {kCluster, 1, 1};
  launch.attrs = &cluster;
  launch.numAttrs = 1;
  const cudaError_t error = cudaLaunchKernelEx(&launch, two, fresh(kLines), ask, where, where + 1000);
  if (error != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) exit(printf("failed %d\n", static_cast<int>(error)));
  printf("%s, blocks %d and %d, %d cycles later, lanes %d and %d, on", what, ask.first, ask.second, ask.delay,
         ask.lanes, ask.second_lanes);
  told(kCluster);
}

int main() {
  cudaMalloc(&data, 256 << 20);
  cudaMemset(data, 0, 256 << 20);
  cudaMalloc(&where, 8000);
  cudaFuncSetAttribute(two, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  cudaFuncSetAttribute(two, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
  cudaFuncSetAttribute(every, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
  for (int a = 0; a < kCluster; ++a)
    for (int b = a + 1; b < kCluster; ++b) pair("pair", {a, b, 0, 2000, 32, 32, -1});
  for (const int b : {1, 2, 4, 8})
    for (const int delay : {10, 20, 40, 80, 120, 160, 200, 300, 400, 500, 600, 700, 800, 1000, 1400})
      for (const int before : {-1, 15}) pair(before < 0 ? "cold" : "in L2", {0, b, delay, 4000, 32, 32, before});
  for (const int b : {1, 2, 4, 8})
    for (const int delay : {0, 40}) {
      pair("first half of it", {0, b, delay, 4000, 16, 32, -1});
      pair("second half of it", {0, b, delay, 4000, 32, 16, -1});
      pair("in a row", {0, b, delay, 0, 32, 32, -1}, 32);
      pair("in a row, 32 warps", {0, b, delay, 0, 32, 32, -1}, 1024);
    }
  for (const int lines : {64, 2048})
    for (const int blocks : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 132}) {
      every<<<blocks, 32, 200 << 10>>>(fresh(lines), lines, where, where + 1000);
      cudaDeviceSynchronize();
      printf("all, %d blocks, %d lines, on", blocks, lines);
      told(blocks);
    }
}
