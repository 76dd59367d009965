// Launches that look alike and are not: something that a kernel finds has changed since the last one, in each of the
// ways in which a program can change it. Each is launched again unchanged too, which need not be executed.
#include <cooperative_groups.h>

#include <cstring>

#include "check.h"

namespace cg = cooperative_groups;
constexpr int kCount = 1 << 17, kSide = 512;
constexpr std::size_t kBytes = kCount * sizeof(unsigned);
__device__ unsigned factor = 1;
__constant__ unsigned offset = 0;
static unsigned got[kCount];

// The same number, after enough work that a launch is worth remembering.
__device__ unsigned slowly(unsigned number) {
  unsigned v = number;
  for (int k = 0; k < 50; ++k) v = (v * 1664525u) ^ ((v >> 7) + 1u);
  return number + (v == 0xdeadbeefu ? 1 : 0);
}
__device__ int index() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}
__global__ void read(const unsigned* in, unsigned* out) {
  out[index()] = slowly(in[index()]) * factor + offset;
}
__global__ void read_texture(cudaTextureObject_t texture, unsigned* out) {
  out[index()] = slowly(tex2D<unsigned>(texture, index() % kSide, index() / kSide));
}
__global__ void write_surface(cudaSurfaceObject_t surface, unsigned value) {
  surf2Dwrite(slowly(value), surface, index() % kSide * 4, index() / kSide);
}
__global__ void allocate(unsigned** blocks) {
  const unsigned value = slowly(index());
  if (index() >= 4) return;
  blocks[index()] = static_cast<unsigned*>(malloc(64));
  *blocks[index()] = value;
}
__global__ void give_back(unsigned** blocks, unsigned* sum) {
  for (int i = 0; i < 4; ++i) {
    *sum += *blocks[i];
    free(blocks[i]);
  }
}
__global__ void meet(const unsigned* in, unsigned* out) {
  const cg::grid_group grid = cg::this_grid();
  for (int i = static_cast<int>(grid.thread_rank()); i < kCount; i += static_cast<int>(grid.size())) out[i] = slowly(in[i]);
  grid.sync();
}
__global__ void tell(const unsigned* in, int number) {
  const unsigned value = slowly(in[index()]);
  if (index() == 0) printf("%d: %u\n", number, value);
}
__global__ void write_at(unsigned* out, int where) {
  const unsigned value = slowly(index());
  if (index() == 5) out[where] = value;
}

static void expect_read(const unsigned* in, unsigned* out, unsigned wanted) {
  for (int i = 0; i < 2; ++i) {
    read<<<kCount / 256, 256>>>(in, out);
    CHECK(cudaMemcpy(got, out, kBytes, cudaMemcpyDeviceToHost));
    EXPECT(got[7] == wanted);
  }
}

int main() {
  unsigned *in, *out, *mapped, *managed, *sum, **blocks;
  CHECK(cudaMalloc(&in, kBytes));
  CHECK(cudaMalloc(&out, kBytes));
  CHECK(cudaMallocManaged(&managed, kBytes));
  CHECK(cudaMallocHost(&mapped, kBytes));
  CHECK(cudaMallocManaged(&sum, sizeof *sum));
  CHECK(cudaMalloc(&blocks, 4 * sizeof *blocks));
  CHECK(cudaMemset(in, 0, kBytes));
  for (int i = 0; i < 3; ++i) expect_read(in, out, 0);

  // The host writes to memory of its own, and to managed memory.
  std::memset(mapped, 0, kBytes);
  std::memset(managed, 0, kBytes);
  for (unsigned i = 0; i < 5; ++i) {
    mapped[7] = managed[7] = i / 2;
    expect_read(mapped, out, i / 2);
    expect_read(managed, out, i / 2);
  }
  // Signs only, of numbers that enter the same sum of a mark.
  mapped[1] = 0x80000000u;
  mapped[9] = 0x80000004u;
  read<<<kCount / 256, 256>>>(mapped, out);
  CHECK(cudaMemcpy(got, out, kBytes, cudaMemcpyDeviceToHost));
  EXPECT(got[1] == 0x80000000u && got[9] == 0x80000004u);

  for (unsigned i = 1; i < 4; ++i) {
    CHECK(cudaMemcpyToSymbol(offset, &i, sizeof i));
    expect_read(in, out, i);
  }
  const unsigned zero = 0;
  CHECK(cudaMemcpyToSymbol(offset, &zero, sizeof zero));
  for (unsigned i = 1; i < 4; ++i) {  // in turns
    unsigned* more;
    CHECK(cudaMalloc(&more, kBytes));
    CHECK(cudaMemset(more, 0, kBytes));
    CHECK(cudaMemcpy(more + 7, &i, sizeof i, cudaMemcpyHostToDevice));
    expect_read(more, out, i);
    expect_read(in, out, 0);
    CHECK(cudaFree(more));
    expect_read(in, out, 0);
  }
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) CHECK(cudaStreamCreate(&stream));
  for (unsigned i = 0; i < 4; ++i) {
    mapped[0] = i / 2;
    CHECK(cudaMemcpyAsync(in + 7, mapped, sizeof i, cudaMemcpyHostToDevice, streams[0]));
    read<<<kCount / 256, 256, 0, streams[0]>>>(in, out);
    read<<<kCount / 256, 256, 0, streams[1]>>>(in, managed);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, kBytes, cudaMemcpyDeviceToHost));
    EXPECT(got[7] == i / 2 && managed[7] == i / 2);
  }

  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned>();
  CHECK(cudaMallocArray(&array, &format, kSide, kCount / kSide, cudaArraySurfaceLoadStore));
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t texture;
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr));
  CHECK(cudaCreateSurfaceObject(&surface, &what));
  for (unsigned i = 0; i < 6; ++i) {
    write_surface<<<kCount / 256, 256>>>(surface, i / 3);
    read_texture<<<kCount / 256, 256>>>(texture, out);
    CHECK(cudaMemcpy(got, out, 64, cudaMemcpyDeviceToHost));
    EXPECT(got[9] == i / 3);
  }

  *sum = 0;
  for (unsigned i = 1; i < 5; ++i) {
    allocate<<<kCount / 256, 256>>>(blocks);
    give_back<<<1, 1>>>(blocks, sum);
    CHECK(cudaDeviceSynchronize());
    EXPECT(*sum == 6 * i);
  }
  void* arguments[] = {&in, &out};
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(cudaMemset(in, static_cast<int>(i / 2), kBytes));
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(meet), 64, 256, arguments, 0, nullptr));
    CHECK(cudaMemcpy(got, out, 64, cudaMemcpyDeviceToHost));
    EXPECT(got[3] == i / 2 * 0x01010101u);
  }
  CHECK(cudaMemset(in, 0, kBytes));
  for (int i = 0; i < 6; ++i) tell<<<kCount / 256, 256>>>(in, i / 3);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 3; ++i) write_at<<<kCount / 256, 256>>>(out, 0);
  CHECK(cudaDeviceSynchronize());
  write_at<<<kCount / 256, 256>>>(out, -(1 << 30));
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  write_at<<<kCount / 256, 256>>>(out, 0);
  EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
  std::printf("nothing was mistaken\n");
}
