// Device functions, generic pointers, function pointers, lambdas, templates.

__device__ __noinline__ float sum_of(const float* p, int n) {
  float s = 0.0f;
  for (int k = 0; k < n; ++k) s += p[k];
  return s;
}

// The same function reads global and shared memory through generic addresses.
__global__ void generic_sums(const float* in, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t] * 2.0f;
  __syncthreads();
  float a = sum_of(&in[blockIdx.x * 128 + (t & 120)], 8);
  float b = sum_of(&s[t & 124], 4);
  out[blockIdx.x * 128 + t] = a + b;
}

__global__ void choose_space(const float* in, float* out, int from) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t] + 1.0f;
  __syncthreads();
  const float* p = t >= from ? &in[t] : &s[63 - t];
  out[t] = *p;
}

typedef float (*Operation)(float, float);
__device__ float op_add(float a, float b) { return a + b; }
__device__ float op_mul(float a, float b) { return a * b; }
__device__ float op_max(float a, float b) { return fmaxf(a, b); }
__device__ Operation operations[3] = {op_add, op_mul, op_max};

__global__ void call_by_pointer(const float* a, const float* b, float* out, int which) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = operations[which](a[i], b[i]);
}

template <typename F>
__device__ void for_each(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}

__global__ void with_lambda(const int* in, int* out, int n, int k) {
  for_each(n, [=](int i) { out[i] = in[i] * k + in[(i + k) % n]; });
}

struct Shape {
  int kind;
  float a, b;
  __device__ float area() const { return kind == 0 ? 3.14159f * a * a : kind == 1 ? a * b : 0.5f * a * b; }
};

__global__ void areas(const int* kind, const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Shape s{kind[i], a[i], b[i]};
  out[i] = s.area();
}

__device__ int hanoi_moves;

__device__ __noinline__ int power(int base, int e) {
  if (e == 0) return 1;
  int h = power(base, e / 2);
  return e & 1 ? h * h * base : h * h;
}

__global__ void powers(const int* e, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = power(3, e[i]);
  if (i == 0) hanoi_moves = out[i];
}

template <int N>
struct Vector {
  float v[N];
  __device__ float dot(const Vector& o) const {
    float s = 0.0f;
#pragma unroll
    for (int k = 0; k < N; ++k) s += v[k] * o.v[k];
    return s;
  }
};

__global__ void vector_dots(const Vector<3>* a, const Vector<3>* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i].dot(b[i]);
}

__global__ void __launch_bounds__(128, 8) bounded(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[12];
#pragma unroll
  for (int k = 0; k < 12; ++k) v[k] = in[(i + 13 * k) % n];
  float s = 0.0f;
#pragma unroll
  for (int k = 0; k < 12; ++k)
#pragma unroll
    for (int j = 0; j < k; ++j) s += v[k] * v[j];
  out[i] = s;
}
