// Arrays that live in local memory because their index is known only at run time.

template <typename T>
__global__ void private_table(const T* in, const int* pick, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T table[16];
  for (int k = 0; k < 16; ++k) table[(k * 5 + pick[i]) & 15] = in[(i + k) % n];
  out[i] = table[pick[n - 1 - i] & 15];
}
template __global__ void private_table<unsigned char>(const unsigned char*, const int*, unsigned char*, int);
template __global__ void private_table<short>(const short*, const int*, short*, int);
template __global__ void private_table<int>(const int*, const int*, int*, int);
template __global__ void private_table<double>(const double*, const int*, double*, int);
template __global__ void private_table<float2>(const float2*, const int*, float2*, int);
template __global__ void private_table<float4>(const float4*, const int*, float4*, int);

__global__ void digit_counts(const unsigned* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned counts[10];
  for (int d = 0; d < 10; ++d) counts[d] = 0;
  unsigned v = in[i];
  while (v) {
    ++counts[v % 10];
    v /= 10;
  }
  unsigned best = 0;
  for (unsigned d = 1; d < 10; ++d)
    if (counts[d] > counts[best]) best = d;
  out[i] = best * 100 + counts[best];
}

// An explicit stack: depth-first walk over an implicit binary tree.
__global__ void tree_walk(const int* limit, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int stack[24];
  int top = 0;
  stack[top++] = 1;
  int sum = 0;
  int bound = 4 + limit[i] % 60;
  while (top > 0) {
    int node = stack[--top];
    sum += node;
    if (2 * node < bound) {
      stack[top++] = 2 * node;
      stack[top++] = 2 * node + 1;
    }
  }
  out[i] = sum;
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void recursive(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fibonacci(in[i] % 9);
}

__device__ __noinline__ void swap_ends(float* v, int n) {
  for (int k = 0; k < n / 2; ++k) {
    float t = v[k];
    v[k] = v[n - 1 - k];
    v[n - 1 - k] = t;
  }
}

// A local array passed to a function that is not inlined: generic accesses to local memory.
__global__ void local_by_pointer(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v[8];
  for (int k = 0; k < 8; ++k) v[k] = in[(i + k) % n];
  swap_ends(v, 8);
  float sum = 0.0f;
  for (int k = 0; k < 8; ++k) sum = sum * 0.5f + v[k];
  out[i] = sum;
}

// Fixed indexes after unrolling: stays in registers, no local memory at all.
__global__ void unrolled_array(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) v[k] = in[(i * 8 + k) % n];
#pragma unroll
  for (int k = 1; k < 8; ++k) v[0] += v[k] * v[8 - k];
  out[i] = v[0];
}
