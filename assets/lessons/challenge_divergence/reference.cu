// The first half of a block takes the even elements of its stretch, the second half the odd ones.
__global__ void work(const int* in, int* out, int n) {
  int t = threadIdx.x, half = blockDim.x / 2;
  int i = blockIdx.x * blockDim.x + 2 * (t % half) + t / half;
  unsigned int v = in[i];
  if (t < half) {
    for (int k = 0; k < 32; ++k) v = v * 1664525u + 1013904223u + (v >> 7);
  } else {
    for (int k = 0; k < 32; ++k) v = (v ^ (v << 3)) + 12345u * k + (v >> 9);
  }
  out[i] = v;
}
