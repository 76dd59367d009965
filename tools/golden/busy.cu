// Warps that load once or four times, then compute for a while and store: what they wait for while an SM is busy,
// and for how long they stay. Read by waits.py.
template <int kLoads>
__device__ void load_and_compute(const float* in, float* out, int turns, long stride, int from) {
  const long i = long(from) * blockDim.x + threadIdx.x;
  float a[4] = {1, 2, 3, 4};
#pragma unroll
  for (int k = 0; k < kLoads; ++k) a[k] = in[i + k * stride];
  for (int t = 0; t < turns; ++t) {
    a[0] = a[0] * 1.0001f + 0.5f;
    a[1] = a[1] * 1.0002f + 0.5f;
    a[2] = a[2] * 1.0003f + 0.5f;
    a[3] = a[3] * 1.0004f + 0.5f;
  }
  out[long(blockIdx.x) * blockDim.x + threadIdx.x] = a[0] + a[1] + a[2] + a[3];
}

__global__ void one(const float* in, float* out, int turns, long stride) {
  load_and_compute<1>(in, out, turns, stride, blockIdx.x);
}
__global__ void four(const float* in, float* out, int turns, long stride) {
  load_and_compute<4>(in, out, turns, stride, blockIdx.x);
}
// Eight blocks load the same, on SMs far apart.
__global__ void one_again(const float* in, float* out, int turns, long stride) {
  load_and_compute<1>(in, out, turns, stride, blockIdx.x % (gridDim.x / 8));
}
__global__ void four_again(const float* in, float* out, int turns, long stride) {
  load_and_compute<4>(in, out, turns, stride, blockIdx.x % (gridDim.x / 8));
}
