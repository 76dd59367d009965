// Sorting, histograms, searching, strings and hashing.
#ifdef __CUDACC__
#include <cuda_runtime.h>

__global__ void bitonic_shared(int* data) {
  __shared__ int s[512];
  int t = threadIdx.x;
  s[t] = data[t];
  s[t + 256] = data[t + 256];
  for (int size = 2; size <= 512; size <<= 1) {
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      int i = 2 * t - (t & (stride - 1));
      bool up = (t & (size / 2)) == 0;
      int a = s[i], b = s[i + stride];
      if ((a > b) == up) {
        s[i] = b;
        s[i + stride] = a;
      }
    }
  }
  __syncthreads();
  data[t] = s[t];
  data[t + 256] = s[t + 256];
}

__global__ void bitonic_step(float* data, int j, int k) {
  unsigned i = threadIdx.x + blockDim.x * blockIdx.x, other = i ^ j;
  if (other > i) {
    if ((i & k) == 0 ? data[i] > data[other] : data[i] < data[other]) {
      float x = data[i];
      data[i] = data[other];
      data[other] = x;
    }
  }
}

__global__ void odd_even(short* data, int n) {
  for (int round = 0; round < n; ++round) {
    int i = 2 * threadIdx.x + (round & 1);
    if (i + 1 < n && data[i] > data[i + 1]) {
      short x = data[i];
      data[i] = data[i + 1];
      data[i + 1] = x;
    }
    __syncthreads();
  }
}

__global__ void warp_bitonic(unsigned* data) {
  unsigned v = data[threadIdx.x], lane = threadIdx.x & 31;
  for (int k = 2; k <= 32; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      unsigned o = __shfl_xor_sync(0xffffffffu, v, j);
      bool lower = (lane & j) == 0, ascending = (lane & k) == 0;
      v = lower == ascending ? min(v, o) : max(v, o);
    }
  data[threadIdx.x] = v;
}

__global__ void rank_sort(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = in[i];
  int rank = 0;
  for (int k = 0; k < n; ++k) rank += in[k] < x || (in[k] == x && k < i);
  out[rank] = x;
}

__global__ void histogram_shared(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned s[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) s[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&s[in[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    if (s[b]) atomicAdd(&bins[b], s[b]);
}

__global__ void histogram_match(const int* in, int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned peers = __match_any_sync(__activemask(), in[i] & 15);
  if (__ffs(peers) - 1 == (threadIdx.x & 31)) atomicAdd(&bins[in[i] & 15], __popc(peers));
}

__global__ void binary_search(const int* sorted, const int* keys, int* found, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  int low = 0, high = n;
  while (low < high) {
    int middle = (low + high) >> 1;
    if (sorted[middle] < keys[i]) low = middle + 1;
    else high = middle;
  }
  found[i] = low;
}

__constant__ char kPattern[8] = "abac";
__global__ void string_search(const char* text, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int k = 0;
  if (i + 4 <= n)
    while (k < 4 && text[i + k] == kPattern[k]) ++k;
  if (k == 4) atomicAdd(count, 1);
}

__device__ __forceinline__ unsigned murmur(unsigned h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ h >> 16;
}
__global__ void hash_insert(const unsigned* keys, unsigned* table, int n, unsigned capacity) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = keys[i] | 1u, slot = murmur(key) & (capacity - 1);
  while (true) {
    unsigned old = atomicCAS(&table[slot], 0u, key);
    if (old == 0 || old == key) break;
    slot = (slot + 1) & (capacity - 1);
  }
}
__global__ void hash_lookup_count(const unsigned* keys, int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicInc((unsigned*)&counts[murmur(keys[i]) % 7], 0xffffffffu);
}

__global__ void fnv1a(const unsigned char* bytes, unsigned long long* out, int length) {
  int i = threadIdx.x;
  unsigned long long h = 14695981039346656037ull;
  for (int k = 0; k < length; ++k) h = (h ^ bytes[i * length + k]) * 1099511628211ull;
  out[i] = h;
}

__global__ void crc32(const unsigned char* bytes, unsigned* out, int length) {
  unsigned crc = ~0u;
  const unsigned char* p = bytes + threadIdx.x * length;
  for (int k = 0; k < length; ++k) {
    crc ^= p[k];
    for (int b = 0; b < 8; ++b) crc = crc & 1 ? (crc >> 1) ^ 0xedb88320u : crc >> 1;
  }
  out[threadIdx.x] = ~crc;
}

__global__ void to_upper(char* text, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (text[i] >= 'a' && text[i] <= 'z') text[i] -= 32;
}

__global__ void radix_pass(const unsigned* in, unsigned* out, int bit) {
  __shared__ int zeros[256];
  int t = threadIdx.x;
  unsigned v = in[t];
  int zero = !(v >> bit & 1);
  zeros[t] = zero;
  __syncthreads();
  for (int k = 1; k < 256; k <<= 1) {
    int x = t >= k ? zeros[t - k] : 0;
    __syncthreads();
    zeros[t] += x;
    __syncthreads();
  }
  int total = zeros[255], before = zeros[t] - zero;
  out[zero ? before : total + t - before] = v;
}

__global__ void edit_distance(const char* a, const char* b, int* out, int n) {
  // Anti-diagonals of the dynamic programming table; one block.
  __shared__ int row[3][65];
  int t = threadIdx.x;
  for (int d = 0; d <= 2 * n; ++d) {
    int* now = row[d % 3];
    int* last = row[(d + 2) % 3];
    int* before = row[(d + 1) % 3];
    for (int i = t; i <= n; i += blockDim.x) {
      int j = d - i;
      if (j < 0 || j > n) continue;
      if (i == 0 || j == 0) now[i] = i + j;
      else now[i] = min(min(last[i - 1], last[i]) + 1, before[i - 1] + (a[i - 1] != b[j - 1]));
    }
    __syncthreads();
  }
  if (t == 0) *out = row[(2 * n) % 3][n];
}
#else

SAMPLE(bitonic_shared, {.block = {256}, .arguments = {integers(512, 1, 10000)}}) {
  std::sort(data.ints(0), data.ints(0) + 512);
}
SAMPLE(bitonic_step, {.grid = {2}, .block = {128}, .arguments = {floats(256, 2), value(2), value(4)}}) {
  float* x = data.floats(0);
  for (unsigned i = 0; i < 256; ++i) {
    const unsigned k = i ^ 2;
    if (k > i && ((i & 4) == 0 ? x[i] > x[k] : x[i] < x[k])) std::swap(x[i], x[k]);
  }
}
SAMPLE(odd_even, {.block = {64}, .arguments = {integers<short>(100, 3, 500), value(100)}}) {
  std::sort(data.as<short>(0), data.as<short>(0) + 100);
}
SAMPLE(warp_bitonic, {.block = {32}, .arguments = {integers<unsigned>(32, 4, 1ull << 32)}}) {
  std::sort(data.words(0), data.words(0) + 32);
}
SAMPLE(rank_sort, {.grid = {2}, .block = {64}, .arguments = {doubles(100, 5), zeros<double>(100), value(100)}}) {
  std::copy(data.doubles(0), data.doubles(0) + 100, data.doubles(1));
  std::sort(data.doubles(1), data.doubles(1) + 100);
}
SAMPLE(histogram_shared, {.grid = {2}, .block = {128},
                          .arguments = {integers<unsigned char>(3000, 6, 256), zeros<unsigned>(256), value(3000)}}) {
  for (int i = 0; i < 3000; ++i) ++data.words(1)[data.as<unsigned char>(0)[i]];
}
SAMPLE(histogram_match, {.grid = {4}, .block = {96}, .arguments = {integers(300, 7, 1000), zeros<int>(16), value(300)}}) {
  for (int i = 0; i < 300; ++i) ++data.ints(1)[data.ints(0)[i] & 15];
}
static Argument sorted_integers(std::size_t count) {
  std::vector<int> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i * 7 % 5 + i * 3);
  std::sort(values.begin(), values.end());
  return buffer(values);
}
SAMPLE(binary_search, {.grid = {2}, .block = {128},
                       .arguments = {sorted_integers(500), integers(200, 8, 1600), zeros<int>(200), value(500), value(200)}}) {
  for (int i = 0; i < 200; ++i)
    data.ints(2)[i] = static_cast<int>(std::lower_bound(data.ints(0), data.ints(0) + 500, data.ints(1)[i]) - data.ints(0));
}
static Argument letters(std::size_t count, unsigned seed, int kinds) {
  std::mt19937 random(seed);
  std::vector<char> text(count);
  for (char& c : text) c = static_cast<char>('a' + random() % static_cast<unsigned>(kinds));
  return buffer(text);
}
SAMPLE(string_search, {.grid = {4}, .block = {256}, .arguments = {letters(1000, 9, 3), zeros<int>(1), value(1000)}}) {
  for (int i = 0; i + 4 <= 1000; ++i) data.ints(1)[0] += std::memcmp(data.as<char>(0) + i, "abac", 4) == 0;
}
static unsigned host_murmur(unsigned h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ h >> 16;
}
// Different keys in a table of their own order: insertion order decides slots, so keys here never collide.
SAMPLE(hash_insert, {.grid = {1}, .block = {32}, .arguments = {integers<unsigned>(20, 10, 1u << 31), zeros<unsigned>(1 << 14), value(20), value(1u << 14)}}) {
  for (int i = 0; i < 20; ++i) {
    const unsigned key = data.words(0)[i] | 1u;
    unsigned slot = host_murmur(key) & ((1u << 14) - 1);
    while (data.words(1)[slot] != 0 && data.words(1)[slot] != key) slot = (slot + 1) & ((1u << 14) - 1);
    data.words(1)[slot] = key;
  }
}
SAMPLE(hash_lookup_count, {.grid = {2}, .block = {256}, .arguments = {integers<unsigned>(400, 11, 1ull << 32), zeros<int>(7), value(400)}}) {
  for (int i = 0; i < 400; ++i) ++data.ints(1)[host_murmur(data.words(0)[i]) % 7];
}
SAMPLE(fnv1a, {.block = {64}, .arguments = {integers<unsigned char>(64 * 19, 12, 256), zeros<unsigned long long>(64), value(19)}}) {
  for (int i = 0; i < 64; ++i) {
    unsigned long long h = 14695981039346656037ull;
    for (int k = 0; k < 19; ++k) h = (h ^ data.as<unsigned char>(0)[i * 19 + k]) * 1099511628211ull;
    data.as<unsigned long long>(1)[i] = h;
  }
}
SAMPLE(crc32, {.block = {32}, .arguments = {integers<unsigned char>(32 * 11, 13, 256), zeros<unsigned>(32), value(11)}}) {
  for (int i = 0; i < 32; ++i) {
    unsigned crc = ~0u;
    for (int k = 0; k < 11; ++k) {
      crc ^= data.as<unsigned char>(0)[i * 11 + k];
      for (int b = 0; b < 8; ++b) crc = (crc & 1) != 0 ? (crc >> 1) ^ 0xedb88320u : crc >> 1;
    }
    data.words(1)[i] = ~crc;
  }
}
SAMPLE(to_upper, {.block = {64}, .arguments = {letters(300, 14, 26), value(300)}}) {
  for (int i = 0; i < 300; ++i) data.as<char>(0)[i] = static_cast<char>(data.as<char>(0)[i] - 32);
}
SAMPLE(radix_pass, {.block = {256}, .arguments = {integers<unsigned>(256, 15, 1000), zeros<unsigned>(256), value(3)}}) {
  std::copy(data.words(0), data.words(0) + 256, data.words(1));
  std::stable_partition(data.words(1), data.words(1) + 256, [](unsigned v) { return (v >> 3 & 1) == 0; });
}
SAMPLE(edit_distance, {.block = {32}, .arguments = {letters(50, 16, 3), letters(50, 17, 3), zeros<int>(1), value(50)}}) {
  int table[51][51];
  for (int i = 0; i <= 50; ++i)
    for (int j = 0; j <= 50; ++j)
      table[i][j] = i == 0 || j == 0 ? i + j
                                     : std::min(std::min(table[i - 1][j], table[i][j - 1]) + 1,
                                                table[i - 1][j - 1] + (data.as<char>(0)[i - 1] != data.as<char>(1)[j - 1]));
  data.ints(2)[0] = table[50][50];
}
#endif
