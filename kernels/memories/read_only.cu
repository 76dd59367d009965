// Data that nobody writes: three ways to say so, around a small table that all threads look into.
//
// With `const` and `__restrict__` on every pointer the compiler may prove that the input does not change,
// and uses the read-only load by itself (ld.global.nc). __ldg asks for it by name. Without either it must
// assume that the output overlaps the input.
__global__ void read_plain(const float* table, const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < 8; ++k) sum += table[index[i] + 37 * k];
  out[i] = sum;
}

__global__ void read_restrict(const float* __restrict__ table, const int* __restrict__ index,
                              float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < 8; ++k) sum += table[index[i] + 37 * k];
  out[i] = sum;
}

__global__ void read_ldg(const float* table, const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < 8; ++k) sum += __ldg(&table[__ldg(&index[i]) + 37 * k]);
  out[i] = sum;
}
