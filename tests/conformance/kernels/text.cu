// Strings and bytes.

__constant__ unsigned crc_nibble[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

__global__ void find_pattern(const unsigned char* text, int n, const unsigned char* pattern, int m, int* matches) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + m > n) return;
  for (int k = 0; k < m; ++k)
    if ((text[i + k] & 3) != (pattern[k] & 3)) return;
  atomicAdd(matches, 1);
}

__global__ void find_shared(const unsigned char* text, int n, const unsigned char* pattern, int m, int* found) {
  __shared__ unsigned char piece[256 + 16];
  __shared__ unsigned char p[16];
  int i = blockIdx.x * 256 + threadIdx.x;
  if (threadIdx.x < m) p[threadIdx.x] = pattern[threadIdx.x] & 1;
  piece[threadIdx.x] = i < n ? text[i] & 1 : 255;
  if (threadIdx.x < 16) piece[256 + threadIdx.x] = i + 256 < n ? text[i + 256] & 1 : 255;
  __syncthreads();
  int k = 0;
  while (k < m && piece[threadIdx.x + k] == p[k]) ++k;
  found[i] = k;
}

__global__ void upper_case(char* text, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && text[i] >= 'a' && text[i] <= 'z') text[i] -= 32;
}

__global__ void count_words(const unsigned char* text, int n, int* words) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool start = i < n && text[i] > 60 && (i == 0 || text[i - 1] <= 60);
  unsigned ballot = __ballot_sync(0xffffffffu, start);
  if ((threadIdx.x & 31) == 0) atomicAdd(words, __popc(ballot));
}

__global__ void crc32_rows(const unsigned char* data, unsigned* crc, int rows, int length) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  unsigned c = 0xffffffffu;
  for (int k = 0; k < length; ++k) {
    c ^= data[r * length + k];
    c = crc_nibble[c & 15] ^ (c >> 4);
    c = crc_nibble[c & 15] ^ (c >> 4);
  }
  crc[r] = ~c;
}

__global__ void base64(const unsigned char* in, unsigned char* out, int groups) {
  __shared__ unsigned char alphabet[64];
  if (threadIdx.x < 64) {
    int t = threadIdx.x;
    alphabet[t] = t < 26 ? 'A' + t : t < 52 ? 'a' + t - 26 : t < 62 ? '0' + t - 52 : t == 62 ? '+' : '/';
  }
  __syncthreads();
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= groups) return;
  unsigned v = (in[3 * g] << 16) | (in[3 * g + 1] << 8) | in[3 * g + 2];
  out[4 * g] = alphabet[v >> 18];
  out[4 * g + 1] = alphabet[(v >> 12) & 63];
  out[4 * g + 2] = alphabet[(v >> 6) & 63];
  out[4 * g + 3] = alphabet[v & 63];
}

// Edit distance of short words, one pair a thread, one row of the table in local memory.
__global__ void edit_distance(const unsigned char* a, const unsigned char* b, int* out, int pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  unsigned char row[9];
  for (int k = 0; k <= 8; ++k) row[k] = k;
  for (int r = 1; r <= 8; ++r) {
    int diagonal = row[0];
    row[0] = r;
    for (int c = 1; c <= 8; ++c) {
      int cost = (a[i * 8 + r - 1] & 3) != (b[i * 8 + c - 1] & 3);
      int best = min(min(row[c] + 1, row[c - 1] + 1), diagonal + cost);
      diagonal = row[c];
      row[c] = best;
    }
  }
  out[i] = row[8];
}
