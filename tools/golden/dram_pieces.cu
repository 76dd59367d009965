// What DRAM is read for a small launch, as ncu counts it: for the pieces of 64 bytes that it asks for and for its code.
//
//   nvcc -arch=sm_90 -std=c++17 -O3 -o dram_pieces tools/golden/dram_pieces.cu
//   ncu --clock-control none --cache-control all --csv --page raw --print-units base
//       --metrics dram__bytes_read.sum,dram__bytes_read.max,lts__t_sectors_lookup_miss.sum ./dram_pieces
//
// `pieces` reads so many pieces (grid y: a thread each) at one of several places: if the counter saw every DRAM channel, all
// places would say the same. `straight` executes a text of so many instructions once; `leaves` has the same text and executes
// its beginning alone.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void pieces(const char* from, int count, int apart, int* out) {
  int sum = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x) sum += from[static_cast<long>(i) * apart * 64];
  if (sum == 12345) *out = sum;
}

template <int Instructions>
__device__ __forceinline__ float text(float x) {
#pragma unroll
  for (int i = 0; i < Instructions; ++i) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
  return x;
}

template <int Instructions>
__global__ void straight(float x, float* out) {
  x = text<Instructions>(x);
  if (x == 12345.0f) *out = x;
}

template <int Instructions>
__global__ void leaves(float x, float* out) {
  if (x == 0.0f) return;
  x = text<Instructions>(x);
  if (x == 12345.0f) *out = x;
}

void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
  std::exit(1);
}

template <int Instructions>
void texts(float* out) {
  for (const int blocks : {1, 132}) {
    straight<Instructions><<<blocks, 32>>>(1.0f, out);
    leaves<Instructions><<<blocks, 32>>>(0.0f, out);
  }
}

int main() {
  char* data = nullptr;
  constexpr std::size_t kBytes = 256u << 20;
  check(cudaMalloc(&data, kBytes));
  check(cudaMemset(data, 0, kBytes));
  void* out = data + kBytes - 4;
  for (const int apart : {1, 2, 16})
    for (const int count : {0, 16, 32, 64, 128, 256, 1024})
      for (int place = 0; place < 8; ++place)
        pieces<<<1, 256>>>(data + (static_cast<std::size_t>(place) * 1237 << 10), count, apart, static_cast<int*>(out));
  texts<16>(static_cast<float*>(out));
  texts<48>(static_cast<float*>(out));
  texts<80>(static_cast<float*>(out));
  texts<112>(static_cast<float*>(out));
  texts<144>(static_cast<float*>(out));
  texts<240>(static_cast<float*>(out));
  texts<496>(static_cast<float*>(out));
  texts<1008>(static_cast<float*>(out));
  texts<2032>(static_cast<float*>(out));
  check(cudaDeviceSynchronize());
  return 0;
}
