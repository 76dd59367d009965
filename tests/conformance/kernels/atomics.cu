// Atomic operations on global and shared memory.

__global__ void count_all(int* counter) { atomicAdd(counter, 1); }

__global__ void count_if(const int* in, int* counter, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 3 == 0) atomicAdd(counter, 1);
}

__global__ void tickets(int* counter, int* seen) {
  int ticket = atomicAdd(counter, 1);
  atomicAdd(&seen[ticket], 1);
}

__global__ void spread(int* bins, int mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[i & mask], i);
}

__global__ void by_index(const int* index, float* bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[index[i]], 1.0f);
}

__global__ void min_max(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicMin(&out[0], in[i]);
    atomicMax(&out[1], in[i]);
  }
}

__global__ void bits(const unsigned* in, unsigned* words, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicOr(&words[in[i] % 64], 1u << (in[i] & 31));
    atomicAnd(&words[64 + (in[i] % 32)], ~(1u << (in[i] & 7)));
    atomicXor(&words[96 + (i & 15)], in[i]);
  }
}

__global__ void wide_adds(const unsigned* in, unsigned long long* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sums[in[i] & 15], static_cast<unsigned long long>(in[i]));
}

__global__ void double_adds(const double* in, double* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sums[i & 7], in[i]);
}

__global__ void exchange(const int* in, int* slots, int* old, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) old[i] = atomicExch(&slots[in[i]], i);
}

__global__ void wrap_counters(unsigned* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicInc(&c[i & 31], 6u);
  atomicDec(&c[32 + (i & 31)], 9u);
}

// One try each, no loop: how many win is the number of distinct slots.
__global__ void claim(const int* slot, int* owner, int* won, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (atomicCAS(&owner[slot[i]], 0, 1) == 0) atomicAdd(won, 1);
}

__global__ void claim_wide(const int* slot, unsigned long long* owner, int* result, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long old = atomicCAS(&owner[slot[i]], 0ull, 7ull);
  result[i] = old == 0ull || old == 7ull;
}

// Every lane has an address of its own, so the loop runs once.
__global__ void float_max_cas(const float* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int old = out[i];
  while (__int_as_float(old) < in[i]) {
    int assumed = old;
    old = atomicCAS(&out[i], assumed, __float_as_int(in[i]));
    if (old == assumed) break;
  }
}

__global__ void shared_int(const int* index, int* out, int words) {
  __shared__ int s[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) s[k] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&s[index[i] % words], threadIdx.x);
  __syncthreads();
  for (int k = threadIdx.x; k < words; k += blockDim.x) atomicAdd(&out[k], s[k]);
}

__global__ void shared_stride_atomic(int* out, int stride) {
  __shared__ int s[2048];
  for (int k = threadIdx.x; k < 2048; k += blockDim.x) s[k] = 0;
  __syncthreads();
  atomicMax(&s[(threadIdx.x * stride) & 2047], threadIdx.x);
  __syncthreads();
  for (int k = threadIdx.x; k < 2048; k += blockDim.x) out[k] = s[k];
}

__global__ void shared_with_result(const int* key, int* position, int* counts, int buckets) {
  __shared__ int next[64];
  if (threadIdx.x < buckets) next[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = atomicAdd(&next[key[i] % buckets], 1);
  atomicAdd(&position[at], 1);
  __syncthreads();
  if (threadIdx.x < buckets) atomicAdd(&counts[threadIdx.x], next[threadIdx.x]);
}

__global__ void shared_float(const int* index, const float* in, float* out) {
  __shared__ float s[64];
  if (threadIdx.x < 64) s[threadIdx.x] = 0.0f;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&s[index[i]], in[i]);
  __syncthreads();
  if (threadIdx.x < 64) out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}

__global__ void shared_double(const double* in, double* out) {
  __shared__ double s[32];
  if (threadIdx.x < 32) s[threadIdx.x] = 0.0;
  __syncthreads();
  atomicAdd(&s[threadIdx.x & 31], in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = s[threadIdx.x];
}

__global__ void shared_wide(const unsigned* in, unsigned long long* out) {
  __shared__ unsigned long long s[16];
  if (threadIdx.x < 16) s[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&s[threadIdx.x & 15], static_cast<unsigned long long>(in[threadIdx.x]));
  __syncthreads();
  if (threadIdx.x < 16) out[threadIdx.x] = s[threadIdx.x];
}

__global__ void shared_exchange(const int* index, int* out) {
  __shared__ int s[128];
  __shared__ int flags[128];
  s[threadIdx.x] = -1;
  flags[threadIdx.x] = 0;
  __syncthreads();
  int k = index[threadIdx.x];
  atomicExch(&s[k], 5);
  atomicCAS(&flags[k], 0, 9);
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x] + flags[threadIdx.x];
}

__global__ void shared_counter(const int* in, int* out, int n) {
  __shared__ int positive;
  if (threadIdx.x == 0) positive = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 500) atomicAdd(&positive, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = positive;
}

__global__ void block_leader(const float* in, float* total, int* done) {
  __shared__ float s[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = in[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int k = 0; k < 128; ++k) sum += s[k];
    atomicAdd(&total[blockIdx.x & 3], sum);
    __threadfence();
    atomicInc(reinterpret_cast<unsigned*>(done), gridDim.x);
  }
}
