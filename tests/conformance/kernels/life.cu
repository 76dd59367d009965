// Cellular automata.

__global__ void life(const unsigned char* in, unsigned char* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int n = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      if (dx == 0 && dy == 0) continue;
      n += in[((y + dy + height) % height) * width + (x + dx + width) % width];
    }
  out[y * width + x] = n == 3 || (n == 2 && in[y * width + x]);
}

__global__ void life_shared(const int* in, int* out, int n) {
  __shared__ int s[18][34];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
  for (int i = ty * 32 + tx; i < 18 * 34; i += 512) {
    int sx = i % 34, sy = i / 34;
    s[sy][sx] = in[((y0 + sy - 1 + n) & (n - 1)) * n + ((x0 + sx - 1 + n) & (n - 1))];
  }
  __syncthreads();
  int c = s[ty][tx] + s[ty][tx + 1] + s[ty][tx + 2] + s[ty + 1][tx] + s[ty + 1][tx + 2] + s[ty + 2][tx] +
          s[ty + 2][tx + 1] + s[ty + 2][tx + 2];
  out[(y0 + ty) * n + x0 + tx] = (c == 3) | ((c == 2) & s[ty + 1][tx + 1]);
}

// Rule 30 on packed bits, many generations inside one block.
__global__ void rule_30(unsigned* state, int generations) {
  __shared__ unsigned s[2][128];
  int t = threadIdx.x;
  s[0][t] = state[blockIdx.x * 128 + t];
  __syncthreads();
  for (int g = 0; g < generations; ++g) {
    unsigned c = s[g & 1][t];
    unsigned l = (c << 1) | (s[g & 1][(t + 127) & 127] >> 31);
    unsigned r = (c >> 1) | (s[g & 1][(t + 1) & 127] << 31);
    s[(g + 1) & 1][t] = l ^ (c | r);
    __syncthreads();
  }
  state[blockIdx.x * 128 + t] = s[generations & 1][t];
}
