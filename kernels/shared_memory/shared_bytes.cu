// Bytes and halfwords: lanes that share a word do not wait for each other.
//
// The unit of a bank is the 4-byte word. Four lanes with neighbouring bytes want the same word and are
// served together, so 32 bytes in a row touch only 8 banks and never conflict. Each turn reads the elements
// that follow.
template <typename T>
__global__ void shared_bytes(const T* in, unsigned int* out, int stride, int turns) {
  __shared__ T elements[32 * 132];
  int t = threadIdx.x;
  for (int i = t; i < 32 * 132; i += blockDim.x) {
    elements[i] = in[i];
  }
  __syncthreads();
  int lane = t % 32;
  unsigned int sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    sum += elements[lane * stride + turn % 32];
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}

template __global__ void shared_bytes(const unsigned char* in, unsigned int* out, int stride, int turns);
template __global__ void shared_bytes(const unsigned short* in, unsigned int* out, int stride, int turns);
template __global__ void shared_bytes(const unsigned int* in, unsigned int* out, int stride, int turns);
