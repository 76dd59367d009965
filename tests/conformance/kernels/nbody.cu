// Gravity between all pairs.

__global__ void nbody_naive(const float4* body, float4* force, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = body[i];
  float fx = 0.0f, fy = 0.0f, fz = 0.0f;
  for (int j = 0; j < n; ++j) {
    float4 q = body[j];
    float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
    float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
    float inv = rsqrtf(r2);
    float s = q.w * inv * inv * inv;
    fx += dx * s;
    fy += dy * s;
    fz += dz * s;
  }
  force[i] = make_float4(fx, fy, fz, 0.0f);
}

__global__ void nbody_tiled(const float4* body, float4* force, int n) {
  extern __shared__ float4 tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 p = body[i];
  float3 f = make_float3(0.0f, 0.0f, 0.0f);
  for (int t = 0; t < n; t += blockDim.x) {
    tile[threadIdx.x] = body[t + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < blockDim.x; ++j) {
      float4 q = tile[j];
      float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
      float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
      float inv = rsqrtf(r2);
      float s = q.w * inv * inv * inv;
      f.x += dx * s;
      f.y += dy * s;
      f.z += dz * s;
    }
    __syncthreads();
  }
  force[i] = make_float4(f.x, f.y, f.z, 0.0f);
}

// Positions as three arrays, tile in three shared arrays.
__global__ void nbody_soa(const float* x, const float* y, const float* z, const float* m, float* ax, int n) {
  __shared__ float sx[64], sy[64], sz[64], sm[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  float px = x[i], py = y[i], pz = z[i], a = 0.0f;
  for (int t = 0; t < n; t += 64) {
    sx[threadIdx.x] = x[t + threadIdx.x];
    sy[threadIdx.x] = y[t + threadIdx.x];
    sz[threadIdx.x] = z[t + threadIdx.x];
    sm[threadIdx.x] = m[t + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 64; ++j) {
      float dx = sx[j] - px, dy = sy[j] - py, dz = sz[j] - pz;
      float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
      a += sm[j] * dx / (r2 * sqrtf(r2));
    }
    __syncthreads();
  }
  ax[i] = a;
}
