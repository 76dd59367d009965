// Kernels beside functions that they cannot reach: virtual ones, and such as print or allocate.
#include "check.h"

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  int* side;
  __device__ explicit Square(int n) : side(new int(n)) {}
  __device__ ~Square() { delete side; }
  __device__ int area() const override { return *side * *side; }
};

__device__ __noinline__ void tell(int n) {
  if (n < 0) printf("below zero\n");
}

__global__ void plain(int* out) { *out = 3; }
__global__ void telling(const int* in) { tell(*in); }
__global__ void make(Shape** shape) { *shape = new Square(5); }
__global__ void ask(Shape* const* shape, int* out) { *out = (*shape)->area(); }
__global__ void drop(Shape** shape) { delete *shape; }

// A warp of which eight lanes take part: the sum over all offsets is theirs where the others' values are 0.
__global__ void sum_of_eight(const float* in, float* out) {
  const unsigned mask = __ballot_sync(0xffffffffu, threadIdx.x < 8);
  if (threadIdx.x < 8) {
    float sum = in[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(mask, sum, offset);
    if (threadIdx.x == 0) *out = sum;
  }
}

int main() {
  int *out, host = 0;
  Shape** shape;
  CHECK(cudaMalloc(&out, sizeof *out));
  CHECK(cudaMalloc(&shape, sizeof *shape));
  plain<<<1, 1>>>(out);
  CHECK(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host == 3);
  telling<<<1, 1>>>(out);
  make<<<1, 1>>>(shape);
  ask<<<1, 1>>>(shape, out);
  drop<<<1, 1>>>(shape);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host == 25);
  float eight[8] = {1, 2, 3, 4, 5, 6, 7, 8}, *in, sum = 0;
  CHECK(cudaMalloc(&in, 9 * sizeof(float)));
  CHECK(cudaMemcpy(in, eight, sizeof eight, cudaMemcpyHostToDevice));
  sum_of_eight<<<1, 32>>>(in, in + 8);
  CHECK(cudaMemcpy(&sum, in + 8, sizeof sum, cudaMemcpyDeviceToHost));
  EXPECT(sum == 36);
  std::printf("nothing in the way\n");
}
