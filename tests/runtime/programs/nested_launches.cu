// Kernels that launch kernels: a sort that calls itself, launches of many blocks, a stream of the kernel's own,
// and a launch for the tail, which runs when all others have ended.
#include "check.h"

__global__ void sort(int* values, int count) {
  if (count < 2) return;
  const int pivot = values[count / 2];
  int left = 0, right = count - 1;
  while (left <= right) {
    while (values[left] < pivot) ++left;
    while (values[right] > pivot) --right;
    if (left > right) break;
    const int swapped = values[left];
    values[left++] = values[right];
    values[right--] = swapped;
  }
  if (right > 0) sort<<<1, 1>>>(values, right + 1);
  if (left < count - 1) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    sort<<<1, 1, 0, stream>>>(values + left, count - left);
    cudaStreamDestroy(stream);
  }
}

struct Part {
  int first, count;
  double weight;
};

__global__ void fill(int* to, Part part) {
  extern __shared__ int tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = static_cast<int>(part.weight * (part.first + i));
  __syncthreads();
  if (i < part.count) to[part.first + i] = tile[threadIdx.x];
}
__global__ void sum(const int* values, int count, int* total) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) atomicAdd(total, values[i]);
}

__global__ void parent(int* values, int count, int* total) {
  const int each = count / gridDim.x;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) sum<<<1, 64, 0, cudaStreamTailLaunch>>>(values, count, total);
  const Part part{static_cast<int>(blockIdx.x) * each, each, 2.0};
  fill<<<dim3((each + 31) / 32), dim3(32), 32 * sizeof(int)>>>(values, part);
  if (cudaGetLastError() != cudaSuccess) *total = -1;
}

int main() {
  const int count = 1024;
  int *values, *total;
  CHECK(cudaMallocManaged(&values, count * sizeof(int)));
  CHECK(cudaMallocManaged(&total, sizeof(int)));
  *total = 0;
  parent<<<8, 32>>>(values, count, total);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < count; ++i) EXPECT(values[i] == 2 * i);
  EXPECT(*total == count * (count - 1));
  for (int i = 0; i < count; ++i) values[i] = (i * 389) % 1021;
  sort<<<1, 1>>>(values, count);
  CHECK(cudaDeviceSynchronize());
  for (int i = 1; i < count; ++i) EXPECT(values[i - 1] <= values[i]);
  std::printf("kernels launched kernels\n");
}
