// Which stores in a row by the same lanes L1 hands on to L2 as one: of 1 and 8 warps with lines of their own, so many bytes from lane to
// lane, two, four or eight stores of words beside each other. Read with
//   nvcc -arch=sm_90 -std=c++17 -O3 -o combined tools/golden/combined.cu
//   ncu --clock-control none --cache-control all --csv --page raw --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,\
//   l1tex__m_l1tex2xbar_write_sectors.sum,lts__t_requests_srcunit_tex_op_write.sum ./combined
// which has a row for each line that the program prints, in its order; both together are tests/models/golden/combined_h200.txt.
#include <cstdio>

#include <cuda_runtime.h>

template <int STORES, int PAUSES> __global__ void row(char* memory, unsigned* out, int apart, unsigned x) {
  char* mine = memory + threadIdx.x % 32 * apart + threadIdx.x / 32 * 65536;
#pragma unroll
  for (int i = 0; i < STORES; ++i) {
    asm volatile("st.global.u32 [%0],%1;" ::"l"(mine + i * 4), "r"(x) : "memory");
#pragma unroll
    for (int g = 0; g < PAUSES; ++g) asm volatile("mad.lo.u32 %0,%0,%0,1;" : "+r"(x)::"memory");
  }
  if (x == 12345) out[0] = 1;
}

char* memory;
unsigned* out;

template <int STORES, int PAUSES> void say(int warps, int apart) {
  row<STORES, PAUSES><<<1, 32 * warps>>>(memory, out, apart, 1);
  cudaDeviceSynchronize();
  std::printf("%d warps, %d bytes apart, %d stores, %d pauses\n", warps, apart, STORES, PAUSES);
}

int main() {
  cudaMalloc(&memory, 1 << 28), cudaMemset(memory, 0, 1 << 28), cudaMalloc(&out, 4096);
  for (int warps : {1, 8})
    for (int apart : {4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 128, 256}) {
      say<2, 0>(warps, apart), say<4, 0>(warps, apart), say<8, 0>(warps, apart), say<4, 8>(warps, apart);
    }
}
