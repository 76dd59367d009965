// The same condition as a branch, as a selection, and as arithmetic.
//
// A short branch that only changes a value never becomes a jump: the compiler computes both sides and
// selects. Look at the instructions of the three; they hardly differ.
__global__ void threshold_branch(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  if (v < 0.0f) {
    v = 0.0f;
  }
  out[i] = v;
}

__global__ void threshold_select(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  out[i] = v > 0.0f ? v : 0.0f;
}

__global__ void threshold_arithmetic(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = fmaxf(in[i], 0.0f);
}
