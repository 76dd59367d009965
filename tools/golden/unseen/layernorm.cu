// Layer normalisation: a block makes the mean and the variance of its row, with shuffles and shared memory.
__inline__ __device__ float sum_of_warp(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(0xffffffff, v, offset);
  return v;
}
__inline__ __device__ float sum_of_block(float v) {
  __shared__ float partial[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  v = sum_of_warp(v);
  __syncthreads();
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? partial[lane] : 0.0f;
  if (warp == 0) v = sum_of_warp(v);
  if (threadIdx.x == 0) partial[0] = v;
  __syncthreads();
  return partial[0];
}
__global__ void layer_norm(const float* in, float* out, const float* gain, const float* bias, int columns) {
  const float* row = in + blockIdx.x * columns;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += row[c];
  const float mean = sum_of_block(sum) / columns;
  float squares = 0.0f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) squares += (row[c] - mean) * (row[c] - mean);
  const float scale = rsqrtf(sum_of_block(squares) / columns + 1e-5f);
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    out[blockIdx.x * columns + c] = (row[c] - mean) * scale * gain[c] + bias[c];
}
