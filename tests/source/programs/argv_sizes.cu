//= transpose grid 64 64 1 | block 32 8 1 | shared 4224 | 16777216B | 16777216B | 2048
#include <cstdlib>
#include <cstdio>
__global__ void transpose(const float* in, float* out, int n) {
  extern __shared__ float tile[];
  out[0] = in[0] + tile[threadIdx.x] + n;
}
int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 2048;
  int rows = 8;
  if (argc > 2) rows = atoi(argv[2]);
  float *in, *out;
  cudaMalloc(&in, n * n * sizeof *in);
  cudaMalloc(&out, n * n * sizeof(*out));
  dim3 block(32, rows, 1);
  dim3 grid;
  grid.x = (n + 31) / 32;
  grid.y = (n + 31) / 32;
  transpose<<<grid, block, 32 * 33 * sizeof(float)>>>(in, out, n);
}
