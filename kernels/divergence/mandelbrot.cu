// The picture of the Mandelbrot set: neighbours need almost, but not quite, the same number of steps.
//
// Inside the set every lane runs to the limit, far outside all leave soon. Warps that lie on the edge lose
// most.
__global__ void mandelbrot(int* steps, int width, int height, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float cr = -2.0f + 3.0f * x / width, ci = -1.0f + 2.0f * y / height;
  float zr = 0.0f, zi = 0.0f;
  int count = 0;
  while (count < limit && zr * zr + zi * zi <= 4.0f) {
    float next = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = next;
    ++count;
  }
  steps[y * width + x] = count;
}
