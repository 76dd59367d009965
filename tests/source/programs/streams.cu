//= work grid 256 1 1 | block 256 1 1 | shared 0 | 1048576B | 0
//= work grid 256 1 1 | block 256 1 1 | shared 0 | 786432B | 65536
//= work grid 256 1 1 | block 256 1 1 | shared 0 | 524288B | 131072
//= work grid 256 1 1 | block 256 1 1 | shared 0 | 262144B | 196608
__global__ void work(float* a, int offset) { a[blockIdx.x * blockDim.x + threadIdx.x] += offset; }
int main() {
  const int blockSize = 256, nStreams = 4;
  const int n = 256 * 1024;
  const int streamSize = n / nStreams;
  const int streamBytes = streamSize * sizeof(float);
  float *a, *d_a;
  cudaMallocHost((void**)&a, n * sizeof(float));
  cudaMalloc((void**)&d_a, n * sizeof(float));
  cudaStream_t stream[nStreams];
  for (int i = 0; i < nStreams; ++i) cudaStreamCreate(&stream[i]);
  for (int i = 0; i < nStreams; ++i) {
    int offset = i * streamSize;
    cudaMemcpyAsync(&d_a[offset], &a[offset], streamBytes, cudaMemcpyHostToDevice, stream[i]);
    work<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d_a + offset, offset);
  }
  cudaDeviceSynchronize();
}
