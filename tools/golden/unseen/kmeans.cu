// Which of the centres is nearest to each point of four dimensions?
__global__ void assign(const float4* points, const float4* centres, int* nearest, int n, int k) {
  extern __shared__ float4 kept[];
  for (int c = threadIdx.x; c < k; c += blockDim.x) kept[c] = centres[c];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = points[i];
  float best = 1e30f;
  int which = 0;
  for (int c = 0; c < k; ++c) {
    const float dx = p.x - kept[c].x, dy = p.y - kept[c].y, dz = p.z - kept[c].z, dw = p.w - kept[c].w;
    const float d = dx * dx + dy * dy + dz * dz + dw * dw;
    if (d < best) {
      best = d;
      which = c;
    }
  }
  nearest[i] = which;
}
