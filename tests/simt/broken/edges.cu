// Edges of images, volumes and lists: one too many, the wrong pitch, bytes for elements, vectors where none may begin.
struct Pixel {
  unsigned char r, g, b;
};
struct Particle {
  float x, y, z;
  float mass;
};

// A 2-D guard that lets in one column more, which lies in the next row until the last one.
//! run 2x2 16x8 buf:f32:589:iota buf:f32:589:zero i32:31 i32:19
//! expect out_of_bounds "589"
__global__ void blur_one_column_more(const float* in, float* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  for (int row = y; row < h; row += 16) {
    float v = x <= w ? in[row * w + x] : 0;  //! here
    if (x < w) out[row * w + x] = 2 * v;
  }
}
//! run 2x2 16x8 buf:f32:589:iota buf:f32:589:zero i32:31 i32:19
__global__ void blur_all_columns(const float* in, float* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w)
    for (int row = y; row < h; row += 16) out[row * w + x] = 2 * in[row * w + x];
}
// The pitch in bytes multiplies a pointer to float.
//! run 1x4 32x4 buf:f32:640:iota buf:f32:512:zero u64:160 i32:32 i32:16
//! expect out_of_bounds
__global__ void pitch_of_bytes_for_floats(const float* in, float* out, size_t pitch, int w, int h) {
  int x = threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[y * w + x] = in[y * pitch + x];  //! here
}
//! run 1x4 32x4 buf:f32:640:iota buf:f32:512:zero u64:160 i32:32 i32:16
__global__ void pitch_of_bytes_for_chars(const float* in, float* out, size_t pitch, int w, int h) {
  int x = threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const char* row = reinterpret_cast<const char*>(in) + y * pitch;
  if (x < w && y < h) out[y * w + x] = reinterpret_cast<const float*>(row)[x];
}
// A guard in bytes for an array of ints.
//! run 3 96 buf:i32:250:iota u64:1000
//! expect out_of_bounds "250"
__global__ void guard_by_sizeof(int* a, size_t bytes) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < bytes) a[i] += 1;  //! here
}
//! run 3 96 buf:i32:250:iota u64:1000
__global__ void guard_by_count(int* a, size_t bytes) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < bytes / sizeof(int)) a[i] += 1;
}
// Row of the neighbour below, of the last row as well.
//! run 5 48 buf:f32:240:iota buf:f32:240:zero i32:48 i32:5
//! expect out_of_bounds
__global__ void gradient_below_the_last_row(const float* a, float* g, int w, int h) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < w && y < h) g[y * w + x] = a[(y + 1) * w + x] - a[y * w + x];  //! here
}
//! run 5 48 buf:f32:240:iota buf:f32:240:zero i32:48 i32:5
__global__ void gradient_but_for_the_last_row(const float* a, float* g, int w, int h) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < w && y < h) g[y * w + x] = y + 1 < h ? a[(y + 1) * w + x] - a[y * w + x] : 0;
}
// Circular buffer: % of a negative number is negative.
//! run 1 40 buf:i32:100:iota buf:i32:40:zero i32:100
//! expect out_of_bounds "negative"
__global__ void ring_of_the_past(const int* ring, int* out, int n) {
  int t = threadIdx.x;
  out[t] = ring[(t - 20) % n];  //! here
}
//! run 1 40 buf:i32:100:iota buf:i32:40:zero i32:100
__global__ void ring_of_the_past_made_positive(const int* ring, int* out, int n) {
  int t = threadIdx.x;
  out[t] = ring[((t - 20) % n + n) % n];
}
// Unsigned countdown that never is below zero.
//! run 1 8 buf:i32:64:iota buf:i32:8:zero
//! expect out_of_bounds
__global__ void unsigned_countdown(const int* a, int* out) {
  int sum = 0;
  for (unsigned k = 7; k >= 0; --k) {
    sum += a[threadIdx.x * 8 + k];  //! here
    if (sum == 123456) break;
  }
  out[threadIdx.x] = sum;
}
//! run 1 8 buf:i32:64:iota buf:i32:8:zero
__global__ void signed_countdown(const int* a, int* out) {
  int sum = 0;
  for (int k = 7; k >= 0; --k) sum += a[threadIdx.x * 8 + k];
  out[threadIdx.x] = sum;
}
// Binary search whose upper end is one too far.
//! run 1 32 buf:i32:100:iota buf:i32:32:zero i32:100
//! expect out_of_bounds "100"
__global__ void lower_bound_too_far(const int* sorted, int* out, int n) {
  int want = threadIdx.x * 8, low = 0, high = n + 1;
  while (low < high) {
    int mid = (low + high) / 2;
    if (sorted[mid] < want) low = mid + 1;  //! here
    else high = mid;
  }
  out[threadIdx.x] = low;
}
//! run 1 32 buf:i32:100:iota buf:i32:32:zero i32:100
__global__ void lower_bound(const int* sorted, int* out, int n) {
  int want = threadIdx.x * 8, low = 0, high = n;
  while (low < high) {
    int mid = (low + high) / 2;
    if (sorted[mid] < want) low = mid + 1;
    else high = mid;
  }
  out[threadIdx.x] = low;
}
// Row pointers of a sparse matrix: n rows have n + 1 of them.
//! run 1 64 buf:i32:64:iota buf:f32:64:iota buf:f32:64:zero i32:64
//! expect out_of_bounds "64"
__global__ void rows_without_their_end(const int* rows, const float* values, float* sums, int n) {
  int r = threadIdx.x;
  if (r >= n) return;
  float sum = 0;
  for (int k = rows[r]; k < rows[r + 1]; ++k) sum += values[k];  //! here
  sums[r] = sum;
}
//! run 1 64 buf:i32:65:iota buf:f32:64:iota buf:f32:64:zero i32:64
__global__ void rows_with_their_end(const int* rows, const float* values, float* sums, int n) {
  int r = threadIdx.x;
  if (r >= n) return;
  float sum = 0;
  for (int k = rows[r]; k < rows[r + 1]; ++k) sum += values[k];
  sums[r] = sum;
}
// A kernel for square images, launched on a tall one.
//! run 3x3 16x16 buf:f32:1024:iota buf:f32:1024:zero i32:16 i32:64
//! expect out_of_bounds
__global__ void transpose_taken_for_square(const float* in, float* out, int w, int h) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < h && y < h) out[x * h + y] = in[y * w + x];  //! here
}
//! run 1x4 16x16 buf:f32:1024:iota buf:f32:1024:zero i32:16 i32:64
__global__ void transpose_of_any_shape(const float* in, float* out, int w, int h) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < w && y < h) out[x * h + y] = in[y * w + x];
}
// Three bytes a pixel, counted as four.
//! run 2 50 buf:u8:300:iota buf:u8:100:zero i32:100
//! expect out_of_bounds
__global__ void grey_of_four_bytes(const unsigned char* rgb, unsigned char* grey, int n) {
  int i = blockIdx.x * 50 + threadIdx.x;
  if (i < n) grey[i] = (rgb[4 * i] + rgb[4 * i + 1] + rgb[4 * i + 2]) / 3;  //! here
}
//! run 2 50 buf:u8:300:iota buf:u8:100:zero i32:100
__global__ void grey_of_pixels(const Pixel* rgb, unsigned char* grey, int n) {
  int i = blockIdx.x * 50 + threadIdx.x;
  if (i < n) grey[i] = (rgb[i].r + rgb[i].g + rgb[i].b) / 3;
}
// The apron of a shared tile is read on both sides, but there is room for one.
//! run 2 64 buf:f32:130:iota buf:f32:128:zero
//! expect out_of_bounds "tile"
__global__ void apron_of_one_side(const float* in, float* out) {
  __shared__ float tile[65];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  tile[t] = in[i];
  if (t < 2) tile[64 + t] = in[i + 64];  //! here
  __syncthreads();
  out[i] = tile[t] + tile[t + 1];
}
//! run 2 64 buf:f32:130:iota buf:f32:128:zero
__global__ void apron_of_both_sides(const float* in, float* out) {
  __shared__ float tile[66];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  tile[t] = in[i];
  if (t < 2) tile[64 + t] = in[i + 64];
  __syncthreads();
  out[i] = tile[t] + tile[t + 1] + tile[t + 2];
}
// Bins of a histogram for values up to and including 256.
//! run 1 96 buf:i32:96:const:256 buf:i32:256:zero
//! expect out_of_bounds "bins"
__global__ void one_bin_too_few(const int* in, int* out) {
  __shared__ int bins[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) bins[k] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x]], 1);  //! here
  __syncthreads();
  for (int k = threadIdx.x; k < 256; k += blockDim.x) out[k] = bins[k];
}
// Dynamic shared memory asked for in elements.
//! run 2 100 100 buf:f32:200:iota buf:f32:2:zero
//! expect out_of_bounds "shared"
__global__ void shared_counted_in_elements(const float* in, float* out) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 100 + t];  //! here
  __syncthreads();
  if (t == 0) {
    float sum = 0;
    for (int k = 0; k < 100; ++k) sum += s[k];
    out[blockIdx.x] = sum;
  }
}
//! run 2 100 400 buf:f32:200:iota buf:f32:2:zero
__global__ void shared_counted_in_bytes(const float* in, float* out) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 100 + t];
  __syncthreads();
  if (t == 0) {
    float sum = 0;
    for (int k = 0; k < 100; ++k) sum += s[k];
    out[blockIdx.x] = sum;
  }
}
// A stack of the depth-first search of every thread, one too small for the deepest.
//! run 1 33 buf:i32:33:iota buf:i32:33:zero
//! expect out_of_bounds "local"
__global__ void stack_of_its_own_too_small(const int* depth, int* out) {
  int stack[16], top = 0;
  for (int k = 0; k < depth[threadIdx.x]; ++k) stack[top++] = k * k;  //! here
  int sum = 0;
  while (top > 0) sum += stack[--top];
  out[threadIdx.x] = sum;
}
//! run 1 33 buf:i32:33:iota buf:i32:33:zero
__global__ void stack_of_its_own_large_enough(const int* depth, int* out) {
  int stack[33], top = 0;
  for (int k = 0; k < depth[threadIdx.x]; ++k) stack[top++] = k * k;
  int sum = 0;
  while (top > 0) sum += stack[--top];
  out[threadIdx.x] = sum;
}
// float4 at a row whose width is no multiple of four.
//! run 6 7 buf:f32:180:iota buf:f32:180:zero i32:30
//! expect misaligned "16"
__global__ void float4_of_rows_of_30(const float* in, float* out, int w) {
  const float4* row = reinterpret_cast<const float4*>(in + blockIdx.x * w);
  float4 v = row[threadIdx.x];  //! here
  out[blockIdx.x * w + 4 * threadIdx.x] = v.x + v.y + v.z + v.w;
}
//! run 6 8 buf:f32:192:iota buf:f32:192:zero i32:32
__global__ void float4_of_rows_of_32(const float* in, float* out, int w) {
  const float4* row = reinterpret_cast<const float4*>(in + blockIdx.x * w);
  float4 v = row[threadIdx.x];
  out[blockIdx.x * w + 4 * threadIdx.x] = v.x + v.y + v.z + v.w;
}
// Loads of two chars at every char.
//! run 1 32 buf:u8:64:iota buf:i32:32:zero
//! expect misaligned
__global__ void shorts_at_every_byte(const unsigned char* in, int* out) {
  out[threadIdx.x] = *reinterpret_cast<const unsigned short*>(in + threadIdx.x);  //! here
}
// A header of 12 bytes before doubles.
//! run 1 16 buf:u8:140:iota buf:f64:16:zero
//! expect misaligned "8"
__global__ void doubles_behind_a_header(const unsigned char* file, double* out) {
  const double* body = reinterpret_cast<const double*>(file + 12);
  out[threadIdx.x] = body[threadIdx.x];  //! here
}
//! run 1 16 buf:u8:140:iota buf:f64:16:zero
__global__ void doubles_copied_from_behind_a_header(const unsigned char* file, double* out) {
  double value;
  memcpy(&value, file + 12 + 8 * threadIdx.x, 8);
  out[threadIdx.x] = value;
}
// int2 of a shared array of shorts, from an odd place.
//! run 1 30 buf:i32:60:zero
//! expect misaligned
__global__ void int2_of_shared_shorts(int* out) {
  __shared__ __align__(8) short s[160];
  for (int k = threadIdx.x; k < 160; k += blockDim.x) s[k] = k;
  __syncthreads();
  int2 v = *reinterpret_cast<int2*>(&s[threadIdx.x * 4 + 2]);  //! here
  out[2 * threadIdx.x] = v.x;
  out[2 * threadIdx.x + 1] = v.y;
}
// An atomic on a long long that begins in the middle.
//! run 1 20 buf:i32:41:zero
//! expect misaligned
__global__ void atomic_of_eight_bytes_at_four(int* a) {
  atomicAdd(reinterpret_cast<unsigned long long*>(a + 1 + 2 * threadIdx.x), 1ull);  //! here
}
// The last particle is read as a float4 of the next one.
//! run 1 25 buf:f32:100:iota buf:f32:25:zero
//! expect out_of_bounds
__global__ void distance_to_the_next(const Particle* p, float* out) {
  int t = threadIdx.x;
  float dx = p[t + 1].x - p[t].x;  //! here
  float dy = p[t + 1].y - p[t].y;
  out[t] = dx * dx + dy * dy;
}
//! run 1 25 buf:f32:100:iota buf:f32:25:zero
__global__ void distance_to_the_next_of_a_ring(const Particle* p, float* out) {
  int t = threadIdx.x, n = blockDim.x;
  float dx = p[(t + 1) % n].x - p[t].x;
  float dy = p[(t + 1) % n].y - p[t].y;
  out[t] = dx * dx + dy * dy;
}
// x and y of a block of 8 x 32 swapped in a tile of 8 rows.
//! run 1 8x32 buf:i32:256:iota buf:i32:256:zero
//! expect out_of_bounds "tile"
__global__ void tile_indexes_swapped(const int* in, int* out) {
  __shared__ int tile[8][32];
  int x = threadIdx.x, y = threadIdx.y;
  int* flat = &tile[0][0];
  flat[y * 32 + x] = in[y * 8 + x];  //! here
  __syncthreads();
  out[y * 8 + x] = flat[y * 32 + x];
}
//! run 1 8x32 buf:i32:256:iota buf:i32:256:zero
__global__ void tile_indexes_in_order(const int* in, int* out) {
  __shared__ int tile[32][8];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 8 + x];
  __syncthreads();
  out[y * 8 + x] = tile[31 - y][7 - x];
}
// A linked list in an array, whose end is -1.
//! run 1 4 buf:i32:16:const:-1 buf:i32:4:zero
//! expect out_of_bounds "negative"
__global__ void list_walked_past_its_end(const int* next, int* out) {
  int at = threadIdx.x, steps = 0;
  do {
    at = next[next[at]];  //! here
    ++steps;
  } while (at != -1);
  out[threadIdx.x] = steps;
}
//! run 1 4 buf:i32:16:const:-1 buf:i32:4:zero
__global__ void list_walked_to_its_end(const int* next, int* out) {
  int steps = 0;
  for (int at = threadIdx.x; at != -1; at = next[at]) ++steps;
  out[threadIdx.x] = steps;
}
// 3-D: the slice is as large as the plane of another axis.
//! run 2x1x3 6x5x1 buf:f32:180:iota buf:f32:180:zero i32:12 i32:5 i32:3
//! expect out_of_bounds
__global__ void slice_of_the_wrong_axes(const float* in, float* out, int w, int h, int d) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y, z = blockIdx.z;
  if (x < w && y < h && z < d) out[z * w * w + y * w + x] = in[(z * h + y) * w + x];  //! here
}
//! run 2x1x3 6x5x1 buf:f32:180:iota buf:f32:180:zero i32:12 i32:5 i32:3
__global__ void slice_of_the_right_axes(const float* in, float* out, int w, int h, int d) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y, z = blockIdx.z;
  if (x < w && y < h && z < d) out[(z * h + y) * w + x] = in[(z * h + y) * w + x];
}
// The pointer to a local array leaves its function.
__device__ __noinline__ int* scratch_of(int n) {
  int local[8];
  for (int k = 0; k < 8; ++k) local[k] = n + k;
  int* p = local;
  asm volatile("" : "+l"(p));
  return p;
}
__device__ __noinline__ int overwrite(int n) {
  int other[8];
  for (int k = 0; k < 8; ++k) other[k] = n - k;
  int* p = other;
  asm volatile("" : "+l"(p));
  return p[n & 7];
}
//! run 1 9 buf:i32:9:zero
//! expect uninitialised_read "local"
__global__ void local_array_of_a_function_that_returned(int* out) {
  int* p = scratch_of(threadIdx.x);
  int q = overwrite(threadIdx.x + 3);
  out[threadIdx.x] = q + p[threadIdx.x & 7];
}
// Only even elements of a local table are filled.
//! run 1 10 buf:i32:10:iota buf:i32:10:zero
//! expect uninitialised_read "local"
__global__ void local_table_half_filled(const int* in, int* out) {
  int table[10];
  for (int k = 0; k < 10; k += 2) table[k] = in[k];
  out[threadIdx.x] = table[in[threadIdx.x]] + 1;  //! here
}
//! run 1 10 buf:i32:10:iota buf:i32:10:zero
__global__ void local_table_filled(const int* in, int* out) {
  int table[10];
  for (int k = 0; k < 10; ++k) table[k] = in[9 - k];
  out[threadIdx.x] = table[in[threadIdx.x]];
}
// The sum of a thread on the heap begins with what was there.
//! run 1 6 buf:f32:6:iota buf:f32:6:zero
//! expect uninitialised_read
__global__ void sum_on_the_heap(const float* in, float* out) {
  float* sum = static_cast<float*>(malloc(sizeof(float)));
  if (sum == nullptr) return;
  for (int k = 0; k < 6; ++k) *sum += in[k];  //! here
  out[threadIdx.x] = *sum;
  free(sum);
}
//! run 1 6 buf:f32:6:iota buf:f32:6:zero
__global__ void sum_on_the_heap_from_zero(const float* in, float* out) {
  float* sum = static_cast<float*>(malloc(sizeof(float)));
  if (sum == nullptr) return;
  *sum = 0;
  for (int k = 0; k < 6; ++k) *sum += in[k];
  out[threadIdx.x] = *sum;
  free(sum);
}
// A negative count of elements.
//! run 1 2 buf:i32:2:zero i32:-5
//! expect invalid_address "null"
__global__ void malloc_of_a_negative_size(int* out, int n) {
  int* p = static_cast<int*>(malloc(n * sizeof(int)));
  p[0] = threadIdx.x;  //! here
  out[threadIdx.x] = p[0];
}
// A constant table is changed through a pointer that lost its const.
__constant__ float weights[4] = {1, 2, 3, 4};
//! run 1 4 buf:f32:4:zero
//! expect invalid_address "only read"
__global__ void constant_table_rescaled(float* out) {
  float* w = const_cast<float*>(weights);
  asm volatile("" : "+l"(w));
  w[threadIdx.x] *= 2;  //! here
  out[threadIdx.x] = w[threadIdx.x];
}
//! run 1 4 buf:f32:4:zero
__global__ void constant_table_read(float* out) {
  out[threadIdx.x] = 2 * weights[threadIdx.x];
}
// Tasks split among 7 blocks, each of which takes the rest as well.
//! run 7 32 buf:i32:1000:iota i32:1000
//! expect out_of_bounds "1,000"
__global__ void chunks_that_round_up(int* a, int n) {
  int chunk = (n + gridDim.x - 1) / gridDim.x;
  for (int k = threadIdx.x; k < chunk; k += blockDim.x) a[blockIdx.x * chunk + k] += 1;  //! here
}
//! run 7 32 buf:i32:1000:iota i32:1000
__global__ void chunks_that_end(int* a, int n) {
  int chunk = (n + gridDim.x - 1) / gridDim.x;
  for (int k = threadIdx.x; k < chunk; k += blockDim.x)
    if (blockIdx.x * chunk + k < n) a[blockIdx.x * chunk + k] += 1;
}
// More threads than the kernel was compiled for, and more than there can be.
//! run 1 256 buf:i32:256:zero
//! expect refused "__launch_bounds__"
__global__ void __launch_bounds__(128) made_for_128_threads(int* a) {
  a[threadIdx.x] = 1;
}
//! run 1 32x33 buf:i32:1056:zero
//! expect refused "1024"
__global__ void block_of_32_by_33(int* a) {
  a[threadIdx.y * 32 + threadIdx.x] = 1;
}
// Ends never: the step is rounded to nothing.
//! run 1 3 buf:f32:3:zero
//! expect deadlock "this loop never ends"
__global__ void step_of_nothing(float* out) {
  float x = 16777216.f;
  while (x < 16777220.f) x += 0.5f;
  out[threadIdx.x] = x;
}
