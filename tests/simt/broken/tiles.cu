// Tiles: the second barrier of a loop, two and three buffers, edges that nobody fills, memory that is too small.

//! run 2 64 buf:f32:256:iota buf:f32:128:zero
//! expect race "__syncthreads"
__global__ void dot_products_by_tiles(const float* v, float* out) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    tile[t] = v[k * 64 + t];  //! here
    __syncthreads();
    for (int j = 0; j < 64; ++j) sum += tile[j] * (float)(t + 1);  //! there
  }
  out[blockIdx.x * 64 + t] = sum;
}
//! run 2 64 buf:f32:256:iota buf:f32:128:zero
__global__ void dot_products_by_tiles_ok(const float* v, float* out) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    tile[t] = v[k * 64 + t];
    __syncthreads();
    for (int j = 0; j < 64; ++j) sum += tile[j] * (float)(t + 1);
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = sum;
}
struct Particle { float x, y, z, m; };
//! run 2 64 buf:f32:512:hash buf:f32:128:zero
//! expect race
__global__ void forces_by_tiles(const Particle* p, float* out) {
  __shared__ Particle near[64];
  Particle me = p[blockIdx.x * 64 + threadIdx.x];
  float sum = 0;
  for (int base = 0; base < 128; base += 64) {
    near[threadIdx.x] = p[base + threadIdx.x];  //! here
    __syncthreads();
    for (int j = 0; j < 64; ++j) {
      float d = near[j].x - me.x;  //! there
      sum += near[j].m * d;  //! there
    }
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}
//! run 2 64 buf:f32:512:hash buf:f32:128:zero
__global__ void forces_by_tiles_ok(const Particle* p, float* out) {
  __shared__ Particle near[64];
  Particle me = p[blockIdx.x * 64 + threadIdx.x];
  float sum = 0;
  for (int base = 0; base < 128; base += 64) {
    __syncthreads();
    near[threadIdx.x] = p[base + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 64; ++j) sum += near[j].m * (near[j].x - me.x);
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}
// Columns beyond the matrix skip the rest of the turn, and with it the second barrier.
//! run 3 16x16 buf:f32:1600:iota buf:f32:40:zero i32:40
//! expect divergent_barrier
__global__ void tile_turn_skipped(const float* a, float* sums, int n) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    tile[y][threadIdx.x] = x < n && k + y < n ? a[(k + y) * n + x] : 0;
    __syncthreads();
    if (x >= n) continue;
    for (int j = 0; j < 16; ++j) sum += tile[j][threadIdx.x];
    __syncthreads();  //! here
  }
  if (x < n && y == 0) sums[x] = sum;
}
//! run 3 16x16 buf:f32:1600:iota buf:f32:40:zero i32:40
__global__ void tile_turn_guarded(const float* a, float* sums, int n) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    tile[y][threadIdx.x] = x < n && k + y < n ? a[(k + y) * n + x] : 0;
    __syncthreads();
    if (x < n)
      for (int j = 0; j < 16; ++j) sum += tile[j][threadIdx.x];
    __syncthreads();
  }
  if (x < n && y == 0) sums[x] = sum;
}
// The matrix product of a course, for sizes that are no multiple of the tile: who is outside goes home.
//! run 2x2 16x16 buf:f32:900:iota buf:f32:900:iota buf:f32:900:zero i32:30
//! expect divergent_barrier
__global__ void ragged_product_returns(const float* a, const float* b, float* c, int n) {
  __shared__ float s[16][16], r[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= n || y >= n) return;
  float sum = 0;
  for (int k = 0; k < (n + 15) / 16; ++k) {
    s[threadIdx.y][threadIdx.x] = k * 16 + threadIdx.x < n ? a[y * n + k * 16 + threadIdx.x] : 0;
    r[threadIdx.y][threadIdx.x] = k * 16 + threadIdx.y < n ? b[(k * 16 + threadIdx.y) * n + x] : 0;
    __syncthreads();  //! here
    for (int j = 0; j < 16; ++j) sum += s[threadIdx.y][j] * r[j][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}
//! run 2x2 16x16 buf:f32:900:iota buf:f32:900:iota buf:f32:900:zero i32:30
__global__ void ragged_product(const float* a, const float* b, float* c, int n) {
  __shared__ float s[16][16], r[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < (n + 15) / 16; ++k) {
    s[threadIdx.y][threadIdx.x] = y < n && k * 16 + threadIdx.x < n ? a[y * n + k * 16 + threadIdx.x] : 0;
    r[threadIdx.y][threadIdx.x] = x < n && k * 16 + threadIdx.y < n ? b[(k * 16 + threadIdx.y) * n + x] : 0;
    __syncthreads();
    for (int j = 0; j < 16; ++j) sum += s[threadIdx.y][j] * r[j][threadIdx.x];
    __syncthreads();
  }
  if (x < n && y < n) c[y * n + x] = sum;
}

// ---- two and three buffers ----
//! run 1 64 buf:f32:512:iota buf:f32:64:zero
//! expect race
__global__ void next_tile_into_this_buffer(const float* in, float* out) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  s[0][t] = in[t];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 7; ++k) {
    s[k & 1][t] = in[(k + 1) * 64 + t];  //! here
    sum += s[k & 1][63 - t];  //! there
    __syncthreads();
  }
  out[t] = sum;
}
//! run 1 64 buf:f32:512:iota buf:f32:64:zero
__global__ void next_tile_into_the_other_buffer(const float* in, float* out) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  s[0][t] = in[t];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 7; ++k) {
    s[(k + 1) & 1][t] = in[(k + 1) * 64 + t];
    sum += s[k & 1][63 - t];
    __syncthreads();
  }
  out[t] = sum + s[1][63 - t];
}
//! run 1 64 buf:f32:512:iota buf:f32:64:zero
//! expect race
__global__ void two_buffers_no_barrier_in_turn(const float* in, float* out) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  s[0][t] = in[t];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 7; ++k) {
    s[(k + 1) & 1][t] = in[(k + 1) * 64 + t];  //! here
    sum += s[k & 1][63 - t];  //! there
  }
  out[t] = sum;
}
// The buffers change roles each turn, the first one is read by the last turn too.
//! run 1 64 buf:f32:512:iota buf:f32:64:zero
//! expect race
__global__ void three_buffers_two_in_use(const float* in, float* out) {
  __shared__ float s[3][64];
  int t = threadIdx.x;
  s[0][t] = in[t];
  s[1][t] = in[64 + t];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 6; ++k) {
    s[(k + 2) % 2][t] = in[(k + 2) * 64 + t];  //! here
    sum += s[k % 3][63 - t];  //! there
    __syncthreads();
  }
  out[t] = sum;
}
//! run 1 64 buf:f32:512:iota buf:f32:64:zero
__global__ void three_buffers(const float* in, float* out) {
  __shared__ float s[3][64];
  int t = threadIdx.x;
  s[0][t] = in[t];
  s[1][t] = in[64 + t];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 6; ++k) {
    s[(k + 2) % 3][t] = in[(k + 2) * 64 + t];
    sum += s[k % 3][63 - t];
    __syncthreads();
  }
  out[t] = sum;
}

// ---- edges that nobody fills ----
//! run 2 64 buf:f32:100:iota buf:f32:100:zero i32:100
//! expect uninitialised_read
__global__ void edge_of_the_tile_left_empty(const float* in, float* out, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  if (i < n) s[t] = in[i];
  __syncthreads();
  if (i < n) out[i] = s[t] + s[(t + 1) % 64];  //! here
}
//! run 2 64 buf:f32:100:iota buf:f32:100:zero i32:100
__global__ void edge_of_the_tile_zero(const float* in, float* out, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n) out[i] = s[t] + s[(t + 1) % 64];
}
// Four sides of the halo, not its corners; the stencil has nine points.
//! run 2x2 8x8 buf:f32:324:iota buf:f32:256:zero
//! expect uninitialised_read
__global__ void nine_points_without_corners(const float* in, float* out) {
  __shared__ float s[10][10];
  int x = threadIdx.x + 1, y = threadIdx.y + 1, gx = blockIdx.x * 8 + x, gy = blockIdx.y * 8 + y;
  s[y][x] = in[gy * 18 + gx];
  if (x == 1) s[y][0] = in[gy * 18 + gx - 1];
  if (x == 8) s[y][9] = in[gy * 18 + gx + 1];
  if (y == 1) s[0][x] = in[(gy - 1) * 18 + gx];
  if (y == 8) s[9][x] = in[(gy + 1) * 18 + gx];
  __syncthreads();
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) sum += s[y + dy][x + dx];  //! here
  out[(gy - 1) * 16 + gx - 1] = sum;
}
//! run 2x2 8x8 buf:f32:324:iota buf:f32:256:zero
__global__ void nine_points_by_a_loop(const float* in, float* out) {
  __shared__ float s[10][10];
  for (int k = threadIdx.y * 8 + threadIdx.x; k < 100; k += 64)
    s[k / 10][k % 10] = in[(blockIdx.y * 8 + k / 10) * 18 + blockIdx.x * 8 + k % 10];
  __syncthreads();
  int x = threadIdx.x + 1, y = threadIdx.y + 1;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) sum += s[y + dy][x + dx];
  out[(blockIdx.y * 8 + y - 1) * 16 + blockIdx.x * 8 + x - 1] = sum;
}
//! run 2 32x8 buf:f32:2048:iota buf:f32:2048:zero
//! expect uninitialised_read
__global__ void tile_of_32_loaded_to_24(const float* in, float* out) {
  __shared__ float s[32][33];
  for (int j = 0; j < 24; j += 8) s[threadIdx.y + j][threadIdx.x] = in[(blockIdx.x * 32 + threadIdx.y + j) * 32 + threadIdx.x];
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    out[(blockIdx.x * 32 + threadIdx.y + j) * 32 + threadIdx.x] = s[threadIdx.x][threadIdx.y + j];  //! here
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect uninitialised_read
__global__ void exclusive_scan_without_its_zero(const int* in, int* out) {
  __shared__ int s[65];
  int t = threadIdx.x;
  s[t + 1] = in[t];
  __syncthreads();
  int sum = 0;
  for (int j = 0; j <= t; ++j) sum += s[j];  //! here
  out[t] = sum;
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void exclusive_scan_with_its_zero(const int* in, int* out) {
  __shared__ int s[65];
  int t = threadIdx.x;
  s[t + 1] = in[t];
  if (t == 0) s[0] = 0;
  __syncthreads();
  int sum = 0;
  for (int j = 0; j <= t; ++j) sum += s[j];
  out[t] = sum;
}
struct Hit { float near, far; int object; };
//! run 1 64 buf:f32:64:iota buf:i32:64:zero
//! expect uninitialised_read
__global__ void member_that_nobody_sets(const float* in, int* out) {
  __shared__ Hit hits[64];
  int t = threadIdx.x;
  hits[t].near = in[t];
  hits[t].far = in[t] + 1;
  __syncthreads();
  out[t] = hits[63 - t].object;  //! here
}
//! run 1 64 buf:f32:64:iota buf:i32:64:zero
__global__ void members_all_set(const float* in, int* out) {
  __shared__ Hit hits[64];
  int t = threadIdx.x;
  hits[t] = Hit{in[t], in[t] + 1, t};
  __syncthreads();
  out[t] = hits[63 - t].object;
}
// Two bytes of each word are written, four are read.
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect uninitialised_read
__global__ void lower_halves_written(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  reinterpret_cast<short*>(s)[2 * t] = (short)in[t];
  __syncthreads();
  out[t] = s[63 - t];  //! here
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void both_halves_written(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  reinterpret_cast<short*>(s)[2 * t] = (short)in[t];
  reinterpret_cast<short*>(s)[2 * t + 1] = 0;
  __syncthreads();
  out[t] = s[63 - t];
}
// Every third thread sets its flag, four flags are looked at together.
//! run 1 64 buf:i32:64:iota buf:i32:16:zero
//! expect uninitialised_read
__global__ void flags_by_some_threads(const int* in, int* out) {
  __shared__ alignas(4) unsigned char flag[64];
  int t = threadIdx.x;
  if (in[t] % 3 != 0) flag[t] = 1;
  __syncthreads();
  if (t < 16) out[t] = reinterpret_cast<const int*>(flag)[t];  //! here
}
//! run 1 64 buf:i32:64:iota buf:i32:16:zero
__global__ void flags_by_all_threads(const int* in, int* out) {
  __shared__ alignas(4) unsigned char flag[64];
  int t = threadIdx.x;
  flag[t] = in[t] % 3 != 0;
  __syncthreads();
  if (t < 16) out[t] = reinterpret_cast<const int*>(flag)[t];
}

// ---- memory that is too small ----
extern __shared__ float arena[];
//! run 2 64 256 buf:f32:128:iota buf:f32:128:zero
//! expect out_of_bounds "shared memory"
__global__ void room_for_one_of_two_arrays(const float* in, float* out) {
  float *a = arena, *b = arena + 64;
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  a[t] = in[i];
  b[t] = in[127 - i];  //! here
  __syncthreads();
  out[i] = a[63 - t] * b[t];
}
//! run 2 64 512 buf:f32:128:iota buf:f32:128:zero
__global__ void room_for_two_arrays(const float* in, float* out) {
  float *a = arena, *b = arena + 64;
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  a[t] = in[i];
  b[t] = in[127 - i];
  __syncthreads();
  out[i] = a[63 - t] * b[t];
}
// The third launch parameter counts bytes.
//! run 2 64 64 buf:f32:128:iota buf:f32:128:zero
//! expect out_of_bounds "shared memory"
__global__ void size_in_elements(const float* in, float* out) {
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  arena[t] = in[i];  //! here
  __syncthreads();
  out[i] = arena[63 - t];
}
// A halo of one on each side, memory for one side.
//! run 2 64 260 buf:f32:130:iota buf:f32:128:zero
//! expect out_of_bounds "shared memory"
__global__ void room_for_half_the_halo(const float* in, float* out) {
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  arena[t + 1] = in[i + 1];
  if (t == 0) arena[0] = in[i];
  if (t == 63) arena[65] = in[i + 2];  //! here
  __syncthreads();
  out[i] = arena[t] + arena[t + 2];
}
//! run 2 64 264 buf:f32:130:iota buf:f32:128:zero
__global__ void room_for_the_halo(const float* in, float* out) {
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  arena[t + 1] = in[i + 1];
  if (t == 0) arena[0] = in[i];
  if (t == 63) arena[65] = in[i + 2];
  __syncthreads();
  out[i] = arena[t] + arena[t + 2];
}
//! run 1 32x8 buf:f32:256:iota buf:f32:256:zero
//! expect out_of_bounds "shared array"
__global__ void tile_indexed_the_other_way(const float* in, float* out) {
  __shared__ float tile[8][32];
  int t = threadIdx.y * 32 + threadIdx.x;
  tile[threadIdx.x][threadIdx.y] = in[t];  //! here
  __syncthreads();
  out[t] = tile[threadIdx.x][threadIdx.y];
}
//! run 1 32x8 buf:f32:256:iota buf:f32:256:zero
__global__ void tile_indexed_as_declared(const float* in, float* out) {
  __shared__ float tile[32][8];
  int t = threadIdx.y * 32 + threadIdx.x;
  tile[threadIdx.x][threadIdx.y] = in[t];
  __syncthreads();
  out[t] = tile[(threadIdx.x + 1) % 32][threadIdx.y];
}
// One row overrun into the next is legal memory: nothing tells it from an index that means it.
//! run 1 32 buf:f32:32:iota buf:f32:32:zero
__global__ void into_the_next_row(const float* in, float* out) {
  __shared__ float rows[5][8];
  int t = threadIdx.x;
  rows[t / 8][t % 8] = in[t];
  if (t < 8) rows[4][t] = 0;
  __syncthreads();
  out[t] = rows[t / 8][t % 8 + 1];
}
// From the last row there is no next one.
//! run 1 32 buf:f32:32:iota buf:f32:32:zero
//! expect out_of_bounds "shared array"
__global__ void behind_the_last_row(const float* in, float* out) {
  __shared__ float rows[4][8];
  int t = threadIdx.x;
  rows[t / 8][t % 8] = in[t];
  __syncthreads();
  out[t] = rows[t / 8][t % 8 + 1];  //! here
}
// A struct overrun into the next element's first member, at the last one into nothing.
//! run 1 32 buf:f32:32:iota buf:f32:96:zero
//! expect out_of_bounds "element 96"
__global__ void one_member_too_far(const float* in, Hit* out) {
  float* members = &out[threadIdx.x].near;
  for (int k = 0; k <= 3; ++k) members[k] = in[threadIdx.x] + (float)k;  //! here
}
