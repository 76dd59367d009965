// Floats that each need the one before, alone and beside upper halves of products, behind which a scheduler issues
// nothing for two cycles: how long warps wait for what ptxas counts, by how many there are. Read by waits.py.
template <bool kProducts>
__device__ void sum(float* out, unsigned* upper, int turns, float x, unsigned y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = i;
  unsigned p[4] = {3u * i, 5u * i, 7u * i, 9u * i};
#pragma unroll 1
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(a) : "f"(x));
      if (kProducts && k % 4 == 0) asm volatile("mul.hi.u32 %0,%0,%1;" : "+r"(p[k / 4]) : "r"(y));
    }
  }
  out[i] = a;
  upper[i] = p[0] ^ p[1] ^ p[2] ^ p[3];
}

__global__ void floats(float* out, unsigned* upper, int turns, float x, unsigned y) { sum<false>(out, upper, turns, x, y); }
__global__ void beside_products(float* out, unsigned* upper, int turns, float x, unsigned y) { sum<true>(out, upper, turns, x, y); }
