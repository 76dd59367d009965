// Warp-level communication.

__global__ void compact(const int* in, int* out, int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31, warp = i / 32;
  int v = i < n ? in[i] : -1;
  bool keep = v >= 500;
  unsigned ballot = __ballot_sync(0xffffffffu, keep);
  if (keep) out[warp * 32 + __popc(ballot & ((1u << lane) - 1))] = v;
  if (lane == 0) counts[warp] = __popc(ballot);
}

__global__ void butterfly(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
#pragma unroll
  for (int k = 1; k < 32; k <<= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, k));
  out[i] = v;
}

__global__ void segments(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i];
  int up = __shfl_up_sync(0xffffffffu, v, 1, 8);
  int down = __shfl_down_sync(0xffffffffu, v, 2, 16);
  int from = __shfl_sync(0xffffffffu, v, (threadIdx.x * 7) & 31);
  out[i] = up + 3 * down + 5 * from;
}

__global__ void votes(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int any = __any_sync(0xffffffffu, in[i] > 990);
  int all = __all_sync(0xffffffffu, in[i] > 5);
  int leader = __ffs(__ballot_sync(0xffffffffu, in[i] & 1)) - 1;
  out[i] = any * 1000 + all * 100 + leader;
}

__global__ void same_key(const int* key, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned peers = __match_any_sync(0xffffffffu, key[i]);
  int leader = __ffs(peers) - 1;
  if ((threadIdx.x & 31) == leader) atomicAdd(&out[key[i]], __popc(peers));
}

__global__ void warp_sums(const unsigned* in, unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = __reduce_add_sync(0xffffffffu, in[i] & 0xffff);
  unsigned top = __reduce_max_sync(0xffffffffu, in[i]);
  if ((threadIdx.x & 31) == 0) {
    out[2 * (i / 32)] = sum;
    out[2 * (i / 32) + 1] = top;
  }
}

__global__ void aggregated_push(const int* in, int* queue, int* size, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 4 == 1) {
    unsigned active = __activemask();
    int leader = __ffs(active) - 1;
    int lane = threadIdx.x & 31;
    int base = 0;
    if (lane == leader) base = atomicAdd(size, __popc(active));
    base = __shfl_sync(active, base, leader);
    atomicAdd(&queue[base + __popc(active & ((1u << lane) - 1))], 1);
  }
}

__global__ void warp_transpose(const float4* in, float4* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[4] = {in[i].x, in[i].y, in[i].z, in[i].w};
  int lane = threadIdx.x & 3;
#pragma unroll
  for (int r = 1; r < 4; ++r) {
    int other = lane ^ r;
    float send = other == 0 ? v[0] : other == 1 ? v[1] : other == 2 ? v[2] : v[3];
    float got = __shfl_xor_sync(0xffffffffu, send, r);
    if (other == 0) v[0] = got;
    if (other == 1) v[1] = got;
    if (other == 2) v[2] = got;
    if (other == 3) v[3] = got;
  }
  out[i] = make_float4(v[0], v[1], v[2], v[3]);
}

__global__ void sync_halves(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncwarp();
  int v = s[t ^ 1];
  __syncwarp();
  if (t & 16)
    s[t] = v + 1;
  else
    s[t] = v * 2;
  __syncthreads();
  int both = __syncthreads_count(v > 500);
  out[blockIdx.x * 64 + t] = s[63 - t] + both;
}
