// What L1 still has of lines that the same thread has written: sectors of loads that hit, and that L2 was read.
//
//   nvcc -arch=sm_90 -std=c++17 -O3 -o l1_written tools/golden/l1_written.cu
//   ncu --clock-control none --cache-control all --csv --page raw --print-units base --metrics
//       l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum,
//       lts__t_sectors_srcunit_tex_op_read.sum ./l1_written
//
// One block of `warps`; each lane has a line of 128 bytes of its own (apart 32 words) or its word of a line (apart 1). A program is a row of
// letters: S stores all 32 words of the lane in turn, L loads them; s stores word 5, l loads it, m loads word 6 of the same sector,
// n loads word 20 of another one; t stores words 5 and 20. `pairs` asks how many lines two stores in a row have to touch.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

template <char P>
__device__ void step(volatile int* at, int words, int& sum) {
  const auto load = [&](int word) {
    int v;
    asm volatile("ld.global.ca.s32 %0, [%1];" : "=r"(v) : "l"(at + word * words) : "memory");
    sum += v;
  };
  const auto store = [&](int word) { asm volatile("st.global.s32 [%0], %1;" ::"l"(at + word * words), "r"(word + sum) : "memory"); };
  if (P == 'S')
    for (int w = 0; w < 32; ++w) store(w);
  if (P == 'L')
    for (int w = 0; w < 32; ++w) load(w);
  if (P == 's' || P == 't') store(5);
  if (P == 't') store(20);
  if (P == 'l') load(5);
  if (P == 'm') load(6);
  if (P == 'n') load(20);
}

template <char... P>
__global__ void program(int* data, int apart) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  // apart 32: the lane's words lie side by side, lines apart; apart 1: words of a warp side by side.
  volatile int* const at = data + warp * 1024 + (apart == 32 ? lane * 32 : lane);
  int sum = 0;
  (step<P>(at, apart == 32 ? 1 : 32, sum), ...);
  if (sum == 12345) data[1 << 20] = sum;
}

// Lanes below `lanes` have stored one word (if `written`) and loaded `words` that lie `pitch` words from their neighbour's; three
// times they store two of them in a row and load all again.
__global__ void pairs(int* data, int lanes, int pitch, int words, bool written) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  volatile int* const at = data + warp * 32 * pitch + lane * pitch;
  int sum = 0;
  const auto all = [&] {
    for (int w = 0; w < words; ++w) {
      int v;
      asm volatile("ld.global.ca.s32 %0, [%1];" : "=r"(v) : "l"(at + w) : "memory");
      sum += v;
    }
  };
  if (lane < lanes) {
    if (written) asm volatile("st.global.s32 [%0], %1;" ::"l"(at), "r"(sum) : "memory");
    all();
  }
  for (int turn = 0; turn < 3; ++turn)
    if (lane < lanes) {
      asm volatile("st.global.s32 [%0], %1;" ::"l"(at + 5), "r"(sum) : "memory");
      asm volatile("st.global.s32 [%0], %1;" ::"l"(at + words - 4), "r"(sum) : "memory");
      all();
    }
  if (sum == 12345) data[1 << 20] = sum;
}

void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
  std::exit(1);
}

template <char... P>
void of(int* data) {
  for (const int apart : {32, 1})
    for (const int warps : {1, 4, 16})
      program<P...><<<1, 32 * warps>>>(data, apart);
}

int main() {
  int* data = nullptr;
  check(cudaMalloc(&data, (1 << 22) + 64));
  check(cudaMemset(data, 0, 1 << 22));
  of<'L'>(data);
  of<'L', 'L'>(data);
  of<'S', 'L'>(data);
  of<'S', 'L', 'L'>(data);
  of<'L', 's', 'l'>(data);
  of<'L', 's', 'm'>(data);
  of<'L', 's', 'n'>(data);
  of<'L', 's', 'L'>(data);
  of<'L', 's', 'L', 's', 'L', 's', 'L'>(data);
  of<'s', 'l'>(data);
  of<'s', 'm'>(data);
  of<'s', 'm', 'l'>(data);
  of<'s', 'm', 's', 'm'>(data);
  of<'s', 'L'>(data);
  of<'t', 'L', 't', 'L'>(data);
  of<'S', 'L', 't', 'L', 't', 'L', 't', 'L'>(data);
  for (const bool written : {false, true})
    for (const int warps : {1, 4})
      for (const int pitch : {16, 17, 19, 24, 32, 33, 64})
        for (const int lanes : {4, 8, 12, 16, 20, 24, 28, 30, 31, 32})
          pairs<<<1, 32 * warps>>>(data, lanes, pitch, pitch < 32 ? pitch : 32, written);
  check(cudaDeviceSynchronize());
}
