// Turning a matrix without shared memory: reads or writes can be coalesced, never both.
//
// Lanes that are neighbours in x read neighbours, and write to places one row apart. Swapping the roles
// only moves the problem to the loads. The tile in shared memory (next chapter) is the way out.
__global__ void transpose_reading_rows(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    out[x * height + y] = in[y * width + x];
  }
}

__global__ void transpose_writing_rows(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < height && y < width) {
    out[y * height + x] = in[x * width + y];
  }
}
