//= sum<256> grid 64 1 1 | block 256 1 1 | shared 0 | 65536B | 256B
//= sum<512> grid 32 1 1 | block 512 1 1 | shared 0 | 65536B | 256B
//! instances sum<256>, sum<512>
template <unsigned int blockSize> __global__ void sum(const float* in, float* out) { __shared__ float s[blockSize]; s[threadIdx.x] = in[blockIdx.x * blockSize + threadIdx.x]; __syncthreads(); out[blockIdx.x] = s[0]; }
void launch(int threads, const float* in, float* out, int n) {
  switch (threads) {
    case 512: sum<512><<<n / 512, 512>>>(in, out); break;
    case 256: sum<256><<<n / 256, 256>>>(in, out); break;
    case 128: sum<128><<<n / 128, 128>>>(in, out); break;
  }
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 16384 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  launch(256, in, out, 16384);
  launch(512, in, out, 16384);
}
