// Several files of one program, with a header of its own.
#include "part.h"

__global__ void one(int* data) { data[threadIdx.x] = kBase + threadIdx.x; }

int main() {
  int* data;
  CHECK(cudaMallocManaged(&data, 32 * sizeof(int)));
  one<<<1, 32>>>(data);
  double_all(data, 32);
  for (int i = 0; i < 32; ++i) EXPECT(data[i] == 2 * (kBase + i));
  std::printf("parts agree, %s\n", GREETING);
}
