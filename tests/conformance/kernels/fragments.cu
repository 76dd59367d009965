// Tensor-core products whose fragments come from global and shared memory, in every layout, and matrices
// that lanes load and store by rows.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <type_traits>

using namespace nvcuda;

template <typename In, typename Out, int M, int N, int K, typename LayoutA, typename LayoutB>
__global__ void fragment_product(const In* a, const In* b, Out* c, int n, int k) {
  const int warp = threadIdx.x / 32;
  wmma::fragment<wmma::matrix_a, M, N, K, In, LayoutA> left;
  wmma::fragment<wmma::matrix_b, M, N, K, In, LayoutB> right;
  wmma::fragment<wmma::accumulator, M, N, K, Out> sum;
  wmma::fill_fragment(sum, Out(0));
  constexpr bool kRows = std::is_same<LayoutA, wmma::row_major>::value;
  constexpr bool kColumns = std::is_same<LayoutB, wmma::col_major>::value;
  for (int d = 0; d < k; d += K) {
    wmma::load_matrix_sync(left, kRows ? a + blockIdx.x * M * k + d : a + d * M * gridDim.x + blockIdx.x * M,
                           kRows ? k : M * gridDim.x);
    wmma::load_matrix_sync(right, kColumns ? b + warp * N * k + d : b + d * n + warp * N, kColumns ? k : n);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + blockIdx.x * M * n + warp * N, sum, n, wmma::mem_row_major);
}
template __global__ void fragment_product<half, float, 16, 16, 16, wmma::row_major, wmma::col_major>(const half*, const half*, float*, int, int);
template __global__ void fragment_product<half, float, 16, 16, 16, wmma::col_major, wmma::row_major>(const half*, const half*, float*, int, int);
template __global__ void fragment_product<half, half, 32, 8, 16, wmma::row_major, wmma::row_major>(const half*, const half*, half*, int, int);
template __global__ void fragment_product<half, half, 8, 32, 16, wmma::col_major, wmma::col_major>(const half*, const half*, half*, int, int);
template __global__ void fragment_product<__nv_bfloat16, float, 16, 16, 16, wmma::row_major, wmma::row_major>(const __nv_bfloat16*, const __nv_bfloat16*, float*, int, int);
template __global__ void fragment_product<signed char, int, 16, 16, 16, wmma::row_major, wmma::col_major>(const signed char*, const signed char*, int*, int, int);
template __global__ void fragment_product<unsigned char, int, 8, 32, 16, wmma::row_major, wmma::row_major>(const unsigned char*, const unsigned char*, int*, int, int);
template __global__ void fragment_product<double, double, 8, 8, 4, wmma::row_major, wmma::col_major>(const double*, const double*, double*, int, int);

// Accumulators that start from what is there.
__global__ void fragment_accumulate(const half* a, const half* b, float* c, int k) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  float* tile = c + (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 256;
  wmma::load_matrix_sync(sum, tile, 16, wmma::mem_col_major);
  for (int d = 0; d < k; d += 16) {
    wmma::load_matrix_sync(left, a + d, k);
    wmma::load_matrix_sync(right, b + d * 16, 16);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(tile, sum, 16, wmma::mem_col_major);
}

// Tiles in shared memory with a padded pitch, filled by all threads.
template <int PITCH>
__global__ void fragment_tiles(const half* a, const half* b, float* c, int n, int k) {
  __shared__ half left[32][PITCH], right[16][PITCH];
  const int warp = threadIdx.x / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int d = 0; d < k; d += 16) {
    for (int i = threadIdx.x; i < 32 * 16; i += blockDim.x)
      left[i / 16][i % 16] = a[(blockIdx.y * 32 + i / 16) * k + d + i % 16];
    for (int i = threadIdx.x; i < 16 * 32; i += blockDim.x)
      right[i / 32][i % 32] = b[(d + i / 32) * n + blockIdx.x * 32 + i % 32];
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
    wmma::load_matrix_sync(x, &left[warp / 2 * 16][0], PITCH);
    wmma::load_matrix_sync(y, &right[0][warp % 2 * 16], PITCH);
    wmma::mma_sync(sum, x, y, sum);
    __syncthreads();
  }
  wmma::store_matrix_sync(c + (blockIdx.y * 32 + warp / 2 * 16) * n + blockIdx.x * 32 + warp % 2 * 16, sum, n,
                          wmma::mem_row_major);
}
template __global__ void fragment_tiles<32>(const half*, const half*, float*, int, int);
template __global__ void fragment_tiles<40>(const half*, const half*, float*, int, int);

// The result goes through shared memory, and from there to where it belongs with bias and limit.
__global__ void fragment_epilogue(const half* a, const half* b, const float* bias, float* c, int k) {
  __shared__ float staged[16 * 20];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int d = 0; d < k; d += 16) {
    wmma::load_matrix_sync(left, a + blockIdx.x * 16 * k + d, k);
    wmma::load_matrix_sync(right, b + d, k);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(staged, sum, 20, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32)
    c[blockIdx.x * 256 + i] = fmaxf(staged[i / 16 * 20 + i % 16] + bias[i % 16], 0.0f);
}

// Only the even warps of a block work.
__global__ void fragment_even_warps(const half* a, half* c) {
  const int warp = threadIdx.x / 32;
  if (warp % 2 != 0) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> sum;
  wmma::fill_fragment(sum, __float2half(0.0f));
  wmma::load_matrix_sync(left, a + warp * 256, 16);
  wmma::load_matrix_sync(right, a + blockIdx.x * 256, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c + (blockIdx.x * 2 + warp / 2) * 256, sum, 16, wmma::mem_row_major);
}

// Eight by eight matrices by rows: each lane names one.
__global__ void turn_matrices(const half* in, half* out) {
  __shared__ __align__(16) half tile[4][8][8];
  const int t = threadIdx.x;
  for (int i = t; i < 256; i += 32) (&tile[0][0][0])[i] = in[blockIdx.x * 256 + i];
  __syncwarp();
  unsigned part[4];
  unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(&tile[t / 8][t % 8][0]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
               : "r"(from));
  for (int i = 0; i < 4; ++i) reinterpret_cast<unsigned*>(out + blockIdx.x * 256 + i * 64)[t] = part[i];
}

__global__ void store_matrices(const unsigned* in, half* out) {
  __shared__ __align__(16) half tile[16][24];
  const int t = threadIdx.x;
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[t % 16][t / 16 * 8]));
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(to), "r"(in[t]), "r"(in[t + 32]),
               "r"(in[t + 64]), "r"(in[t + 96])
               : "memory");
  __syncwarp();
  for (int i = t; i < 256; i += 32) out[blockIdx.x * 256 + i] = tile[i / 16][i % 16];
}
