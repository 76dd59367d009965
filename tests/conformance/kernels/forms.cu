// Forms of the language: local arrays, switches, loops, returns, functions, lambdas, constants, qualifiers.

__constant__ int lookup_table[64] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5};
__constant__ float4 planes[6] = {{1, 0, 0, 1}, {-1, 0, 0, 1}, {0, 1, 0, 1}, {0, -1, 0, 1}, {0, 0, 1, 1}, {0, 0, -1, 1}};
struct Settings { int n; float scale, shift; int table[12]; };
__constant__ Settings settings = {0, 2.f, 0.5f, {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233}};
__device__ int calls_made;
__device__ float device_table[32] = {0.5f, 1.5f, 2.5f};

__global__ void local_window(const int* in, int* out, int n) {
  int window[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8; ++k) window[k] = in[(i + k) % n];
  int at = in[i] & 7;
  window[at] += 100;
  out[i] = window[(at + 3) & 7] + window[in[(i + 1) % n] & 7];
}
__global__ void local_matrix(const float* in, float* out, int n) {
  float m[16];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 16; ++k) m[k] = in[i * 16 + k];
  float sum = 0;
  for (int s = 0; s < 6; ++s) {
    int r = (i + s * 5) & 3, c = (i * 3 + s) & 3;
    sum += m[r * 4 + c];
    m[c * 4 + r] = sum;
  }
  out[i] = sum + m[(i * 7) & 15];
}
__global__ void stack_dfs(const int* left, const int* right, int* depth, int roots) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= roots) return;
  int stack[24], top = 0, best = 0;
  stack[top++] = i;
  while (top > 0 && best < 40) {
    int v = stack[--top];
    ++best;
    int l = left[v], r = right[v];
    if (l > v && top < 23) stack[top++] = l;
    if (r > v && top < 23) stack[top++] = r;
  }
  depth[i] = best;
}
__global__ void switch_six(const int* op, const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = a[i], y = b[i], r;
  switch (op[i]) {
    case 0: r = x + y; break;
    case 1: r = x - y; break;
    case 2: r = x * y; break;
    case 3: r = x / (y + 3.f); break;
    case 4: r = fminf(x, y); break;
    case 5: r = sqrtf(x * x + y * y); break;
    default: r = 0.f;
  }
  out[i] = r;
}
__global__ void switch_with_loops(const int* op, int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = data[i];
  switch (op[i] % 4) {
    case 0:
      for (int k = 0; k < 5; ++k) v += v >> 1;
      break;
    case 1: v = -v;
    case 2: v += 7; break;
    case 3:
      while (v > 100) v /= 3;
  }
  data[i] = v;
}
__global__ void digits_do_while(const unsigned* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i];
  int count = 0, sum = 0;
  do {
    sum += v % 10;
    v /= 10;
    ++count;
  } while (v);
  out[i] = sum * 16 + count;
}
__global__ void many_returns(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = in[i];
  if (v < 100) {
    out[i] = 1;
    return;
  }
  if (v % 2) {
    out[i] = v * 3 + 1;
    return;
  }
  if (v > 900) return;
  out[i] = v / 2;
}
__device__ int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
__global__ void ackermann_each(const int* m, const int* n, int* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = ackermann(m[i] & 1, n[i] & 3);
}
__device__ __noinline__ float smooth_step(float a, float b, float x) {
  float t = fminf(fmaxf((x - a) / (b - a), 0.f), 1.f);
  return t * t * (3.f - 2.f * t);
}
__global__ void calls_noinline(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = smooth_step(-0.5f, 0.5f, in[i]) + smooth_step(0.f, 1.f, in[i] * 0.5f);
}
typedef float (*Unary)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float square(float x) { return x * x; }
__device__ float negate(float x) { return -x; }
__global__ void apply_pointer(float* data, int which, int n) {
  Unary table[3] = {twice, square, negate};
  Unary f = table[which];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = f(data[i]);
}
template <typename F>
__device__ void for_each_of(float* data, int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] = f(data[i], i);
}
__global__ void lambdas(float* data, int n, float a) {
  for_each_of(data, n, [=](float x, int i) { return i % 3 == 0 ? a * x : x + a; });
}
struct Shape {
  float w;
  __device__ virtual float area() const { return w * w; }
  __device__ Shape(float w) : w(w) {}
};
struct Circle : Shape {
  __device__ Circle(float w) : Shape(w) {}
  __device__ float area() const override { return 3.14159f * w * w; }
};
__global__ void virtual_calls(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Circle c(in[i]);
  Shape s(in[i]);
  const Shape* p = i & 1 ? (const Shape*)&c : &s;
  out[i] = p->area();
}
__global__ void constant_by_data(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = lookup_table[in[i] & 63] + lookup_table[blockIdx.x & 63] + lookup_table[5];
}
__global__ void clip_planes(const float* points, int* inside, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = points[3 * i] * 1.4f, y = points[3 * i + 1] * 1.4f, z = points[3 * i + 2] * 1.4f;
  int ok = 1;
  for (int k = 0; k < 6; ++k) {
    float4 p = planes[k];
    if (p.x * x + p.y * y + p.z * z + p.w < 0.f) {
      ok = 0;
      break;
    }
  }
  inside[i] = ok;
}
__global__ void use_settings(const int* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = settings.scale * settings.table[in[i] % 12] + settings.shift;
}
__global__ void device_globals(const int* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = device_table[in[i] & 31] + device_table[1];
    if (in[i] > 990) atomicAdd(&calls_made, 1);
  }
}
__global__ void ldg_and_volatile(const float* __restrict__ a, const float* b, volatile float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float x = __ldg(&a[i]) + __ldg(&a[(i + 1) % n]);
    float y = b[i];
    c[i] = x;
    c[i] = c[i] + y;
  }
}
__global__ void cache_hints(const float* a, float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float x = __ldcs(&a[i]) + __ldcg(&a[n - 1 - i]) + __ldca(&a[i ^ 1]);
    __stcs(&b[i], x);
    __stwt(&b[n + i], x * 2.f);
  }
}
__global__ void __launch_bounds__(64, 8) bounded_sum(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double s[6] = {};
  for (int k = i; k < n; k += 64 * gridDim.x)
#pragma unroll
    for (int j = 0; j < 6; ++j) s[j] += in[k] * (j + 1);
  out[i] = s[0] + s[1] * s[2] + s[3] * s[4] - s[5];
}
__global__ void pragma_unrolls(const int* in, int* out, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, a = 0, b = 0, c = 0;
  if (i >= n) return;
#pragma unroll 1
  for (int k = 0; k < m; ++k) a += in[(i + k) % n];
#pragma unroll 3
  for (int k = 0; k < m; ++k) b ^= in[(i * 2 + k) % n];
#pragma unroll
  for (int k = 0; k < 5; ++k) c += in[(i + k * 7) % n] & k;
  out[i] = a + b + c;
}
union Bits { float f; unsigned u; unsigned char b[4]; };
__global__ void byte_swap_floats(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    Bits v;
    v.f = data[i];
    unsigned char t = v.b[0];
    v.b[0] = v.b[1];
    v.b[1] = t;
    data[i] = v.f;
  }
}
__global__ void short_circuits(const int* a, const int* b, const int* c, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && a[i] > 100 && (b[i] < 500 || c[i] == 3)) out[i] = a[i] + b[i];
}
__global__ void ternaries(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] > 0.5f ? a[i] * 2.f : a[i] < -0.5f ? a[i - (i > 0)] : 0.25f;
}
__global__ void nested_breaks(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int found = -1;
  for (int a = 2; a < 12 && found < 0; ++a)
    for (int b = a; b < 30; ++b) {
      if (a * b > in[i]) break;
      if (a * b == in[i]) {
        found = a * 100 + b;
        break;
      }
    }
  out[i] = found;
}
__global__ void goto_states(const unsigned char* text, int* out, int n, int len) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned char* p = text + i * len;
  int k = 0, words = 0;
space:
  if (k == len) goto done;
  if (p[k++] < 100) goto space;
  ++words;
word:
  if (k == len) goto done;
  if (p[k++] >= 100) goto word;
  goto space;
done:
  out[i] = words;
}
__global__ void three_d_threads(int* out, int nx, int ny, int nz) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y, z = threadIdx.z + blockIdx.z * blockDim.z;
  if (x < nx && y < ny && z < nz) out[x + nx * (y + ny * z)] = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z;
}
__global__ void shared_struct(const float* in, float* out, int n) {
  struct Item { float v; short key; char tag; };
  __shared__ Item items[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  items[t].v = i < n ? in[i] : 0.f;
  items[t].key = (short)(63 - t);
  items[t].tag = (char)(t & 3);
  __syncthreads();
  const Item& other = items[items[t].key];
  if (i < n) out[i] = other.v + other.tag;
}
__global__ void integer_zoo(const int* a, const unsigned* b, long long* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long r = __mulhi(a[i], 77777) + __umul24(b[i], 3) + __brev(b[i]) % 1000 + __clz(a[i]) + __ffs(b[i]) + __popc(b[i]);
  r += __byte_perm(a[i], b[i], 0x3175) & 0xffff;
  r += (long long)a[i] * b[i] / 1000003ll;
  r ^= __funnelshift_l(a[i], b[i], 7);
  out[i] = r % 123457;
}
