// The kernels of neural networks.

__global__ void softmax_rows(const float* in, float* out, int cols) {
  __shared__ float s[128];
  const float* row = in + blockIdx.x * cols;
  int t = threadIdx.x;
  float m = -1e30f;
  for (int c = t; c < cols; c += blockDim.x) m = fmaxf(m, row[c]);
  s[t] = m;
  __syncthreads();
  for (int k = 64; k > 0; k /= 2) {
    if (t < k) s[t] = fmaxf(s[t], s[t + k]);
    __syncthreads();
  }
  m = s[0];
  __syncthreads();
  float sum = 0.0f;
  for (int c = t; c < cols; c += blockDim.x) sum += expf(row[c] - m);
  s[t] = sum;
  __syncthreads();
  for (int k = 64; k > 0; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  sum = s[0];
  for (int c = t; c < cols; c += blockDim.x) out[blockIdx.x * cols + c] = expf(row[c] - m) / sum;
}

// Online softmax, one warp a row.
__global__ void softmax_warp(const float* in, float* out, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float m = -INFINITY, d = 0.0f;
  for (int c = lane; c < cols; c += 32) {
    float v = in[row * cols + c];
    float bigger = fmaxf(m, v);
    d = d * __expf(m - bigger) + __expf(v - bigger);
    m = bigger;
  }
  for (int k = 16; k > 0; k /= 2) {
    float om = __shfl_xor_sync(0xffffffffu, m, k);
    float od = __shfl_xor_sync(0xffffffffu, d, k);
    float bigger = fmaxf(m, om);
    d = d * __expf(m - bigger) + od * __expf(om - bigger);
    m = bigger;
  }
  for (int c = lane; c < cols; c += 32) out[row * cols + c] = __expf(in[row * cols + c] - m) / d;
}

__global__ void layer_norm(const float* in, const float* gamma, const float* beta, float* out, int cols, float eps) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  const float4* x = reinterpret_cast<const float4*>(in + row * cols);
  float sum = 0.0f, squares = 0.0f;
  for (int c = lane; c < cols / 4; c += 32) {
    float4 v = x[c];
    sum += v.x + v.y + v.z + v.w;
    squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
#pragma unroll
  for (int k = 16; k > 0; k /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, k);
    squares += __shfl_xor_sync(0xffffffffu, squares, k);
  }
  float mean = sum / cols;
  float scale = rsqrtf(squares / cols - mean * mean + eps);
  float4* y = reinterpret_cast<float4*>(out + row * cols);
  for (int c = lane; c < cols / 4; c += 32) {
    float4 v = x[c];
    float4 g = reinterpret_cast<const float4*>(gamma)[c];
    float4 b = reinterpret_cast<const float4*>(beta)[c];
    y[c] = make_float4((v.x - mean) * scale * g.x + b.x, (v.y - mean) * scale * g.y + b.y,
                       (v.z - mean) * scale * g.z + b.z, (v.w - mean) * scale * g.w + b.w);
  }
}

__global__ void gelu(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float x = in[i];
    out[i] = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
  }
}

__global__ void relu_backward(const float* in, const float* grad, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] > 0.0f ? grad[i] : 0.0f;
}

__global__ void embedding(const int* token, const float* table, float* out, int width) {
  int t = token[blockIdx.x];
  for (int c = threadIdx.x; c < width; c += blockDim.x) out[blockIdx.x * width + c] = table[t * width + c];
}

__global__ void adam(float* w, const float* g, float* m, float* v, int n, float lr) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float gi = g[i];
  float mi = 0.9f * m[i] + 0.1f * gi;
  float vi = 0.999f * v[i] + 0.001f * gi * gi;
  m[i] = mi;
  v[i] = vi;
  w[i] -= lr * mi / (sqrtf(vi) + 1e-8f);
}

__global__ void dropout(const float* in, float* out, int n, unsigned seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = i ^ seed;
  h ^= h >> 16;
  h *= 0x7feb352du;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  h ^= h >> 16;
  out[i] = (h & 3u) ? in[i] * (4.0f / 3.0f) : 0.0f;
}

// Attention over tiles of keys and values that pass through shared memory, softmax computed on the way.
template <int D, int TILE>
__global__ void flash_attention(const float* Q, const float* K, const float* V, float* O, int n, float scale) {
  __shared__ float Ks[TILE][D];
  __shared__ float Vs[TILE][D];
  int row = blockIdx.x * TILE + threadIdx.x;
  float q[D], acc[D];
  float m = -1e30f, l = 0.0f;
#pragma unroll
  for (int d = 0; d < D; ++d) {
    q[d] = Q[row * D + d];
    acc[d] = 0.0f;
  }
  for (int t = 0; t < n; t += TILE) {
    for (int e = threadIdx.x; e < TILE * D; e += TILE) {
      Ks[e / D][e % D] = K[t * D + e];
      Vs[e / D][e % D] = V[t * D + e];
    }
    __syncthreads();
    for (int j = 0; j < TILE; ++j) {
      float s = 0.0f;
#pragma unroll
      for (int d = 0; d < D; ++d) s += q[d] * Ks[j][d];
      s *= scale;
      float bigger = fmaxf(m, s);
      float shrink = __expf(m - bigger), p = __expf(s - bigger);
      l = l * shrink + p;
#pragma unroll
      for (int d = 0; d < D; ++d) acc[d] = acc[d] * shrink + p * Vs[j][d];
      m = bigger;
    }
    __syncthreads();
  }
#pragma unroll
  for (int d = 0; d < D; ++d) O[row * D + d] = acc[d] / l;
}
template __global__ void flash_attention<16, 32>(const float*, const float*, const float*, float*, int, float);
template __global__ void flash_attention<32, 64>(const float*, const float*, const float*, float*, int, float);

__global__ void max_pool(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int c = blockIdx.z;
  if (x >= width / 2 || y >= height / 2) return;
  const float* p = in + (c * height + 2 * y) * width + 2 * x;
  out[(c * (height / 2) + y) * (width / 2) + x] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[width], p[width + 1]));
}

__global__ void batch_norm_stats(const float* in, float* mean, float* var, int batch, int channels, int spatial) {
  __shared__ float a[256], b[256];
  int c = blockIdx.x, t = threadIdx.x;
  float s = 0.0f, q = 0.0f;
  for (int i = t; i < batch * spatial; i += 256) {
    float v = in[((i / spatial) * channels + c) * spatial + i % spatial];
    s += v;
    q += v * v;
  }
  a[t] = s;
  b[t] = q;
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) {
    if (t < k) {
      a[t] += a[t + k];
      b[t] += b[t + k];
    }
    __syncthreads();
  }
  if (t == 0) {
    float n = batch * spatial;
    mean[c] = a[0] / n;
    var[c] = b[0] / n - (a[0] / n) * (a[0] / n);
  }
}
