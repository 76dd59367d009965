// A table of 32 numbers, kept in four places: global, constant and shared memory, and the registers of a
// warp. Each turn looks up the entry after the one before.
__constant__ float constant_table[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

__global__ void table_in_global(const float* table, const int* index, float* out, int n, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = index[i];
  float sum = 0.0f;
  for (int turn = 0; turn < turns; ++turn) sum += table[(at + turn) % 32];
  out[i] = sum;
}

__global__ void table_in_constant(const float*, const int* index, float* out, int n, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = index[i];
  float sum = 0.0f;
  for (int turn = 0; turn < turns; ++turn) sum += constant_table[(at + turn) % 32];
  out[i] = sum;
}

__global__ void table_in_shared(const float* table, const int* index, float* out, int n, int turns) {
  __shared__ float copy[32];
  if (threadIdx.x < 32) copy[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = index[i];
  float sum = 0.0f;
  for (int turn = 0; turn < turns; ++turn) sum += copy[(at + turn) % 32];
  out[i] = sum;
}

// Lane k keeps word k; a shuffle fetches it from there. All lanes take part, also those beyond the end.
__global__ void table_in_registers(const float* table, const int* index, float* out, int n, int turns) {
  float mine = table[threadIdx.x % 32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = i < n ? index[i] : 0;
  float sum = 0.0f;
  for (int turn = 0; turn < turns; ++turn) sum += __shfl_sync(0xffffffff, mine, (at + turn) % 32);
  if (i < n) out[i] = sum;
}
