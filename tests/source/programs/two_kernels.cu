//= scan_blocks grid 64 1 1 | block 1024 1 1 | shared 0 | 262144B | 256B | 65536
//= add_sums grid 64 1 1 | block 1024 1 1 | shared 0 | 262144B | 256B | 65536
#define BLOCK 1024
__global__ void scan_blocks(int* d, int* sums, int n) { __shared__ int s[BLOCK]; s[threadIdx.x] = d[blockIdx.x * BLOCK + threadIdx.x]; __syncthreads(); if (threadIdx.x == 0) sums[blockIdx.x] = s[n % BLOCK]; }
__global__ void add_sums(int* d, const int* sums, int n) { int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) d[i] += sums[blockIdx.x]; }
void scan(int* d, int n) {
  int numBlocks = n / BLOCK;
  int* sums;
  cudaMalloc(&sums, sizeof(int) * numBlocks);
  scan_blocks<<<numBlocks, BLOCK>>>(d, sums, n);
  if (numBlocks > BLOCK) scan(sums, numBlocks);
  add_sums<<<numBlocks, BLOCK>>>(d, sums, n);
}
int main(int argc, char* argv[]) {
  int n = 1 << 16;
  if (argc >= 2) n = 1 << atoi(argv[1]);
  int* d;
  cudaMalloc((void**)&d, n * sizeof(int));
  scan(d, n);
}
