// Running sums of a block: simple and quick, or fewer additions in two sweeps.
//
// Hillis and Steele add at distances 1, 2, 4 ...: log2(n) steps, all threads busy. Blelloch goes up a tree
// and down again: half the additions, but its strides are powers of two, and so are its bank conflicts.
// One word of padding after every 32 makes them go away.
__global__ void scan_hillis_steele(const int* in, int* out) {
  __shared__ int line[512];
  int t = threadIdx.x, base = blockIdx.x * 512;
  for (int k = t; k < 512; k += 256) line[k] = in[base + k];
  __syncthreads();
  for (int distance = 1; distance < 512; distance *= 2) {
    int a = line[t] + (t >= distance ? line[t - distance] : 0);
    int b = line[t + 256] + (t + 256 >= distance ? line[t + 256 - distance] : 0);
    __syncthreads();
    line[t] = a;
    line[t + 256] = b;
    __syncthreads();
  }
  for (int k = t; k < 512; k += 256) out[base + k] = line[k];
}

__global__ void scan_blelloch(const int* in, int* out) {
  __shared__ int line[512];
  int t = threadIdx.x, base = blockIdx.x * 512;
  for (int k = t; k < 512; k += 256) line[k] = in[base + k];
  for (int distance = 1; distance < 512; distance *= 2) {  // up: sums of ever longer pieces
    __syncthreads();
    int right = 2 * distance * (t + 1) - 1;
    if (right < 512) line[right] += line[right - distance];
  }
  for (int distance = 128; distance > 0; distance /= 2) {  // down: hand them to the pieces between
    __syncthreads();
    int right = 2 * distance * (t + 1) + distance - 1;
    if (right < 512) line[right] += line[right - distance];
  }
  __syncthreads();
  for (int k = t; k < 512; k += 256) out[base + k] = line[k];
}

__device__ int padded(int word) {
  return word + word / 32;
}

__global__ void scan_blelloch_padded(const int* in, int* out) {
  __shared__ int line[512 + 16];
  int t = threadIdx.x, base = blockIdx.x * 512;
  for (int k = t; k < 512; k += 256) line[padded(k)] = in[base + k];
  for (int distance = 1; distance < 512; distance *= 2) {
    __syncthreads();
    int right = 2 * distance * (t + 1) - 1;
    if (right < 512) line[padded(right)] += line[padded(right - distance)];
  }
  for (int distance = 128; distance > 0; distance /= 2) {
    __syncthreads();
    int right = 2 * distance * (t + 1) + distance - 1;
    if (right < 512) line[padded(right)] += line[padded(right - distance)];
  }
  __syncthreads();
  for (int k = t; k < 512; k += 256) out[base + k] = line[padded(k)];
}
