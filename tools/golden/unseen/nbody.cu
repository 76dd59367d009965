#define TILE 256
__global__ void forces(const float4* p, float4* a, int n) {
  __shared__ float4 tile[TILE];
  int i = blockIdx.x * TILE + threadIdx.x;
  float4 me = p[i];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += TILE) {
    tile[threadIdx.x] = p[t + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < TILE; ++j) {
      float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      float d = dx * dx + dy * dy + dz * dz + 1e-4f;
      float inv = rsqrtf(d);
      float f = tile[j].w * inv * inv * inv;
      ax += f * dx; ay += f * dy; az += f * dz;
    }
    __syncthreads();
  }
  a[i] = make_float4(ax, ay, az, 0);
}
