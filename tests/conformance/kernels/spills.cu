// More values than registers: what ptxas keeps in local memory because __launch_bounds__ leaves it no choice.

// 64 values a thread where two blocks of 1,024 leave 32 registers.
extern "C" __global__ void __launch_bounds__(1024, 2) mix_columns(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[64];
#pragma unroll
  for (int k = 0; k < 64; ++k) v[k] = in[(i * 64 + k) % n];
  for (int round = 0; round < 4; ++round) {
#pragma unroll
    for (int k = 0; k < 64; ++k) v[k] = v[k] * v[(k * 7 + 3) % 64] + v[(k + 1) % 64];
  }
  float s = 0;
#pragma unroll
  for (int k = 0; k < 64; ++k) s += v[k] * (k + 1);
  out[i] = s;
}

// The same pressure in double precision, by threads of which some have nothing to do.
extern "C" __global__ void __launch_bounds__(1024, 2) dot_many_doubles(const double* a, const double* b, double* out,
                                                                       int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum[24];
#pragma unroll
  for (int k = 0; k < 24; ++k) sum[k] = 0;
  for (int j = 0; j < 8; ++j) {
    double x = a[row * 8 + j];
#pragma unroll
    for (int k = 0; k < 24; ++k) sum[k] += x * b[j * 24 + k];
  }
#pragma unroll
  for (int k = 0; k < 24; ++k) out[row * 24 + k] = sum[k];
}

// A sort network of 48 values, all of them alive at once.
extern "C" __global__ void __launch_bounds__(1024, 2) odd_even_48(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v[48];
#pragma unroll
  for (int k = 0; k < 48; ++k) v[k] = in[i * 48 + k];
  for (int pass = 0; pass < 24; ++pass) {
#pragma unroll
    for (int k = 0; k + 1 < 48; k += 2) {
      int low = min(v[k], v[k + 1]);
      v[k + 1] = max(v[k], v[k + 1]);
      v[k] = low;
    }
#pragma unroll
    for (int k = 1; k + 1 < 48; k += 2) {
      int low = min(v[k], v[k + 1]);
      v[k + 1] = max(v[k], v[k + 1]);
      v[k] = low;
    }
  }
#pragma unroll
  for (int k = 0; k < 48; ++k) out[i * 48 + k] = v[k];
}

// Spilled in one of two ways only.
extern "C" __global__ void __launch_bounds__(1024, 2) two_ways(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > 0.5f) {
    float v[56];
#pragma unroll
    for (int k = 0; k < 56; ++k) v[k] = in[(i + k * 3) % n];
#pragma unroll
    for (int k = 0; k < 56; ++k) v[k] += v[(k * 5 + 1) % 56] * v[(k * 11 + 2) % 56];
    float s = 0;
#pragma unroll
    for (int k = 0; k < 56; ++k) s += v[k] * v[(k * 3 + 7) % 56];
    out[i] = s;
  } else {
    out[i] = -in[i];
  }
}

// Whole warps leave early.
extern "C" __global__ void __launch_bounds__(1024, 2) horner_many(const float* x, const float* c, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float p[40];
#pragma unroll
  for (int k = 0; k < 40; ++k) p[k] = c[k];
  float t = x[i];
  for (int d = 1; d < 6; ++d) {
#pragma unroll
    for (int k = 0; k < 40; ++k) p[k] = p[k] * t + c[d * 40 + k];
  }
#pragma unroll
  for (int k = 0; k < 40; ++k) out[k * n + i] = p[k];
}
