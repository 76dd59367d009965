// Reading through an index: the data decides which sectors are fetched.
//
// The index itself is read in order and costs four sectors a warp. What it points to costs between one
// sector and 32, depending on how local the indices are.
__global__ void gather(const float* table, const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = table[index[i]];
  }
}

// With locality: indices that are at most `range` elements away from each other within a block.
__global__ void gather_near(const float* table, const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = table[blockIdx.x * 32 + index[i]];
  }
}
