// Tiles, halos and buffers inside a block: who fills what, and when the others may look.

// The halo is filled by the first threads, the barrier stands before it.
//! run 2 64 buf:f32:130:iota buf:f32:128:zero
//! expect race "__syncthreads"
__global__ void halo_behind_the_barrier(const float* in, float* out) {
  __shared__ float s[66];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t + 1] = in[i + 1];
  __syncthreads();
  if (t < 2) s[65 * t] = in[blockIdx.x * 64 + 65 * t];  //! there
  out[i] = s[t] + s[t + 1] + s[t + 2];  //! here
}
// The same with the halo's ends filled by those who alone read them: no mistake.
//! run 2 64 buf:f32:130:iota buf:f32:128:zero
__global__ void halo_by_its_only_readers(const float* in, float* out) {
  __shared__ float s[66];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t + 1] = in[i + 1];
  __syncthreads();
  if (t == 0) s[0] = in[i];
  if (t == 63) s[65] = in[i + 2];
  out[i] = s[t] + s[t + 1] + s[t + 2];
}
//! run 2 64 buf:f32:130:iota buf:f32:128:zero
__global__ void halo_before_the_barrier(const float* in, float* out) {
  __shared__ float s[66];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t + 1] = in[i + 1];
  if (t == 0) s[0] = in[i];
  if (t == 63) s[65] = in[i + 2];
  __syncthreads();
  out[i] = s[t] + s[t + 1] + s[t + 2];
}
// A 2-D tile without its corners.
//! run 1x2 14x9 buf:i32:400:iota buf:i32:252:zero
//! expect uninitialised_read "shared"
__global__ void corners_of_the_halo(const int* in, int* out) {
  __shared__ int s[11][16];
  int x = threadIdx.x, y = threadIdx.y, base = blockIdx.y * 9 * 16;
  s[y + 1][x + 1] = in[base + (y + 1) * 16 + x + 1];
  if (y == 0) s[0][x + 1] = in[base + x + 1];
  if (y == 8) s[10][x + 1] = in[base + 160 + x + 1];
  if (x == 0) s[y + 1][0] = in[base + (y + 1) * 16];
  if (x == 13) s[y + 1][15] = in[base + (y + 1) * 16 + 15];
  __syncthreads();
  int sum = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) sum += s[y + dy][x + dx];  //! here
  out[(blockIdx.y * 9 + y) * 14 + x] = sum;
}
//! run 1x2 14x9 buf:i32:400:iota buf:i32:252:zero
__global__ void halo_by_all_threads_in_turn(const int* in, int* out) {
  __shared__ int s[11][16];
  int x = threadIdx.x, y = threadIdx.y, base = blockIdx.y * 9 * 16;
  for (int k = y * 14 + x; k < 176; k += 126) s[k / 16][k % 16] = in[base + k];
  __syncthreads();
  int sum = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) sum += s[y + dy][x + dx];
  out[(blockIdx.y * 9 + y) * 14 + x] = sum;
}
// Jacobi in shared memory: new values over the old ones.
//! run 1 100 buf:f32:102:iota i32:3
//! expect race "__syncthreads"
__global__ void jacobi_over_itself(float* a, int turns) {
  __shared__ float s[102];
  int t = threadIdx.x;
  for (int k = t; k < 102; k += 100) s[k] = a[k];
  __syncthreads();
  for (int turn = 0; turn < turns; ++turn) {
    float v = (s[t] + s[t + 2]) / 2;  //! there
    s[t + 1] = v;  //! here
    __syncthreads();
  }
  a[t + 1] = s[t + 1];
}
//! run 1 100 buf:f32:102:iota i32:3
__global__ void jacobi_with_two_barriers(float* a, int turns) {
  __shared__ float s[102];
  int t = threadIdx.x;
  for (int k = t; k < 102; k += 100) s[k] = a[k];
  __syncthreads();
  for (int turn = 0; turn < turns; ++turn) {
    float v = (s[t] + s[t + 2]) / 2;
    __syncthreads();
    s[t + 1] = v;
    __syncthreads();
  }
  a[t + 1] = s[t + 1];
}
// Two buffers, filled and read without a barrier between filling and reading.
//! run 1 64 buf:i32:512:iota buf:i32:512:zero
//! expect race
__global__ void ping_pong_one_barrier_too_few(const int* in, int* out) {
  __shared__ int s[2][64];
  int t = threadIdx.x;
  s[0][t] = in[t];
  for (int k = 0; k < 8; ++k) {
    __syncthreads();
    if (k < 7) s[(k + 1) & 1][t] = in[(k + 1) * 64 + t];  //! here
    out[k * 64 + t] = s[k & 1][63 - t] + (k < 7 ? s[(k + 1) & 1][t ^ 32] : 0);  //! there
  }
}
//! run 1 64 buf:i32:512:iota buf:i32:512:zero
__global__ void ping_pong(const int* in, int* out) {
  __shared__ int s[2][64];
  int t = threadIdx.x;
  s[0][t] = in[t];
  for (int k = 0; k < 8; ++k) {
    __syncthreads();
    if (k < 7) s[(k + 1) & 1][t] = in[(k + 1) * 64 + t];
    out[k * 64 + t] = s[k & 1][63 - t];
  }
}
// Three buffers used as two: the third is filled while the first is still read.
//! run 1 96 buf:i32:960:iota buf:i32:960:zero
//! expect race
__global__ void three_stages_modulo_two(const int* in, int* out) {
  __shared__ int s[3][96];
  int t = threadIdx.x;
  s[0][t] = in[t];
  s[1][t] = in[96 + t];
  for (int k = 0; k < 10; ++k) {
    __syncthreads();
    out[k * 96 + t] = s[k % 2][95 - t];  //! there
    if (k + 2 < 10) s[(k + 2) % 2][t] = in[(k + 2) * 96 + t];  //! here
  }
}
//! run 1 96 buf:i32:960:iota buf:i32:960:zero
__global__ void three_stages(const int* in, int* out) {
  __shared__ int s[3][96];
  int t = threadIdx.x;
  s[0][t] = in[t];
  s[1][t] = in[96 + t];
  for (int k = 0; k < 10; ++k) {
    __syncthreads();
    out[k * 96 + t] = s[k % 3][95 - t];
    if (k + 2 < 10) s[(k + 2) % 3][t] = in[(k + 2) * 96 + t];
  }
}
// The sum of squares of all, kept in one shared float.
//! run 3 70 buf:f32:210:iota buf:f32:3:zero
//! expect race "atomic"
__global__ void one_sum_for_the_block(const float* in, float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  float v = in[blockIdx.x * 70 + threadIdx.x];
  sum += v * v;  //! here
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
//! run 3 70 buf:f32:210:iota buf:f32:3:zero
__global__ void one_sum_by_atomics(const float* in, float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  float v = in[blockIdx.x * 70 + threadIdx.x];
  atomicAdd(&sum, v * v);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
// Nobody sets the shared counter to zero.
//! run 2 50 buf:i32:100:iota buf:i32:2:zero
//! expect uninitialised_read "count"
__global__ void counter_from_nowhere(const int* in, int* out) {
  __shared__ int count;
  if (in[blockIdx.x * 50 + threadIdx.x] % 3 == 0) atomicAdd(&count, 1);  //! here
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = count;
}
// It is set to zero after the first have counted.
//! run 2 64 buf:i32:128:iota buf:i32:2:zero
//! expect race
__global__ void counter_zeroed_without_a_barrier(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;  //! there
  if (in[blockIdx.x * 64 + threadIdx.x] % 3 == 0) atomicAdd(&count, 1);  //! here
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = count;
}
// And zeroed for the next turn while others still read it.
//! run 1 64 buf:i32:256:iota buf:i32:4:zero
//! expect race
__global__ void counter_zeroed_for_the_next_turn(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    if (in[k * 64 + threadIdx.x] % 3 == 0) atomicAdd(&count, 1);  //! there
    __syncthreads();
    if (threadIdx.x == 40) out[k] = count;  //! there
    if (threadIdx.x == 0) count = 0;  //! here
  }
}
//! run 1 64 buf:i32:256:iota buf:i32:4:zero
__global__ void counter_of_every_turn(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    if (in[k * 64 + threadIdx.x] % 3 == 0) atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 40) out[k] = count;
    __syncthreads();
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
  }
}
// Tree sum of a block whose size is no power of two: the odd one is lost, and read by two.
//! run 1 96 buf:i32:96:iota buf:i32:1:zero
//! expect race
__global__ void tree_in_place_upwards(const int* in, int* out) {
  __shared__ int s[96];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int step = 1; step < 96; step *= 2) {
    if (t + step < 96) s[t] += s[t + step];  //! here
    __syncthreads();
  }
  if (t == 0) *out = s[0];
}
//! run 1 96 buf:i32:96:iota buf:i32:1:zero
__global__ void tree_upwards_by_multiples(const int* in, int* out) {
  __shared__ int s[96];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int step = 1; step < 96; step *= 2) {
    if (t % (2 * step) == 0 && t + step < 96) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) *out = s[0];
}
// The maximum of each warp, read by the first warp without waiting for the others.
//! run 1 160 buf:i32:160:iota buf:i32:1:zero
//! expect race "__syncthreads"
__global__ void maxima_of_warps_unordered(const int* in, int* out) {
  __shared__ int best[5];
  int v = __reduce_max_sync(~0u, in[threadIdx.x]);
  if (threadIdx.x % 32 == 0) best[threadIdx.x / 32] = v;  //! there
  if (threadIdx.x == 0) {
    for (int k = 1; k < 5; ++k) v = max(v, best[k]);  //! here
    *out = v;
  }
}
//! run 1 160 buf:i32:160:iota buf:i32:1:zero
__global__ void maxima_of_warps(const int* in, int* out) {
  __shared__ int best[5];
  int v = __reduce_max_sync(~0u, in[threadIdx.x]);
  if (threadIdx.x % 32 == 0) best[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 5; ++k) v = max(v, best[k]);
    *out = v;
  }
}
// Tiled product whose second barrier is missing, in rectangles.
//! run 2x1 8x12 buf:f32:288:iota buf:f32:384:iota buf:f32:192:zero
//! expect race
__global__ void rectangles_one_barrier(const float* a, const float* b, float* c) {
  __shared__ float sa[12][8], sb[8][8];
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 8 + x;
  float sum = 0;
  for (int k = 0; k < 3; ++k) {
    sa[y][x] = a[y * 24 + k * 8 + x];  //! here
    if (y < 8) sb[y][x] = b[(k * 8 + y) * 16 + column];  //! here
    __syncthreads();
    for (int i = 0; i < 8; ++i) sum += sa[y][i] * sb[i][x];  //! there
  }
  c[y * 16 + column] = sum;
}
//! run 2x1 8x12 buf:f32:288:iota buf:f32:384:iota buf:f32:192:zero
__global__ void rectangles_two_barriers(const float* a, const float* b, float* c) {
  __shared__ float sa[12][8], sb[8][8];
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 8 + x;
  float sum = 0;
  for (int k = 0; k < 3; ++k) {
    sa[y][x] = a[y * 24 + k * 8 + x];
    if (y < 8) sb[y][x] = b[(k * 8 + y) * 16 + column];
    __syncthreads();
    for (int i = 0; i < 8; ++i) sum += sa[y][i] * sb[i][x];
    __syncthreads();
  }
  c[y * 16 + column] = sum;
}
// Rows of a tile for a block whose last warp has fewer rows: they are never filled.
//! run 1 24x3 buf:f32:96:iota buf:f32:96:zero
//! expect uninitialised_read "tile"
__global__ void rows_that_nobody_fills(const float* in, float* out) {
  __shared__ float tile[4][24];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 24 + x];
  __syncthreads();
  for (int row = y; row < 4; row += 3) out[row * 24 + x] = tile[row][23 - x];  //! here
}
//! run 1 24x3 buf:f32:96:iota buf:f32:96:zero
__global__ void rows_filled_in_turns(const float* in, float* out) {
  __shared__ float tile[4][24];
  int x = threadIdx.x, y = threadIdx.y;
  for (int row = y; row < 4; row += 3) tile[row][x] = in[row * 24 + x];
  __syncthreads();
  for (int row = y; row < 4; row += 3) out[row * 24 + x] = tile[row][23 - x];
}
// The guard at the end of the data leaves a part of the tile unfilled.
//! run 2 64 buf:i32:100:iota buf:i32:2:zero i32:100
//! expect uninitialised_read "shared"
__global__ void tail_of_the_last_tile(const int* in, int* out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  if (i < n) s[t] = in[i];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];  //! here
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
//! run 2 64 buf:i32:100:iota buf:i32:2:zero i32:100
__global__ void tail_of_the_last_tile_is_zero(const int* in, int* out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
// The barrier stands in the guard.
//! run 2 64 buf:i32:100:iota buf:i32:100:zero i32:100
//! expect divergent_barrier
__global__ void guard_around_everything(const int* in, int* out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  if (i < n) {
    s[t] = in[i];
    __syncthreads();  //! here
    out[i] = s[t ^ 1];
  }
}
// return for those that have nothing to do, before the others' barrier.
//! run 1 80 buf:i32:70:iota buf:i32:70:zero i32:70
//! expect divergent_barrier "returned"
__global__ void return_of_the_idle(const int* in, int* out, int n) {
  __shared__ int s[80];
  int t = threadIdx.x;
  if (t >= n) return;
  s[t] = in[t];
  __syncthreads();  //! here
  out[t] = s[n - 1 - t];
}
//! run 1 80 buf:i32:70:iota buf:i32:70:zero i32:70
__global__ void the_idle_stay(const int* in, int* out, int n) {
  __shared__ int s[80];
  int t = threadIdx.x;
  if (t < n) s[t] = in[t];
  __syncthreads();
  if (t < n) out[t] = s[n - 1 - t];
}
// A loop whose number of turns depends on the thread, with a barrier inside.
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect divergent_barrier
__global__ void turns_by_thread(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  for (int k = 0; k < t / 32 + 1; ++k) {
    __syncthreads();  //! here
    int v = s[(t + 1) % 64];
    __syncthreads();  //! here
    s[t] = v;
  }
  out[t] = s[t];
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void turns_of_the_longest(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  for (int k = 0; k < 2; ++k) {
    __syncthreads();
    int v = s[(t + 1) % 64];
    __syncthreads();
    if (k < t / 32 + 1) s[t] = v;
  }
  out[t] = s[t];
}
// Bits of one word set by all, without an atomic.
//! run 1 64 buf:i32:64:iota buf:u32:2:zero
//! expect race
__global__ void bits_of_one_word(const int* in, unsigned* out) {
  __shared__ unsigned bits[2];
  int t = threadIdx.x;
  if (t < 2) bits[t] = 0;
  __syncthreads();
  if (in[t] % 5 == 0) bits[t / 32] |= 1u << t % 32;  //! here
  __syncthreads();
  if (t < 2) out[t] = bits[t];
}
//! run 1 64 buf:i32:64:iota buf:u32:2:zero
__global__ void bits_by_atomic_or(const int* in, unsigned* out) {
  __shared__ unsigned bits[2];
  int t = threadIdx.x;
  if (t < 2) bits[t] = 0;
  __syncthreads();
  if (in[t] % 5 == 0) atomicOr(&bits[t / 32], 1u << t % 32);
  __syncthreads();
  if (t < 2) out[t] = bits[t];
}
// A queue in shared memory: the place comes from an atomic, the element is read at once by another.
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect race
__global__ void queue_read_while_it_fills(const int* in, int* out) {
  __shared__ int queue[64], tail;
  int t = threadIdx.x;
  queue[t] = -1;
  if (t == 0) tail = 0;
  __syncthreads();
  if (in[t] % 2 == 0) queue[atomicAdd(&tail, 1)] = in[t];  //! there
  out[t] = queue[t];  //! here
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void queue_read_when_it_is_full(const int* in, int* out) {
  __shared__ int queue[64], tail;
  int t = threadIdx.x;
  queue[t] = -1;
  if (t == 0) tail = 0;
  __syncthreads();
  if (in[t] % 2 == 0) queue[atomicAdd(&tail, 1)] = in[t];
  __syncthreads();
  out[t] = queue[t];
}
// Odd-even sort: neighbours of the same phase are compared from both sides.
//! run 1 50 buf:i32:50:hash
//! expect race
__global__ void sort_compared_from_both_sides(int* a) {
  __shared__ int s[50];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  for (int phase = 0; phase < 50; ++phase) {
    int partner = (t + phase) % 2 == 0 ? t + 1 : t - 1;
    if (partner >= 0 && partner < 50) {
      int mine = s[t], other = s[partner];  //! there
      s[t] = t < partner ? min(mine, other) : max(mine, other);  //! here
    }
    __syncthreads();
  }
  a[t] = s[t];
}
//! run 1 50 buf:i32:50:hash
__global__ void sort_compared_from_one_side(int* a) {
  __shared__ int s[50];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  for (int phase = 0; phase < 50; ++phase) {
    if ((t + phase) % 2 == 0 && t + 1 < 50) {
      int mine = s[t], other = s[t + 1];
      s[t] = min(mine, other);
      s[t + 1] = max(mine, other);
    }
    __syncthreads();
  }
  a[t] = s[t];
}
// The result is written where the next turn's input of a neighbour still lies.
//! run 1 64 buf:i32:64:iota i32:2
//! expect race
__global__ void shift_in_place(int* a, int by) {
  int t = threadIdx.x;
  int v = a[(t + by) % 64];  //! there
  a[t] = v;  //! here
}
//! run 1 64 buf:i32:64:iota i32:2
__global__ void shift_with_a_barrier(int* a, int by) {
  int t = threadIdx.x;
  int v = a[(t + by) % 64];
  __syncthreads();
  a[t] = v;
}
