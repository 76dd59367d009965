// What does a warp wait for? One small kernel for each answer that the profiler can give.
//
// long_scoreboard   a chain of loads from global memory, each needing the one before
// short_scoreboard  the same in shared memory
// wait              a chain of additions: every result takes a few cycles, and hardly another warp is there
// math_pipe         nothing but upper halves of products: the warps are ready, the unit is not
// not_selected      many ready warps: a scheduler can issue only one of them
// mio               bits counted without end: the queue to the special units and shared memory is full
// lg                scattered loads that nobody waits for: the queue to the caches is full
// barrier           all warps of the block wait for the one that has work
// membar            a fence after every store
// no_instruction    straight code that is longer than the instruction cache, and hardly another warp
// drain             a thread ends, and its scattered stores are still on their way
// sleeping          the threads asked for it
__global__ void long_scoreboard(const int* next, float* out, int turns) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < turns; ++k) at = next[at];
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

__global__ void short_scoreboard(const int* next, float* out, int turns) {
  __shared__ int words[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = (i * 5 + 1) % 1024;
  __syncthreads();
  int at = threadIdx.x;
  for (int k = 0; k < 16 * turns; ++k) at = words[at];
  out[blockIdx.x * blockDim.x + threadIdx.x] = at + 0 * next[0];
}

__global__ void wait(const int* next, float* out, int turns) {
  float v = threadIdx.x;
  if (threadIdx.x < 32) {  // one warp of the block works
    for (int k = 0; k < 4 * turns; ++k) {
#pragma unroll
      for (int j = 0; j < 32; ++j) v = v * 0.5f + 1.0f;
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

__global__ void math_pipe(const int* next, float* out, int turns) {
  unsigned int a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  for (int k = 0; k < 16 * turns; ++k) {
    a = __umulhi(a, 0x9e3779b9u);
    b = __umulhi(b, 0x9e3779b9u);
    c = __umulhi(c, 0x9e3779b9u);
    d = __umulhi(d, 0x9e3779b9u);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = (float)(a + b + c + d);
}

__global__ void not_selected(const int* next, float* out, int turns) {
  float a = threadIdx.x, b = a + 1.0f, c = a + 2.0f, d = a + 3.0f;
  for (int k = 0; k < 4 * turns; ++k) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      a = a * 0.5f + 1.0f;
      b = b * 0.5f + 1.0f;
      c = c * 0.5f + 1.0f;
      d = d * 0.5f + 1.0f;
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

__global__ void mio(const int* next, float* out, int turns) {
  int a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  for (int k = 0; k < 16 * turns; ++k) {
    a = __popc(a) ^ 77;
    b = __popc(b) ^ 77;
    c = __popc(c) ^ 77;
    d = __popc(d) ^ 77;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = (float)(a + b + c + d);
}

__global__ void lg(const int* next, float* out, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int k = 0; k < turns; ++k) {
#pragma unroll
    for (int j = 0; j < 16; ++j) sum += next[(threadIdx.x * 8 + 64 * j + k) % 1024];
  }
  out[i] = sum;
}

__global__ void barrier(const int* next, float* out, int turns) {
  __shared__ float shared_value;
  float v = threadIdx.x;
  for (int k = 0; k < turns; ++k) {
    if (threadIdx.x < 32) {
      for (int j = 0; j < 64; ++j) v = v * 0.5f + 1.0f;
      if (threadIdx.x == 0) shared_value = v;
    }
    __syncthreads();
    v += shared_value;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

__global__ void membar(const int* next, float* out, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < turns; ++k) {
    out[i] = k;
    __threadfence();
  }
}

__global__ void no_instruction(const int* next, float* out, int turns) {
  float v[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) v[i] = threadIdx.x + i;
  if (threadIdx.x < 32) {  // one warp of the block works
#pragma unroll 1
    for (int k = 0; k < turns; ++k) {
#pragma unroll
      for (int j = 0; j < 12000; ++j) v[j % 4] = v[j % 4] * 0.5f + (float)j;
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = (v[0] + v[1]) + (v[2] + v[3]);
}

__global__ void drain(const int* next, float* out, int turns) {
  int threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  int place = i % 32 * (threads / 32) + i / 32;  // the lanes of a warp are far apart
  out[place] = i;
}

__global__ void sleeping(const int* next, float* out, int turns) {
  for (int k = 0; k < turns; ++k) __nanosleep(1000);
  out[blockIdx.x * blockDim.x + threadIdx.x] = turns;
}
