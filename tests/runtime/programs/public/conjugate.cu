// Conjugate gradients in one cooperative launch: the grid meets between the steps, sums are kept in managed memory.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cmath>
#include <vector>

#include "../check.h"

namespace cg = cooperative_groups;

struct System {
  const int *rows, *columns;
  const float* values;
  int n;
};

__device__ void add_dot(const float* a, const float* b, int n, double* to, const cg::thread_block& block,
                        const cg::grid_group& grid) {
  extern __shared__ double sums[];
  double mine = 0;
  for (unsigned i = grid.thread_rank(); i < n; i += grid.size()) mine += double(a[i]) * b[i];
  auto warp = cg::tiled_partition<32>(block);
  mine = cg::reduce(warp, mine, cg::plus<double>());
  if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = mine;
  cg::sync(block);
  if (block.thread_rank() == 0) {
    double all = 0;
    for (unsigned w = 0; w < warp.meta_group_size(); ++w) all += sums[w];
    atomicAdd(to, all);
  }
  cg::sync(block);
}

__global__ void solve(System a, float* x, float* r, float* p, float* ap, double* dots, int* steps, float tolerance) {
  const cg::grid_group grid = cg::this_grid();
  const cg::thread_block block = cg::this_thread_block();
  add_dot(r, r, a.n, &dots[0], block, grid);
  grid.sync();
  double old = dots[0];
  int k = 0;
  for (; k < 200 && old > tolerance * tolerance; ++k) {
    for (unsigned i = grid.thread_rank(); i < a.n; i += grid.size()) {
      float sum = 0;
      for (int e = a.rows[i]; e < a.rows[i + 1]; ++e) sum += a.values[e] * p[a.columns[e]];
      ap[i] = sum;
    }
    if (grid.thread_rank() == 0) dots[1] = dots[2] = 0;
    grid.sync();
    add_dot(p, ap, a.n, &dots[1], block, grid);
    grid.sync();
    const float alpha = old / dots[1];
    for (unsigned i = grid.thread_rank(); i < a.n; i += grid.size()) x[i] += alpha * p[i], r[i] -= alpha * ap[i];
    grid.sync();
    add_dot(r, r, a.n, &dots[2], block, grid);
    grid.sync();
    const float beta = dots[2] / old;
    old = dots[2];
    for (unsigned i = grid.thread_rank(); i < a.n; i += grid.size()) p[i] = r[i] + beta * p[i];
    grid.sync();
  }
  if (grid.thread_rank() == 0) *steps = k;
}

int main() {
  int device = 0, cooperative = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
  EXPECT(cooperative);
  const int n = 1500;
  std::vector<int> row{0}, column;
  std::vector<float> value;
  for (int i = 0; i < n; ++i) {
    for (int j : {i - 1, i, i + 1})
      if (j >= 0 && j < n) column.push_back(j), value.push_back(j == i ? 4.0f : -1.0f);
    row.push_back(column.size());
  }
  int *rows, *columns, *steps;
  float *values, *x, *r, *p, *ap;
  double* dots;
  CHECK(cudaMallocManaged(&rows, row.size() * sizeof(int)));
  CHECK(cudaMallocManaged(&columns, column.size() * sizeof(int)));
  CHECK(cudaMallocManaged(&values, value.size() * sizeof(float)));
  for (float** v : {&x, &r, &p, &ap}) CHECK(cudaMallocManaged(v, n * sizeof(float)));
  CHECK(cudaMallocManaged(&dots, 3 * sizeof(double)));
  CHECK(cudaMallocManaged(&steps, sizeof(int)));
  std::copy(row.begin(), row.end(), rows);
  std::copy(column.begin(), column.end(), columns);
  std::copy(value.begin(), value.end(), values);
  for (int i = 0; i < n; ++i) x[i] = 0, r[i] = p[i] = 1;
  dots[0] = dots[1] = dots[2] = 0;
  System a{rows, columns, values, n};
  float tolerance = 1e-4f;
  const int threads = 128, shared = threads / 32 * sizeof(double);
  int blocks = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, solve, threads, shared));
  EXPECT(blocks > 0);
  void* arguments[] = {&a, &x, &r, &p, &ap, &dots, &steps, &tolerance};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(solve), dim3(4), dim3(threads), arguments, shared, nullptr));
  CHECK(cudaDeviceSynchronize());
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    double sum = -1;
    for (int e = rows[i]; e < rows[i + 1]; ++e) sum += double(values[e]) * x[columns[e]];
    worst = std::max(worst, std::fabs(sum));
  }
  EXPECT(*steps > 3 && *steps < 100 && worst < 1e-3);
  std::puts("PASSED: solved");
}
