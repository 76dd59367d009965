// Shared memory has 32 banks, one word wide. Which stride is good?
//
// Word w lives in bank w % 32. Lanes that want different words of one bank are served one after another;
// lanes that want the same word are served together. With stride s the conflict degree is the greatest
// common divisor of s and 32: every odd stride is free, a stride of 32 is the worst. Stride 0 is a
// broadcast. Each turn reads one word further on, which moves all lanes to the next bank together.
__global__ void shared_stride(const float* in, float* out, int stride, int turns) {
  __shared__ float words[1088];  // room for lane 31 at stride 33, and the 32 turns
  int t = threadIdx.x;
  for (int i = t; i < 1088; i += blockDim.x) {
    words[i] = in[i];
  }
  __syncthreads();
  int lane = t % 32;
  float sum = 0.0f;
  for (int turn = 0; turn < turns; ++turn) {
    sum += words[lane * stride + turn % 32];
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}
