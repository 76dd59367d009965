// Kernels in a file that is called C++, as samples have them whose Makefile says -x cu.
#include <vector>

#include "../check.h"

__global__ void square(float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= values[i];
}

int main() {
  const std::vector<float> in{1, 2, 3, 4};
  std::vector<float> out(in.size());
  float* values = nullptr;
  CHECK(cudaMalloc(&values, 4 * sizeof(float)));
  CHECK(cudaMemcpy(values, in.data(), 4 * sizeof(float), cudaMemcpyHostToDevice));
  square<<<1, 32>>>(values, 4);
  CHECK(cudaMemcpy(out.data(), values, 4 * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 4; ++i) EXPECT(out[i] == in[i] * in[i]);
  CHECK(cudaFree(values));
  std::printf("squared\n");
}
