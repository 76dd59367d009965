// A float4 store into a padded row: an 'optimisation' of many tutorials that faults.
//
// Padding a row of 32 floats by one makes rows 132 bytes apart. 132 is no multiple of 16, so from the
// second row on a float4 is misaligned. Padding by four keeps the alignment; so does a swizzle of whole
// float4s, which needs no extra memory.
__global__ void padded_by_one(const float4* in, float* out) {
  __shared__ __align__(16) float tile[32][33];
  int row = threadIdx.x / 8, part = threadIdx.x % 8;
  *reinterpret_cast<float4*>(&tile[row][4 * part]) = in[threadIdx.x];
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    int e = k * 256 + threadIdx.x;
    out[e] = tile[e % 32][e / 32];
  }
}

__global__ void padded_by_four(const float4* in, float* out) {
  __shared__ __align__(16) float tile[32][36];
  int row = threadIdx.x / 8, part = threadIdx.x % 8;
  *reinterpret_cast<float4*>(&tile[row][4 * part]) = in[threadIdx.x];
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    int e = k * 256 + threadIdx.x;
    out[e] = tile[e % 32][e / 32];
  }
}

__global__ void padded_not_but_swizzled(const float4* in, float* out) {
  __shared__ __align__(16) float tile[32][32];
  int row = threadIdx.x / 8, part = threadIdx.x % 8;
  *reinterpret_cast<float4*>(&tile[row][4 * (part ^ (row % 8))]) = in[threadIdx.x];
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    int e = k * 256 + threadIdx.x, r = e % 32, c = e / 32;
    out[e] = tile[r][4 * ((c / 4) ^ (r % 8)) + c % 4];
  }
}
