// Tensor-core instructions and the matrix loads that feed them.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

__global__ void wmma_gemm(const half* A, const half* B, float* C, int n) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int tiles = n / 16;
  int row = warp / tiles, col = warp % tiles;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(a, A + row * 16 * n + k, n);
    wmma::load_matrix_sync(b, B + k * n + col * 16, n);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(C + row * 16 * n + col * 16, c, n, wmma::mem_row_major);
}

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// D = A B for 16x16 halves and 16x8 halves, matrices fetched with ldmatrix; PITCH halves a row.
template <int PITCH>
__global__ void mma_ldmatrix(const half* A, const half* B, float* D) {
  __shared__ __align__(16) half As[16 * PITCH];
  __shared__ __align__(16) half Bs[16 * PITCH];
  int lane = threadIdx.x;
  for (int e = lane; e < 256; e += 32) As[e / 16 * PITCH + e % 16] = A[blockIdx.x * 256 + e];
  for (int e = lane; e < 128; e += 32) Bs[e / 8 * PITCH + e % 8] = B[blockIdx.x * 128 + e];
  __syncwarp();
  unsigned a[4], b[2];
  unsigned pa = shared_address(&As[(lane % 16) * PITCH + (lane / 16) * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(pa));
  unsigned pb = shared_address(&Bs[(lane % 16) * PITCH]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(b[0]), "=r"(b[1]) : "r"(pb));
  float d[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  float* out = D + blockIdx.x * 128;
  int g = lane / 4, t = lane % 4;
  out[g * 8 + 2 * t] = d[0];
  out[g * 8 + 2 * t + 1] = d[1];
  out[(g + 8) * 8 + 2 * t] = d[2];
  out[(g + 8) * 8 + 2 * t + 1] = d[3];
}
template __global__ void mma_ldmatrix<16>(const half*, const half*, float*);
template __global__ void mma_ldmatrix<24>(const half*, const half*, float*);
template __global__ void mma_ldmatrix<64>(const half*, const half*, float*);

// Round trip of an 8x8 matrix through stmatrix and ldmatrix.trans.
__global__ void matrix_turn(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) half s[4][8][8];
  int lane = threadIdx.x;
  unsigned v = in[blockIdx.x * 32 + lane];
  unsigned p = shared_address(&s[0][lane % 8][0]);
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(p), "r"(v) : "memory");
  __syncwarp();
  unsigned w;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(w) : "r"(p) : "memory");
  out[blockIdx.x * 32 + lane] = w;
}

__global__ void axpy_half2(const half2* x, half2* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  half2 a = __float2half2_rn(1.5f);
  if (i < n) y[i] = __hfma2(a, x[i], y[i]);
}

__global__ void half_dot(const half* a, const half* b, float* out, int n) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += __half2float(a[blockIdx.x * n + i]) * __half2float(b[blockIdx.x * n + i]);
  for (int k = 16; k > 0; k >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, k);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__global__ void dot_int8(const int* a, const int* b, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum = __dp4a(a[(i * 8 + k) % n], b[(i + k * 64) % n], sum);
  out[i] = sum;
}
