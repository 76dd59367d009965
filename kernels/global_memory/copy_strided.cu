// Every stride-th element: lanes move apart, and the sectors between them are fetched for nothing.
//
// With stride 2 half of every sector is used, with stride 8 one float of each: 32 lanes touch 32 sectors,
// and 28 of every 32 bytes are thrown away. More sectors than lanes there cannot be. The time goes on
// growing, on an H200 by two thirds up to stride 16: DRAM hands out pieces of 64 bytes, and from there on only
// one of their two sectors is wanted.
__global__ void copy_strided(const float* in, float* out, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = in[i * stride];
  }
}
