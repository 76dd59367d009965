// Indexes that leave their array. How to read these files: broken_test.cpp.
#include <cstdint>

//! run 4 256 buf:f32:1000:iota buf:f32:1000:zero i32:1000
//! run 8 128 buf:f32:1023:iota buf:f32:1023:zero i32:1023
//! run 1 1024 buf:f32:1:iota buf:f32:1:zero i32:1
//! expect out_of_bounds "the last index is"
__global__ void bound_is_off_by_one(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = in[i] * 2.0f;  //! here
}
//! run 4 256 buf:f32:1000:iota buf:f32:1000:zero i32:1000
//! run 8 128 buf:f32:1023:iota buf:f32:1023:zero i32:1023
//! run 1 1024 buf:f32:1:iota buf:f32:1:zero i32:1
__global__ void bound_is_right(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 2.0f;
}

//! run 8 128 buf:f32:1000:iota buf:f32:1000:zero
//! run 4 256 buf:f32:1001:iota buf:f32:1001:zero
//! expect out_of_bounds "bounds check"
__global__ void ragged_tail(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1.0f;  //! here
}

//! run 4 256 buf:f32:1024:iota buf:f32:1024:zero i32:1024
//! expect out_of_bounds "element 1,024 of argument 0"
//! run 1 32 buf:f32:32:iota buf:f32:32:zero i32:32
//! expect out_of_bounds "element 32 of argument 0"
__global__ void neighbour_behind_the_end(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i + 1] - in[i];  //! here
}
//! run 4 256 buf:f32:1024:iota buf:f32:1024:zero i32:1024
//! run 1 32 buf:f32:32:iota buf:f32:32:zero i32:32
__global__ void neighbour_inside(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) out[i] = in[i + 1] - in[i];
}

//! run 4 256 buf:f32:1024:iota buf:f32:1024:zero i32:1024
//! expect out_of_bounds "negative"
__global__ void neighbour_before_the_start(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.5f * (in[i - 1] + in[i]);  //! here
}
//! run 4 256 buf:f32:1024:iota buf:f32:1024:zero i32:1024
__global__ void neighbour_clamped(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.5f * (in[max(i - 1, 0)] + in[i]);
}

// The next row lies where the next buffer begins: the distance is larger than any gap between buffers.
//! run 4x4 16x16 buf:f32:4096:iota buf:f32:4096:zero i32:64 i32:64
//! expect out_of_bounds
__global__ void next_row_of_last_row(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = in[(y + 1) * width + x];  //! here
}
//! run 4x4 16x16 buf:f32:4096:iota buf:f32:4096:zero i32:64 i32:64
__global__ void next_row_if_there_is_one(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = in[min(y + 1, height - 1) * width + x];
}

// Thousands of elements too far, into the middle of another argument.
//! run 4 256 buf:i32:1024:iota buf:i32:8192:zero buf:i32:8192:zero i32:1024
//! expect out_of_bounds "of argument 0, which has 1,024 elements"
__global__ void into_another_buffer(const int* a, int* b, int* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i + 2 * n];  //! here
  c[i] = b[i];
}
//! run 4 256 buf:i32:3072:iota buf:i32:8192:zero buf:i32:8192:zero i32:1024
__global__ void far_but_inside(const int* a, int* b, int* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i + 2 * n];
  c[i] = b[i];
}

//! run 2x8 32x8 buf:f32:4096:iota buf:f32:4096:zero i32:64 i32:64
//! run 4x2 32x8 buf:f32:2048:iota buf:f32:2048:zero i32:128 i32:16
//! run 1x16 32x8 buf:f32:3840:iota buf:f32:3840:zero i32:30 i32:128
__global__ void indexes_in_order(const float* in, float* out, int width, int height) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < height && col < width) out[row * width + col] = in[row * width + col];
}
//! run 4x2 32x8 buf:f32:2048:iota buf:f32:2048:zero i32:128 i32:16
//! expect out_of_bounds
__global__ void indexes_swapped(const float* in, float* out, int width, int height) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < height && col < width) out[col * width + row] = in[row * width + col];  //! here
}

//! run 4 64 buf:f32:1024:iota buf:f32:256:zero i32:4
__global__ void strided(const float* in, float* out, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * stride];
}
//! run 4 64 buf:f32:1024:iota buf:f32:256:zero i32:5
//! expect out_of_bounds "of argument 0, which has 1,024 elements"
__global__ void strided_too_far(const float* in, float* out, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * stride];  //! here
}

// Written as int4: the last vector is half inside.
//! run 1 64 buf:i32:250:iota buf:i32:256:zero i32:250
//! expect out_of_bounds
__global__ void last_vector(const int4* in, int4* out, int n) {
  int i = threadIdx.x;
  if (i < (n + 3) / 4) out[i] = in[i];  //! here
}
//! run 1 64 buf:i32:250:iota buf:i32:256:zero i32:250
__global__ void last_vector_by_elements(const int* in, int* out, int n) {
  int i = threadIdx.x;
  if (i < n / 4) {
    reinterpret_cast<int4*>(out)[i] = reinterpret_cast<const int4*>(in)[i];
  } else if (i == n / 4) {
    for (int k = i * 4; k < n; ++k) out[k] = in[k];
  }
}

//! run 2 128 buf:i32:256:hash buf:i32:64:zero i32:256
//! expect out_of_bounds
__global__ void bin_of_a_negative_number(const int* values, int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[values[i] % 64], 1);  //! here
}
//! run 2 128 buf:i32:256:hash buf:i32:64:zero i32:256
__global__ void bin_of_any_number(const int* values, int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[unsigned(values[i]) % 64], 1);
}

// 32-bit products that overflow: 70000 * 70000.
//! run 1 32 buf:f32:64:zero i32:70000
//! expect out_of_bounds
__global__ void product_overflows(float* out, int width) {
  int y = 70000 + threadIdx.x;
  out[y * width] = 1.0f;  //! here
}
//! run 1 32 buf:f32:64:zero i32:70000
__global__ void product_checked(float* out, int width) {
  long long y = 70000 + threadIdx.x;
  if (y * width < 64) out[y * width] = 1.0f;
}

//! run 1 64 buf:f32:64:iota
//! run 2 64 buf:f32:128:iota
//! expect out_of_bounds "the shared array tile at byte 256"
__global__ void shared_overrun(float* data) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  tile[t + 1] = data[blockIdx.x * 64 + t];  //! here
  __syncthreads();
  data[blockIdx.x * 64 + t] = tile[t];
}
//! run 1 64 buf:f32:64:iota
//! run 2 64 buf:f32:128:iota
__global__ void shared_with_halo(float* data) {
  __shared__ float tile[65];
  int t = threadIdx.x;
  if (t == 0) tile[0] = 0.0f;
  tile[t + 1] = data[blockIdx.x * 64 + t];
  __syncthreads();
  data[blockIdx.x * 64 + t] = tile[t];
}

// Out of one shared array, into its neighbour.
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
//! expect out_of_bounds "first"
__global__ void shared_into_neighbour(const float* in, float* out) {
  __shared__ float first[64], second[64];
  int t = threadIdx.x;
  first[t] = in[t];
  second[t] = 2.0f * in[t];
  __syncthreads();
  out[t] = first[t + 32] + second[63 - t];  //! here
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
__global__ void shared_two_arrays(const float* in, float* out) {
  __shared__ float first[64], second[64];
  int t = threadIdx.x;
  first[t] = in[t];
  second[t] = 2.0f * in[t];
  __syncthreads();
  out[t] = first[(t + 32) % 64] + second[63 - t];
}

//! run 1 64 100 buf:f32:64:iota
//! expect out_of_bounds "100 bytes"
//! run 2 128 511 buf:f32:256:iota
//! expect out_of_bounds "511 bytes"
__global__ void dynamic_too_small(float* data) {
  extern __shared__ float tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = data[i];  //! here
  __syncthreads();
  data[i] = tile[blockDim.x - 1 - threadIdx.x];
}
//! run 1 64 256 buf:f32:64:iota
//! run 2 128 512 buf:f32:256:iota
__global__ void dynamic_large_enough(float* data) {
  extern __shared__ float tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = data[i];
  __syncthreads();
  data[i] = tile[blockDim.x - 1 - threadIdx.x];
}
//! run 1 64 buf:f32:64:iota
//! expect out_of_bounds "needs its size in the launch"
__global__ void dynamic_forgotten(float* data) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = data[threadIdx.x];  //! here
  __syncthreads();
  data[threadIdx.x] = tile[63 - threadIdx.x];
}

//! run 1 32 buf:i32:32:iota
//! expect out_of_bounds "local array"
__global__ void local_overrun(int* data) {
  int best[5];
  for (int k = 0; k < 5; ++k) best[k] = data[(threadIdx.x + k) % 32];
  int last = data[31] - 26;          // 5: one behind the end
  best[last] = 7;                    //! here
  data[threadIdx.x] = best[data[0]];
}
//! run 1 32 buf:i32:32:iota
__global__ void local_inside(int* data) {
  int best[5];
  for (int k = 0; k < 5; ++k) best[k] = data[(threadIdx.x + k) % 32];
  __syncthreads();
  int last = data[31] - 27;
  best[last] = 7;
  int first = data[0];
  __syncthreads();
  data[threadIdx.x] = best[first];
}

//! run 1 32 buf:i32:32:iota
//! expect out_of_bounds
__global__ void local_before_the_start(int* data) {
  int stack[16];
  int top = 0;
  for (int k = 0; k < 16; ++k) stack[k] = k;
  for (int k = 0; k <= data[16]; ++k) top = stack[--top + k * 0];  //! here
  data[threadIdx.x] = top;
}

__constant__ float coefficients[8] = {1, 2, 3, 4, 5, 6, 7, 8};
//! run 1 32 buf:f32:32:zero
//! expect out_of_bounds "constant"
__global__ void constant_overrun(float* out) {
  out[threadIdx.x] = coefficients[threadIdx.x];  //! here
}
//! run 1 32 buf:f32:32:zero
__global__ void constant_inside(float* out) {
  out[threadIdx.x] = coefficients[threadIdx.x % 8];
}

__device__ int counters[16];
//! run 1 32 buf:i32:32:iota
//! expect out_of_bounds "counters"
__global__ void variable_overrun(const int* in) {
  atomicAdd(&counters[in[threadIdx.x]], 1);  //! here
}
//! run 1 32 buf:i32:32:iota
__global__ void variable_inside(const int* in) {
  atomicAdd(&counters[in[threadIdx.x] / 2], 1);
}

//! run 1 32 i64:0 buf:i32:32:zero
//! expect invalid_address "null pointer"
__global__ void null_pointer(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  //! here
}
//! run 1 32 i64:0 buf:i32:32:zero
__global__ void null_pointer_tested(const int* in, int* out) {
  out[threadIdx.x] = in != nullptr ? in[threadIdx.x] : -1;
}

//! run 1 32 i64:94873264128 buf:i32:32:zero
//! expect out_of_bounds
__global__ void host_pointer(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  //! here
}

//! run 1 4 buf:i32:4:zero
//! expect out_of_bounds
__global__ void used_after_free(int* out) {
  int* p = static_cast<int*>(malloc(16));
  p[0] = threadIdx.x;
  free(p);
  out[threadIdx.x] = p[0];  //! here
}
//! run 1 4 buf:i32:4:zero
__global__ void used_before_free(int* out) {
  int* p = static_cast<int*>(malloc(16));
  p[0] = threadIdx.x;
  out[threadIdx.x] = p[0];
  free(p);
}
//! run 1 4 buf:i32:4:zero
//! expect out_of_bounds
__global__ void heap_overrun(int* out) {
  int* p = static_cast<int*>(malloc(16));
  for (int k = 0; k <= 4; ++k) p[k] = k;  //! here
  out[threadIdx.x] = p[3];
  free(p);
}
//! run 1 4 buf:i32:4:zero
//! expect invalid_address "null pointer"
__global__ void malloc_not_tested(int* out) {
  int* p = static_cast<int*>(malloc(size_t(1) << 30));
  p[0] = 1;  //! here
  out[threadIdx.x] = p[0];
}
//! run 1 4 buf:i32:4:zero
__global__ void malloc_tested(int* out) {
  int* p = static_cast<int*>(malloc(size_t(1) << 30));
  if (p == nullptr) return;
  p[0] = 1;
  out[threadIdx.x] = p[0];
}

// The smallest blocks until the heap is full: searching it must not take longer the more there are.
//! run 1 32 buf:i32:32:zero
__global__ void heap_filled(int* out) {
  int n = 0;
  while (malloc(1) != nullptr) ++n;
  out[threadIdx.x] = n;
}
