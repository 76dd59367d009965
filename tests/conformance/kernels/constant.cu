// Constant memory: uniform reads, per-lane reads, tables of several widths.

__constant__ float coefficients[16] = {1.0f,  0.5f,   0.25f, -0.125f, 2.0f, -3.0f, 0.75f, 0.0625f,
                                       -1.0f, 0.333f, 1.5f,  -0.5f,   4.0f, 0.2f,  -0.1f, 0.05f};
__constant__ unsigned char substitution[256] = {
    0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76,
    0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0};
__constant__ int powers[10] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
__constant__ float2 directions[8] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
__constant__ double weights[4] = {0.125, 0.375, 0.375, 0.125};

__global__ void polynomial(const float* x, float* y, int n, int degree) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], sum = 0.0f;
  for (int k = degree; k >= 0; --k) sum = sum * v + coefficients[k];
  y[i] = sum;
}

__global__ void lookup(const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = coefficients[index[i] & 15];
}

__global__ void substitute(const unsigned char* in, unsigned char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = substitution[in[i]];
}

__global__ void power_of_ten(const int* digits, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && digits[i] < 10) out[i] = powers[digits[i]];
}

__global__ void walk(const int* heading, float2* position, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 p = position[i];
  for (int step = 0; step < 4; ++step) {
    float2 d = directions[heading[(i + step) % n] & 7];
    p.x += d.x;
    p.y += d.y;
  }
  position[i] = p;
}

__global__ void smooth(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 3 < n) {
    double sum = 0.0;
    for (int k = 0; k < 4; ++k) sum += weights[k] * in[i + k];
    out[i] = sum;
  }
}

__global__ void by_lane(float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = coefficients[threadIdx.x & 15] + coefficients[threadIdx.x / 32];
}
