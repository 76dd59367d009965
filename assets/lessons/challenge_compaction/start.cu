// Keeps the ones, packed together. Every thread that keeps its element asks for a place of its own; the counter
// goes round behind n, the last place there is.
__global__ void keep(const int* in, int* out, unsigned int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] == 1) out[atomicInc(count, n)] = in[i];
}
