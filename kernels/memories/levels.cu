// The same multiply-adds with their operand from five places: registers, constant memory, shared memory, and
// global memory read side by side or scattered. Compare the traffic of each, and on a GPU the time.
#define TURNS 16
__constant__ float constants[TURNS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

__global__ void from_registers(const float* in, float* out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i], sum = 0.0f;
  for (int round = 0; round < rounds; ++round)
    for (int k = 0; k < TURNS; ++k) sum = sum * 0.5f + v;
  out[i] = sum;
}

__global__ void from_constants(const float* in, float* out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = in[i];
  for (int round = 0; round < rounds; ++round)
    for (int k = 0; k < TURNS; ++k) sum = sum * 0.5f + constants[(k + round) % TURNS];
  out[i] = sum;
}

__global__ void from_shared(const float* in, float* out, int n, int rounds) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (i >= n) return;
  float sum = 0.0f;
  for (int round = 0; round < rounds; ++round)
    for (int k = 0; k < TURNS; ++k) sum = sum * 0.5f + tile[(threadIdx.x + k + round) % 256];
  out[i] = sum;
}

// Every operand is another piece of the array, far from the one before: only the lanes are neighbours.
__global__ void from_coalesced(const float* in, float* out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int round = 0; round < rounds; ++round)
    for (int k = 0; k < TURNS; ++k) sum = sum * 0.5f + in[(i + 256 * (k + TURNS * round)) % n];
  out[i] = sum;
}

// The lanes are 33 elements apart: each of them needs a sector of its own.
__global__ void from_scattered(const float* in, float* out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int round = 0; round < rounds; ++round)
    for (int k = 0; k < TURNS; ++k) sum = sum * 0.5f + in[(33 * i + 256 * (k + TURNS * round)) % n];
  out[i] = sum;
}
