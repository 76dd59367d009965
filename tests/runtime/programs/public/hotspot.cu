// Heat on a chip, as benchmark suites have it: tiles with a halo in shared memory, buffers that change places.
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "../check.h"

constexpr int kTile = 16;

__global__ void step(const float* __restrict__ power, const float* __restrict__ from, float* __restrict__ to,
                     int rows, int columns, float k) {
  __shared__ float tile[kTile + 2][kTile + 2];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * kTile + tx, y = blockIdx.y * kTile + ty;
  auto at = [&](int r, int c) {
    r = min(max(r, 0), rows - 1);
    c = min(max(c, 0), columns - 1);
    return from[r * columns + c];
  };
  tile[ty + 1][tx + 1] = at(y, x);
  if (ty == 0) tile[0][tx + 1] = at(y - 1, x);
  if (ty == kTile - 1) tile[kTile + 1][tx + 1] = at(y + 1, x);
  if (tx == 0) tile[ty + 1][0] = at(y, x - 1);
  if (tx == kTile - 1) tile[ty + 1][kTile + 1] = at(y, x + 1);
  __syncthreads();
  if (x >= columns || y >= rows) return;
  const float centre = tile[ty + 1][tx + 1];
  to[y * columns + x] = centre + k * (power[y * columns + x] + tile[ty][tx + 1] + tile[ty + 2][tx + 1] +
                                      tile[ty + 1][tx] + tile[ty + 1][tx + 2] - 4 * centre);
}

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 200, columns = argc > 2 ? std::atoi(argv[2]) : 136, steps = 6;
  std::vector<float> power(rows * columns), heat(rows * columns), expected, next(rows * columns);
  for (int i = 0; i < rows * columns; ++i) power[i] = (i * 7 % 13) * 0.1f, heat[i] = 300 + i % 29;
  expected = heat;
  for (int s = 0; s < steps; ++s) {
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x) {
        auto at = [&](int r, int c) {
          r = std::min(std::max(r, 0), rows - 1), c = std::min(std::max(c, 0), columns - 1);
          return expected[r * columns + c];
        };
        next[y * columns + x] = at(y, x) + 0.1f * (power[y * columns + x] + at(y - 1, x) + at(y + 1, x) +
                                                   at(y, x - 1) + at(y, x + 1) - 4 * at(y, x));
      }
    std::swap(expected, next);
  }
  float *d_power, *d_from, *d_to;
  const size_t bytes = heat.size() * sizeof(float);
  CHECK(cudaMalloc(&d_power, bytes));
  CHECK(cudaMalloc(&d_from, bytes));
  CHECK(cudaMalloc(&d_to, bytes));
  CHECK(cudaMemcpy(d_power, power.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_from, heat.data(), bytes, cudaMemcpyHostToDevice));
  const dim3 block(kTile, kTile), grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  for (int s = 0; s < steps; ++s) {
    step<<<grid, block>>>(d_power, d_from, d_to, rows, columns, 0.1f);
    CHECK(cudaGetLastError());
    std::swap(d_from, d_to);
  }
  CHECK(cudaMemcpy(heat.data(), d_from, bytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < rows * columns; ++i) EXPECT(std::fabs(heat[i] - expected[i]) < 1e-2f);
  cudaFree(d_power), cudaFree(d_from), cudaFree(d_to);
  std::puts("PASSED: heat spread");
}
