// Even elements take one way, odd elements another; both are long.
__global__ void work(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int v = in[i];
  if (i % 2 == 0) {
    for (int k = 0; k < 32; ++k) v = v * 1664525u + 1013904223u + (v >> 7);
  } else {
    for (int k = 0; k < 32; ++k) v = (v ^ (v << 3)) + 12345u * k + (v >> 9);
  }
  out[i] = v;
}
