// Code that trusts the lanes of a warp to march in step.
//
// Since compute capability 7.0 every thread has its own program counter, and nothing promises that lanes
// stay together between two statements. __syncwarp() makes them meet, and makes their writes visible to
// each other.
__global__ void with_syncwarp(const int* in, int* out) {
  __shared__ volatile int part[256];
  int t = threadIdx.x, lane = t % 32, i = blockIdx.x * blockDim.x + t;
  part[t] = in[i];
  __syncwarp();
  for (int step = 16; step > 0; step /= 2) {
    int other = lane < step ? part[t + step] : 0;
    __syncwarp();
    part[t] += other;
    __syncwarp();
  }
  out[i] = part[t - lane];
}

__global__ void without_syncwarp(const int* in, int* out) {
  __shared__ volatile int part[256];
  int t = threadIdx.x, lane = t % 32, i = blockIdx.x * blockDim.x + t;
  part[t] = in[i];
  for (int step = 16; step > 0; step /= 2) {
    if (lane < step) part[t] += part[t + step];
  }
  out[i] = part[t - lane];
}
