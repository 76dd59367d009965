// A table of 64 numbers, the square of the index, read at another place by every lane.
#define FOUR(i) (i) * (i), (i + 1) * (i + 1), (i + 2) * (i + 2), (i + 3) * (i + 3)
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)
__constant__ int table[64] = {SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)};

__global__ void look_up(const unsigned int* at, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[at[i]];
}
