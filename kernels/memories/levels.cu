// The same additions with their operand from five levels: registers, shared memory, constant memory, and
// global memory side by side or far apart. Compare the traffic of each, and on a GPU the time.
#define TURNS 16
__constant__ float constants[TURNS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

__global__ void from_registers(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i], sum = 0.0f;
  for (int k = 0; k < TURNS; ++k) sum += v * (k + 1);
  out[i] = sum;
}

__global__ void from_shared(const float* in, float* out, int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < TURNS; ++k) sum += tile[(threadIdx.x + k) % 256] * (k + 1);
  out[i] = sum;
}

__global__ void from_constants(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i], sum = 0.0f;
  for (int k = 0; k < TURNS; ++k) sum += v * constants[k];
  out[i] = sum;
}

__global__ void from_neighbours(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < TURNS; ++k) sum += in[(i + 256 * k) % n] * (k + 1);
  out[i] = sum;
}

__global__ void from_far_apart(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < TURNS; ++k) sum += in[(33 * i + 256 * k) % n] * (k + 1);
  out[i] = sum;
}
