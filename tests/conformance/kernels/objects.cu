// The language: recursion, function pointers, virtual classes, switch machines, local arrays, asserts, odd returns.
#include <cassert>
#include <cstdio>
#include <new>

__device__ __noinline__ int tree_sum(const int* tree, int node, int n) {
  if (node >= n) return 0;
  return tree[node] + tree_sum(tree, 2 * node + 1, n) + tree_sum(tree, 2 * node + 2, n);
}
__global__ void sum_subtrees(const int* tree, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tree_sum(tree, i, n);
}
__device__ __noinline__ int hanoi(int n, int from, int to) {
  if (n == 0) return 0;
  const int other = 6 - from - to;
  const int a = hanoi(n - 1, from, other);
  return a + hanoi(n - 1, other, to) + 1;
}
__global__ void hanoi_moves(const int* discs, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = hanoi(discs[i], 1, 3);
}
__device__ int gcd_recursive(int a, int b) { return b == 0 ? a : gcd_recursive(b, a % b); }
__global__ void gcd_tail(const int* a, const int* b, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = gcd_recursive(a[i] + 1, b[i] + 1);
}
__device__ __noinline__ float adaptive(float a, float b, int depth) {
  const float m = 0.5f * (a + b);
  const float whole = (b - a) * m * m * m, parts = 0.5f * (b - a) * (0.125f * (a + m) * (a + m) * (a + m) + 0.125f * (m + b) * (m + b) * (m + b));
  if (depth == 0 || fabsf(whole - parts) < 0.01f) return parts;
  return adaptive(a, m, depth - 1) + adaptive(m, b, depth - 1);
}
__global__ void integrate_adaptive(const float* ends, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = adaptive(0.f, 2.f + ends[i], 5);
}

typedef float (*Activation)(float);
__device__ float relu(float x) { return x > 0 ? x : 0; }
__device__ float leaky(float x) { return x > 0 ? x : 0.01f * x; }
__device__ float softsign(float x) { return x / (1 + fabsf(x)); }
__device__ Activation activations[3] = {relu, leaky, softsign};
__global__ void activate(float* data, const int* kind, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = activations[kind[i / 32] % 3](data[i]);
}
struct Softsign {
  static __device__ float call(float x) { return softsign(x); }
};
template <typename F>
__global__ void apply_static(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = F::call(data[i]);
}
template __global__ void apply_static<Softsign>(float*, int);

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual float edge() const { return 0; }
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float a;
  __device__ explicit Square(float s) : a(s) {}
  __device__ float area() const override { return a * a; }
  __device__ float edge() const override { return 4 * a; }
};
struct Disc : Shape {
  float r;
  __device__ explicit Disc(float s) : r(s) {}
  __device__ float area() const override { return 3.14159265f * r * r; }
};
__global__ void measure_shapes(const float* sizes, const int* kinds, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __align__(16) char room[sizeof(Square) > sizeof(Disc) ? sizeof(Square) : sizeof(Disc)];
  const Shape* shape = kinds[i] & 1 ? static_cast<Shape*>(new (room) Square(sizes[i])) : static_cast<Shape*>(new (room) Disc(sizes[i]));
  out[i] = shape->area() + shape->edge();
}

// A tiny machine: opcodes in a program that all threads share.
__global__ void run_program(const unsigned char* code, int length, const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int acc = in[i], x = 1, pc = 0, fuel = 60;
  while (pc < length && fuel-- > 0) {
    switch (code[pc++] & 7) {
      case 0: acc += x; break;
      case 1: acc ^= x << 3; break;
      case 2: x = acc & 15; break;
      case 3: if (acc & 1) pc += 1; break;
      case 4: acc = acc * 3 + 1; break;
      case 5: x = -x; break;
      case 6: if (acc < 0) { acc = -acc; pc = pc > 4 ? pc - 4 : 0; } break;
      case 7: acc >>= 1; break;
    }
  }
  out[i] = acc;
}
__global__ void tokenise(const char* text, int* kinds, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char c = text[i] & 127;
  int kind;
  if (c >= '0' && c <= '9') kind = 1;
  else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_') kind = 2;
  else switch (c) {
    case ' ': case '\t': case '\n': kind = 0; break;
    case '+': case '-': case '*': case '/': kind = 3; break;
    case '(': case '[': case '{': kind = 4; break;
    case ')': case ']': case '}': kind = 5; break;
    case ',': case ';': kind = 6; break;
    default: kind = 7;
  }
  kinds[i] = kind;
}

__global__ void local_permutation(const int* seed, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned char order[24];
  for (int k = 0; k < 24; ++k) order[k] = k;
  unsigned s = seed[i];
  for (int k = 23; k > 0; --k) {
    s = s * 1103515245u + 12345u;
    const int j = (s >> 16) % (k + 1);
    const unsigned char t = order[k];
    order[k] = order[j];
    order[j] = t;
  }
  int rank = 0;
  for (int k = 0; k < 24; ++k) rank = rank * 5 + order[k];
  out[i] = rank;
}
__global__ void sparse_polynomial(const int* powers, const float* x, float* out, int n, int terms) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float table[8];
  table[0] = 1;
  for (int k = 1; k < 8; ++k) table[k] = table[k - 1] * x[i];
  float sum = 0;
  for (int t = 0; t < terms; ++t) sum += table[powers[t] & 7] * (t + 1);
  out[i] = sum;
}
struct Stack {
  int data[16];
  int top = 0;
  __device__ void push(int v) { if (top < 16) data[top++] = v; }
  __device__ int pop() { return top > 0 ? data[--top] : 0; }
};
__global__ void reverse_polish(const short* tokens, int* out, int n, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Stack s;
  for (int k = 0; k < length; ++k) {
    const short t = tokens[k * n + i];
    if (t < 60) {
      s.push(t);
    } else {
      const int b = s.pop(), a = s.pop();
      s.push(t < 75 ? a + b : t < 90 ? a - b : a * b);
    }
  }
  out[i] = s.pop();
}

__global__ void checked_divide(const int* a, const int* b, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  assert(b[i] >= 0);
  if (b[i] == 0) {
    out[i] = -1;
    return;
  }
  out[i] = a[i] / b[i];
}
__global__ void nested_leave(const int* grid, int* out, int n, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int found = -1;
  for (int y = 0; y < 6 && found < 0; ++y) {
    for (int x = 0; x < width; ++x) {
      const int v = grid[(i + y * width + x) % n];
      if (v == 13) continue;
      if (v > 95) {
        found = y * width + x;
        break;
      }
      if (v < 3) goto done;
    }
  }
done:
  out[i] = found;
}
__global__ void duff_copy(const int* in, int* out, const int* counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int count = counts[i] % 16 + 1;
  int k = (count + 3) / 4, at = i * 16;
  switch (count % 4) {
    case 0: do { out[at] = in[at]; ++at;
    case 3:      out[at] = in[at]; ++at;
    case 2:      out[at] = in[at]; ++at;
    case 1:      out[at] = in[at]; ++at;
            } while (--k > 0);
  }
}
class Counter {
 public:
  __device__ Counter(int* slot) : slot_(slot), mine_(0) {}
  __device__ ~Counter() { if (mine_) atomicAdd(slot_, mine_); }
  __device__ Counter& operator+=(int v) { mine_ += v; return *this; }
 private:
  int* slot_;
  int mine_;
};
__global__ void count_in_scope(const int* in, int* out, int n) {
  Counter counter(out + blockIdx.x);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (in[i] > 50) counter += in[i] & 3;
}
template <int N>
__device__ float unrolled_power(float x) {
  if constexpr (N == 0) return 1.f;
  else if constexpr (N % 2) return x * unrolled_power<N - 1>(x);
  else { const float h = unrolled_power<N / 2>(x); return h * h; }
}
template <int... Ns>
__global__ void powers_of(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (unrolled_power<Ns>(in[i]) + ...);
}
template __global__ void powers_of<1, 5, 11>(const float*, float*, int);
