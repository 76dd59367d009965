// Gaussian elimination: two kernels a column, sizes that shrink, double precision, a timer of events as samples have it.
#include <cmath>
#include <vector>

#include "../check.h"

class Timer {
 public:
  Timer() {
    CHECK(cudaEventCreate(&begin_));
    CHECK(cudaEventCreate(&end_));
  }
  ~Timer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  void start() { CHECK(cudaEventRecord(begin_, 0)); }
  float stop() {
    float ms = 0;
    CHECK(cudaEventRecord(end_, 0));
    CHECK(cudaEventSynchronize(end_));
    CHECK(cudaEventElapsedTime(&ms, begin_, end_));
    return ms;
  }

 private:
  cudaEvent_t begin_, end_;
};

__global__ void factors(const double* a, double* m, int n, int t) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1 - t) m[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
}
__global__ void rows(double* a, double* b, const double* m, int n, int t) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n - 1 - t || y >= n - t) return;
  a[n * (x + 1 + t) + y + t] -= m[n * (x + 1 + t) + t] * a[n * t + y + t];
  if (y == 0) b[x + 1 + t] -= m[n * (x + 1 + t) + t] * b[t];
}

int main() {
  const int n = 48;
  std::vector<double> a(n * n), b(n), x(n);
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += a[i * n + j] = i == j ? n : 1.0 / (1 + std::abs(i - j));
    b[i] = sum;  // all ones solve it
  }
  double *da, *db, *dm;
  CHECK(cudaMalloc(&da, n * n * sizeof(double)));
  CHECK(cudaMalloc(&dm, n * n * sizeof(double)));
  CHECK(cudaMalloc(&db, n * sizeof(double)));
  CHECK(cudaMemset(dm, 0, n * n * sizeof(double)));
  CHECK(cudaMemcpy(da, a.data(), n * n * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), n * sizeof(double), cudaMemcpyHostToDevice));
  Timer timer;
  timer.start();
  for (int t = 0; t < n - 1; ++t) {
    factors<<<(n - t + 31) / 32, 32>>>(da, dm, n, t);
    rows<<<dim3((n - t + 7) / 8, (n - t + 7) / 8), dim3(8, 8)>>>(da, db, dm, n, t);
  }
  const float ms = timer.stop();
  EXPECT(ms > 0);
  CHECK(cudaMemcpy(a.data(), da, n * n * sizeof(double), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(b.data(), db, n * sizeof(double), cudaMemcpyDeviceToHost));
  for (int i = n - 1; i >= 0; --i) {
    x[i] = b[i];
    for (int j = i + 1; j < n; ++j) x[i] -= a[i * n + j] * x[j];
    x[i] /= a[i * n + i];
    EXPECT(std::fabs(x[i] - 1) < 1e-9);
  }
  std::puts("PASSED: eliminated");
}
