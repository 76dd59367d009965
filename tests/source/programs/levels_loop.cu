//+ further launches follow
//= pass grid 128 1 1 | block 512 1 1 | shared 0 | 262144B | 1
__global__ void pass(int* a, int stride) { a[blockIdx.x * blockDim.x + threadIdx.x] += stride; }
int main() {
  int n = 65536, *a;
  cudaMalloc(&a, n * sizeof(int));
  for (int stride = 1; stride < n; stride <<= 1) pass<<<n / 512, 512>>>(a, stride);
}
