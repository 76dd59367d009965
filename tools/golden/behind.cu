// Warps that load what nobody has loaded and then add it to scattered places, or store it there: who waits for what when
// L2 takes longer for the latter than warps take to come. Read by waits.py.
__device__ unsigned scattered(unsigned i) {
  i = (i ^ i >> 15) * 0x2c1b3c6du;
  i = (i ^ i >> 12) * 0x297a2d39u;
  return i ^ i >> 15;
}

template <int kEach, bool kAdd>
__device__ void send(const float* in, float* out, unsigned places) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = in[i];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    float* const to = out + scattered(kEach * i + k) % places;
    if (kAdd)
      atomicAdd(to, v);
    else
      *to = v;
  }
}

__global__ void add_once(const float* in, float* out, unsigned places) { send<1, true>(in, out, places); }
__global__ void add_four(const float* in, float* out, unsigned places) { send<4, true>(in, out, places); }
__global__ void store_once(const float* in, float* out, unsigned places) { send<1, false>(in, out, places); }
__global__ void store_four(const float* in, float* out, unsigned places) { send<4, false>(in, out, places); }
