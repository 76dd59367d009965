// Bytes and halfwords: lanes that share a word do not wait for each other.
//
// The unit of a bank is the 4-byte word. Four lanes with neighbouring bytes want the same word and are
// served together, so 32 bytes in a row touch only 8 banks and never conflict.
template <typename T>
__global__ void shared_bytes(const T* in, T* out, int stride) {
  __shared__ T elements[32 * 132];
  int t = threadIdx.x;
  for (int i = t; i < 32 * 132; i += blockDim.x) {
    elements[i] = in[i];
  }
  __syncthreads();
  int lane = t % 32;
  out[blockIdx.x * blockDim.x + t] = elements[lane * stride];
}

template __global__ void shared_bytes(const unsigned char* in, unsigned char* out, int stride);
template __global__ void shared_bytes(const unsigned short* in, unsigned short* out, int stride);
template __global__ void shared_bytes(const unsigned int* in, unsigned int* out, int stride);
