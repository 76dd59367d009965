// Addresses that are no multiple of their width, and values that nobody wrote.
#include <cassert>
#include <cstdint>
#include <cstdio>

//! run 1 32 buf:f32:256:iota buf:f32:256:zero
//! expect misaligned "16"
__global__ void float4_at_any_float(const float* in, float* out) {
  int i = threadIdx.x;
  float4 v = *reinterpret_cast<const float4*>(in + i + 1);  //! here
  reinterpret_cast<float4*>(out)[i] = v;  //! here
}
//! run 1 32 buf:f32:256:iota buf:f32:256:zero
__global__ void float4_at_every_fourth(const float* in, float* out) {
  int i = threadIdx.x;
  float4 v = *reinterpret_cast<const float4*>(in + 4 * i + 4);
  reinterpret_cast<float4*>(out)[i] = v;
}

//! run 4 32 buf:f32:512:iota buf:f32:512:zero i32:101
//! expect misaligned
__global__ void rows_of_odd_width(const float* in, float* out, int width) {
  const float2* row = reinterpret_cast<const float2*>(in + blockIdx.x * width);
  out[blockIdx.x * width + threadIdx.x] = row[threadIdx.x].x + row[threadIdx.x].y;  //! here
}
//! run 4 32 buf:f32:512:iota buf:f32:512:zero i32:102
__global__ void rows_of_even_width(const float* in, float* out, int width) {
  const float2* row = reinterpret_cast<const float2*>(in + blockIdx.x * width);
  out[blockIdx.x * width + threadIdx.x] = row[threadIdx.x].x;
}

//! run 1 32 buf:u8:256:iota buf:i32:32:zero
//! expect misaligned
__global__ void number_inside_bytes(const unsigned char* packet, int* out) {
  out[threadIdx.x] = *reinterpret_cast<const int*>(packet + 3 + threadIdx.x * 4);  //! here
}
//! run 1 32 buf:u8:256:iota buf:i32:32:zero
__global__ void number_by_bytes(const unsigned char* packet, int* out) {
  int v = 0;
  for (int k = 0; k < 4; ++k) v |= packet[3 + threadIdx.x * 4 + k] << (8 * k);
  out[threadIdx.x] = v;
}

//! run 1 32 buf:f64:32:zero
//! expect misaligned
__global__ void doubles_behind_an_int(double* out) {
  extern __shared__ int pool[];
  __shared__ int raw[128];
  double* values = reinterpret_cast<double*>(raw + 1);
  values[threadIdx.x] = threadIdx.x;  //! here
  out[threadIdx.x] = values[threadIdx.x];
}
//! run 1 32 buf:f64:32:zero
__global__ void doubles_aligned(double* out) {
  __shared__ __align__(8) int raw[128];
  double* values = reinterpret_cast<double*>(raw + 2);
  values[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = values[threadIdx.x];
}

//! run 1 64 buf:f32:64:zero
//! run 3 64 buf:f32:192:zero
//! expect uninitialised_read "nobody has written"
__global__ void accumulator_not_cleared(float* out) {
  __shared__ float sum[64];
  sum[threadIdx.x] += threadIdx.x;  //! here
  out[blockIdx.x * 64 + threadIdx.x] = sum[threadIdx.x];
}
//! run 1 64 buf:f32:64:zero
//! run 3 64 buf:f32:192:zero
__global__ void accumulator_cleared(float* out) {
  __shared__ float sum[64];
  sum[threadIdx.x] = 0.0f;
  sum[threadIdx.x] += threadIdx.x;
  out[blockIdx.x * 64 + threadIdx.x] = sum[threadIdx.x];
}

//! run 2 64 buf:i32:128:mod:16 buf:i32:16:zero
//! expect uninitialised_read
__global__ void bins_not_cleared(const int* in, int* out) {
  __shared__ int bins[16];
  atomicAdd(&bins[in[blockIdx.x * 64 + threadIdx.x]], 1);  //! here
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
//! run 2 64 buf:i32:128:mod:16 buf:i32:16:zero
__global__ void bins_cleared(const int* in, int* out) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[blockIdx.x * 64 + threadIdx.x]], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// The last block is not full: the reduction reads what its missing threads did not load.
//! run 4 256 buf:f32:1000:iota buf:f32:4:zero i32:1000
//! expect uninitialised_read
__global__ void tail_not_padded(const float* in, float* out, int n) {
  __shared__ float part[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (i < n) part[t] = in[i];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];  //! here
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
//! run 4 256 buf:f32:1000:iota buf:f32:4:zero i32:1000
__global__ void tail_padded(const float* in, float* out, int n) {
  __shared__ float part[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  part[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

//! run 2 64 buf:f32:128:iota buf:f32:128:zero
//! expect uninitialised_read
__global__ void halo_not_loaded(const float* in, float* out) {
  __shared__ float tile[66];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  tile[t + 1] = in[i];
  __syncthreads();
  out[i] = tile[t] + tile[t + 1] + tile[t + 2];  //! here
}
//! run 2 64 buf:f32:128:iota buf:f32:128:zero
__global__ void halo_loaded(const float* in, float* out) {
  __shared__ float tile[66];
  int t = threadIdx.x, i = blockIdx.x * 64 + t, n = gridDim.x * 64;
  tile[t + 1] = in[i];
  if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0.0f;
  if (t == 63) tile[65] = i + 1 < n ? in[i + 1] : 0.0f;
  __syncthreads();
  out[i] = tile[t] + tile[t + 1] + tile[t + 2];
}

//! run 1 32 buf:i32:32:zero i32:3
//! expect uninitialised_read
__global__ void local_not_written(int* out, int from) {
  int values[8];
  for (int k = 0; k < from; ++k) values[(k + threadIdx.x) % 4] = k;
  out[threadIdx.x] = values[4 + from % 4];  //! here
}
//! run 1 32 buf:i32:32:zero i32:3
__global__ void local_written(int* out, int from) {
  int values[8] = {};
  for (int k = 0; k < from; ++k) values[(k + threadIdx.x) % 4] = k;
  out[threadIdx.x] = values[4 + from % 4];
}

//! run 1 4 buf:i32:4:zero
//! expect uninitialised_read
__global__ void heap_not_written(int* out) {
  int* p = static_cast<int*>(malloc(64));
  for (int k = 0; k < 15; ++k) p[k] = k;
  out[threadIdx.x] = p[15];  //! here
  free(p);
}
//! run 1 4 buf:i32:4:zero
__global__ void heap_written(int* out) {
  int* p = static_cast<int*>(malloc(64));
  for (int k = 0; k < 16; ++k) p[k] = k;
  out[threadIdx.x] = p[15];
  free(p);
}

//! run 2 64 buf:i32:128:iota
//! expect assertion "value < 100"
__global__ void assertion(const int* in) {
  int value = in[blockIdx.x * 64 + threadIdx.x];
  assert(value < 100);  //! here
}
//! run 2 64 buf:i32:128:iota
__global__ void assertion_holds(const int* in) {
  int value = in[blockIdx.x * 64 + threadIdx.x];
  assert(value < 128);
}
//! run 2 64 buf:i32:128:iota
//! expect trap
__global__ void trapped(const int* in) {
  if (in[blockIdx.x * 64 + threadIdx.x] == 77) __trap();  //! here
}

__device__ int sum_below(int n) {
  return n == 0 ? 0 : n + sum_below(n - 1) * (n % 3 + 1);
}
//! run 1 32 buf:i32:32:zero i32:1000000
//! expect stack_overflow
__global__ void recursion_too_deep(int* out, int depth) {
  out[threadIdx.x] = sum_below(depth + threadIdx.x);
}
//! run 1 32 buf:i32:32:zero i32:20
__global__ void recursion_ends(int* out, int depth) {
  out[threadIdx.x] = sum_below(depth + threadIdx.x);
}

// A division by zero is no fault on a GPU: all ones.
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
__global__ void division_by_zero(const int* in, int* out) {
  out[threadIdx.x] = 100 / in[threadIdx.x] + 100 % in[threadIdx.x];
}
