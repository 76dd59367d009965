// 8 and 16 bytes a lane: the warp is served in halves or quarters.
//
// Shared memory delivers 128 bytes at a time. 32 lanes with float2 want 256, so two halves of the warp
// follow one another; with float4 four quarters do. A float4 read of neighbouring elements takes four
// wavefronts and has no conflict: that is simply how long 512 bytes take. When lanes want the same element
// pairwise, halves can be merged again.
template <typename T>
__global__ void shared_wide(const T* in, T* out, int stride, int sharing) {
  __shared__ T elements[32 * 8];
  int t = threadIdx.x;
  for (int i = t; i < 32 * 8; i += blockDim.x) {
    elements[i] = in[i];
  }
  __syncthreads();
  int lane = t % 32;
  out[blockIdx.x * blockDim.x + t] = elements[lane / sharing * stride];
}

template __global__ void shared_wide(const float* in, float* out, int stride, int sharing);
template __global__ void shared_wide(const float2* in, float2* out, int stride, int sharing);
template __global__ void shared_wide(const float4* in, float4* out, int stride, int sharing);
