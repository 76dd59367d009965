// The same copy with elements of 1, 2, 4, 8 and 16 bytes.
//
// A warp of byte loads needs a single sector, a warp of float4 loads needs 16. The efficiency is 100 %
// each time, but a byte load moves 32 bytes for one instruction and a float4 load moves 512.
template <typename T>
__global__ void element_width(const T* in, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = in[i];
  }
}

template __global__ void element_width(const char* in, char* out, int n);
template __global__ void element_width(const short* in, short* out, int n);
template __global__ void element_width(const float* in, float* out, int n);
template __global__ void element_width(const double* in, double* out, int n);
template __global__ void element_width(const float4* in, float4* out, int n);
