//= blur grid 20 15 1 | block 32 32 1 | shared 0 | 1228800B | 2560 | 640 | 480
__global__ void blur(float* image, size_t pitch, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) ((float*)((char*)image + y * pitch))[x] *= 0.5f;
}
int main() {
  const int width = 640, height = 480;
  float* image;
  size_t pitch;
  cudaMallocPitch(&image, &pitch, width * sizeof(float), height);
  dim3 block(32, 32), grid((width + 31) / 32, (height + 31) / 32);
  blur<<<grid, block>>>(image, pitch, width, height);
}
