// The mistakes that beginners make most often, each with what they must be told. The texts expected here are
// the advice: it has to fit this kernel and no other.
#include <cuda/atomic>

// The check lets n itself through.
//! run 4 256 buf:f32:1000:iota i32:1000
//! expect out_of_bounds "element 1,000 of argument 0, which has 1,000 elements: the last index is 999"
__global__ void off_by_one(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) a[i] *= 2;  //! here
}
//! run 4 256 buf:f32:1000:iota i32:1000
//! expect out_of_bounds "Add a bounds check (if (i < n))"
__global__ void no_bounds_check(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] *= 2;  //! here
}
// The check is there, but n says more than the buffer has.
//! run 8 256 buf:f32:1000:iota i32:2000
//! expect out_of_bounds "argument 1 is 2,000, more than the buffer has"
__global__ void buffer_smaller_than_n(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 2;  //! here
}
//! run 2x2 16x16 buf:f32:512:iota i32:32 i32:32
//! expect out_of_bounds "argument 1 x argument 2 is 1,024, more than the buffer has"
__global__ void image_smaller_than_its_extent(float* a, int width, int height) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) a[y * width + x] *= 2;  //! here
}
// Rows and columns are taken for each other.
//! run 2x1 16x16 buf:f32:512:iota i32:32 i32:16
//! expect out_of_bounds "Check the order of the factors"
__global__ void rows_for_columns(float* a, int width, int height) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) a[x * width + y] *= 2;  //! here
}
// A halo that begins before the array.
//! run 4 64 buf:f32:256:iota buf:f32:256:zero i32:256
//! expect out_of_bounds "the index is negative"
__global__ void halo_before_the_array(const float* in, float* out, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n - 1) out[i] = in[i - 1] + in[i] + in[i + 1];  //! here
}
//! run 1 64 buf:f32:64:iota
//! expect out_of_bounds "s[-1]"
__global__ void halo_before_the_shared_array(float* a) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  a[t] = s[t - 1] + s[t];  //! here
}
//! run 1 32 buf:f32:32:iota
//! expect out_of_bounds "s[-2]"
__global__ void index_before_the_second_shared_array(float* a) {
  __shared__ float first[32];
  __shared__ float s[32];
  int t = threadIdx.x;
  first[t] = a[t];
  s[t] = a[t];
  __syncthreads();
  a[t] = first[31 - t] + s[t - 2];  //! here
}
// A tile without room for its last column.
//! run 1 16x16 buf:f32:256:iota
//! expect out_of_bounds "tile[256]"
__global__ void column_past_the_tile(float* a) {
  __shared__ float tile[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = a[y * 16 + x];
  __syncthreads();
  a[y * 16 + x] = tile[y][x] + tile[y][x + 1];  //! here
}
// The block is larger than the array it fills.
//! run 1 256 buf:f32:256:iota
//! expect out_of_bounds "but it has 512 bytes"
__global__ void shared_array_smaller_than_the_block(float* a) {
  __shared__ float s[128];
  s[threadIdx.x] = a[threadIdx.x];  //! here
  __syncthreads();
  a[threadIdx.x] = s[127 - threadIdx.x % 128];
}
//! run 1 64 buf:f32:64:iota
//! expect out_of_bounds "needs its size in the launch"
__global__ void dynamic_size_forgotten(float* a) {
  extern __shared__ float dynamic[];
  dynamic[threadIdx.x] = a[threadIdx.x];  //! here
  __syncthreads();
  a[threadIdx.x] = dynamic[63 - threadIdx.x];
}
// Elements were given where bytes are asked for.
//! run 1 64 64 buf:f32:64:iota
//! expect out_of_bounds "it counts bytes, not elements"
__global__ void dynamic_size_in_elements(float* a) {
  extern __shared__ float elements[];
  elements[threadIdx.x] = a[threadIdx.x];  //! here
  __syncthreads();
  a[threadIdx.x] = elements[63 - threadIdx.x];
}
// Nothing between filling the array and reading it.
//! run 1 128 buf:f32:128:iota
//! expect race "a __syncthreads() between the two would order them"
__global__ void barrier_missing_behind_the_write(float* a) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = a[t];  //! there
  a[t] = s[127 - t];  //! here
}
// Nothing between reading the tile and filling it again.
//! run 1 64 buf:f32:256:iota buf:f32:64:zero
//! expect race "a __syncthreads() between the two would order them"
__global__ void barrier_missing_in_front_of_the_write(const float* in, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    s[t] = in[k * 64 + t];  //! here
    __syncthreads();
    sum += s[63 - t];  //! there
  }
  out[t] = sum;
}
//! run 1 128 buf:f32:128:iota buf:f32:1:zero
//! expect race "__syncthreads()"
__global__ void reduction_without_a_barrier(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int half = 64; half > 0; half /= 2)
    if (t < half) s[t] += s[t + half];  //! here
  if (t == 0) *out = s[0];
}
//! run 1 64 buf:f32:64:iota
//! expect divergent_barrier "move it out of the if"
__global__ void barrier_in_one_branch(float* a) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = a[t];
  if (t < 32) {
    __syncthreads();  //! here
    a[t] = s[63 - t];
  } else {
    __syncthreads();  //! here
    a[t] = s[t - 32] * 2;
  }
}
//! run 2 64 buf:f32:100:iota i32:100
//! expect divergent_barrier "move the return behind it"
__global__ void return_in_front_of_a_barrier(float* a, int n) {
  __shared__ float s[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = a[i];
  __syncthreads();  //! here
  a[i] = s[threadIdx.x ^ 1];
}
//! run 1 64 buf:i32:64:iota buf:i32:1:zero
//! expect uninitialised_read "Give it a value first"
__global__ void accumulator_without_a_beginning(const int* in, int* out) {
  __shared__ int sum;
  atomicAdd(&sum, in[threadIdx.x]);  //! here
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}
//! run 1 32 buf:i32:32:iota
//! expect uninitialised_read "bins[0]"
__global__ void bins_without_a_beginning(int* a) {
  __shared__ int bins[8];
  int t = threadIdx.x;
  if (t > 0 && t < 8) bins[t] = 0;
  __syncthreads();
  if (t < 8) a[t] = bins[t];  //! here
}
// Counts get lost.
//! run 2 64 buf:i32:128:hash buf:i32:16:zero
//! expect race "let them do it with an atomic (atomicAdd)"
__global__ void histogram_without_atomics(const int* in, int* bins) {
  bins[in[blockIdx.x * 64 + threadIdx.x] & 15]++;  //! here
}
//! run 1 64 buf:i32:64:hash buf:i32:16:zero
//! expect race "atomicAdd"
__global__ void shared_histogram_without_atomics(const int* in, int* out) {
  __shared__ int bins[16];
  int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  bins[in[t] & 15] += 1;  //! here
  __syncthreads();
  if (t < 16) out[t] = bins[t];
}
//! run 4 64 buf:f32:256:iota buf:f32:1:zero
//! expect race "let them do it with an atomic (atomicAdd)"
__global__ void sum_without_atomics(const float* in, float* sum) {
  *sum += in[blockIdx.x * 64 + threadIdx.x];  //! here
}
// All blocks write the first elements: blockIdx was forgotten.
//! run 4 64 buf:i32:256:iota
//! expect race "is blockIdx part of the index?"
__global__ void index_without_the_block(int* a) {
  a[threadIdx.x] = blockIdx.x;  //! here
}
//! run 1 64 buf:i32:64:iota buf:i32:1:zero
//! expect race "if (threadIdx.x == 0)"
__global__ void result_written_by_all(const int* in, int* out) {
  *out = in[threadIdx.x];  //! here
}
// Steps of a stencil inside one launch: the neighbour is another block's.
//! run 4 64 buf:f32:258:iota buf:f32:258:zero
//! expect race "split it into two launches"
__global__ void second_step_in_the_same_launch(float* a, float* b) {
  int i = blockIdx.x * 64 + threadIdx.x + 1;
  b[i] = a[i - 1] + a[i + 1];  //! there
  __syncthreads();
  a[i] = b[i - 1] + b[i + 1];  //! here
}
//! run 1 32 buf:i32:32:iota
//! expect race "__syncwarp()"
__global__ void syncwarp_missing(int* a) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = a[t];  //! there
  a[t] = s[31 - t];  //! here
}
//! run 1 32 buf:i32:32:iota
//! expect inactive_lane_read "which does not take part in the shuffle"
__global__ void shuffle_from_lanes_that_are_away(int* a) {
  int t = threadIdx.x, v = a[t];
  if (t < 16) a[t] = v + __shfl_down_sync(0x0000ffff, v, 16);  //! here
}
//! run 1 32 buf:i32:32:iota
//! expect deadlock "every lane that the mask names must execute"
__global__ void full_mask_in_a_branch(int* a) {
  int t = threadIdx.x, v = a[t];
  if (t < 8) {
    v += __shfl_xor_sync(0xffffffff, v, 1);  //! here
    a[t] = v;
    return;
  }
  __syncwarp(0xffffffff);  //! here
}
// Data of a lock without a fence, and a lock given back by a plain store.
//! run 4 32 buf:i32:2:zero
//! expect race "__threadfence()"
__global__ void lock_without_fences(int* a) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&a[0], 0, 1) != 0) {}
  a[1] += 1;  //! here
  atomicExch(&a[0], 0);
}
//! run 4 32 buf:i32:2:zero
//! expect race "atomicExch(&lock, 0)"
__global__ void lock_given_back_by_a_store(int* a) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&a[0], 0, 1) != 0) {}  //! here
  __threadfence();
  a[1] += 1;
  __threadfence();
  a[0] = 0;  //! there
}
//! run 1 64 buf:i32:2:zero
//! expect race "atomicExch(&lock, 0)"
__global__ void lock_of_a_warp_given_back_by_a_store(int* a) {
  for (bool done = false; !done;) {
    if (atomicCAS(&a[0], 0, 1) == 0) {  //! here
      __threadfence();
      a[1] += 1;
      __threadfence();
      a[0] = 0;  //! there
      done = true;
    }
  }
}
// A flag that is neither volatile nor atomic: the compiler reads it once.
//! run 2 1 buf:i32:3:zero
//! expect deadlock "make it volatile"
__global__ void flag_that_is_read_once(int* a) {
  if (blockIdx.x == 1) {
    a[0] = 42;
    __threadfence();
    atomicExch(&a[1], 1);
  } else {
    while (a[1] == 0) {}  //! here
    __threadfence();
    a[2] = a[0];
  }
}
//! run 2 1 buf:i32:3:zero
//! expect race "near line "
__global__ void plain_flag_on_both_sides(int* a) {
  if (blockIdx.x == 0) {
    a[0] = 42;
    __threadfence();
    a[1] = 1;
  } else {
    while (a[1] == 0) {}
    __threadfence();
    a[2] = a[0];
  }
}
//! run 2 64 buf:i32:3:zero
//! expect race "__threadfence()"
__global__ void flag_without_a_fence(int* a) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    a[0] = 42;  //! there
    atomicExch(&a[1], 1);
  } else {
    while (atomicAdd(&a[1], 0) == 0) {}
    a[2] = a[0];  //! here
  }
}
// A counter that one block sets to zero at the beginning.
//! run 4 64 buf:i32:1:iota
//! expect race "before the launch"
__global__ void counter_zeroed_in_the_launch(int* count) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *count = 0;  //! there
  __syncthreads();
  atomicAdd(count, 1);  //! here
}
//! run 4 64 buf:i32:1:zero buf:i32:4:zero
//! expect race "next launch"
__global__ void counter_read_in_the_launch(int* count, int* out) {
  atomicAdd(count, 1);  //! there
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = *count;  //! here
}
//! run 1 32 buf:f32:64:iota buf:f32:32:zero
//! expect misaligned "is not a multiple of 16"
__global__ void four_floats_from_an_odd_place(const float* in, float* out) {
  float4 v = *reinterpret_cast<const float4*>(in + threadIdx.x + 1);  //! here
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
// The index of a large image in 32 bits.
//! run 1 32 buf:f32:64:iota i32:70000
//! expect out_of_bounds "compute it in 64 bits"
__global__ void index_that_overflows(float* a, int pitch) {
  int row = 40000 + threadIdx.x;
  a[row * pitch] = 1;  //! here
}
//! run 1 32 buf:f32:64:iota
//! expect out_of_bounds "negative"
__global__ void unsigned_index_below_zero(float* a) {
  unsigned t = threadIdx.x;
  a[t - 1] = 1;  //! here
}
// A pointer of the host, and none at all.
//! run 1 32 i64:140737353977856
//! expect out_of_bounds "a pointer of the host"
__global__ void pointer_of_the_host(float* a) {
  a[threadIdx.x] = 1;  //! here
}
//! run 1 32 i64:0
//! expect invalid_address "null pointer"
__global__ void pointer_never_set(float* a) {
  a[threadIdx.x] = 1;  //! here
}
// An array of floats that is taken for one of doubles.
//! run 1 64 buf:f32:64:iota
//! expect out_of_bounds "Does the type of the pointer fit the buffer?"
__global__ void floats_taken_for_doubles(double* a) {
  a[threadIdx.x] *= 2;  //! here
}
//! run 1 1 buf:i32:1:zero
//! expect invalid_address "freed before"
__global__ void freed_twice(int* out) {
  int* p = static_cast<int*>(malloc(16));
  *p = 1;
  *out = *p;
  free(p);
  free(p);  //! here
}
//! run 1 1 buf:i32:1:zero
//! expect out_of_bounds "freed before"
__global__ void used_after_free(int* out) {
  int* volatile p = static_cast<int*>(malloc(16));
  *p = 1;
  free(p);
  *out = *p;  //! here
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero i32:8
//! expect out_of_bounds "local memory"
__global__ void local_array_too_short(const int* in, int* out, int n) {
  int last[4];
  for (int k = 0; k < n; ++k) last[k] = in[(threadIdx.x + k) % 32];  //! here
  int sum = 0;
  for (int k = 0; k < 4; ++k) sum += last[(k + n) % 4];
  out[threadIdx.x] = sum;
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero i32:3
//! expect uninitialised_read "which it has not written"
__global__ void local_array_half_filled(const int* in, int* out, int n) {
  int last[8];
  for (int k = 0; k < n; ++k) last[k] = in[(threadIdx.x + k) % 32];
  out[threadIdx.x] = last[n + 1];  //! here
}
// A transpose that goes in place: the partner is overwritten before it was read.
//! run 1 16x16 buf:f32:256:iota
//! expect race "__syncthreads()"
__global__ void transpose_in_place(float* a) {
  int x = threadIdx.x, y = threadIdx.y;
  float v = a[x * 16 + y];  //! there
  a[y * 16 + x] = v;  //! here
}
//! run 1 16x16 buf:f32:256:iota buf:f32:256:zero
//! expect race "tile["
__global__ void tile_without_a_barrier(const float* in, float* out) {
  __shared__ float tile[16][17];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 16 + x];  //! there
  out[y * 16 + x] = tile[x][y];  //! here
}
//! run 1 64 buf:f32:64:iota
//! expect uninitialised_read "s[32]"
__global__ void half_of_the_array_filled(float* a) {
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t < 32) s[t] = a[t];
  __syncthreads();
  a[t] = s[t];  //! here
}
