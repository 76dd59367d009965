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

// With locality: every lane reads at most 31 elements after its own place, in no order. A warp stays within
// 63 neighbouring elements, which are eight sectors or nine.
__global__ void gather_near(const float* table, const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = table[i + index[i] % 32];
  }
}
