// Algorithms of courses and samples with one mistake each: sorts, scans, searches, graphs, locks.
struct Body { float x, y, z, m; };
//! run 2 64 buf:f32:400:hash buf:f32:400:zero i32:101
//! expect out_of_bounds
__global__ void bodies(const Body* in, Body* out, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) out[i] = in[i];  //! here
}
//! run 2 64 buf:f32:400:hash buf:f32:400:zero i32:100
__global__ void bodies_ok(const Body* in, Body* out, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) out[i] = in[i];
}
//! run 1 32 buf:i32:64:iota buf:i32:32:zero i32:64
//! expect out_of_bounds
__global__ void countdown(const int* a, int* out, int n) {
  int s = 0;
  for (unsigned i = n - 1; i >= 0; --i) {
    s += a[i];  //! here
    if (s == -5) break;
  }
  out[threadIdx.x] = s;
}
//! run 2 64 buf:i32:100:iota buf:i32:128:zero i32:100
//! expect out_of_bounds
__global__ void search(const int* a, int* out, int n) {
  int key = 90 + blockIdx.x * 64 + threadIdx.x, lo = 0, hi = n;
  while (lo <= hi) {
    int mid = (lo + hi) / 2;
    int v = a[mid];  //! here
    if (v == key) break;
    if (v < key) lo = mid + 1; else hi = mid - 1;
  }
  out[blockIdx.x * 64 + threadIdx.x] = lo;
}
//! run 2 64 buf:f32:1000:iota i32:1000
//! expect out_of_bounds
__global__ void grid_stride(float* a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += blockDim.x * gridDim.x) a[i] *= 2;  //! here
}
//! run 2 8x8x4 buf:f32:512:zero i32:8 i32:8 i32:8
//! expect out_of_bounds
__global__ void volume(float* v, int nx, int ny, int nz) {
  int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x * 4 + threadIdx.z;
  v[(z * ny + y) * nx + x + 1] = 1;  //! here
}
//! run 1 64 512 buf:f32:64:iota
//! expect out_of_bounds
__global__ void split_dynamic(float* data) {
  extern __shared__ float pool[];
  float* a = pool;
  float* b = pool + 65;
  a[threadIdx.x] = data[threadIdx.x];
  b[threadIdx.x] = 2 * data[threadIdx.x];  //! here
  __syncthreads();
  data[threadIdx.x] = a[63 - threadIdx.x] + b[threadIdx.x];
}
//! run 1 64 520 buf:f32:64:iota
__global__ void split_dynamic_ok(float* data) {
  extern __shared__ float pool[];
  float* a = pool;
  float* b = pool + 65;
  a[threadIdx.x] = data[threadIdx.x];
  b[threadIdx.x] = 2 * data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = a[63 - threadIdx.x] + b[threadIdx.x];
}
//! run 1 64 buf:i32:64:iota
//! expect out_of_bounds
__global__ void local_by_thread(int* data) {
  int v[32];
  for (int k = 0; k < 32; ++k) v[k] = k;
  v[threadIdx.x] = data[threadIdx.x];  //! here
  data[threadIdx.x] = v[(threadIdx.x + 3) % 32];
}
//! run 1 32 buf:i8:65:iota buf:i32:32:zero
//! expect misaligned
__global__ void shorts(const char* p, int* out) { out[threadIdx.x] = *(const short*)(p + 2 * threadIdx.x + 1); }  //! here
//! run 1 32 buf:i32:256:zero
//! expect misaligned
__global__ void int4_store(int* out) { *(int4*)(out + 4 * threadIdx.x + 2) = make_int4(1, 2, 3, 4); }  //! here
//! run 1 256 buf:i32:256:hash
//! expect race
__global__ void bitonic(int* a) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  for (int k = 2; k <= 256; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int o = t ^ j;
      if (o > t) {
        int x = s[t], y = s[o];  //! here
        if ((x > y) == ((t & k) == 0)) { s[t] = y; s[o] = x; }  //! here
      }
    }
  __syncthreads();
  a[t] = s[t];
}
//! run 1 256 buf:i32:256:hash
__global__ void bitonic_ok(int* a) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  for (int k = 2; k <= 256; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int o = t ^ j;
      if (o > t) {
        int x = s[t], y = s[o];
        if ((x > y) == ((t & k) == 0)) { s[t] = y; s[o] = x; }
      }
      __syncthreads();
    }
  a[t] = s[t];
}
//! run 1 64 buf:i32:128:iota
//! expect race
__global__ void blelloch(int* a) {
  __shared__ int s[128];
  int t = threadIdx.x, off = 1;
  s[2 * t] = a[2 * t]; s[2 * t + 1] = a[2 * t + 1];
  for (int d = 64; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) s[off * (2 * t + 2) - 1] += s[off * (2 * t + 1) - 1];  //! here
    off *= 2;
  }
  if (t == 0) s[127] = 0;  //! here
  for (int d = 1; d < 128; d *= 2) {
    off >>= 1;
    if (t < d) { int x = s[off * (2 * t + 1) - 1]; s[off * (2 * t + 1) - 1] = s[off * (2 * t + 2) - 1]; s[off * (2 * t + 2) - 1] += x; }  //! here
  }
  __syncthreads();
  a[2 * t] = s[2 * t]; a[2 * t + 1] = s[2 * t + 1];
}
//! run 1 64 buf:i32:128:iota
__global__ void blelloch_ok(int* a) {
  __shared__ int s[128];
  int t = threadIdx.x, off = 1;
  s[2 * t] = a[2 * t]; s[2 * t + 1] = a[2 * t + 1];
  for (int d = 64; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) s[off * (2 * t + 2) - 1] += s[off * (2 * t + 1) - 1];
    off *= 2;
  }
  if (t == 0) s[127] = 0;
  for (int d = 1; d < 128; d *= 2) {
    off >>= 1;
    __syncthreads();
    if (t < d) { int x = s[off * (2 * t + 1) - 1]; s[off * (2 * t + 1) - 1] = s[off * (2 * t + 2) - 1]; s[off * (2 * t + 2) - 1] += x; }
  }
  __syncthreads();
  a[2 * t] = s[2 * t]; a[2 * t + 1] = s[2 * t + 1];
}
//! run 4 64 buf:i32:256:hash i32:256
//! expect race
__global__ void life_in_place(int* g, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  int l = g[(i + n - 1) % n], r = g[(i + 1) % n];  //! there
  g[i] = (l + r) & 1;  //! here
}
//! run 4 64 buf:i32:256:hash buf:i32:1:zero
//! expect race
__global__ void maximum_plain(const int* a, int* m) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (a[i] > *m) *m = a[i];  //! here
}
//! run 4 64 buf:i32:256:hash buf:i32:1:zero
__global__ void maximum_atomic(const int* a, int* m) { atomicMax(m, a[blockIdx.x * 64 + threadIdx.x]); }
// Breadth-first search: threads that find the same vertex write the same level.
//! run 2 64 buf:i32:256:mod:128 buf:i32:128:zero i32:1
__global__ void bfs_level(const int* edges, int* level, int now) {
  int e = blockIdx.x * 64 + threadIdx.x;
  int to = edges[2 * e];
  level[to] = now + 1;
}
//! run 2 64 buf:i32:256:mod:128 buf:i32:128:const:1000 
//! expect race
__global__ void relax(const int* edges, int* dist) {
  int e = blockIdx.x * 64 + threadIdx.x;
  int from = edges[2 * e], to = edges[2 * e + 1];
  int d = dist[from] + e % 7;  //! here
  if (d < dist[to] + 100) dist[to] = d;  //! here
}
//! run 1 64 buf:i32:64:mod:7
//! expect divergent_barrier
__global__ void barrier_and_break(int* a) {
  int t = threadIdx.x;
  for (int k = 0;; ++k) {
    if (k == a[t]) break;
    __syncthreads();  //! here
  }
  a[t] += 10;
  __syncthreads();  //! here
  a[t] += a[(t + 1) % 64];
}
__device__ __noinline__ void helper(int* s) { s[threadIdx.x] += 1; __syncthreads(); }  //! here
//! run 1 64 buf:i32:64:iota
//! expect divergent_barrier
__global__ void barrier_in_function(int* a) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  if (a[threadIdx.x] % 2) helper(s);
  a[threadIdx.x] = s[threadIdx.x];
  __syncthreads();
}
//! run 1 64 buf:i32:64:iota
//! expect divergent_barrier
__global__ void count_in_if(int* a) {
  int n = 0;
  if (a[threadIdx.x] > 10) n = __syncthreads_count(a[threadIdx.x] > 20);  //! here
  a[threadIdx.x] = n;
  __syncthreads();  //! here
}
//! run 1 96 buf:i32:96:iota
//! expect divergent_barrier
__global__ void named_wrong_count(int* a) {
  if (threadIdx.x < 64) asm volatile("bar.sync 1, 96;" ::: "memory");  //! here
  a[threadIdx.x] += 1;
}
//! run 1 96 buf:i32:96:iota
__global__ void named_right_count(int* a) {
  if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  a[threadIdx.x] += 1;
}
//! run 1 32 buf:i32:32:mod:9
//! expect inactive_lane_read
__global__ void shuffle_in_uneven_loop(int* a) {
  int v = a[threadIdx.x], n = v;
  for (int k = 0; k < n; ++k) v += __shfl_xor_sync(__activemask(), v, 1);  //! here
  a[threadIdx.x] = v;
}
//! run 1 32 buf:i32:32:iota
//! expect deadlock
__global__ void ballot_in_half(int* a) {
  if (threadIdx.x < 16) {
    a[threadIdx.x] = __ballot_sync(0xffffffff, a[threadIdx.x] > 3);  //! here
    __syncwarp();
  }
  a[threadIdx.x] += __shfl_sync(0xffffffff, a[threadIdx.x], 0);  //! here
}
//! run 1 2 buf:i32:2:zero buf:i32:1:zero
//! expect deadlock
__global__ void two_locks(int* locks, int* sum) {
  int first = threadIdx.x, second = 1 - threadIdx.x;
  while (atomicCAS(&locks[first], 0, 1) != 0) {}
  __syncwarp();
  while (atomicCAS(&locks[second], 0, 1) != 0) {}  //! here
  atomicAdd(sum, 1);
  atomicExch(&locks[second], 0);
  atomicExch(&locks[first], 0);
}
//! run 4 32 buf:u32:2:zero buf:i32:1:zero
__global__ void ticket_lock(unsigned* lock, int* sum) {
  if (threadIdx.x == 0) {
    unsigned mine = atomicAdd(&lock[0], 1);
    while (atomicAdd(&lock[1], 0) != mine) {}
    __threadfence();
    *sum += 1;
    __threadfence();
    atomicAdd(&lock[1], 1);
  }
}
//! run 1 32 buf:i32:1:zero
//! expect invalid_address
__global__ void double_free(int* out) {
  int* p = (int*)malloc(16);
  p[0] = 1;
  out[0] = p[0] * 0 + 1;
  free(p);
  free(p);  //! here
}
//! run 1 64 buf:i32:128:iota buf:i32:64:zero
//! expect uninitialised_read
__global__ void no_commit(const int* in, int* out) {
  __shared__ int s[64];
  unsigned a = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(a), "l"(in + threadIdx.x) : "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  out[threadIdx.x] = s[threadIdx.x];  //! here
}
//! run 1 48 buf:f32:48:iota buf:f32:1:zero
//! expect uninitialised_read
__global__ void reduce_not_power_of_two(const float* in, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int h = 32; h > 0; h /= 2) {
    if (t < h) s[t] += s[t + h];  //! here
    __syncthreads();
  }
  if (t == 0) *out = s[0];
}
// Per-warp histograms merged without a barrier.
//! run 2 64 buf:i32:128:mod:16 buf:i32:16:zero
//! expect race
__global__ void warp_histograms(const int* in, int* out) {
  __shared__ int h[2][16];
  int t = threadIdx.x, w = t / 32;
  if (t % 32 < 16) h[w][t % 32] = 0;  //! there
  __syncwarp();
  atomicAdd(&h[w][in[blockIdx.x * 64 + t]], 1);  //! there
  __syncwarp();
  if (t < 16) atomicAdd(&out[t], h[0][t] + h[1][t]);  //! here
}
//! run 2 64 buf:i32:128:mod:16 buf:i32:16:zero
__global__ void warp_histograms_ok(const int* in, int* out) {
  __shared__ int h[2][16];
  int t = threadIdx.x, w = t / 32;
  if (t % 32 < 16) h[w][t % 32] = 0;
  __syncwarp();
  atomicAdd(&h[w][in[blockIdx.x * 64 + t]], 1);
  __syncthreads();
  if (t < 16) atomicAdd(&out[t], h[0][t] + h[1][t]);
}
// Neighbouring blocks write the halo of each other.
//! run 4 32 buf:f32:128:iota
//! expect race
__global__ void scatter_halo(float* a) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (i + 1 < 128) a[i + 1] = i;  //! here
  if (threadIdx.x == 0) a[i] = -1;  //! here
}
//! run 1 64 buf:i32:64:iota
//! expect race
__global__ void rotate_in_place(int* a) { a[threadIdx.x] = a[(threadIdx.x + 1) % 64]; }  //! here
//! run 1 128 buf:i32:128:iota buf:i32:128:zero
//! expect race
__global__ void ring(const int* in, int* out) {
  __shared__ int q[2][128];
  int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    q[k % 2][t] = in[(t + k) % 128];  //! there
    if (k % 2 == 0) __syncthreads();
    out[t] += q[k % 2][127 - t];  //! here
  }
}
//! run 1 64 buf:i32:64:mod:3 
//! expect trap
__global__ void switch_trap(int* a) { if (a[threadIdx.x] == 2) asm("trap;"); }
//! run 2 64 buf:f32:128:hash buf:f32:2:zero
__global__ void block_max_ok(const float* in, float* out) {
  __shared__ float w[2];
  float v = in[blockIdx.x * 64 + threadIdx.x];
  for (int d = 16; d; d /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = fmaxf(w[0], w[1]);
}
//! run 1 1 buf:i32:8:zero
//! expect out_of_bounds
__global__ void char_overrun(char* text) { const char* s = "this text is longer than the buffer given"; int i = 0; while (s[i]) { text[i] = s[i]; ++i; } }  //! here
//! run 1 32 buf:f64:16:iota buf:f64:32:zero
//! expect out_of_bounds
__global__ void wrong_type(const double* in, double* out) { out[threadIdx.x] = in[threadIdx.x]; }  //! here
