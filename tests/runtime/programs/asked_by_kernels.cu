// What kernels ask of the runtime besides launches: copies and fills in streams of their own, which are done when the
// kernel has ended and before what it launches behind them; memory; events; the names of errors.
#include "check.h"

constexpr int kCount = 256, kRows = 8, kWidth = 40, kPitch = 64;

__global__ void scale(int* values, int by) {
  values[threadIdx.x] *= by;
}

__global__ void parent(const int* in, int* out, int* filled, unsigned char* rows, int* errors) {
  cudaStream_t stream;
  cudaEvent_t event;
  *errors += cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess;
  *errors += cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess;
  *errors += cudaMemcpyAsync(out, in, kCount * sizeof(int), cudaMemcpyDeviceToDevice, stream) != cudaSuccess;
  scale<<<1, kCount, 0, stream>>>(out, 3);
  *errors += cudaEventRecord(event, stream) != cudaSuccess;
  *errors += cudaStreamWaitEvent(nullptr, event, 0) != cudaSuccess;
  *errors += cudaMemsetAsync(filled, 1, kCount * sizeof(int), nullptr) != cudaSuccess;
  *errors += cudaMemset2DAsync(rows, kPitch, 7, kWidth, kRows, nullptr) != cudaSuccess;
  *errors += cudaMemcpy2DAsync(rows + kRows * kPitch, kPitch, rows, kPitch, kWidth / 2, kRows, cudaMemcpyDeviceToDevice,
                               nullptr) != cudaSuccess;
  *errors += cudaEventDestroy(event) != cudaSuccess;
  *errors += cudaStreamDestroy(stream) != cudaSuccess;
  *errors += cudaPeekAtLastError() != cudaSuccess;
}

__global__ void allocate(int** where, int* errors) {
  int* mine = nullptr;
  *errors += cudaMalloc(&mine, 16 * sizeof(int)) != cudaSuccess;
  *errors += mine == nullptr;
  for (int i = 0; i < 16; ++i) mine[i] = i * i;
  *where = mine;
  int* huge = nullptr;
  const cudaError_t error = cudaMalloc(&huge, size_t{1} << 40);
  *errors += error != cudaErrorMemoryAllocation || huge != nullptr;
  printf("%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
}
__global__ void use(int** where, int* sum, int* errors) {
  for (int i = 0; i < 16; ++i) *sum += (*where)[i];
  *errors += cudaFree(*where) != cudaSuccess;
}

// What an H200 (driver 580) answers.
__global__ void shared_user(int* to) {
  extern __shared__ int mine[];
  mine[threadIdx.x] = 1;
  to[0] = mine[0];
}
__global__ void ask(int* errors) {
  int value = -1, blocks = -1, count = -1;
  size_t limit = 0;
  cudaFuncAttributes attributes;
  *errors += cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0) != cudaSuccess || value != 132;
  *errors += cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlock, 0) != cudaSuccess || value != 49152;
  *errors += cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 5) != cudaErrorInvalidDevice;
  *errors += cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0) != cudaErrorInvalidValue;
  *errors += cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared_user, 128, 0) != cudaSuccess || blocks != 16;
  *errors += cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared_user, 128, 40000) != cudaSuccess || blocks != 5;
  *errors += cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared_user, 2048, 0) != cudaSuccess || blocks != 0;
  *errors += cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared_user, 0, 0) != cudaErrorInvalidValue;
  *errors += cudaFuncGetAttributes(&attributes, shared_user) != cudaSuccess || attributes.maxThreadsPerBlock != 1024;
  *errors += cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize) != cudaSuccess || limit != 8388608;
  *errors += cudaGetDevice(&value) != cudaSuccess || value != 0;
  *errors += cudaGetDeviceCount(&count) != cudaSuccess || count != 1;
  *errors += cudaRuntimeGetVersion(&value) != cudaSuccess || value != 6000;
}

int main() {
  int *in, *out, *filled, *errors, *sum, **where;
  unsigned char* rows;
  CHECK(cudaMallocManaged(&in, kCount * sizeof(int)));
  CHECK(cudaMallocManaged(&out, kCount * sizeof(int)));
  CHECK(cudaMallocManaged(&filled, kCount * sizeof(int)));
  CHECK(cudaMallocManaged(&rows, 2 * kRows * kPitch));
  CHECK(cudaMallocManaged(&errors, sizeof(int)));
  CHECK(cudaMallocManaged(&sum, sizeof(int)));
  CHECK(cudaMallocManaged(&where, sizeof *where));
  for (int i = 0; i < kCount; ++i) in[i] = i;
  CHECK(cudaMemset(rows, 1, 2 * kRows * kPitch));
  *errors = *sum = 0;
  parent<<<1, 1>>>(in, out, filled, rows, errors);
  allocate<<<1, 1>>>(where, errors);
  use<<<1, 1>>>(where, sum, errors);
  ask<<<1, 1>>>(errors);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*errors == 0);
  EXPECT(*sum == 1240);
  for (int i = 0; i < kCount; ++i) EXPECT(out[i] == 3 * i && filled[i] == 0x01010101);
  for (int y = 0; y < kRows; ++y)
    for (int x = 0; x < kPitch; ++x) {
      EXPECT(rows[y * kPitch + x] == (x < kWidth ? 7 : 1));
      EXPECT(rows[(kRows + y) * kPitch + x] == (x < kWidth / 2 ? 7 : 1));
    }
  std::printf("kernels were served\n");
}
