// The same condition as a branch, as a selection, and as arithmetic.
//
// A short branch that only changes a value, or stores one of two, never becomes a jump: the compiler computes
// both sides and selects. Look at the instructions of the first five; they hardly differ. With long sides it
// is the other way round: blending computes both for every element, a branch only the one that is wanted,
// as long as the lanes of a warp agree.
__global__ void threshold_branch(const float* in, float* out, int n, int) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  if (v < 0.0f) {
    v = 0.0f;
  }
  out[i] = v;
}

__global__ void threshold_two_stores(const float* in, float* out, int n, int) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (in[i] > 0.0f) {
    out[i] = in[i];
  } else {
    out[i] = 0.0f;
  }
}

__global__ void threshold_select(const float* in, float* out, int n, int) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  out[i] = v > 0.0f ? v : 0.0f;
}

__global__ void threshold_blend(const float* in, float* out, int n, int) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i], keep = v > 0.0f;
  out[i] = keep * v + (1.0f - keep) * 0.0f;
}

__global__ void threshold_maximum(const float* in, float* out, int n, int) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = fmaxf(in[i], 0.0f);
}

__device__ float smooth(float v, int turns) {
  for (int k = 0; k < turns; ++k) v = v * 0.5f + 0.25f;
  return v;
}

__device__ float sharpen(float v, int turns) {
  for (int k = 0; k < turns; ++k) v = v * 0.75f - 0.125f;
  return v;
}

__global__ void threshold_long_branch(const float* in, float* out, int n, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i / 32 % 2 == 0) {
    out[i] = smooth(in[i], turns);
  } else {
    out[i] = sharpen(in[i], turns);
  }
}

__global__ void threshold_long_blend(const float* in, float* out, int n, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float c = i / 32 % 2 == 0;
  out[i] = c * smooth(in[i], turns) + (1.0f - c) * sharpen(in[i], turns);
}
