// Which block size? The one that fills the SM without cutting it up.
//
// Small blocks reach the limit of blocks an SM before its warps are used up. Very large ones leave a gap that
// no further block fits into. In between it often makes no difference at all.
__global__ void weighted_sums(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f, weight = 1.0f;
  for (int k = 0; k < 16; ++k) {
    sum += weight * in[(i + 32 * k) % n];
    weight = weight * 0.75f + 0.125f;
  }
  out[i] = sum;
}
