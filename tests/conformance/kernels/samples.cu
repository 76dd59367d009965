// In the manner of the programs that come with toolkits: additions of every element type, transposes, sorts, walks,
// butterflies, pricing, random numbers.

template <typename T>
__global__ void add_grid_stride(const T* a, const T* b, T* c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) c[i] = a[i] + b[i];
}
template __global__ void add_grid_stride<signed char>(const signed char*, const signed char*, signed char*, int);
template __global__ void add_grid_stride<short>(const short*, const short*, short*, int);
template __global__ void add_grid_stride<long long>(const long long*, const long long*, long long*, int);
template __global__ void add_grid_stride<double>(const double*, const double*, double*, int);

__global__ void saxpy_int4(int a, const int4* x, int4* y, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {
    int4 p = x[i], q = y[i];
    q.x += a * p.x;
    q.y += a * p.y;
    q.z += a * p.z;
    q.w += a * p.w;
    y[i] = q;
  }
}

__global__ void daxpy_double2(double a, const double2* __restrict__ x, double2* __restrict__ y, int n) {
  int stride = blockDim.x * gridDim.x;
  for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += stride) {
    double2 p = x[i];
    double2 q = y[i];
    y[i] = make_double2(a * p.x + q.x, a * p.y + q.y);
  }
}

__global__ void invert_uchar3(const uchar3* in, uchar3* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    uchar3 c = in[y * width + x];
    out[y * width + x] = make_uchar3(255 - c.x, 255 - c.y, 255 - c.z);
  }
}

__global__ void mat_add_3d(const float* a, const float* b, float* c, int nx, int ny, int nz) {
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  int z = threadIdx.z + blockIdx.z * blockDim.z;
  if (x >= nx || y >= ny || z >= nz) return;
  int i = x + nx * (y + ny * z);
  c[i] = a[i] + b[i];
}

#define TILE_DIM 32
#define BLOCK_ROWS 8
__global__ void transpose_coalesced(float* odata, const float* idata, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  int in = x + y * width;
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  int out = x + y * height;
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) tile[threadIdx.y + i][threadIdx.x] = idata[in + i * width];
  __syncthreads();
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) odata[out + i * height] = tile[threadIdx.x][threadIdx.y + i];
}

__global__ void transpose_fine_grained(float* odata, const float* idata, int width, int height) {
  __shared__ float block[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  int index = x + y * width;
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
    if (x < width && y + i < height) block[threadIdx.y + i][threadIdx.x] = idata[index + i * width];
  __syncthreads();
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
    if (x < width && y + i < height) odata[index + i * width] = block[threadIdx.x][threadIdx.y + i];
}

__device__ inline void comparator(unsigned& key_a, unsigned& val_a, unsigned& key_b, unsigned& val_b,
                                  unsigned dir) {
  if ((key_a > key_b) == dir) {
    unsigned t = key_a;
    key_a = key_b;
    key_b = t;
    t = val_a;
    val_a = val_b;
    val_b = t;
  }
}

__global__ void odd_even_merge(unsigned* dst_key, unsigned* dst_val, const unsigned* src_key,
                               const unsigned* src_val, unsigned array_length, unsigned dir) {
  __shared__ unsigned s_key[256];
  __shared__ unsigned s_val[256];
  src_key += blockIdx.x * 256 + threadIdx.x;
  src_val += blockIdx.x * 256 + threadIdx.x;
  dst_key += blockIdx.x * 256 + threadIdx.x;
  dst_val += blockIdx.x * 256 + threadIdx.x;
  s_key[threadIdx.x] = src_key[0];
  s_val[threadIdx.x] = src_val[0];
  s_key[threadIdx.x + 128] = src_key[128];
  s_val[threadIdx.x + 128] = src_val[128];
  for (unsigned size = 2; size <= array_length; size <<= 1) {
    unsigned stride = size / 2;
    unsigned offset = threadIdx.x & (stride - 1);
    {
      __syncthreads();
      unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], dir);
      stride >>= 1;
    }
    for (; stride > 0; stride >>= 1) {
      __syncthreads();
      unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      if (offset >= stride)
        comparator(s_key[pos - stride], s_val[pos - stride], s_key[pos], s_val[pos], dir);
    }
  }
  __syncthreads();
  dst_key[0] = s_key[threadIdx.x];
  dst_val[0] = s_val[threadIdx.x];
  dst_key[128] = s_key[threadIdx.x + 128];
  dst_val[128] = s_val[threadIdx.x + 128];
}

#define LOG_CHUNK 9
__global__ void fast_walsh(float* out, const float* in, int log2n) {
  __shared__ float s_data[1 << LOG_CHUNK];
  const int n = 1 << log2n;
  const int base = blockIdx.x << log2n;
  for (int pos = threadIdx.x; pos < n; pos += blockDim.x) s_data[pos] = in[base + pos];
  const int pos = threadIdx.x;
  for (int stride = n >> 2; stride > 0; stride >>= 2) {
    int lo = pos & (stride - 1);
    int i0 = ((pos - lo) << 2) + lo;
    int i1 = i0 + stride;
    int i2 = i1 + stride;
    int i3 = i2 + stride;
    __syncthreads();
    float d0 = s_data[i0], d1 = s_data[i1], d2 = s_data[i2], d3 = s_data[i3];
    float t = d0;
    d0 = d0 + d2;
    d2 = t - d2;
    t = d1;
    d1 = d1 + d3;
    d3 = t - d3;
    t = d0;
    s_data[i0] = d0 + d1;
    s_data[i1] = t - d1;
    t = d2;
    s_data[i2] = d2 + d3;
    s_data[i3] = t - d3;
  }
  if (log2n & 1) {
    __syncthreads();
    for (int p = threadIdx.x; p < n / 2; p += blockDim.x) {
      int i0 = p << 1;
      int i1 = i0 + 1;
      float d0 = s_data[i0], d1 = s_data[i1];
      s_data[i0] = d0 + d1;
      s_data[i1] = d0 - d1;
    }
  }
  __syncthreads();
  for (int p = threadIdx.x; p < n; p += blockDim.x) out[base + p] = s_data[p];
}

__device__ float cnd(float d) {
  const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float c = 0.39894228040143267793994605993438f * __expf(-0.5f * d * d) *
            (k * (A1 + k * (A2 + k * (A3 + k * (A4 + k * A5)))));
  if (d > 0) c = 1.0f - c;
  return c;
}

__global__ __launch_bounds__(128) void black_scholes_pairs(float2* __restrict__ call, float2* __restrict__ put,
                                                          const float2* __restrict__ price,
                                                          const float2* __restrict__ strike, float r, float v,
                                                          int pairs) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < pairs) {
    float2 c, p;
    float s[2] = {fabsf(price[i].x) * 20 + 5, fabsf(price[i].y) * 20 + 5};
    float x[2] = {fabsf(strike[i].x) * 100 + 1, fabsf(strike[i].y) * 100 + 1};
    float out_c[2], out_p[2];
    for (int j = 0; j < 2; ++j) {
      float t = 1.5f;
      float root = sqrtf(t);
      float d1 = __fdividef(__logf(s[j] / x[j]) + (r + 0.5f * v * v) * t, v * root);
      float d2 = d1 - v * root;
      float e = __expf(-r * t);
      out_c[j] = s[j] * cnd(d1) - x[j] * e * cnd(d2);
      out_p[j] = x[j] * e * (1.0f - cnd(d2)) - s[j] * (1.0f - cnd(d1));
    }
    c.x = out_c[0];
    c.y = out_c[1];
    p.x = out_p[0];
    p.y = out_p[1];
    call[i] = c;
    put[i] = p;
  }
}

#define MT_MM 9
#define MT_NN 19
__global__ void mersenne_twister(unsigned* random, const unsigned* matrix, const unsigned* seed, int n_per_rng) {
  const int tid = blockDim.x * blockIdx.x + threadIdx.x;
  unsigned mt[MT_NN];
  unsigned a = matrix[tid & 31], mask_b = 0x9d2c5680, mask_c = 0xefc60000;
  mt[0] = seed[tid];
  for (int i = 1; i < MT_NN; i++) mt[i] = 1812433253U * (mt[i - 1] ^ (mt[i - 1] >> 30)) + i;
  int state = 0;
  unsigned mti1 = mt[0];
  for (int out = 0; out < n_per_rng; out++) {
    int state1 = state + 1, state_m = state + MT_MM;
    if (state1 >= MT_NN) state1 -= MT_NN;
    if (state_m >= MT_NN) state_m -= MT_NN;
    unsigned mti = mti1;
    mti1 = mt[state1];
    unsigned mtim = mt[state_m];
    unsigned x = (mti & 0xfffffffe) | (mti1 & 0x1);
    x = mtim ^ (x >> 1) ^ ((x & 1) ? a : 0);
    mt[state] = x;
    state = state1;
    x ^= x >> 12;
    x ^= (x << 7) & mask_b;
    x ^= (x << 15) & mask_c;
    x ^= x >> 18;
    random[out * blockDim.x * gridDim.x + tid] = x;
  }
}

#define DIRECTIONS 10
__global__ void sobol(unsigned n_vectors, const unsigned* d_directions, float* out) {
  __shared__ unsigned v[32];
  d_directions += DIRECTIONS * blockIdx.y;
  out += n_vectors * blockIdx.y;
  if (threadIdx.x < DIRECTIONS) v[threadIdx.x] = d_directions[threadIdx.x];
  __syncthreads();
  int i0 = threadIdx.x + blockIdx.x * blockDim.x;
  int stride = gridDim.x * blockDim.x;
  unsigned g = i0 ^ (i0 >> 1);
  unsigned x = 0;
  for (unsigned k = 0; k < __ffs(stride) - 1; k++)
    if (g & (1u << k)) x ^= v[k];
  for (unsigned i = i0; i < n_vectors; i += stride) {
    out[i] = (float)x * 2.3283064365386963e-10f;
    x ^= v[__ffs(~i) - 1];
  }
}
