// As it is printed: a padded tile, and x and y swapped when it is written out.
#define TILE 32

__global__ void transpose_untwisted(const float* in, float* out, int n) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.x * TILE + threadIdx.y;
  y = blockIdx.y * TILE + threadIdx.x;
  out[y * n + x] = tile[threadIdx.y][threadIdx.x];
}
