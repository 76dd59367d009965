//= smooth grid 8 8 8 | block 8 8 8 | shared 0 | 1048576B | 1048576B | 64 | 64 | 64
#define NX 64
#define NY 64
#define NZ 64
__global__ void smooth(const float* in, float* out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z < nz) out[(z * ny + y) * nx + x] = in[(z * ny + y) * nx + x];
}
int main() {
  float *in, *out;
  size_t size = NX * NY * NZ * sizeof(float);
  cudaMalloc((void**)&in, size);
  cudaMalloc((void**)&out, size);
  dim3 threadsPerBlock(8, 8, 8);
  dim3 numBlocks(NX / threadsPerBlock.x, NY / threadsPerBlock.y, NZ / threadsPerBlock.z);
  smooth<<<numBlocks, threadsPerBlock>>>(in, out, NX, NY, NZ);
}
