// Indexes and launch shapes: halos one too short, pitches, wrong launches, overflowing products, arrays side by side.

// ---- tiles with a halo ----
//! run 4 64 buf:f32:256:iota buf:f32:256:zero i32:256
//! expect out_of_bounds "negative"
__global__ void halo_left_unguarded(const float* in, float* out, int n) {
  __shared__ float tile[66];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  tile[t + 1] = in[i];
  if (t == 0) tile[0] = in[i - 1];  //! here
  if (t == 63) tile[65] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  out[i] = tile[t] + tile[t + 2];
}
//! run 4 64 buf:f32:256:iota buf:f32:256:zero i32:256
__global__ void halo_left_guarded(const float* in, float* out, int n) {
  __shared__ float tile[66];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  tile[t + 1] = in[i];
  if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0;
  if (t == 63) tile[65] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  out[i] = tile[t] + tile[t + 2];
}
// The right halo is loaded by "the last thread" of a full block, which a smaller block does not have.
//! run 8 32 buf:f32:256:iota buf:f32:256:zero
//! expect uninitialised_read
//! run 4 64 buf:f32:258:iota buf:f32:256:zero
__global__ void halo_by_thread_63(const float* in, float* out) {
  __shared__ float tile[66];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = in[i];
  if (t == 63) {
    tile[64] = in[i + 1];
    tile[65] = in[i + 2];
  }
  __syncthreads();
  out[i] = tile[t] + tile[t + 1] + tile[t + 2];  //! here
}
#define R 3
//! run 4 64 buf:f32:256:iota buf:f32:256:zero
//! expect uninitialised_read
__global__ void radius_forgotten_on_one_side(const float* in, float* out) {
  __shared__ float tile[64 + 2 * R];
  int t = threadIdx.x, i = blockIdx.x * 64 + t, n = gridDim.x * 64;
  tile[t + R] = in[i];
  if (t < R) tile[t] = i >= R ? in[i - R] : 0;
  __syncthreads();
  float s = 0;
  for (int k = -R; k <= R; ++k) s += tile[t + R + k];  //! here
  out[i] = s;
}
//! run 4 64 buf:f32:256:iota buf:f32:256:zero
__global__ void radius_on_both_sides(const float* in, float* out) {
  __shared__ float tile[64 + 2 * R];
  int t = threadIdx.x, i = blockIdx.x * 64 + t, n = gridDim.x * 64;
  tile[t + R] = in[i];
  if (t < R) {
    tile[t] = i >= R ? in[i - R] : 0;
    tile[t + 64 + R] = i + 64 < n ? in[i + 64] : 0;
  }
  __syncthreads();
  float s = 0;
  for (int k = -R; k <= R; ++k) s += tile[t + R + k];
  out[i] = s;
}
// A square tile whose corners nobody loads.
//! run 2x2 16x16 buf:f32:1156:iota buf:f32:1024:zero i32:34
//! expect uninitialised_read
__global__ void corners_not_loaded(const float* in, float* out, int pitch) {
  __shared__ float tile[18][18];
  int x = threadIdx.x + 1, y = threadIdx.y + 1;
  int gx = blockIdx.x * 16 + x, gy = blockIdx.y * 16 + y;
  tile[y][x] = in[gy * pitch + gx];
  if (x == 1) tile[y][0] = in[gy * pitch + gx - 1];
  if (x == 16) tile[y][17] = in[gy * pitch + gx + 1];
  if (y == 1) tile[0][x] = in[(gy - 1) * pitch + gx];
  if (y == 16) tile[17][x] = in[(gy + 1) * pitch + gx];
  __syncthreads();
  float s = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) s += tile[y + dy][x + dx];  //! here
  out[(gy - 1) * 32 + gx - 1] = s;
}
//! run 2x2 16x16 buf:f32:1156:iota buf:f32:1024:zero i32:34
__global__ void corners_loaded(const float* in, float* out, int pitch) {
  __shared__ float tile[18][18];
  int t = threadIdx.y * 16 + threadIdx.x;
  for (int k = t; k < 18 * 18; k += 256)
    tile[k / 18][k % 18] = in[(blockIdx.y * 16 + k / 18) * pitch + blockIdx.x * 16 + k % 18];
  __syncthreads();
  int x = threadIdx.x + 1, y = threadIdx.y + 1;
  float s = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) s += tile[y + dy][x + dx];
  out[(blockIdx.y * 16 + y - 1) * 32 + blockIdx.x * 16 + x - 1] = s;
}

// ---- rows, pitches, dimensions ----
//! run 2x4 16x8 buf:f32:990:iota i32:33 i32:30
//! expect out_of_bounds
__global__ void height_and_width_swapped(float* image, int width, int height) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < height && y < width) image[y * width + x] *= 2;  //! here
}
//! run 3x4 16x8 buf:f32:990:iota i32:33 i32:30
__global__ void height_and_width(float* image, int width, int height) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < width && y < height) image[y * width + x] *= 2;
}
//! run 1 32x8 buf:u8:2048:iota i32:250 i32:256
//! run 1 32x8 buf:u8:2048:iota i32:250 i32:272
//! expect out_of_bounds
__global__ void pitch_in_elements(unsigned char* image, int width, int pitch) {
  for (int x = threadIdx.x * 4; x + 4 <= width; x += 128)
    reinterpret_cast<int*>(image)[threadIdx.y * pitch + x / 4] += 1;  //! here
}
//! run 1 32x8 buf:u8:2048:iota i32:250 i32:256
__global__ void pitch_in_bytes(unsigned char* image, int width, int pitch) {
  for (int x = threadIdx.x * 4; x + 4 <= width; x += 128)
    *reinterpret_cast<int*>(image + threadIdx.y * pitch + x) += 1;
}
//! run 2 16x16 buf:f32:512:zero
//! expect race
__global__ void flat_index_without_row(float* out) {
  out[blockIdx.x * 256 + threadIdx.x] = threadIdx.y;  //! here
}
//! run 2 16x16 buf:f32:512:zero
__global__ void flat_index(float* out) {
  out[blockIdx.x * 256 + threadIdx.y * 16 + threadIdx.x] = threadIdx.y;
}
//! run 2x2 8x8 buf:f32:256:zero
//! expect race
__global__ void forgot_block_row(float* out) {
  int x = blockIdx.x * 8 + threadIdx.x, y = threadIdx.y;
  out[y * 16 + x] += blockIdx.y + 1;  //! here
}
//! run 2x2 8x8 buf:f32:256:zero
__global__ void with_block_row(float* out) {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[y * 16 + x] += blockIdx.y + 1;
}

// ---- integers ----
//! run 1 32 buf:i32:1024:iota buf:i32:32:zero i32:65536
//! expect out_of_bounds "negative"
__global__ void product_wraps(const int* in, int* out, int n) {
  int i = threadIdx.x * n * 2048;
  out[threadIdx.x] = in[i < 1024 ? i : 0];  //! here
}
//! run 1 32 buf:i32:1024:iota buf:i32:32:zero i32:65536
__global__ void product_in_64_bits(const int* in, int* out, int n) {
  long long i = 1ll * threadIdx.x * n * 2048;
  out[threadIdx.x] = in[i < 1024 ? i : 0];
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
//! expect out_of_bounds "negative"
__global__ void modulo_of_a_negative(const int* in, int* out) {
  out[threadIdx.x] = in[(static_cast<int>(threadIdx.x) - 5) % 32];  //! here
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
__global__ void modulo_wrapped(const int* in, int* out) {
  out[threadIdx.x] = in[(static_cast<int>(threadIdx.x) - 5 + 32) % 32];
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
//! expect out_of_bounds
__global__ void unsigned_minus_one(const int* in, int* out) {
  unsigned left = threadIdx.x - 1;
  out[threadIdx.x] = in[threadIdx.x] - in[left];  //! here
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
__global__ void unsigned_guarded(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x] - (threadIdx.x > 0 ? in[threadIdx.x - 1] : 0);
}
//! run 1 32 buf:u8:32:const:200 buf:i32:128:zero
//! expect out_of_bounds
__global__ void byte_as_bin(const unsigned char* in, int* bins) {
  atomicAdd(&bins[in[threadIdx.x]], 1);  //! here
}
//! run 1 32 buf:i8:32:const:-56 buf:i32:256:zero
//! expect out_of_bounds "negative"
__global__ void signed_char_as_bin(const signed char* in, int* bins) {
  atomicAdd(&bins[in[threadIdx.x]], 1);  //! here
}
//! run 1 32 buf:u8:32:const:200 buf:i32:256:zero
__global__ void byte_as_bin_of_256(const unsigned char* in, int* bins) {
  atomicAdd(&bins[in[threadIdx.x]], 1);
}

// ---- launches that do not fit the kernel ----
//! run 1 128 buf:f32:256:iota buf:f32:2:zero
//! run 1 256 buf:f32:256:iota buf:f32:2:zero
//! expect out_of_bounds "part"
__global__ void block_larger_than_its_array(const float* in, float* out) {
  __shared__ float part[64];
  part[threadIdx.x] = in[threadIdx.x];  //! here
  __syncthreads();
  if (threadIdx.x == 0) out[0] = part[0] + part[63];
}
//! run 1 64 buf:f32:256:iota buf:f32:2:zero
__global__ void block_as_large_as_its_array(const float* in, float* out) {
  __shared__ float part[64];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) out[0] = part[0] + part[63];
}
//! run 2x2 8x8 buf:f32:1024:iota buf:f32:1024:iota buf:f32:1024:zero i32:32
//! expect uninitialised_read
//! run 2x2 16x16 buf:f32:1024:iota buf:f32:1024:iota buf:f32:1024:zero i32:32
__global__ void matmul_16(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][16], bs[16][16];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float s = 0;
  for (int k = 0; k < n; k += 16) {
    as[y][x] = a[row * n + k + x];
    bs[y][x] = b[(k + y) * n + col];
    __syncthreads();
    for (int j = 0; j < 16; ++j) s += as[y][j] * bs[j][x];  //! here
    __syncthreads();
  }
  c[row * n + col] = s;
}
//! run 1 64 buf:f32:64:iota
//! run 1 64 128 buf:f32:64:iota
//! expect out_of_bounds
//! run 1 64 256 buf:f32:64:iota
__global__ void reverse_dynamic(float* a) {
  extern __shared__ float pool_of_floats[];
  pool_of_floats[threadIdx.x] = a[threadIdx.x];  //! here
  __syncthreads();
  a[threadIdx.x] = pool_of_floats[63 - threadIdx.x];
}
//! run 1 48 buf:f32:64:iota buf:f32:2:zero
//! expect uninitialised_read
//! run 1 64 buf:f32:64:iota buf:f32:2:zero
__global__ void sums_of_two_warps(const float* in, float* out) {
  __shared__ float part[64];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];  //! here
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = part[0];
}
//! run 5 64 buf:f32:256:iota f32:2
//! expect out_of_bounds "last index is 255"
//! run 4 64 buf:f32:256:iota f32:2
__global__ void scale_trusts_its_launch(float* a, float by) {
  a[blockIdx.x * 64 + threadIdx.x] *= by;  //! here
}

// ---- one array behind the other ----
struct Tables {
  int low[16], high[16];
};
__device__ Tables tables;
//! run 1 32 buf:i32:32:zero
//! expect race
__global__ void member_into_member(int* out) {
  tables.low[threadIdx.x] = threadIdx.x;  //! there
  if (threadIdx.x < 16) tables.high[threadIdx.x] = 1;  //! here
  __syncwarp();
  out[threadIdx.x] = tables.low[threadIdx.x];
}
//! run 1 32 buf:i32:32:zero
__global__ void member_inside(int* out) {
  if (threadIdx.x < 16) tables.low[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 16) tables.high[threadIdx.x] = 1;
  __syncwarp();
  out[threadIdx.x] = tables.low[threadIdx.x % 16];
}
//! run 1 64 buf:i32:64:iota
//! expect out_of_bounds "first"
__global__ void shared_neighbours(int* a) {
  __shared__ int first[32], second[64];
  second[threadIdx.x] = a[threadIdx.x];
  if (threadIdx.x < 32) first[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = first[threadIdx.x] + second[63 - threadIdx.x];  //! here
}
//! run 1 64 buf:i32:64:iota
__global__ void shared_neighbours_inside(int* a) {
  __shared__ int first[32], second[64];
  second[threadIdx.x] = a[threadIdx.x];
  if (threadIdx.x < 32) first[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = first[threadIdx.x % 32] + second[63 - threadIdx.x];
}
__constant__ float weights[5] = {1, 4, 6, 4, 1};
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
//! expect out_of_bounds "weights"
__global__ void one_weight_too_many(const float* in, float* out) {
  float s = 0;
  for (int k = 0; k <= 5; ++k) s += weights[k] * in[(threadIdx.x + k) % 64];  //! here
  out[threadIdx.x] = s;
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
__global__ void five_weights(const float* in, float* out) {
  float s = 0;
  for (int k = 0; k < 5; ++k) s += weights[k] * in[(threadIdx.x + k) % 64];
  out[threadIdx.x] = s;
}
//! run 1 32 buf:i32:64:iota buf:i32:32:zero i32:9
//! expect out_of_bounds "local"
__global__ void sorted_insert_beyond(const int* in, int* out, int n) {
  int best[8];
  for (int k = 0; k < 8; ++k) best[k] = 1 << 30;
  for (int i = 0; i < n; ++i) {
    int v = in[(threadIdx.x * 7 + i) % 64], at = 0;
    while (at < n && best[at] < v) ++at;  //! here
    best[at] = v;  //! here
  }
  out[threadIdx.x] = best[threadIdx.x % 8];
}
//! run 1 32 buf:i32:64:iota buf:i32:32:zero i32:9
__global__ void sorted_insert(const int* in, int* out, int n) {
  int best[8];
  for (int k = 0; k < 8; ++k) best[k] = 1 << 30;
  for (int i = 0; i < n; ++i) {
    int v = in[(threadIdx.x * 7 + i) % 64], at = 0;
    while (at < 7 && best[at] < v) ++at;
    best[at] = v;
  }
  out[threadIdx.x] = best[threadIdx.x % 8];
}
//! run 1 32 buf:i32:32:mod:64 buf:i32:32:zero
//! expect out_of_bounds
__global__ void stack_of_a_thread_overflows(const int* in, int* out) {
  int stack[4], top = 0;
  for (int v = in[threadIdx.x] + 64; v > 0; v /= 2) stack[top++] = v;  //! here
  int s = 0;
  while (top > 0) s = s * 3 + stack[--top];
  out[threadIdx.x] = s;
}
//! run 1 32 buf:i32:32:mod:64 buf:i32:32:zero
__global__ void stack_of_a_thread(const int* in, int* out) {
  int stack[8], top = 0;
  for (int v = in[threadIdx.x] + 64; v > 0; v /= 2) stack[top++] = v;
  int s = 0;
  while (top > 0) s = s * 3 + stack[--top];
  out[threadIdx.x] = s;
}
