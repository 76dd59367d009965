// A table of 32 numbers, kept in four places: global, constant and shared memory, and the registers of a
// warp.
__constant__ float constant_table[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

__global__ void table_in_global(const float* table, const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[index[i]];
}

__global__ void table_in_constant(const float*, const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = constant_table[index[i]];
}

__global__ void table_in_shared(const float* table, const int* index, float* out, int n) {
  __shared__ float copy[32];
  if (threadIdx.x < 32) copy[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = copy[index[i]];
}

// Lane k keeps word k; a shuffle fetches it from there.
__global__ void table_in_registers(const float* table, const int* index, float* out, int n) {
  float mine = table[threadIdx.x % 32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float found = __shfl_sync(0xffffffff, mine, i < n ? index[i] : 0);
  if (i < n) out[i] = found;
}
