//= count grid ? | block ? | shared 0 | 400B
__global__ void count(int* p) { p[threadIdx.x % 100]++; }
int main() {
  int sms = 0, threads = 0;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  int minGrid;
  cudaOccupancyMaxPotentialBlockSize(&minGrid, &threads, count, 0, 0);
  int* p;
  cudaMalloc(&p, 100 * sizeof(int));
  count<<<sms, threads>>>(p);
}
