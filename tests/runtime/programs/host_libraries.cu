// Host calls of cuBLAS, cuRAND and cuFFT, between kernels of the program.
#include <cublas_v2.h>
#include <cufft.h>
#include <cufftXt.h>
#include <curand.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "check.h"

__global__ void halve(float* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 0.5f;
}

template <typename T>
T* managed(size_t n) {
  T* p = nullptr;
  CHECK(cudaMallocManaged(&p, n * sizeof(T)));
  return p;
}

void blas() {
  constexpr int m = 3, n = 4, k = 5;
  float *a = managed<float>(m * k), *b = managed<float>(k * n), *c = managed<float>(m * n);
  for (int i = 0; i < m * k; ++i) a[i] = static_cast<float>(i % 7);
  for (int i = 0; i < k * n; ++i) b[i] = static_cast<float>(i % 5) - 2;
  cublasHandle_t handle;
  EXPECT(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
  const float alpha = 2, beta = 0;
  for (const bool transposed : {false, true}) {
    for (int i = 0; i < m * n; ++i) c[i] = NAN;  // not read with beta 0
    EXPECT(cublasSgemm(handle, CUBLAS_OP_N, transposed ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, &alpha, a, m, b,
                       transposed ? n : k, &beta, c, m) == CUBLAS_STATUS_SUCCESS);
    halve<<<1, 32>>>(c, m * n);
    CHECK(cudaDeviceSynchronize());
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        float sum = 0;
        for (int p = 0; p < k; ++p) sum += a[i + p * m] * (transposed ? b[j + p * n] : b[p + j * k]);
        EXPECT(c[i + j * m] == sum);
      }
  }
  float dot = 0, norm = 0;
  EXPECT(cublasSdot(handle, m, a, 1, a, 1, &dot) == CUBLAS_STATUS_SUCCESS && dot == 5);
  EXPECT(cublasSnrm2(handle, m, a, 1, &norm) == CUBLAS_STATUS_SUCCESS);
  EXPECT(std::fabs(norm - std::sqrt(5.0f)) < 1e-6f);
  EXPECT(cublasSaxpy(handle, m, &alpha, a, 1, a + m, 1) == CUBLAS_STATUS_SUCCESS && a[m + 2] == 5 + 2 * 2);
  int most = 0;
  EXPECT(cublasIsamax(handle, m, a, 1, &most) == CUBLAS_STATUS_SUCCESS && most == 3);
  EXPECT(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, a, 1, b, k, &beta, c, m) ==
         CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(cublasStrsv(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, m, a, m, c, 1) ==
         CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS);
}

// Triangles of every kind: B is made of a known X.
void solve() {
  constexpr int m = 4, n = 3;
  cublasHandle_t handle;
  EXPECT(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
  double *a = managed<double>(m * m), *b = managed<double>(m * n);
  for (int i = 0; i < m * m; ++i) a[i] = i % 5 + 1 + (i % (m + 1) == 0 ? 8 : 0);
  for (int kind = 0; kind < 16; ++kind) {
    const bool left = kind & 1, lower = kind & 2, transposed = kind & 4, unit = kind & 8;
    const int size = left ? m : n;
    auto op = [&](int i, int j) {
      if (transposed) std::swap(i, j);
      if (i == j && unit) return 1.0;
      return (lower ? i >= j : i <= j) ? a[i + j * m] : 0.0;
    };
    auto x = [&](int i, int j) { return 1.0 + i + 2 * j; };
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        b[i + j * m] = 0;
        for (int k = 0; k < size; ++k) b[i + j * m] += left ? op(i, k) * x(k, j) : x(i, k) * op(k, j);
      }
    const double alpha = 0.5;
    EXPECT(cublasDtrsm(handle, left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT,
                       lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER,
                       transposed ? CUBLAS_OP_T : CUBLAS_OP_N, unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, m,
                       n, &alpha, a, m, b, m) == CUBLAS_STATUS_SUCCESS);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) EXPECT(std::fabs(b[i + j * m] - alpha * x(i, j)) < 1e-9);
  }
  EXPECT(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS);
}

void random_numbers() {
  constexpr int n = 100000;
  float* p = managed<float>(n);
  curandGenerator_t generator;
  EXPECT(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT) == CURAND_STATUS_SUCCESS);
  EXPECT(curandSetPseudoRandomGeneratorSeed(generator, 1234) == CURAND_STATUS_SUCCESS);
  EXPECT(curandGenerateUniform(generator, p, n) == CURAND_STATUS_SUCCESS);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    EXPECT(p[i] > 0 && p[i] <= 1);
    sum += p[i];
  }
  EXPECT(std::fabs(sum / n - 0.5) < 0.01);
  EXPECT(curandGenerateNormal(generator, p, n, 3, 2) == CURAND_STATUS_SUCCESS);
  double mean = 0, square = 0;
  for (int i = 0; i < n; ++i) mean += p[i] / double(n);
  for (int i = 0; i < n; ++i) square += (p[i] - mean) * (p[i] - mean) / n;
  EXPECT(std::fabs(mean - 3) < 0.05 && std::fabs(square - 4) < 0.1);
  EXPECT(curandDestroyGenerator(generator) == CURAND_STATUS_SUCCESS);
}

void fourier() {
  constexpr int rows = 6, columns = 10;
  auto* data = managed<cufftComplex>(rows * columns);
  for (int i = 0; i < rows * columns; ++i) data[i] = {static_cast<float>(i % 7), static_cast<float>(i % 3)};
  const std::vector<cufftComplex> before(data, data + rows * columns);
  cufftHandle plan;
  EXPECT(cufftPlan2d(&plan, rows, columns, CUFFT_C2C) == CUFFT_SUCCESS);
  EXPECT(cufftExecC2C(plan, data, data, CUFFT_FORWARD) == CUFFT_SUCCESS);
  // One of its numbers, by the definition.
  double real = 0, imaginary = 0;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      const double turn = -2 * M_PI * (2.0 * y / rows + 3.0 * x / columns);
      const cufftComplex v = before[y * columns + x];
      real += v.x * std::cos(turn) - v.y * std::sin(turn);
      imaginary += v.x * std::sin(turn) + v.y * std::cos(turn);
    }
  EXPECT(std::fabs(data[2 * columns + 3].x - real) < 1e-3 &&
         std::fabs(data[2 * columns + 3].y - imaginary) < 1e-3);
  EXPECT(cufftExecC2C(plan, data, data, CUFFT_INVERSE) == CUFFT_SUCCESS);
  for (int i = 0; i < rows * columns; ++i)
    EXPECT(std::fabs(data[i].x / (rows * columns) - before[i].x) < 1e-4);
  EXPECT(cufftDestroy(plan) == CUFFT_SUCCESS);

  // Reals and back, two of them at once.
  constexpr int n = 8;
  auto* reals = managed<cufftReal>(2 * n);
  auto* half = managed<cufftComplex>(2 * (n / 2 + 1));
  for (int i = 0; i < 2 * n; ++i) reals[i] = static_cast<float>(i * i % 11);
  const std::vector<cufftReal> reals_before(reals, reals + 2 * n);
  cufftHandle there, back;
  EXPECT(cufftPlan1d(&there, n, CUFFT_R2C, 2) == CUFFT_SUCCESS);
  EXPECT(cufftPlan1d(&back, n, CUFFT_C2R, 2) == CUFFT_SUCCESS);
  EXPECT(cufftExecR2C(there, reals, half) == CUFFT_SUCCESS);
  EXPECT(cufftExecC2R(back, half, reals) == CUFFT_SUCCESS);
  for (int i = 0; i < 2 * n; ++i) EXPECT(std::fabs(reals[i] / n - reals_before[i]) < 1e-4);
  EXPECT(cufftExecC2C(1000, data, data, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);

  // As wide sizes and element types: there and back.
  cufftHandle wide;
  std::size_t room = 1;
  long long length = n;
  EXPECT(cufftCreate(&wide) == CUFFT_SUCCESS);
  EXPECT(cufftXtMakePlanMany(wide, 1, &length, nullptr, 1, 1, CUDA_C_32F, nullptr, 1, 1, CUDA_C_32F, 1, &room,
                             CUDA_C_32F) == CUFFT_SUCCESS);
  for (int i = 0; i < n; ++i) data[i] = {static_cast<float>(i), 1};
  EXPECT(cufftXtExec(wide, data, data, CUFFT_FORWARD) == CUFFT_SUCCESS);
  EXPECT(std::fabs(data[0].x - n * (n - 1) / 2.f) < 1e-4 && std::fabs(data[0].y - n) < 1e-4);
  EXPECT(cufftXtExec(wide, data, data, CUFFT_INVERSE) == CUFFT_SUCCESS);
  EXPECT(std::fabs(data[3].x / n - 3) < 1e-4 && std::fabs(data[3].y / n - 1) < 1e-4);
}

int main() {
  blas();
  solve();
  random_numbers();
  fourier();
  EXPECT(cudaGetLastError() == cudaSuccess);  // what a library refuses is no error of the runtime
  std::puts("libraries computed");
}
