// Vector operations in odd launch shapes; loops, branches, switches and early returns as first programs have
// them.

__global__ void axpy_tail(int n, float a, const float* x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = a * x[i] + y[i];
}

__global__ void hadamard_volume(const float* a, const float* b, float* c, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z < nz) {
    int i = (z * ny + y) * nx + x;
    c[i] = a[i] * b[i];
  }
}

template <int DEGREE>
__global__ void horner_template(const float* __restrict__ coefficients, const float* __restrict__ x,
                                float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], sum = coefficients[DEGREE];
#pragma unroll
  for (int k = DEGREE - 1; k >= 0; --k) sum = sum * v + coefficients[k];
  y[i] = sum;
}

__global__ void opcode_switch(const int* op, const int* a, const int* b, int* out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  int r;
  switch (op[i] % 7) {
    case 0:
      r = a[i] + b[i];
      break;
    case 1:
      r = a[i] - b[i];
      break;
    case 2:
      r = a[i] * b[i];
      break;
    case 3:
      r = b[i] != 0 ? a[i] / b[i] : 0;
      break;
    case 4:
      r = a[i] & b[i];
      break;
    case 5:
      r = a[i] > b[i] ? a[i] : b[i];
      break;
    default:
      return;
  }
  out[i] = r;
}

__global__ void digit_sum(const unsigned* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned v = in[i];
    int s = 0;
    while (v > 0) {
      s += v % 10;
      v /= 10;
    }
    out[i] = s;
  }
}

__global__ void first_negative(const float* rows, int* where, int nrows, int ncols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= nrows) return;
  int found = -1;
  for (int c = 0; c < ncols; c++) {
    float v = rows[r * ncols + c];
    if (v > 0.5f) continue;
    if (v < -0.5f) {
      found = c;
      break;
    }
  }
  where[r] = found;
}

__global__ void integer_sqrt(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int v = in[i], lo = 0, hi = 46340;
    do {
      int mid = (lo + hi + 1) >> 1;
      if (mid * mid <= v)
        lo = mid;
      else
        hi = mid - 1;
    } while (lo < hi);
    out[i] = lo;
  }
}

// One thread a column; a block is 24 columns wide and five chunks of rows high.
__global__ void column_extent(const float* m, float* low, float* high, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int part = threadIdx.y, parts = blockDim.y;
  if (c >= cols) return;
  float a = 1e30f, b = -1e30f;
  for (int r = part; r < rows; r += parts) {
    float v = m[r * cols + c];
    a = fminf(a, v);
    b = fmaxf(b, v);
  }
  low[part * cols + c] = a;
  high[part * cols + c] = b;
}

__global__ void fizz_buzz(signed char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i > n) return;
  if (i % 15 == 0)
    out[i - 1] = 3;
  else if (i % 5 == 0)
    out[i - 1] = 2;
  else if (i % 3 == 0)
    out[i - 1] = 1;
}

__global__ void quadratic_roots(const double* a, const double* b, const double* c, double* r1, double* r2,
                                int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double A = a[i], B = b[i], C = c[i];
  if (A == 0.0) {
    if (B == 0.0) {
      count[i] = 0;
      return;
    }
    r1[i] = -C / B;
    count[i] = 1;
    return;
  }
  double d = B * B - 4 * A * C;
  if (d < 0) {
    count[i] = 0;
  } else if (d == 0) {
    r1[i] = -B / (2 * A);
    count[i] = 1;
  } else {
    double s = sqrt(d);
    r1[i] = (-B + s) / (2 * A);
    r2[i] = (-B - s) / (2 * A);
    count[i] = 2;
  }
}

__global__ void window_minimum(const short* in, short* out, int n, int radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  short best = 32767;
  for (int k = max(0, i - radius); k <= min(n - 1, i + radius); ++k) best = in[k] < best ? in[k] : best;
  out[i] = best;
}

__global__ void pack_bytes(const unsigned char* r, const unsigned char* g, const unsigned char* b,
                           unsigned* rgb, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int step = gridDim.x * blockDim.x;
  for (; i < n; i += step) rgb[i] = (unsigned)r[i] | (unsigned)g[i] << 8 | (unsigned)b[i] << 16 | 0xff000000u;
}

// Row and column of the i-th entry of a packed lower triangle.
__global__ void unpack_triangle(const float* packed, float* full, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int total = n * (n + 1) / 2;
  if (i >= total) return;
  int row = (int)((sqrtf(8.0f * i + 1.0f) - 1.0f) * 0.5f);
  while ((row + 1) * (row + 2) / 2 <= i) row++;
  while (row * (row + 1) / 2 > i) row--;
  int col = i - row * (row + 1) / 2;
  float v = packed[i];
  full[row * n + col] = v;
  if (row != col) full[col * n + row] = v;
}

__global__ void running_polynomials(const double* x, double* legendre, int n, int degree) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double p0 = 1, p1 = x[i];
  legendre[i] = p0;
  if (degree > 0) legendre[n + i] = p1;
  for (int k = 2; k <= degree; ++k) {
    double p2 = ((2 * k - 1) * x[i] * p1 - (k - 1) * p0) / k;
    legendre[k * n + i] = p2;
    p0 = p1;
    p1 = p2;
  }
}

__global__ void date_parts(const long long* seconds, int* days, short* hours, signed char* minutes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    long long s = seconds[i];
    days[i] = (int)(s / 86400);
    int rest = (int)(s % 86400);
    hours[i] = (short)(rest / 3600);
    minutes[i] = (signed char)(rest / 60 % 60);
  }
}

__global__ void add_by_four(const float* a, const float* b, float* c, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i + 3 < n) {
    c[i] = a[i] + b[i];
    c[i + 1] = a[i + 1] + b[i + 1];
    c[i + 2] = a[i + 2] + b[i + 2];
    c[i + 3] = a[i + 3] + b[i + 3];
  } else {
    for (; i < n; ++i) c[i] = a[i] + b[i];
  }
}

__global__ void perfect_numbers(int* flags, int from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = from + i, sum = 1;
  for (int d = 2; d * d <= v; ++d) {
    if (v % d != 0) continue;
    sum += d;
    if (d * d != v) sum += v / d;
    if (sum > v) break;
  }
  flags[i] = sum == v ? 1 : sum < v ? 0 : 2;
}

__global__ void checker_levels(int* out, int width, int height) {
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= width || y >= height) return;
  if ((x ^ y) & 1) {
    if (x > y) {
      if (x % 3 == 0)
        out[y * width + x] = 5;
      else
        out[y * width + x] = 4;
    } else {
      out[y * width + x] = 3;
    }
  } else if (x + y > width) {
    out[y * width + x] = 2;
  }
}

template <typename T, int ITEMS>
__global__ void blocked_items(const T* in, T* out, T scale, int n) {
  T item[ITEMS];
  int base = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    if (base + k < n) item[k] = in[base + k];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    if (base + k < n) out[base + k] = item[k] * scale;
}
template __global__ void blocked_items<float, 3>(const float*, float*, float, int);
template __global__ void blocked_items<short, 5>(const short*, short*, short, int);
template __global__ void blocked_items<double, 2>(const double*, double*, double, int);
template __global__ void horner_template<5>(const float*, const float*, float*, int);
template __global__ void horner_template<9>(const float*, const float*, float*, int);
