//= count grid ? | block 256 1 1 | shared 0 | 4000000B | 1000000
__global__ void count(int* p, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i]++; }
int main() {
  int device = 0;
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, device);
  int* p;
  int n = 1000000;
  cudaMalloc(&p, n * sizeof(int));
  count<<<32 * prop.multiProcessorCount, 256>>>(p, n);
}
