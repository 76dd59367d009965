// Contents and types: values that nobody wrote, casts to wider types, stacks, heaps, textures, and lanes that are gone.
#include <cassert>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;

// ---- nobody wrote it ----
//! run 1 32x8 buf:f32:1024:iota buf:f32:1024:zero
//! expect uninitialised_read
__global__ void padding_column_summed(const float* in, float* out) {
  __shared__ float tile[32][33];
  for (int y = threadIdx.y; y < 32; y += 8) tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
  __syncthreads();
  if (threadIdx.y != 0) return;
  float s = 0;
  for (int k = 0; k < 33; ++k) s += tile[threadIdx.x][k];  //! here
  out[threadIdx.x] = s;
}
//! run 1 32x8 buf:f32:1024:iota buf:f32:1024:zero
__global__ void padding_column_left_out(const float* in, float* out) {
  __shared__ float tile[32][33];
  for (int y = threadIdx.y; y < 32; y += 8) tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
  __syncthreads();
  if (threadIdx.y != 0) return;
  float s = 0;
  for (int k = 0; k < 32; ++k) s += tile[threadIdx.x][k];
  out[threadIdx.x] = s;
}
// Only a quarter of the rows is loaded: the block has 8 rows, the tile 32.
//! run 1 32x8 buf:f32:1024:iota buf:f32:1024:zero
//! expect uninitialised_read
__global__ void transpose_loads_a_quarter(const float* in, float* out) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8) out[y * 32 + threadIdx.x] = tile[threadIdx.x][y];  //! here
}
//! run 3 100 buf:i32:300:iota buf:i32:3:zero
//! expect uninitialised_read
__global__ void reduction_of_128_by_100(const int* in, int* out) {
  __shared__ int s[128];
  s[threadIdx.x] = in[blockIdx.x * 100 + threadIdx.x];
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];  //! here
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
//! run 3 100 buf:i32:300:iota buf:i32:3:zero
__global__ void reduction_of_128_padded(const int* in, int* out) {
  __shared__ int s[128];
  s[threadIdx.x] = in[blockIdx.x * 100 + threadIdx.x];
  if (threadIdx.x < 28) s[threadIdx.x + 100] = 0;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
//! run 1 64 buf:i32:64:mod:4 buf:i32:64:zero
//! expect uninitialised_read
__global__ void flag_never_cleared(const int* in, int* out) {
  __shared__ int found;
  if (in[threadIdx.x] == 9) found = in[0];
  __syncthreads();
  out[threadIdx.x] = found;  //! here
}
//! run 1 64 buf:i32:64:mod:4 buf:i32:64:zero
__global__ void flag_cleared(const int* in, int* out) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  if (in[threadIdx.x] == 9) found = 1;
  __syncthreads();
  out[threadIdx.x] = found;
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
//! expect uninitialised_read
__global__ void counts_of_a_thread_not_cleared(const int* in, int* out) {
  int count[10];
  for (int k = 0; k < 8; ++k) count[in[(threadIdx.x + k) % 32] % 10]++;  //! here
  int s = 0;
  for (int k = 0; k < 10; ++k) s = s * 3 + count[(k + threadIdx.x) % 10];
  out[threadIdx.x] = s;
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
__global__ void counts_of_a_thread_cleared(const int* in, int* out) {
  int count[10] = {};
  for (int k = 0; k < 8; ++k) count[in[(threadIdx.x + k) % 32] % 10]++;
  int s = 0;
  for (int k = 0; k < 10; ++k) s = s * 3 + count[(k + threadIdx.x) % 10];
  out[threadIdx.x] = s;
}
//! run 1 32 buf:i32:32:zero
//! expect uninitialised_read
__global__ void list_on_the_heap(int* out) {
  int* p = new int[8];
  p[threadIdx.x % 7] = 1;
  out[threadIdx.x] = p[(threadIdx.x + 1) % 7];  //! here
  delete[] p;
}
//! run 1 32 buf:i32:32:zero
__global__ void list_on_the_heap_cleared(int* out) {
  int* p = new int[8]();
  p[threadIdx.x % 7] = 1;
  out[threadIdx.x] = p[(threadIdx.x + 1) % 7];
  delete[] p;
}

// ---- wider types ----
//! run 1 32 buf:f32:129:iota buf:f32:32:zero
//! expect misaligned "16"
__global__ void float4_of_a_shared_row(const float* in, float* out) {
  __shared__ float tile[4][33];
  for (int y = 0; y < 4; ++y) tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
  __syncwarp();
  float4 v = *reinterpret_cast<float4*>(&tile[threadIdx.x / 8][threadIdx.x % 8 * 4]);  //! here
  out[threadIdx.x] = v.x + v.w;
}
//! run 1 32 buf:f32:129:iota buf:f32:32:zero
__global__ void float4_of_a_padded_shared_row(const float* in, float* out) {
  __shared__ alignas(16) float tile[4][36];
  for (int y = 0; y < 4; ++y) tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
  __syncwarp();
  float4 v = *reinterpret_cast<float4*>(&tile[threadIdx.x / 8][threadIdx.x % 8 * 4]);
  out[threadIdx.x] = v.x + v.w;
}
//! run 1 32 buf:i32:65:iota buf:i32:64:zero
//! expect misaligned "8"
__global__ void pairs_from_an_odd_start(const int* in, int* out) {
  const int2* pairs = reinterpret_cast<const int2*>(in + 1);
  int2 p = pairs[threadIdx.x];  //! here
  out[threadIdx.x] = p.x + p.y;
}
//! run 1 32 520 buf:f64:32:iota buf:f64:32:zero
//! expect misaligned "8"
__global__ void doubles_behind_five_ints(const double* in, double* out) {
  extern __shared__ int raw_pool[];
  double* d = reinterpret_cast<double*>(raw_pool + 5);
  d[threadIdx.x] = in[threadIdx.x];  //! here
  __syncwarp();
  out[threadIdx.x] = d[31 - threadIdx.x];
}
//! run 1 32 520 buf:f64:32:iota buf:f64:32:zero
__global__ void doubles_behind_six_ints(const double* in, double* out) {
  extern __shared__ int raw_pool[];
  double* d = reinterpret_cast<double*>(raw_pool + 6) - 1;
  d[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = d[31 - threadIdx.x];
}
struct __attribute__((packed)) Packet {
  char kind;
  int value;
};
//! run 1 32 buf:u8:160:iota buf:i32:32:zero
//! expect misaligned
__global__ void member_of_a_packed_struct(const Packet* in, int* out) {
  const int* v = reinterpret_cast<const int*>(reinterpret_cast<const char*>(in + threadIdx.x) + 1);
  out[threadIdx.x] = *v;  //! here
}
//! run 1 8 buf:f32:31:iota buf:f32:32:zero i32:31
//! expect out_of_bounds "31 elements"
__global__ void vectors_round_up(const float* in, float* out, int n) {
  for (int i = threadIdx.x; i < (n + 3) / 4; i += 8)
    reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];  //! here
}
//! run 1 8 buf:f32:31:iota buf:f32:32:zero i32:31
__global__ void vectors_and_a_tail(const float* in, float* out, int n) {
  for (int i = threadIdx.x; i < n / 4; i += 8)
    reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
  if (threadIdx.x < n % 4) out[n / 4 * 4 + threadIdx.x] = in[n / 4 * 4 + threadIdx.x];
}
//! run 1 32 buf:i32:32:iota buf:f64:32:zero
//! expect out_of_bounds
__global__ void ints_read_as_doubles(const int* in, double* out) {
  out[threadIdx.x] = reinterpret_cast<const double*>(in)[threadIdx.x];  //! here
}

// ---- stacks, heaps, ends ----
__device__ int walk(const int* next, int at) {
  int path[16];
  for (int k = 0; k < 16; ++k) path[k] = at + k;
  return next[at] < 0 ? path[at & 15] : walk(next, next[at]) + path[(at + 1) & 15];
}
//! run 1 32 buf:i32:32:zero buf:i32:32:zero
//! expect stack_overflow
__global__ void recursion_in_a_ring(const int* next, int* out) {
  out[threadIdx.x] = walk(next, threadIdx.x);
}
//! run 1 32 buf:i32:32:const:-1 buf:i32:32:zero
__global__ void recursion_that_ends(const int* next, int* out) {
  out[threadIdx.x] = walk(next, threadIdx.x);
}
//! run 1 1 buf:i32:4:zero
//! expect invalid_address
__global__ void heap_exhausted(int* out) {
  int* last = nullptr;
  for (int k = 0; k < 2000; ++k) {
    last = static_cast<int*>(malloc(1 << 20));
    last[0] = k;  //! here
  }
  out[0] = last[0];
}
//! run 1 32 buf:i32:32:zero
//! expect invalid_address
__global__ void freed_a_shared_pointer(int* out) {
  __shared__ int* p;
  if (threadIdx.x == 0) p = static_cast<int*>(malloc(128));
  __syncwarp();
  p[threadIdx.x] = threadIdx.x;
  __syncwarp();
  free(p);  //! here
  out[threadIdx.x] = 1;
}
//! run 2 64 buf:i32:128:iota buf:i32:128:zero i32:100
//! expect assertion "i < n"
__global__ void asserts_its_bound(const int* in, int* out, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  assert(i < n);  //! here
  out[i] = in[i];
}
//! run 2 64 buf:i32:128:iota
//! expect trap
__global__ void unreachable_default(int* a) {
  int i = blockIdx.x * 64 + threadIdx.x;
  switch (a[i] % 3) {
    case 0: a[i] = 1; break;
    case 1: a[i] = 2; break;
    default: __trap();  //! here
  }
}
//! run 64 64 buf:i32:4096:iota
__global__ void prints_a_lot(int* a) {
  int i = blockIdx.x * 64 + threadIdx.x;
  for (int k = 0; k < 8; ++k) printf("thread %d says %d\n", i, a[i]);
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero i32:0
__global__ void remainder_by_zero(const int* in, int* out, int n) {
  out[threadIdx.x] = in[threadIdx.x] % n + in[threadIdx.x] / n;
}
struct Node {
  int value;
  Node* next;
};
//! run 1 1 buf:i32:4:zero i32:5
//! expect invalid_address "null"
__global__ void list_walked_too_far(int* out, int steps) {
  Node nodes[4];
  for (int k = 0; k < 4; ++k) nodes[k] = {k, k < 3 ? &nodes[k + 1] : nullptr};
  Node* n = &nodes[0];
  for (int k = 0; k < steps; ++k) n = n->next;  //! here
  out[0] = n->value;
}
//! run 1 1 buf:i32:4:zero i32:3
__global__ void list_walked(int* out, int steps) {
  Node nodes[4];
  for (int k = 0; k < 4; ++k) nodes[k] = {k, k < 3 ? &nodes[k + 1] : nullptr};
  Node* n = &nodes[0];
  for (int k = 0; k < steps; ++k) n = n->next;
  out[0] = n->value;
}
__device__ int* remembered;
//! run 1 32 buf:i32:32:zero
//! expect invalid_address
__global__ void pointer_never_set(int* out) {
  out[threadIdx.x] = remembered[threadIdx.x];  //! here
}
// ---- lanes that are gone, or were never there ----
//! run 1 48 buf:i32:48:iota buf:i32:2:zero
//! run 1 40 buf:i32:48:iota buf:i32:2:zero
//! expect inactive_lane_read
//! run 1 64 buf:i32:64:iota buf:i32:2:zero
__global__ void warp_sum_of_a_short_warp(const int* in, int* out) {
  int v = in[threadIdx.x];
  for (int half = 16; half > 0; half /= 2) v += __shfl_down_sync(~0u, v, half);  //! here
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;
}
//! run 1 40 buf:i32:48:iota buf:i32:2:zero
__global__ void warp_sum_by_reduce(const int* in, int* out) {
  int v = in[threadIdx.x];
  unsigned mask = __ballot_sync(__activemask(), true);
  v = __reduce_add_sync(mask, v);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero i32:20
//! expect deadlock
//! run 1 32 buf:i32:32:iota buf:i32:32:zero i32:32
__global__ void bound_around_a_shuffle(const int* in, int* out, int n) {
  if (threadIdx.x < n) {
    int v = in[threadIdx.x];
    v += __shfl_xor_sync(~0u, v, 1);  //! here
    out[threadIdx.x] = v;
  } else {
    __syncwarp();  //! here
  }
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero i32:20
__global__ void bound_inside_of_a_shuffle(const int* in, int* out, int n) {
  int v = threadIdx.x < n ? in[threadIdx.x] : 0;
  v += __shfl_xor_sync(~0u, v, 1);
  if (threadIdx.x < n) out[threadIdx.x] = v;
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
//! expect inactive_lane_read
__global__ void reads_a_lane_of_the_other_branch(const int* in, int* out) {
  int v = in[threadIdx.x];
  if (threadIdx.x < 16) v = __shfl_sync(0x0000ffffu, v, threadIdx.x + 16);  //! here
  out[threadIdx.x] = v;
}
//! run 1 32 buf:i32:32:iota buf:i32:32:zero
__global__ void reads_a_lane_before_the_branch(const int* in, int* out) {
  int v = in[threadIdx.x];
  int other = __shfl_sync(~0u, v, (threadIdx.x + 16) % 32);
  if (threadIdx.x < 16) v = other;
  out[threadIdx.x] = v;
}
//! run 1 32 buf:i32:32:iota buf:i32:1:zero
//! expect inactive_lane_read "mask does not name it"
__global__ void votes_for_others(const int* in, int* out) {
  if (in[threadIdx.x] % 2 == 0) {
    unsigned all = __ballot_sync(0xaaaaaaaau, in[threadIdx.x] > 3);  //! here
    if (threadIdx.x == 0) *out = all;
  }
}
//! run 1 32 buf:i32:32:iota buf:i32:1:zero
__global__ void votes_for_themselves(const int* in, int* out) {
  if (in[threadIdx.x] % 2 == 0) {
    unsigned all = __ballot_sync(0x55555555u, in[threadIdx.x] > 3);
    if (threadIdx.x == 0) *out = all;
  }
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect deadlock
__global__ void tile_sync_by_a_part(const int* in, int* out) {
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
  int v = in[threadIdx.x];
  if (tile.thread_rank() < 8) {
    v = tile.shfl_xor(v, 1);  //! here
    out[threadIdx.x] = v;
  } else {
    tile.sync();  //! here
  }
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void tile_shuffle_by_all(const int* in, int* out) {
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
  int v = tile.shfl_xor(in[threadIdx.x], 1);
  if (tile.thread_rank() < 8) out[threadIdx.x] = v;
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
//! expect divergent_barrier
__global__ void block_sync_by_one_tile(const int* in, int* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  out[threadIdx.x] = in[threadIdx.x];
  if (tile.meta_group_rank() == 0) block.sync();  //! here
  else tile.sync();
}
