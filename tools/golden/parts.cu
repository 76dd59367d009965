// What a store costs that writes a part of a sector: what L2 has brought for it, and how long it takes.
//
//   nvcc -arch=sm_90 -std=c++17 -O3 -o parts tools/golden/parts.cu
//   ./parts                                                      microseconds, behind a flush and one launch after the other
//   ncu --clock-control none --cache-control all --csv --page raw --print-units base
//       --metrics dram__bytes_read.sum,dram__bytes_write.sum,lts__d_sectors_fill_device.sum ./parts once
//
// Every thread has a sector of 32 bytes, `apart` sectors from its neighbour's, in so many `kilobytes`. Modes: 0 stores `words` of it; 1
// loads one and stores `words`; 2 stores one word and loads another behind a fence; 3 stores the lower half, and when all
// sectors are through the upper half; 4 the same without the wait in between; 5 stores whole sectors; 6 loads them; 7 adds
// to one word (RED); 8 stores one word, then another one of the same sector; 9 as 0, but warps take sectors all over the buffer;
// 10 loads one word of each sector and stores whole sectors without waiting for it; 11 loads a word and stores one of the next
// sector; 12 adds to a word that was loaded and stores it; 13 blocks beside each other store a word each of the same sectors,
// so many as `words`; 14 stores two bytes; 15 as 13, but whole sectors, so many times.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
  std::exit(1);
}

__device__ void store(float* at, int words) {
  if (words == 1) *at = 1.0f;
  if (words == 2) *reinterpret_cast<float2*>(at) = make_float2(1, 2);
  if (words == 4) *reinterpret_cast<float4*>(at) = make_float4(1, 2, 3, 4);
}

template <int MODE, int WORDS>
__global__ void parts(float* data, unsigned sectors, unsigned apart) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= sectors) return;
  float* const at = data + static_cast<size_t>(i) * apart * 8;
  if (MODE == 0) store(at, WORDS);
  if (MODE == 1) {
    const float v = __ldcg(at + 7);
    store(at, WORDS);
    if (v == 12345.0f) data[0] = v;
  }
  if (MODE == 2) {
    store(at, WORDS);
    __threadfence();
    if (__ldcg(at + 7) == 12345.0f) data[0] = 1;
  }
  if (MODE == 4) {
    store(at, 4);
    store(at + 4, 4);
  }
  if (MODE == 5) {
    float* const all = data + static_cast<size_t>(i / 32 * 32) * apart * 8;
    // A warp's sectors whole, eight lanes each.
    for (unsigned k = 0; k < 8; ++k) all[(k * 4 + i % 32 / 8) * apart * 8 + i % 8] = 1.0f;
  }
  if (MODE == 6)
    if (__ldcg(at) == 12345.0f) data[0] = 1;
  if (MODE == 7) atomicAdd(at, 1.0f);
  if (MODE == 8) {
    *at = 1.0f;
    __threadfence();
    at[5] = 2.0f;
  }
  if (MODE == 10) {
    const float v = __ldcg(at);
    float* const all = data + static_cast<size_t>(i / 32 * 32) * apart * 8;
    for (unsigned k = 0; k < 8; ++k) all[(k * 4 + i % 32 / 8) * apart * 8 + i % 8] = 1.0f;
    if (v == 12345.0f) data[0] = v;
  }
  if (MODE == 11) {
    const float v = __ldcg(at);
    at[8] = 1.0f;
    if (v == 12345.0f) data[0] = v;
  }
  if (MODE == 12) *at = __ldcg(at) + 1.0f;
  if (MODE == 14) *reinterpret_cast<unsigned short*>(at) = 1;
  if (MODE == 9) store(data + static_cast<size_t>(i * 2654435761u % sectors) * apart * 8, WORDS);
}

// Mode 3: few blocks, each of which goes over its part of the buffer twice.
template <int WORDS>
__global__ void twice(float* data, unsigned sectors, unsigned apart) {
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < sectors; i += gridDim.x * blockDim.x)
      store(data + static_cast<size_t>(i) * apart * 8 + half * 4, WORDS);
}

// Mode 13 and 15: `BLOCKS` blocks in a row store to the same 256 sectors.
template <int BLOCKS, bool WHOLE>
__global__ void beside(float* data, unsigned sectors, unsigned apart) {
  const unsigned first = blockIdx.x / BLOCKS * blockDim.x, i = first + threadIdx.x;
  if (i >= sectors) return;
  if (WHOLE) {
    float* const all = data + static_cast<size_t>(i / 32 * 32) * apart * 8;
    for (unsigned k = 0; k < 8; ++k) all[(k * 4 + i % 32 / 8) * apart * 8 + i % 8] = 1.0f;
  } else {
    data[static_cast<size_t>(i) * apart * 8 + blockIdx.x % BLOCKS] = 1.0f;
  }
}

struct Runs {
  bool once;
  float* data;
  char* flush;
  cudaEvent_t begin, end;

  template <typename Launch>
  float median(const Launch& launch, bool flushed) const {
    std::vector<float> us;
    for (int turn = 0; turn < 7; ++turn) {
      if (flushed) check(cudaMemsetAsync(flush, 0, 128 << 20));
      check(cudaEventRecord(begin));
      launch();
      check(cudaEventRecord(end));
      check(cudaEventSynchronize(end));
      float ms = 0;
      check(cudaEventElapsedTime(&ms, begin, end));
      us.push_back(ms * 1000);
    }
    std::sort(us.begin(), us.end());
    return us[3];
  }

  template <typename Launch>
  void say(int mode, int words, unsigned apart, unsigned kilobytes, unsigned sectors, const Launch& launch) const {
    if (once) return launch();
    std::printf("mode %d words %d apart %u kilobytes %u sectors %u: %.1f %.1f\n", mode, words, apart, kilobytes, sectors,
                median(launch, true), median(launch, false));
  }

  template <int MODE, int WORDS>
  void of(unsigned apart, unsigned kilobytes) const {
    const unsigned sectors = kilobytes * 32 / apart;
    say(MODE, WORDS, apart, kilobytes, sectors, [&] { parts<MODE, WORDS><<<(sectors + 255) / 256, 256>>>(data, sectors, apart); });
  }

  template <int BLOCKS, bool WHOLE>
  void beside(int mode, unsigned apart, unsigned kilobytes) const {
    const unsigned sectors = kilobytes * 32 / apart;
    say(mode, BLOCKS, apart, kilobytes, sectors,
        [&] { ::beside<BLOCKS, WHOLE><<<(sectors + 255) / 256 * BLOCKS, 256>>>(data, sectors, apart); });
  }
};

int main(int argc, char** argv) {
  Runs runs{argc > 1 && std::strcmp(argv[1], "once") == 0, nullptr, nullptr, nullptr, nullptr};
  constexpr size_t kBytes = 256u << 20;
  check(cudaMalloc(&runs.data, kBytes));
  check(cudaMalloc(&runs.flush, 128 << 20));
  check(cudaMemset(runs.data, 0, kBytes));
  check(cudaEventCreate(&runs.begin));
  check(cudaEventCreate(&runs.end));
  for (const unsigned kilobytes : {64u, 4096u, 16384u, 32768u, 65536u, 262144u})
    for (const unsigned apart : {1u, 2u, 4u, 8u}) {
      runs.of<0, 1>(apart, kilobytes);
      runs.of<0, 4>(apart, kilobytes);
      runs.of<1, 1>(apart, kilobytes);
      runs.of<2, 1>(apart, kilobytes);
      const unsigned sectors = kilobytes * 32 / apart;
      runs.say(3, 4, apart, kilobytes, sectors, [&] { twice<4><<<std::min(264u, (sectors + 1023) / 1024), 1024>>>(runs.data, sectors, apart); });
      runs.of<4, 4>(apart, kilobytes);
      runs.of<5, 8>(apart, kilobytes);
      runs.of<6, 1>(apart, kilobytes);
      runs.of<7, 1>(apart, kilobytes);
      runs.of<8, 1>(apart, kilobytes);
      runs.of<9, 1>(apart, kilobytes);
      runs.of<10, 8>(apart, kilobytes);
      if (apart > 1) runs.of<11, 1>(apart, kilobytes);
      runs.of<12, 1>(apart, kilobytes);
      runs.beside<2, false>(13, apart, kilobytes);
      runs.beside<4, false>(13, apart, kilobytes);
      runs.beside<8, false>(13, apart, kilobytes);
      runs.of<14, 1>(apart, kilobytes);
      runs.beside<4, true>(15, apart, kilobytes);
    }
  check(cudaDeviceSynchronize());
}
