// Which thread is which lane of which warp?
//
// The hardware numbers the threads of a block with x running fastest, then y, then z, and cuts that row of
// numbers into warps of 32. The shape of the block decides what a warp looks like on the picture:
// 32 x 8 gives warps that are rows, 8 x 32 gives warps that are 8 wide and 4 high.
__global__ void thread_mapping(int* warp, int* lane, int width, int height, int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;

  // The grid covers at least the picture. Threads beyond its edge have nothing to do.
  if (x >= width || y >= height || z >= depth) return;

  int number = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  int i = x + width * (y + height * z);
  warp[i] = number / 32;
  lane[i] = number % 32;
}
