// Option prices and random numbers.

__device__ float normal_cdf(float d) {
  const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
  float K = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float cnd = 0.39894228f * expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
  if (d > 0) cnd = 1.0f - cnd;
  return cnd;
}

__global__ void black_scholes(const float* price, const float* strike, const float* years, float* call, float* put,
                              float rate, float volatility, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float S = 30.0f + 10.0f * price[i], X = 50.0f + 45.0f * strike[i], T = 5.25f + 4.0f * years[i];
  float root = sqrtf(T);
  float d1 = (logf(S / X) + (rate + 0.5f * volatility * volatility) * T) / (volatility * root);
  float d2 = d1 - volatility * root;
  float n1 = normal_cdf(d1), n2 = normal_cdf(d2);
  float discount = expf(-rate * T);
  call[i] = S * n1 - X * discount * n2;
  put[i] = X * discount * (1.0f - n2) - S * (1.0f - n1);
}

__device__ unsigned xorshift(unsigned& s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}

__global__ void monte_carlo_pi(unsigned* hits, int tries) {
  unsigned state = (blockIdx.x * blockDim.x + threadIdx.x + 1) * 2654435761u;
  unsigned inside = 0;
  for (int k = 0; k < tries; ++k) {
    float x = (xorshift(state) >> 8) * (1.0f / 16777216.0f);
    float y = (xorshift(state) >> 8) * (1.0f / 16777216.0f);
    if (x * x + y * y < 1.0f) ++inside;
  }
  for (int k = 16; k > 0; k >>= 1) inside += __shfl_down_sync(0xffffffffu, inside, k);
  if ((threadIdx.x & 31) == 0) atomicAdd(hits, inside);
}

__global__ void binomial_option(const float* strike, float* out, int steps) {
  __shared__ float v[129];
  int t = threadIdx.x;
  float X = 50.0f + 20.0f * strike[blockIdx.x];
  float u = 1.02f, d = 1.0f / 1.02f;
  float S = 50.0f;
  for (int k = 0; k < steps; ++k) S *= k < t ? u : d;
  if (t <= steps) v[t] = fmaxf(S - X, 0.0f);
  __syncthreads();
  for (int k = steps; k > 0; --k) {
    float x = t < k ? 0.52f * v[t + 1] + 0.475f * v[t] : 0.0f;
    __syncthreads();
    if (t < k) v[t] = x;
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = v[0];
}

__global__ void lcg_streams(unsigned long long* state, double* out, int n, int draws) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long s = state[i];
  double sum = 0.0;
  for (int k = 0; k < draws; ++k) {
    s = s * 6364136223846793005ull + 1442695040888963407ull;
    sum += static_cast<double>(s >> 11) * (1.0 / 9007199254740992.0);
  }
  state[i] = s;
  out[i] = sum / draws;
}
