// All lanes read the same word, or all lanes of a group do.
//
// One sector serves the whole warp, which is as fast as a load can be. But 32 bytes are fetched for 4 that
// are used: many different single words cost as much traffic as a stride.
__global__ void one_address(const float* in, float* out, int n, int sharing) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = in[i / sharing];
  }
}
