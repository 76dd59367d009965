// Shared memory has 32 banks, one word wide. Which stride is good?
//
// Word w lives in bank w % 32. Lanes that want different words of one bank are served one after another;
// lanes that want the same word are served together. With stride s the conflict degree is the greatest
// common divisor of s and 32: every odd stride is free, a stride of 32 is the worst. Stride 0 is a
// broadcast.
__global__ void shared_stride(const float* in, float* out, int stride) {
  __shared__ float words[1088];  // room for lane 31 at stride 33, and a little more
  int t = threadIdx.x;
  for (int i = t; i < 1088; i += blockDim.x) {
    words[i] = in[i];
  }
  __syncthreads();
  int lane = t % 32;
  out[blockIdx.x * blockDim.x + t] = words[lane * stride];
}
