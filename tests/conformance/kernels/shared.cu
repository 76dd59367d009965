// Shared memory: strides, widths, padding, swizzles, broadcasts, dynamic arrays.

__global__ void shared_stride(const float* in, float* out, int stride) {
  __shared__ float s[2048];
  for (int k = threadIdx.x; k < 2048; k += blockDim.x) s[k] = in[k];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = s[(threadIdx.x * stride) & 2047];
}

template <typename T>
__global__ void shared_rotate(const T* in, T* out, int shift) {
  __shared__ T s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = s[(threadIdx.x + shift) & 255];
}
template __global__ void shared_rotate<unsigned char>(const unsigned char*, unsigned char*, int);
template __global__ void shared_rotate<short>(const short*, short*, int);
template __global__ void shared_rotate<int>(const int*, int*, int);
template __global__ void shared_rotate<double>(const double*, double*, int);
template __global__ void shared_rotate<float2>(const float2*, float2*, int);
template __global__ void shared_rotate<float4>(const float4*, float4*, int);
template __global__ void shared_rotate<float3>(const float3*, float3*, int);

// One lane pair, quad or half-warp reads the same element: broadcasts of every grain.
template <typename T>
__global__ void shared_broadcast(const T* in, T* out, int divisor) {
  __shared__ T s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = s[threadIdx.x / divisor];
}
template __global__ void shared_broadcast<float>(const float*, float*, int);
template __global__ void shared_broadcast<float2>(const float2*, float2*, int);
template __global__ void shared_broadcast<float4>(const float4*, float4*, int);

template <typename T>
__global__ void shared_columns(const T* in, T* out) {
  __shared__ T s[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = in[y * 32 + x];
  __syncthreads();
  out[y * 32 + x] = s[x][y];
}
template __global__ void shared_columns<float>(const float*, float*);
template __global__ void shared_columns<double>(const double*, double*);
template __global__ void shared_columns<unsigned char>(const unsigned char*, unsigned char*);
template __global__ void shared_columns<short>(const short*, short*);

__global__ void shared_scatter(const int* index, const int* in, int* out, int n) {
  extern __shared__ int bucket[];
  int t = threadIdx.x;
  bucket[index[blockIdx.x * n + t]] = in[blockIdx.x * n + t];
  __syncthreads();
  out[blockIdx.x * n + t] = bucket[t];
}

__global__ void reverse_block(int* d) {
  extern __shared__ int s[];
  int t = threadIdx.x;
  int base = blockIdx.x * blockDim.x;
  s[t] = d[base + t];
  __syncthreads();
  d[base + t] = s[blockDim.x - 1 - t];
}

// Two arrays in one dynamic allocation, the second after the first.
__global__ void split_dynamic(const float* in, float* out, int half) {
  extern __shared__ float pool[];
  float* a = pool;
  float* b = pool + half;
  int t = threadIdx.x;
  a[t] = in[blockIdx.x * blockDim.x + t];
  b[half - 1 - t] = a[t] * 2.0f;
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] = a[t] + b[t];
}

struct Pair {
  float key;
  int value;
  short tag;
};

__global__ void shared_structs(const float* in, float* out, int n) {
  __shared__ Pair s[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Pair p;
  p.key = i < n ? in[i] : 0.0f;
  p.value = i;
  p.tag = static_cast<short>(threadIdx.x * 3);
  s[threadIdx.x] = p;
  __syncthreads();
  Pair q = s[127 - threadIdx.x];
  if (i < n) out[i] = q.key + q.value + q.tag;
}

// Only some lanes touch shared memory, by predicate and by branch.
__global__ void shared_partial(const float* in, float* out, int lanes) {
  __shared__ float2 s[512];
  int t = threadIdx.x;
  s[t] = make_float2(in[t], in[t + 1]);
  s[t + 256] = make_float2(in[t + 2], in[t + 3]);
  __syncthreads();
  float v = 0.0f;
  if ((t & 31) < lanes) v = s[(t * 9) & 511].x + s[(t * 9) & 511].y;
  __syncthreads();
  if ((t & 3) == 1) s[t ^ 2].x = v;
  __syncthreads();
  out[t] = v + s[t].x;
}

__global__ void xor_swizzle(const float* in, float* out) {
  __shared__ float tile[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[y + j][x ^ (y + j)] = in[(y + j) * 32 + x];
  __syncthreads();
  for (int j = 0; j < 32; j += 8) out[(y + j) * 32 + x] = tile[x][(y + j) ^ x];
}

__global__ void unrolled_quads(const float* in, float* out) {
  __shared__ float s[1024];
  int t = threadIdx.x;
#pragma unroll
  for (int k = 0; k < 4; ++k) s[t * 4 + k] = in[t * 4 + k];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += s[((t * 8) & 1023) + k] * (k + 1);
  out[t] = sum;
}
