// The seven steps of the reduction lecture, as templates over type and block size, and scans around them.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <class T>
__global__ void reduce0(const T* in, T* out, unsigned n) {
  extern __shared__ __align__(16) unsigned char raw[];
  T* sdata = reinterpret_cast<T*>(raw);
  unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}
template __global__ void reduce0<int>(const int*, int*, unsigned);
template __global__ void reduce0<double>(const double*, double*, unsigned);

template <class T>
__global__ void reduce1(const T* in, T* out, unsigned n) {
  extern __shared__ __align__(16) unsigned char raw[];
  T* sdata = reinterpret_cast<T*>(raw);
  unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    unsigned index = 2 * s * tid;
    if (index < blockDim.x) sdata[index] += sdata[index + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}
template __global__ void reduce1<float>(const float*, float*, unsigned);

template <class T>
__global__ void reduce3(const T* in, T* out, unsigned n) {
  extern __shared__ __align__(16) unsigned char raw[];
  T* sdata = reinterpret_cast<T*>(raw);
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
  T sum = i < n ? in[i] : 0;
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  sdata[tid] = sum;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] = sum = sum + sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sum;
}
template __global__ void reduce3<long long>(const long long*, long long*, unsigned);

template <class T, unsigned block_size>
__global__ void reduce5(const T* in, T* out, unsigned n) {
  extern __shared__ __align__(16) unsigned char raw[];
  T* sdata = reinterpret_cast<T*>(raw);
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * (block_size * 2) + threadIdx.x;
  T sum = i < n ? in[i] : 0;
  if (i + block_size < n) sum += in[i + block_size];
  sdata[tid] = sum;
  __syncthreads();
  if (block_size >= 512 && tid < 256) sdata[tid] = sum = sum + sdata[tid + 256];
  __syncthreads();
  if (block_size >= 256 && tid < 128) sdata[tid] = sum = sum + sdata[tid + 128];
  __syncthreads();
  if (block_size >= 128 && tid < 64) sdata[tid] = sum = sum + sdata[tid + 64];
  __syncthreads();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
  if (tid < 32) {
    if (block_size >= 64) sum += sdata[tid + 32];
    for (int offset = tile.size() / 2; offset > 0; offset /= 2) sum += tile.shfl_down(sum, offset);
  }
  if (tid == 0) out[blockIdx.x] = sum;
}
template __global__ void reduce5<int, 256>(const int*, int*, unsigned);
template __global__ void reduce5<double, 128>(const double*, double*, unsigned);

template <class T, unsigned block_size, bool is_pow2>
__global__ void reduce6(const T* in, T* out, unsigned n) {
  __shared__ T sdata[block_size];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * block_size * 2 + threadIdx.x;
  unsigned grid = block_size * 2 * gridDim.x;
  T sum = 0;
  while (i < n) {
    sum += in[i];
    if (is_pow2 || i + block_size < n) sum += in[i + block_size];
    i += grid;
  }
  sdata[tid] = sum;
  __syncthreads();
  if (block_size >= 256) {
    if (tid < 128) sdata[tid] = sum = sum + sdata[tid + 128];
    __syncthreads();
  }
  if (block_size >= 128) {
    if (tid < 64) sdata[tid] = sum = sum + sdata[tid + 64];
    __syncthreads();
  }
  if (tid < 32) {
    volatile T* smem = sdata;
    if (block_size >= 64) smem[tid] = sum = sum + smem[tid + 32];
    __syncwarp();
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  }
  if (tid == 0) out[blockIdx.x] = sum;
}
template __global__ void reduce6<float, 128, false>(const float*, float*, unsigned);
template __global__ void reduce6<int, 256, true>(const int*, int*, unsigned);

#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) (((n) >> LOG_NUM_BANKS) + ((n) >> (2 * LOG_NUM_BANKS)))
__global__ void prescan_padded(int* g_odata, const int* g_idata, int* sums, int n) {
  extern __shared__ int temp[];
  int thid = threadIdx.x, offset = 1;
  const int base = blockIdx.x * n;
  int ai = thid, bi = thid + (n / 2);
  int bank_a = CONFLICT_FREE_OFFSET(ai), bank_b = CONFLICT_FREE_OFFSET(bi);
  temp[ai + bank_a] = g_idata[base + ai];
  temp[bi + bank_b] = g_idata[base + bi];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1;
      int bi = offset * (2 * thid + 2) - 1;
      ai += CONFLICT_FREE_OFFSET(ai);
      bi += CONFLICT_FREE_OFFSET(bi);
      temp[bi] += temp[ai];
    }
    offset *= 2;
  }
  if (thid == 0) {
    if (sums) sums[blockIdx.x] = temp[n - 1 + CONFLICT_FREE_OFFSET(n - 1)];
    temp[n - 1 + CONFLICT_FREE_OFFSET(n - 1)] = 0;
  }
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1;
      int bi = offset * (2 * thid + 2) - 1;
      ai += CONFLICT_FREE_OFFSET(ai);
      bi += CONFLICT_FREE_OFFSET(bi);
      int t = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += t;
    }
  }
  __syncthreads();
  g_odata[base + ai] = temp[ai + bank_a];
  g_odata[base + bi] = temp[bi + bank_b];
}

__global__ void add_block_sums(int* data, const int* sums, int n) {
  int first = blockIdx.x * blockDim.x * 2 + threadIdx.x;
  int add = sums[blockIdx.x];
  if (first < n) data[first] += add;
  if (first + blockDim.x < n) data[first + blockDim.x] += add;
}

__global__ void shfl_scan(int* data, int* partial, int width) {
  extern __shared__ int sums[];
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = id % warpSize, warp = threadIdx.x / warpSize;
  int value = data[id];
#pragma unroll
  for (int i = 1; i <= width; i *= 2) {
    int n = __shfl_up_sync(0xffffffffu, value, i, width);
    if (lane >= i) value += n;
  }
  if (threadIdx.x % warpSize == warpSize - 1) sums[warp] = value;
  __syncthreads();
  if (warp == 0 && lane < blockDim.x / warpSize) {
    int sum = sums[lane];
    int mask = (1 << (blockDim.x / warpSize)) - 1;
    for (int i = 1; i <= blockDim.x / warpSize; i *= 2) {
      int n = __shfl_up_sync(mask, sum, i, blockDim.x / warpSize);
      if (lane >= i) sum += n;
    }
    sums[lane] = sum;
  }
  __syncthreads();
  if (warp > 0) value += sums[warp - 1];
  data[id] = value;
  if (partial != nullptr && threadIdx.x == blockDim.x - 1) partial[blockIdx.x] = value;
}

__device__ int tile_sum(cg::thread_group g, int value, int* workspace) {
  int lane = g.thread_rank();
  for (int i = g.size() / 2; i > 0; i /= 2) {
    workspace[lane] = value;
    g.sync();
    if (lane < i) value += workspace[lane + i];
    g.sync();
  }
  return g.thread_rank() == 0 ? value : -1;
}
__global__ void group_workspace(const int* in, int* out) {
  extern __shared__ int workspace[];
  cg::thread_block block = cg::this_thread_block();
  int value = in[block.group_index().x * block.size() + block.thread_rank()];
  int whole = tile_sum(block, value, workspace);
  if (block.thread_rank() == 0) atomicAdd(&out[0], whole);
  block.sync();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  int offset = block.thread_rank() - tile.thread_rank();
  int part = tile_sum(tile, value, workspace + offset);
  if (tile.thread_rank() == 0) out[1 + (blockIdx.x * blockDim.x + threadIdx.x) / 16] = part;
}

__global__ void coalesced_filter(const int* src, int n, int* dst, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && src[i] > 50) {
    cg::coalesced_group active = cg::coalesced_threads();
    int start = 0;
    if (active.thread_rank() == 0) start = atomicAdd(count, (int)active.size());
    start = active.shfl(start, 0);
    dst[start + active.thread_rank()] = src[i];
  }
}
