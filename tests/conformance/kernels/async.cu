// Copies from global to shared memory that do not pass through registers.

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
template <int BYTES>
__device__ __forceinline__ void copy_async(void* to, const void* from) {
  if (BYTES == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from), "n"(BYTES)
                 : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N>
__device__ __forceinline__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

template <typename T>
__global__ void stage_once(const T* in, T* out, int shift) {
  __shared__ T s[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  copy_async<sizeof(T)>(&s[threadIdx.x], &in[i]);
  commit();
  wait<0>();
  __syncthreads();
  out[i] = s[(threadIdx.x + shift) & 127];
}
template __global__ void stage_once<float>(const float*, float*, int);
template __global__ void stage_once<float2>(const float2*, float2*, int);
template __global__ void stage_once<float4>(const float4*, float4*, int);

// Two stages: while one tile is summed the next one is on its way.
__global__ void pipelined_sum(const float4* in, float4* out, int tiles) {
  __shared__ float4 s[2][64];
  int t = threadIdx.x;
  const float4* from = in + blockIdx.x * tiles * 64;
  copy_async<16>(&s[0][t], &from[t]);
  commit();
  float4 sum = make_float4(0, 0, 0, 0);
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles) {
      copy_async<16>(&s[(k + 1) & 1][t], &from[(k + 1) * 64 + t]);
      commit();
      wait<1>();
    } else {
      wait<0>();
    }
    __syncthreads();
    float4 v = s[k & 1][63 - t];
    sum.x += v.x;
    sum.y += v.y;
    sum.z += v.z;
    sum.w += v.w;
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = sum;
}

// Rows land at a pitch: conflicts on the way into shared memory.
__global__ void staged_columns(const float* in, float* out, int pitch) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  copy_async<4>(&s[t * pitch], &in[blockIdx.x * 64 + t]);
  commit();
  wait<0>();
  __syncthreads();
  out[blockIdx.x * 64 + t] = s[(63 - t) * pitch];
}
