// 8 and 16 bytes a lane: the warp is served in halves or quarters.
//
// Shared memory delivers 128 bytes at a time. 32 lanes with float2 want 256, so two halves of the warp
// follow one another; with float4 four quarters do. A float4 read of neighbouring elements takes four
// passes and has no conflict: that is simply how long 512 bytes take. When lanes want the same element
// pairwise, halves can be merged again. Each turn reads the elements that follow.
__device__ float total(float v) { return v; }
__device__ float total(float2 v) { return v.x + v.y; }
__device__ float total(float4 v) { return (v.x + v.y) + (v.z + v.w); }

template <typename T>
__global__ void shared_wide(const T* in, float* out, int stride, int sharing, int turns) {
  __shared__ T elements[32 * 8 + 8];
  int t = threadIdx.x;
  for (int i = t; i < 32 * 8 + 8; i += blockDim.x) {
    elements[i] = in[i];
  }
  __syncthreads();
  int lane = t % 32;
  float sum = 0.0f;
  for (int turn = 0; turn < turns; ++turn) {
    sum += total(elements[lane / sharing * stride + turn % 8]);
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}

template __global__ void shared_wide(const float* in, float* out, int stride, int sharing, int turns);
template __global__ void shared_wide(const float2* in, float* out, int stride, int sharing, int turns);
template __global__ void shared_wide(const float4* in, float* out, int stride, int sharing, int turns);
