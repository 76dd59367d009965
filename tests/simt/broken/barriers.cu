// A __syncthreads() that is missing, or that not every thread reaches.
#include <cuda_runtime.h>

//! run 2x2 16x16 buf:f32:1024:iota buf:f32:1024:zero i32:32
//! expect race "__syncthreads"
__global__ void transpose_without_barrier(const float* in, float* out, int n) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];  //! there
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];  //! here
}
//! run 2x2 16x16 buf:f32:1024:iota buf:f32:1024:zero i32:32
__global__ void transpose_with_barrier(const float* in, float* out, int n) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

// The barrier before the next tile is loaded is the one people forget.
//! run 2x2 16x16 buf:f32:1024:iota buf:f32:1024:iota buf:f32:1024:zero i32:32
//! expect race "__syncthreads"
__global__ void matmul_one_barrier(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[16][16], tb[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n / 16; ++t) {
    ta[threadIdx.y][threadIdx.x] = a[row * n + t * 16 + threadIdx.x];   //! here
    tb[threadIdx.y][threadIdx.x] = b[(t * 16 + threadIdx.y) * n + col];  //! here
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];  //! there
  }
  c[row * n + col] = sum;
}
//! run 2x2 16x16 buf:f32:1024:iota buf:f32:1024:iota buf:f32:1024:zero i32:32
//! expect race "__syncthreads"
__global__ void matmul_other_barrier(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[16][16], tb[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n / 16; ++t) {
    ta[threadIdx.y][threadIdx.x] = a[row * n + t * 16 + threadIdx.x];   //! there
    tb[threadIdx.y][threadIdx.x] = b[(t * 16 + threadIdx.y) * n + col];  //! there
    for (int k = 0; k < 16; ++k) sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];  //! here
    __syncthreads();
  }
  c[row * n + col] = sum;
}
//! run 2x2 16x16 buf:f32:1024:iota buf:f32:1024:iota buf:f32:1024:zero i32:32
//! run 1 16x16 buf:f32:256:iota buf:f32:256:iota buf:f32:256:zero i32:16
__global__ void matmul_both_barriers(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[16][16], tb[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n / 16; ++t) {
    ta[threadIdx.y][threadIdx.x] = a[row * n + t * 16 + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(t * 16 + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

//! run 1 256 buf:f32:256:iota buf:f32:1:zero
//! run 4 256 buf:f32:1024:iota buf:f32:4:zero
//! expect race "__syncthreads"
__global__ void reduction_barrier_outside(const float* in, float* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int half = 128; half > 0; half >>= 1)
    if (t < half) s[t] += s[t + half];  //! here
  __syncthreads();
  if (t == 0) out[blockIdx.x] = s[0];
}
//! run 4 256 buf:f32:1024:iota buf:f32:4:zero
//! expect race "__syncthreads"
__global__ void reduction_first_barrier_missing(const float* in, float* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];  //! there
  for (int half = 128; half > 0; half >>= 1) {
    if (t < half) s[t] += s[t + half];  //! here
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
//! run 4 256 buf:f32:1024:iota buf:f32:4:zero
//! expect race "__syncthreads"
__global__ void reduction_interleaved(const float* in, float* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  for (int step = 1; step < 256; step *= 2) {
    __syncthreads();
    if (t % step == 0 && t + step < 256) s[t] += s[t + step];  //! here
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
//! run 4 256 buf:f32:1024:iota buf:f32:4:zero
__global__ void reduction_sequential(const float* in, float* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int half = 128; half > 0; half >>= 1) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

//! run 2 128 buf:i32:256:iota buf:i32:256:zero
//! expect race "__syncthreads"
__global__ void scan_in_place(const int* in, int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    if (t >= d) s[t] += s[t - d];  //! here
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = s[t];
}
//! run 2 128 buf:i32:256:iota buf:i32:256:zero
__global__ void scan_two_barriers(const int* in, int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = s[t];
}
//! run 2 128 buf:i32:256:iota buf:i32:256:zero
__global__ void scan_double_buffered(const int* in, int* out) {
  __shared__ int s[2][128];
  int t = threadIdx.x, now = 0;
  s[0][t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    s[1 - now][t] = t >= d ? s[now][t] + s[now][t - d] : s[now][t];
    now = 1 - now;
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = s[now][t];
}
//! run 2 128 buf:i32:256:iota buf:i32:256:zero
//! expect race "__syncthreads"
__global__ void scan_forgot_to_swap(const int* in, int* out) {
  __shared__ int s[2][128];
  int t = threadIdx.x;
  s[0][t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    s[1][t] = t >= d ? s[0][t] + s[0][t - d] : s[0][t];  //! there
    s[0][t] = s[1][t];                                    //! here
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = s[0][t];
}

//! run 4 128 buf:i32:512:mod:64 buf:i32:64:zero
//! expect race
__global__ void histogram_plain(const int* in, int* out) {
  __shared__ int bins[64];
  int t = threadIdx.x;
  if (t < 64) bins[t] = 0;
  __syncthreads();
  ++bins[in[blockIdx.x * 128 + t]];  //! here
  __syncthreads();
  if (t < 64) atomicAdd(&out[t], bins[t]);
}
//! run 4 128 buf:i32:512:mod:64 buf:i32:64:zero
//! expect race "__syncthreads"
__global__ void histogram_cleared_late(const int* in, int* out) {
  __shared__ int bins[64];
  int t = threadIdx.x;
  if (t < 64) bins[t] = 0;                          //! there
  atomicAdd(&bins[in[blockIdx.x * 128 + t]], 1);   //! here
  __syncthreads();
  if (t < 64) atomicAdd(&out[t], bins[t]);
}
//! run 4 128 buf:i32:512:mod:64 buf:i32:64:zero
//! expect race "__syncthreads"
__global__ void histogram_read_early(const int* in, int* out) {
  __shared__ int bins[64];
  int t = threadIdx.x;
  if (t < 64) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[in[blockIdx.x * 128 + t]], 1);  //! there
  if (t < 64) atomicAdd(&out[t], bins[t]);         //! here
}
//! run 4 128 buf:i32:512:mod:64 buf:i32:64:zero
__global__ void histogram_right(const int* in, int* out) {
  __shared__ int bins[64];
  int t = threadIdx.x;
  if (t < 64) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[in[blockIdx.x * 128 + t]], 1);
  __syncthreads();
  if (t < 64) atomicAdd(&out[t], bins[t]);
}

//! run 3 64 buf:f32:192:iota buf:f32:192:zero i32:192
//! run 1 64 buf:f32:64:iota buf:f32:64:zero i32:64
//! expect race "__syncthreads"
__global__ void stencil_halo_unordered(const float* in, float* out, int n) {
  __shared__ float tile[66];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  tile[t + 1] = in[i];                                 //! there
  if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0;         //! there
  if (t == 63) tile[65] = i < n - 1 ? in[i + 1] : 0;   //! there
  out[i] = tile[t] + tile[t + 1] + tile[t + 2];        //! here
}
//! run 3 64 buf:f32:192:iota buf:f32:192:zero i32:192
__global__ void stencil_halo_ordered(const float* in, float* out, int n) {
  __shared__ float tile[66];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  tile[t + 1] = in[i];
  if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0;
  if (t == 63) tile[65] = i < n - 1 ? in[i + 1] : 0;
  __syncthreads();
  out[i] = tile[t] + tile[t + 1] + tile[t + 2];
}

// In place: neighbours are read while others have already written them.
//! run 1 256 buf:f32:256:iota
//! expect race
__global__ void smooth_in_place(float* a) {
  int i = threadIdx.x;
  if (i > 0 && i < 255) a[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];  //! here
}
//! run 1 256 buf:f32:256:iota
__global__ void smooth_read_first(float* a) {
  int i = threadIdx.x;
  float v = a[i];
  if (i > 0 && i < 255) v = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
  __syncthreads();
  a[i] = v;
}

//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect race "__syncthreads"
__global__ void broadcast_unordered(const int* in, int* out) {
  __shared__ int pivot;
  if (threadIdx.x == 0) pivot = in[0];                       //! there
  out[threadIdx.x] = in[threadIdx.x] - pivot;                //! here
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void broadcast_ordered(const int* in, int* out) {
  __shared__ int pivot;
  if (threadIdx.x == 0) pivot = in[0];
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x] - pivot;
}

// One value after the other through one shared word: two barriers a turn.
//! run 1 64 buf:i32:64:iota buf:i32:64:zero i32:4
//! expect race "__syncthreads"
__global__ void pivots_one_barrier(const int* in, int* out, int turns) {
  __shared__ int pivot;
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    if (threadIdx.x == k) pivot = in[k];  //! here
    __syncthreads();
    sum += pivot;  //! there
  }
  out[threadIdx.x] = sum;
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero i32:4
__global__ void pivots_two_barriers(const int* in, int* out, int turns) {
  __shared__ int pivot;
  int sum = 0;
  for (int k = 0; k < turns; ++k) {
    if (threadIdx.x == k) pivot = in[k];
    __syncthreads();
    sum += pivot;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// Bytes of one word by different threads do not disturb each other; one byte by two threads does.
//! run 1 64 buf:u8:64:iota buf:u8:64:zero
__global__ void bytes_apart(const unsigned char* in, unsigned char* out) {
  __shared__ unsigned char s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}
//! run 1 64 buf:u8:64:iota buf:u8:64:zero
//! expect race
__global__ void bytes_shared_by_two(const unsigned char* in, unsigned char* out) {
  __shared__ unsigned char s[64];
  s[threadIdx.x / 2] = in[threadIdx.x];  //! here
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x / 2];
}

// Every thread writes the same value: harmless, a note at most.
//! run 1 64 buf:i32:1:zero
//! run 8 64 buf:i32:1:zero
__global__ void flag_set_by_many(int* found) {
  if (threadIdx.x % 3 == 0) *found = 1;
}
//! run 1 64 buf:i32:1:zero
//! expect race
__global__ void winner_by_chance(int* winner) {
  if (threadIdx.x % 3 == 0) *winner = threadIdx.x;  //! here
}

// ---- barriers that not every thread reaches ----

//! run 1 64 buf:f32:64:iota
//! run 2 128 buf:f32:256:iota
//! expect divergent_barrier "Every thread of the block must reach"
__global__ void barrier_in_if(float* data) {
  __shared__ float s[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = data[i];
  if (t < blockDim.x / 2) {
    __syncthreads();  //! here
    data[i] = s[blockDim.x - 1 - t];
  } else {
    data[i] = -1.0f;
    __syncthreads();  //! here
  }
  __syncthreads();  //! here
}
//! run 1 64 buf:f32:64:iota
//! run 2 128 buf:f32:256:iota
__global__ void barrier_before_if(float* data) {
  __shared__ float s[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = data[i];
  __syncthreads();
  if (t < blockDim.x / 2) {
    data[i] = s[blockDim.x - 1 - t];
  } else {
    data[i] = -1.0f;
  }
}

//! run 1 96 buf:i32:96:iota
//! expect divergent_barrier
__global__ void barrier_for_odd_threads(int* data) {
  int t = threadIdx.x;
  if (t % 2 == 1) {
    data[t] += 1;
    __syncthreads();  //! here
    data[t] *= 2;
  }
}

// Trip counts differ by thread.
//! run 1 64 buf:i32:64:mod:5
//! expect divergent_barrier
__global__ void barrier_in_uneven_loop(int* data) {
  int turns = data[threadIdx.x];
  for (int k = 0; k < turns; ++k) {
    data[threadIdx.x] += k;
    __syncthreads();  //! here
  }
  data[threadIdx.x] += 100;
  __syncthreads();  //! here
  data[threadIdx.x] += 1;
}
//! run 1 64 buf:i32:64:mod:5
__global__ void barrier_in_even_loop(int* data) {
  int turns = data[threadIdx.x];
  for (int k = 0; k < 5; ++k) {
    if (k < turns) data[threadIdx.x] += k;
    __syncthreads();
  }
}

// Early return before a barrier: threads that have ended drop out, so newer GPUs go on, but what they should
// have loaded is missing.
//! run 4 64 buf:f32:200:iota buf:f32:200:zero i32:200
//! expect divergent_barrier "have returned before this barrier"
__global__ void early_return_before_barrier(const float* in, float* out, int n) {
  __shared__ float s[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = in[i];
  __syncthreads();  //! here
  out[i] = s[63 - threadIdx.x];
}
//! run 4 64 buf:f32:200:iota buf:f32:200:zero i32:200
__global__ void nobody_returns_early(const float* in, float* out, int n) {
  __shared__ float s[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (i < n) out[i] = s[63 - threadIdx.x];
}

// A return in a loop with a barrier: the ones that stay wait for the others at a barrier of another turn.
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void leave_after_the_barrier(const int* in, int* out) {
  __shared__ int s[64];
  for (int k = 0; k < 4; ++k) {
    s[threadIdx.x] = in[(threadIdx.x + k) % 64];
    __syncthreads();
    out[threadIdx.x] += s[(threadIdx.x + 1) % 64];
    __syncthreads();
  }
}
