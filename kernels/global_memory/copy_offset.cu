// The same copy, but the array starts a few elements late.
//
// Memory is fetched in sectors of 32 bytes, and sectors do not move with the array. An offset that is not
// a multiple of 8 floats makes the warp touch five sectors instead of four. It also reaches into a second
// line of 128 bytes, whatever the offset, unless that is a multiple of 32 floats.
__global__ void copy_offset(const float* in, float* out, int n, int offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = in[i + offset];
  }
}
