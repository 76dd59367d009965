// Ways of the control flow: switches, short-circuit conditions, early returns, nested and ragged loops, flags, calls.

enum Shape { kCircle, kSquare, kTriangle, kLine, kPoint, kOther };
__global__ void switch_dense(const int* kind, const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = a[i], r;
  switch (kind[i]) {
    case kCircle: r = 3.14159f * x * x; break;
    case kSquare: r = x * x; break;
    case kTriangle: r = 0.433f * x * x; break;
    case kLine: r = x; break;
    case kPoint: r = 0; break;
    default: r = -1; break;
  }
  out[i] = r;
}

__global__ void switch_work(const unsigned char* op, int* stack, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int acc = i;
  for (int pc = 0; pc < 12; ++pc) {
    int top = stack[(i + pc) % n];
    switch (op[pc]) {
      case 0: acc += top; break;
      case 1: acc -= top; break;
      case 2: acc *= top; break;
      case 3: acc ^= acc >> 3; break;
      case 4: acc = top ? acc / (top | 1) : 0; break;
      case 5: acc = min(acc, top); break;
      case 6: acc = __popc(acc) + top; break;
      case 7: acc = acc << (top & 7); break;
      case 8: acc = acc > top ? acc - top : top - acc; break;
    }
  }
  stack[n + i] = acc;
}

__global__ void switch_sparse(const int* code, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    switch (code[i]) {
      case 1: out[i] = 10; break;
      case 10: out[i] += 20; break;
      case 50: out[i] = code[(i + 1) % n] * 3; break;
      case 77: out[i] = code[(i + 5) % n]; break;
      default: out[i] = 0;
    }
  }
}

__global__ void fall_through(const int* state, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = 0;
  switch (state[i] & 7) {
    case 7: v += out[i] * 3;
    case 6: v ^= 0x55;
    case 5: v += 5;
    case 4: v *= 3; break;
    case 3: v = 9;
    case 2: v += out[i];
    case 1: v += 1;
    default: v -= 1;
  }
  out[i] = v;
}

__global__ void short_circuit(const float* x, const float* y, const int* flag, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && flag[i] != 0 && x[i] > 0.0f && y[i] > x[i]) out[i] = sqrtf(y[i] - x[i]);
}

__global__ void any_of_four(const int* a, int* hits, int n, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1 || i >= n - 1) return;
  if (a[i] == w || a[i - 1] == w || a[i + 1] == w || a[i] % 7 == 3) hits[i] = 1;
}

__global__ void inside_box(const float* px, const float* py, const float* pz, int* count, int* which, int n, float lo,
                           float hi) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = px[i], y = py[i], z = pz[i];
  if (x >= lo && x <= hi && y >= lo && y <= hi && z >= lo && z <= hi) {
    which[i] = 1;
    atomicAdd(count, 1);
  } else {
    which[i] = 0;
  }
}

__global__ void point_in_polygon(const float2* points, const float2* polygon, int corners, int* inside, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 p = points[i];
  int in = 0;
  int prev = corners - 1;
  for (int k = 0; k < corners; prev = k++) {
    float2 a = polygon[k], b = polygon[prev];
    if (((b.y > p.y) != (a.y > p.y)) && (p.x < (a.x - b.x) * (p.y - b.y) / (a.y - b.y) + b.x)) in = !in;
  }
  inside[i] = in;
}

__global__ void first_match(const int* text, int len, const int* wanted, int* at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int found = -1;
  for (int k = 0; k < len; ++k)
    if (text[(k + i) % len] == wanted[i]) {
      found = k;
      break;
    }
  at[i] = found;
}

__global__ void nested_ragged(const int* rows, const int* cols, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int r = 0; r < rows[i]; ++r) {
    if (r == 3) continue;
    for (int c = 0; c < cols[(i + r) % n]; ++c) {
      if ((r ^ c) & 1)
        sum += r * c;
      else
        sum -= c;
      if (sum > 1000) break;
    }
  }
  out[i] = sum;
}

__global__ void state_machine(const unsigned char* text, int* words, int* numbers, int len, int lines) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lines) return;
  int state = 0, w = 0, d = 0;
  for (int k = 0; k < len; ++k) {
    unsigned char c = text[i * len + k];
    if (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_') {
      if (state != 1) ++w;
      state = 1;
    } else if (c >= '0' && c <= '9') {
      if (state == 0) ++d, state = 2;
    } else {
      state = 0;
    }
  }
  words[i] = w;
  numbers[i] = d;
}

__global__ void leap_days(const int* years, int* days, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int total = 0;
  for (int y = 1970; y < 1970 + years[i] % 60; ++y) {
    if ((y % 4 == 0 && y % 100 != 0) || y % 400 == 0)
      total += 366;
    else
      total += 365;
  }
  days[i] = total;
}

__global__ void warp_roles(const float* in, float* out, int n) {
  __shared__ float stage[4][32];
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  int i = blockIdx.x * 32 + lane;
  if (warp == 0) {
    stage[0][lane] = i < n ? in[i] : 0;
  } else if (warp == 1) {
    stage[1][lane] = i < n ? in[i] * in[i] : 0;
  } else if (warp == 2) {
    float s = 0;
    for (int k = 0; k <= lane; ++k) s += k;
    stage[2][lane] = s;
  }
  __syncthreads();
  if (warp == 3 && i < n) out[i] = stage[0][lane] + stage[1][31 - lane] * stage[2][lane];
}

__device__ __noinline__ float slow_part(const float* data, int n, int start) {
  float s = 0;
  for (int k = start; k < n; k += 7) s += data[k];
  return s;
}
__global__ void calls_in_branch(const float* data, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = data[i];
  if (v > 0.5f)
    out[i] = slow_part(data, n, i % 50);
  else if (v < -0.5f)
    out[i] = -slow_part(data, n / 2, i % 20);
  else
    out[i] = v;
}

typedef int (*Operation)(int, int);
__device__ int op_add(int a, int b) { return a + b; }
__device__ int op_mix(int a, int b) { return (a ^ b) * 31 + (a & b); }
__device__ int op_max(int a, int b) { return a > b ? a : b; }
__device__ Operation operations[3] = {op_add, op_mix, op_max};
__global__ void table_of_functions(const int* a, int* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = operations[(i / 32) % 3](a[i], b[i]);
}

__device__ int ackermann_like(int m, int n) {
  if (m == 0) return n + 1;
  if (n <= 0) return ackermann_like(m - 1, 1);
  return ackermann_like(m - 1, n - 2) + 1;
}
__global__ void recursion_depth(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = ackermann_like(in[i] % 4, in[i] % 6);
}

__global__ void local_dynamic(const int* order, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float bins[10];
  for (int k = 0; k < 10; ++k) bins[k] = k * 0.5f;
  for (int k = 0; k < 20; ++k) bins[order[(i + k) % n] % 10] += 1.0f;
  float best = bins[0];
  int arg = 0;
  for (int k = 1; k < 10; ++k)
    if (bins[k] > best) {
      best = bins[k];
      arg = k;
    }
  out[i] = best + arg;
}

__global__ void unroll_four(const float* __restrict__ x, float* __restrict__ y, int n, int per_thread) {
  int start = (blockIdx.x * blockDim.x + threadIdx.x) * per_thread;
  float s = 0;
#pragma unroll 4
  for (int k = 0; k < per_thread; ++k)
    if (start + k < n) s += __ldg(&x[start + k]);
  if (start < n) y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void volatile_flags(volatile int* flag, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = flag[i];
  flag[i] = v + 1;
  out[i] = flag[i] + flag[i];
}

__global__ void monte_carlo_states(unsigned long long seed, int trials, double* out) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long s = seed + id * 0x9e3779b97f4a7c15ull;
  int inside = 0;
  for (int t = 0; t < trials; ++t) {
    s ^= s >> 12;
    s ^= s << 25;
    s ^= s >> 27;
    double x = (double)(s >> 11) * 0x1.0p-53;
    s ^= s >> 12;
    s ^= s << 25;
    s ^= s >> 27;
    double y = (double)(s >> 11) * 0x1.0p-53;
    if (x * x + y * y <= 1.0) inside++;
  }
  out[id] = 4.0 * inside / trials;
}

__global__ void binomial_american(const float* spot, float* value, int steps, float u, float p, int n) {
  extern __shared__ float v[];
  int i = threadIdx.x;
  float d = 1.f / u, strike = 1.1f, s0 = fabsf(spot[blockIdx.x]) + 0.5f;
  for (int k = i; k <= steps; k += blockDim.x) v[k] = fmaxf(strike - s0 * powf(u, 2.f * k - steps), 0.f);
  __syncthreads();
  for (int step = steps - 1; step >= 0; --step) {
    float keep = 0;
    if (i <= step) {
      float hold = 0.999f * (p * v[i + 1] + (1.f - p) * v[i]);
      float now = strike - s0 * powf(u, 2.f * i - step);
      keep = fmaxf(hold, now);
    }
    __syncthreads();
    if (i <= step) v[i] = keep;
    __syncthreads();
  }
  if (i == 0) value[blockIdx.x] = v[0] * d;
}
