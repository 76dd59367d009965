// Running sums of a block: element k of the result is the sum of all elements before k (an exclusive scan).
//
// Hillis and Steele add at distances 1, 2, 4 ...: nine steps for 512 elements, with all threads busy, 4,097
// additions in all. Blelloch adds up a tree, clears its root, and hands the sums down again: 1,022 additions
// in 18 steps, but its strides are powers of two, and so are its bank conflicts. One word of padding after
// every 32 makes them go away. With shuffles a warp scans 64 elements without shared memory.
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
  for (int k = t; k < 512; k += 256) out[base + k] = k > 0 ? line[k - 1] : 0;
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
  if (t == 0) line[511] = 0;
  for (int distance = 256; distance > 0; distance /= 2) {  // down: left gets the sum before it, right adds
    __syncthreads();
    int right = 2 * distance * (t + 1) - 1;
    if (right < 512) {
      int left = line[right - distance];
      line[right - distance] = line[right];
      line[right] += left;
    }
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
  if (t == 0) line[padded(511)] = 0;
  for (int distance = 256; distance > 0; distance /= 2) {
    __syncthreads();
    int right = 2 * distance * (t + 1) - 1;
    if (right < 512) {
      int left = line[padded(right - distance)];
      line[padded(right - distance)] = line[padded(right)];
      line[padded(right)] += left;
    }
  }
  __syncthreads();
  for (int k = t; k < 512; k += 256) out[base + k] = line[padded(k)];
}

// Every thread has two neighbours. A warp scans the sums of its pairs, then the sums of the eight warps are
// scanned in the same way.
__device__ int sum_up_to_here(int value) {
  int lane = threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    int before = __shfl_up_sync(0xffffffff, value, distance);
    if (lane >= distance) value += before;
  }
  return value;
}

__global__ void scan_shuffle(const int* in, int* out) {
  __shared__ int warp_total[8];
  int t = threadIdx.x, at = blockIdx.x * 512 + 2 * t;
  int first = in[at], second = in[at + 1];
  int up_to_here = sum_up_to_here(first + second);
  if (t % 32 == 31) warp_total[t / 32] = up_to_here;
  __syncthreads();
  int before = up_to_here - first - second;
  for (int warp = 0; warp < t / 32; ++warp) before += warp_total[warp];
  out[at] = before;
  out[at + 1] = before + first;
}
