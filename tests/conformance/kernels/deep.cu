// Training and inference of networks: normalisation, attention, losses, optimisers, routing, quantised
// products.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ float block_max(float v, float* s) {
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  if (lane == 0) s[w] = v;
  __syncthreads();
  v = s[0];
  for (int k = 1; k < (blockDim.x + 31) / 32; ++k) v = fmaxf(v, s[k]);
  __syncthreads();
  return v;
}

__device__ float block_total(float v, float* s) {
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  if (lane == 0) s[w] = v;
  __syncthreads();
  v = lane < (blockDim.x + 31) / 32 ? s[lane] : 0.f;
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  __syncthreads();
  return v;
}

__global__ void softmax_causal(const float* scores, float* out, int n, float scale) {
  __shared__ float s[32];
  int row = blockIdx.x;
  const float* in = scores + row * n;
  float high = -1e30f;
  for (int c = threadIdx.x; c <= row; c += blockDim.x) high = fmaxf(high, in[c] * scale);
  high = block_max(high, s);
  float sum = 0;
  for (int c = threadIdx.x; c <= row; c += blockDim.x) sum += __expf(in[c] * scale - high);
  sum = block_total(sum, s);
  for (int c = threadIdx.x; c < n; c += blockDim.x)
    out[row * n + c] = c <= row ? __expf(in[c] * scale - high) / sum : 0.f;
}

__global__ void layer_norm_backward(const float* dy, const float* x, const float* gamma, const float* mean,
                                    const float* rstd, float* dx, int cols) {
  __shared__ float s[32];
  int row = blockIdx.x;
  float m = mean[row], r = rstd[row], a = 0, b = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    float g = dy[row * cols + c] * gamma[c];
    a += g;
    b += g * (x[row * cols + c] - m) * r;
  }
  a = block_total(a, s) / cols;
  b = block_total(b, s) / cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    float hat = (x[row * cols + c] - m) * r;
    dx[row * cols + c] = (dy[row * cols + c] * gamma[c] - a - hat * b) * r;
  }
}

__global__ void rms_residual_half2(const __half2* x, __half2* residual, const __half2* weight, __half2* out,
                                   int pairs) {
  __shared__ float s[32];
  int row = blockIdx.x;
  float sum = 0;
  for (int c = threadIdx.x; c < pairs; c += blockDim.x) {
    __half2 v = __hadd2(x[row * pairs + c], residual[row * pairs + c]);
    residual[row * pairs + c] = v;
    float2 f = __half22float2(v);
    sum += f.x * f.x + f.y * f.y;
  }
  float inv = rsqrtf(block_total(sum, s) / (2 * pairs) + 1e-5f);
  for (int c = threadIdx.x; c < pairs; c += blockDim.x)
    out[row * pairs + c] = __hmul2(__hmul2(residual[row * pairs + c], __float2half2_rn(inv)), weight[c]);
}

enum Activation { RELU, GELU_ERF, SILU, MISH };

template <Activation A>
__global__ void activation(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i], y;
  if constexpr (A == RELU)
    y = x > 0 ? x : 0.01f * x;
  else if constexpr (A == GELU_ERF)
    y = 0.5f * x * (1.f + erff(x * 0.70710678f));
  else if constexpr (A == SILU)
    y = x / (1.f + expf(-x));
  else
    y = x * tanhf(log1pf(expf(x)));
  out[i] = y;
}
template __global__ void activation<RELU>(const float*, float*, int);
template __global__ void activation<GELU_ERF>(const float*, float*, int);
template __global__ void activation<MISH>(const float*, float*, int);

__global__ void swiglu(const float* gate_up, float* out, int rows, int hidden) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  if (c >= hidden) return;
  float g = gate_up[r * 2 * hidden + c], u = gate_up[r * 2 * hidden + hidden + c];
  out[r * hidden + c] = g / (1.f + __expf(-g)) * u;
}

// One warp a query, keys in tiles of 32, head of 20 values; running maximum and sum.
__global__ void attention_running(const float* q, const float* k, const float* v, float* out, int nq,
                                  int nk) {
  __shared__ float kt[32][21], vt[32][20];
  int warp = threadIdx.y, lane = threadIdx.x, query = blockIdx.x * blockDim.y + warp;
  float m = -1e30f, l = 0.f, acc = 0.f;
  for (int base = 0; base < nk; base += 32) {
    int count = min(32, nk - base);
    for (int e = warp * 32 + lane; e < count * 20; e += 32 * blockDim.y) {
      kt[e / 20][e % 20] = k[base * 20 + e];
      vt[e / 20][e % 20] = v[base * 20 + e];
    }
    __syncthreads();
    if (query < nq) {
      float s = -1e30f;
      if (lane < count) {
        s = 0;
        for (int d = 0; d < 20; ++d) s += q[query * 20 + d] * kt[lane][d];
        s *= 0.2236f;
      }
      float high = s;
      for (int o = 16; o; o >>= 1) high = fmaxf(high, __shfl_xor_sync(~0u, high, o));
      float next = fmaxf(m, high), p = lane < count ? __expf(s - next) : 0.f, fix = __expf(m - next);
      float sum = p;
      for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
      l = l * fix + sum;
      acc *= fix;
      for (int j = 0; j < count; ++j) {
        float pj = __shfl_sync(~0u, p, j);
        if (lane < 20) acc += pj * vt[j][lane];
      }
      m = next;
    }
    __syncthreads();
  }
  if (query < nq && lane < 20) out[query * 20 + lane] = acc / l;
}

__global__ void grouped_query_scores(const __half* q, const __half* k, float* s, int heads, int groups,
                                     int len, int dim) {
  int key = blockIdx.x * blockDim.x + threadIdx.x, head = blockIdx.y;
  if (key >= len) return;
  const __half* a = q + head * dim;
  const __half* b = k + (head / (heads / groups) * len + key) * dim;
  float sum = 0;
  for (int d = 0; d < dim; d += 2) {
    __half2 x = *reinterpret_cast<const __half2*>(a + d), y = *reinterpret_cast<const __half2*>(b + d);
    sum += __low2float(x) * __low2float(y) + __high2float(x) * __high2float(y);
  }
  s[head * len + key] = sum * rsqrtf((float)dim);
}

__global__ void rope_by_position(float* x, const int* position, int tokens, int heads, int half_dim) {
  int token = blockIdx.x, head = threadIdx.y;
  for (int d = threadIdx.x; d < half_dim; d += blockDim.x) {
    float angle = position[token] * powf(10000.f, -(float)d / half_dim), sn, cs;
    sincosf(angle, &sn, &cs);
    float* p = x + (token * heads + head) * 2 * half_dim + d;
    float a = p[0], b = p[half_dim];
    p[0] = a * cs - b * sn;
    p[half_dim] = a * sn + b * cs;
  }
}

__global__ void embedding_bag(const float* table, const int* tokens, const int* offsets, float* out, int bags,
                              int dim) {
  int bag = blockIdx.x;
  int from = offsets[bag], to = offsets[bag + 1];
  for (int d = threadIdx.x; d < dim; d += blockDim.x) {
    float sum = 0;
    for (int t = from; t < to; ++t) sum += table[tokens[t] * dim + d];
    out[bag * dim + d] = to > from ? sum / (to - from) : 0.f;
  }
}

__device__ unsigned mix(unsigned x) {
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return x;
}

__global__ void dropout_own_random(const float4* in, float4* out, unsigned char* mask, unsigned seed,
                                   float keep, int quads) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  unsigned state = seed ^ (i * 2654435761u + 1u);
  float4 v = in[i];
  float* p = &v.x;
  unsigned bits = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    state = mix(state);
    bool on = (state >> 8) * (1.f / 16777216.f) < keep;
    p[k] = on ? p[k] / keep : 0.f;
    bits |= (on ? 1u : 0u) << k;
  }
  out[i] = v;
  mask[i] = (unsigned char)bits;
}

__global__ void adamw(float* master, __half* weight, const __half* grad, float* m, float* v, int n, float lr,
                      float b1, float b2, float decay, float correction1, float correction2) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float g = __half2float(grad[i]);
    float mi = m[i] = b1 * m[i] + (1 - b1) * g;
    float vi = v[i] = b2 * v[i] + (1 - b2) * g * g;
    float w = master[i];
    w -= lr * (mi / correction1 / (sqrtf(vi / correction2) + 1e-8f) + decay * w);
    master[i] = w;
    weight[i] = __float2half(w);
  }
}

__global__ void cross_entropy_backward(float* logits, const int* labels, float* loss, int classes,
                                       int ignore) {
  __shared__ float s[32];
  float* row = logits + blockIdx.x * classes;
  int label = labels[blockIdx.x];
  if (label == ignore) {
    for (int c = threadIdx.x; c < classes; c += blockDim.x) row[c] = 0;
    return;
  }
  float high = -1e30f;
  for (int c = threadIdx.x; c < classes; c += blockDim.x) high = fmaxf(high, row[c]);
  high = block_max(high, s);
  float sum = 0;
  for (int c = threadIdx.x; c < classes; c += blockDim.x) sum += expf(row[c] - high);
  sum = block_total(sum, s);
  if (threadIdx.x == 0) loss[blockIdx.x] = logf(sum) + high - row[label];
  __syncthreads();
  for (int c = threadIdx.x; c < classes; c += blockDim.x)
    row[c] = expf(row[c] - high) / sum - (c == label ? 1.f : 0.f);
}

__global__ void dot_rows_int8(const int* activations, const int* weights, const float* scale, float* out,
                              int quads, int outputs) {
  int o = blockIdx.x * blockDim.y + threadIdx.y, row = blockIdx.y;
  if (o >= outputs) return;
  int sum = 0;
  for (int k = threadIdx.x; k < quads; k += 32)
    sum = __dp4a(activations[row * quads + k], weights[o * quads + k], sum);
  sum = __reduce_add_sync(~0u, sum);
  if (threadIdx.x == 0) out[row * outputs + o] = sum * scale[o];
}

__global__ void dequantise_nibbles(const unsigned* packed, const __half* scale, __half* out, int words,
                                   int group) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= words) return;
  unsigned v = packed[w];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    int i = w * 8 + k;
    out[i] = __hmul(__int2half_rn((int)(v >> 4 * k & 15) - 8), scale[i / group]);
  }
}

__global__ void group_norm(const float* x, float* y, const float* gamma, int channels, int per_group,
                           int pixels) {
  __shared__ float s[32];
  int groups = channels / per_group, g = blockIdx.x % groups, n = per_group * pixels;
  const float* in = x + (blockIdx.x / groups * channels + g * per_group) * pixels;
  float* out = y + (in - x);
  float a = 0, b = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    a += in[i];
    b += in[i] * in[i];
  }
  a = block_total(a, s) / n;
  b = rsqrtf(block_total(b, s) / n - a * a + 1e-5f);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = (in[i] - a) * b * gamma[g * per_group + i / pixels];
}

__global__ void pool_adaptive(const float* in, float* out, int h, int w, int oh, int ow) {
  int x = threadIdx.x, y = threadIdx.y, c = blockIdx.x;
  if (x >= ow || y >= oh) return;
  int y0 = y * h / oh, y1 = ((y + 1) * h + oh - 1) / oh;
  int x0 = x * w / ow, x1 = ((x + 1) * w + ow - 1) / ow;
  float sum = 0;
  for (int yy = y0; yy < y1; ++yy)
    for (int xx = x0; xx < x1; ++xx) sum += in[(c * h + yy) * w + xx];
  out[(c * oh + y) * ow + x] = sum / ((y1 - y0) * (x1 - x0));
}

__global__ void sample_from_cdf(const float* probability, const float* dice, int* token, int rows,
                                int classes) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float u = fabsf(dice[r]) * classes * 0.3f, sum = 0;
  int c = 0;
  for (; c < classes - 1; ++c) {
    sum += fabsf(probability[r * classes + c]);
    if (sum > u) break;
  }
  token[r] = c;
}

__global__ void route_top2(const float* gates, int* expert, float* weight, int* load, int tokens,
                           int experts) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= tokens) return;
  int first = 0, second = -1;
  for (int e = 1; e < experts; ++e) {
    float v = gates[t * experts + e];
    if (v > gates[t * experts + first]) {
      second = first;
      first = e;
    } else if (second < 0 || v > gates[t * experts + second]) {
      second = e;
    }
  }
  float a = expf(gates[t * experts + first]), b = expf(gates[t * experts + second]);
  expert[2 * t] = first;
  expert[2 * t + 1] = second;
  weight[2 * t] = a / (a + b);
  weight[2 * t + 1] = b / (a + b);
  atomicAdd(&load[first], 1);
  atomicAdd(&load[second], 1);
}

__global__ void gru_gates(const float* x, const float* h, float* next, int batch, int hidden) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
  if (j >= hidden) return;
  const float* xi = x + b * 3 * hidden;
  const float* hi = h + b * 3 * hidden;
  float r = 1.f / (1.f + expf(-(xi[j] + hi[j])));
  float z = 1.f / (1.f + expf(-(xi[hidden + j] + hi[hidden + j])));
  float n = tanhf(xi[2 * hidden + j] + r * hi[2 * hidden + j]);
  next[b * hidden + j] = (1.f - z) * n + z * 0.5f;
}

__global__ void sine_positions(__nv_bfloat16* out, int tokens, int dim) {
  int d = threadIdx.x + blockIdx.x * blockDim.x, t = blockIdx.y * blockDim.y + threadIdx.y;
  if (d >= dim || t >= tokens) return;
  float f = t * expf(-9.21034f * (d / 2 * 2) / dim);
  out[t * dim + d] = __float2bfloat16(d % 2 ? cosf(f) : sinf(f));
}

__global__ void huber_loss(const float* a, const float* b, float* total, int n, float delta) {
  __shared__ float s[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float d = fabsf(a[i] - b[i]);
    sum += d < delta ? 0.5f * d * d : delta * (d - 0.5f * delta);
  }
  sum = block_total(sum, s);
  if (threadIdx.x == 0) total[blockIdx.x] = sum / n;
}
