// Writes behind the end of its buffer, far enough to meet no memory at all.
__global__ void wild(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i + 2000000000LL] = 1.0f;
}
