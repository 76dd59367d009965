// Does the order of the lanes matter? Not within a line.
//
// The hardware looks at which sectors the warp needs, not at which lane needs them. Reversed lanes,
// shuffled lanes: the same four sectors, the same cost. (GPUs before 2016 cared; many old texts still say
// so.)
__global__ void copy_reversed(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32;
  int from = i - lane + (31 - lane);
  if (i < n && from < n) {
    out[i] = in[from];
  }
}

__global__ void copy_rotated(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32;
  int from = i - lane + (lane + 5) % 32;
  if (i < n && from < n) {
    out[i] = in[from];
  }
}

__global__ void copy_shuffled(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32;
  int from = i - lane + (lane * 13) % 32;  // 13 is odd, so every element is taken once
  if (i < n && from < n) {
    out[i] = in[from];
  }
}
