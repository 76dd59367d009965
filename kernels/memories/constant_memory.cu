// Constant memory: fast when all lanes want the same word, one word after another when they do not.
__constant__ float coefficients[64] = {
    1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
    23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44,
    45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64};

__global__ void from_constant(const float* in, float* out, int n, int words, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i], sum = 0.0f;
  for (int turn = 0; turn < turns; ++turn) {
    sum += v * coefficients[(i % words + turn) % 64];
  }
  out[i] = sum;
}
