// Number play: divergence by data.

__global__ void mandelbrot(int* out, int width, int height, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float cx = -2.0f + 3.0f * px / width, cy = -1.25f + 2.5f * py / height;
  float x = 0.0f, y = 0.0f;
  int k = 0;
  while (k < limit && x * x + y * y < 4.0f) {
    float t = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = t;
    ++k;
  }
  out[py * width + px] = k;
}

__global__ void julia(unsigned char* out, int n) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  double x = 3.0 * px / n - 1.5, y = 3.0 * py / n - 1.5;
  int k = 0;
  for (; k < 100; ++k) {
    double t = x * x - y * y - 0.8;
    y = 2 * x * y + 0.156;
    x = t;
    if (x * x + y * y > 4.0) break;
  }
  out[py * n + px] = k;
}

__global__ void collatz(const unsigned* start, int* steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = start[i] + 1;
  int count = 0;
  while (v != 1) {
    if (v & 1)
      v = 3 * v + 1;
    else
      v >>= 1;
    ++count;
  }
  steps[i] = count;
}

__global__ void gcd_pairs(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i], y = b[i];
  while (y) {
    unsigned t = x % y;
    x = y;
    y = t;
  }
  out[i] = x;
}

__global__ void sieve(unsigned char* composite, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 2;
  if (i * i > n) return;
  for (int k = i * i; k <= n; k += i) composite[k] = 1;
}

__global__ void is_prime(unsigned char* prime, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bool p = i > 1;
  for (int d = 2; d * d <= i && p; ++d) p = i % d != 0;
  prime[i] = p;
}

__global__ void power_mod(const unsigned* base, unsigned* out, int n, unsigned exponent, unsigned modulus) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long r = 1, b = base[i] % modulus;
  for (unsigned e = exponent; e; e >>= 1) {
    if (e & 1) r = r * b % modulus;
    b = b * b % modulus;
  }
  out[i] = static_cast<unsigned>(r);
}

__global__ void newton_root(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double a = fabs(in[i]) + 1e-3, x = a;
  for (int k = 0; k < 60; ++k) {
    double next = 0.5 * (x + a / x);
    if (fabs(next - x) < 1e-12 * x) break;
    x = next;
  }
  out[i] = x;
}
