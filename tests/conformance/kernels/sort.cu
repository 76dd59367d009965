// Sorting and merging.

__global__ void bitonic_shared(int* data) {
  __shared__ int s[512];
  int t = threadIdx.x;
  int base = blockIdx.x * 512;
  s[t] = data[base + t];
  s[t + 256] = data[base + t + 256];
  for (int size = 2; size <= 512; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int pos = 2 * t - (t & (stride - 1));
      bool up = (pos & size) == 0;
      int a = s[pos], b = s[pos + stride];
      if ((a > b) == up) {
        s[pos] = b;
        s[pos + stride] = a;
      }
    }
  }
  __syncthreads();
  data[base + t] = s[t];
  data[base + t + 256] = s[t + 256];
}

__global__ void bitonic_step(unsigned* data, int j, int k) {
  unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
  unsigned ixj = i ^ j;
  if (ixj > i) {
    if ((i & k) == 0) {
      if (data[i] > data[ixj]) {
        unsigned t = data[i];
        data[i] = data[ixj];
        data[ixj] = t;
      }
    } else {
      if (data[i] < data[ixj]) {
        unsigned t = data[i];
        data[i] = data[ixj];
        data[ixj] = t;
      }
    }
  }
}

__global__ void odd_even_sort(float* data, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = data[blockIdx.x * n + t];
  __syncthreads();
  for (int phase = 0; phase < n; ++phase) {
    int i = 2 * t + (phase & 1);
    if (i + 1 < n) {
      float a = s[i], b = s[i + 1];
      if (a > b) {
        s[i] = b;
        s[i + 1] = a;
      }
    }
    __syncthreads();
  }
  data[blockIdx.x * n + t] = s[t];
}

// One bit of a radix sort: stable split of a block by that bit.
__global__ void radix_split(const unsigned* in, unsigned* out, int bit) {
  __shared__ int scan[256];
  int t = threadIdx.x;
  unsigned key = in[blockIdx.x * 256 + t];
  int zero = ((key >> bit) & 1u) ^ 1u;
  scan[t] = zero;
  __syncthreads();
  for (int k = 1; k < 256; k *= 2) {
    int v = t >= k ? scan[t - k] : 0;
    __syncthreads();
    scan[t] += v;
    __syncthreads();
  }
  int zeros = scan[255];
  int before = scan[t] - zero;
  int to = zero ? before : zeros + t - before;
  out[blockIdx.x * 256 + to] = key;
}

__global__ void rank_sort(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  int rank = 0;
  for (int k = 0; k < n; ++k) {
    float w = in[k];
    rank += (w < v) || (w == v && k < i);
  }
  out[rank] = v;
}

// Merges two sorted runs by binary search.
__global__ void merge_by_rank(const int* a, const int* b, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = a[i];
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (b[mid] < v)
      lo = mid + 1;
    else
      hi = mid;
  }
  out[i + lo] = v;
  v = b[i];
  lo = 0;
  hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (a[mid] <= v)
      lo = mid + 1;
    else
      hi = mid;
  }
  out[i + lo] = v;
}

// Sixteen values a thread in a local array.
__global__ void insertion_sort_local(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v[16];
  for (int k = 0; k < 16; ++k) v[k] = in[k * n + i];
  for (int k = 1; k < 16; ++k) {
    int x = v[k];
    int j = k - 1;
    while (j >= 0 && v[j] > x) {
      v[j + 1] = v[j];
      --j;
    }
    v[j + 1] = x;
  }
  for (int k = 0; k < 16; ++k) out[k * n + i] = v[k];
}
