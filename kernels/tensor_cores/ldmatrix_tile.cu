// Fragments out of shared memory: ldmatrix, and where the rows of a tile have to lie for it.
//
// ldmatrix fetches 8x8 matrices of halves. Each lane names one row of 16 bytes, and every row goes to four other
// lanes: the way in which mma wants its fragments. Eight rows of 16 bytes are as many words as there are banks. In a
// tile with rows of 128 bytes they all begin in bank 0: eight passes instead of one. 16 bytes of padding a row move
// each row on by four banks; the swizzle permutes the eight pieces of each row instead, and costs no memory.
#include <cuda_fp16.h>

#define DEPTH 64  // halves of a row: 128 bytes, all 32 banks
#ifndef PAD
#define PAD 0
#endif

// Register i of lane l gets two halves of row l / 4 of matrix i; lane l names row l % 8 of matrix l / 8.
__device__ void load_four(unsigned* part, const half* row) {
  unsigned at = (unsigned)__cvta_generic_to_shared(row);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
               : "r"(at));  // ldmatrix.x4: a row of 16 bytes a lane
}

__device__ void load_two(unsigned* part, const half* row) {
  unsigned at = (unsigned)__cvta_generic_to_shared(row);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(part[0]), "=r"(part[1])
               : "r"(at));  // ldmatrix.x2: the rows that 16 lanes name
}

// sum += A B for A of 16 x 16 halves and B of 16 x 8.
__device__ void multiply(float* sum, const unsigned* a, const unsigned* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ void copy_16_bytes(half* to, const half* from) { *(uint4*)to = *(const uint4*)from; }

// Each lane stores what it holds of the 16 x 8 sums.
__device__ void store(float* c, int n, const float* sum) {
  float* out = c + (blockIdx.y * 16 + threadIdx.x / 4) * n + blockIdx.x * 8 + threadIdx.x % 4 * 2;
  out[0] = sum[0];
  out[1] = sum[1];
  out[8 * n] = sum[2];
  out[8 * n + 1] = sum[3];
}

__global__ void product_padded(const half* a, const half* b, float* c, int n, int k) {
  __shared__ __align__(16) half tile_a[16][DEPTH + PAD];
  __shared__ __align__(16) half tile_b[8][DEPTH + PAD];
  int lane = threadIdx.x;
  a += blockIdx.y * 16 * k;  // 16 rows of A
  b += blockIdx.x * 8 * k;   // 8 columns of B, which lie one after the other
  float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int first = 0; first < k; first += DEPTH) {
    for (int i = lane; i < 16 * 8; i += 32) copy_16_bytes(&tile_a[i / 8][i % 8 * 8], a + i / 8 * k + first + i % 8 * 8);
    for (int i = lane; i < 8 * 8; i += 32) copy_16_bytes(&tile_b[i / 8][i % 8 * 8], b + i / 8 * k + first + i % 8 * 8);
    __syncwarp();
    for (int d = 0; d < DEPTH; d += 16) {
      unsigned part_a[4], part_b[2];
      load_four(part_a, &tile_a[lane % 16][d + lane / 16 * 8]);
      load_two(part_b, &tile_b[lane % 8][d + lane / 8 % 2 * 8]);
      multiply(sum, part_a, part_b);
    }
    __syncwarp();
  }
  store(c, n, sum);
}

// Piece p of row r lies where piece p ^ (r % 8) would: eight rows, eight places.
__global__ void product_swizzled(const half* a, const half* b, float* c, int n, int k) {
  __shared__ __align__(16) half tile_a[16][DEPTH];
  __shared__ __align__(16) half tile_b[8][DEPTH];
  int lane = threadIdx.x;
  a += blockIdx.y * 16 * k;
  b += blockIdx.x * 8 * k;
  float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int first = 0; first < k; first += DEPTH) {
    for (int i = lane; i < 16 * 8; i += 32)
      copy_16_bytes(&tile_a[i / 8][(i % 8 ^ i / 8 % 8) * 8], a + i / 8 * k + first + i % 8 * 8);
    for (int i = lane; i < 8 * 8; i += 32)
      copy_16_bytes(&tile_b[i / 8][(i % 8 ^ i / 8 % 8) * 8], b + i / 8 * k + first + i % 8 * 8);
    __syncwarp();
    for (int piece = 0; piece < DEPTH / 8; piece += 2) {
      unsigned part_a[4], part_b[2];
      load_four(part_a, &tile_a[lane % 16][((piece + lane / 16) ^ lane % 8) * 8]);
      load_two(part_b, &tile_b[lane % 8][((piece + lane / 8 % 2) ^ lane % 8) * 8]);
      multiply(sum, part_a, part_b);
    }
    __syncwarp();
  }
  store(c, n, sum);
}
