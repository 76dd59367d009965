// Copying 4, 8 or 16 bytes a lane: the same sectors, a quarter of the threads and of the instructions.
//
// A thread copies one vector, so that float4 needs n / 4 threads. float4 loads must be aligned to 16 bytes. cudaMalloc gives that for the start of an array, but `in + 1`
// does not have it, and the load faults. When n is not a multiple of the width, the last elements are
// copied one by one.
__global__ void copy_float(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

__global__ void copy_float2(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) {
    reinterpret_cast<float2*>(out)[i] = reinterpret_cast<const float2*>(in)[i];
  }
  int rest = n / 2 * 2 + i;
  if (rest < n) out[rest] = in[rest];
}

__global__ void copy_float4(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
  }
  int rest = n / 4 * 4 + i;
  if (rest < n) out[rest] = in[rest];
}

// One float too far: the address is no multiple of 16.
__global__ void copy_misaligned(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4 - 1) {
    reinterpret_cast<float4*>(out)[i] = *reinterpret_cast<const float4*>(in + 1 + 4 * i);
  }
}
