// Partial warps, branches and predicates.

__global__ void odd_lanes_only(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (threadIdx.x & 1)) out[i] = in[i] * 3;
}

__global__ void half_warps(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if ((threadIdx.x & 31) < 16)
    out[i] = in[i] * 2.0f;
  else
    out[i] = in[n - 1 - i] + 1.0f;
}

__global__ void every_fifth_warp(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int warp = i / 32;
  if (warp % 5 == 0 && i < n) out[i] = in[i] + 1;
}

__global__ void early_return(const int* limit, const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (limit[i] % 3 == 0) return;
  float v = in[i];
  if (v < 0.0f) return;
  out[i] = sqrtf(v);
}

__global__ void four_ways(const int* kind, const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  switch (kind[i]) {
    case 0:
      for (int k = 0; k < 3; ++k) v = v * v + 0.25f;
      break;
    case 1:
      v = 1.0f / (2.0f + v);
      break;
    case 2:
      v = v > 0.0f ? sqrtf(v) : -v;
      break;
    default:
      v = v * 7.0f - out[i];
  }
  out[i] = v;
}

__global__ void sixteen_ways(const unsigned* op, unsigned* state, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned s = state[i];
  switch (op[i] & 15) {
    case 0: s += 17; break;
    case 1: s ^= s << 13; break;
    case 2: s = s * 5 + 1; break;
    case 3: s = ~s; break;
    case 4: s = (s >> 3) | (s << 29); break;
    case 5: s -= op[i]; break;
    case 6: s = __popc(s); break;
    case 7: s = __clz(s); break;
    case 8: s = __brev(s); break;
    case 9: s = s / 7; break;
    case 10: s = s % 1000; break;
    case 11: s = max(s, 4096u); break;
    case 12: s = min(s, 77u); break;
    case 13: s = s & 0xff00ff; break;
    case 14: s = __byte_perm(s, op[i], 0x3715); break;
    default: s = 0;
  }
  state[i] = s;
}

// Trip counts differ by lane: lanes leave the loop one after the other.
__global__ void ragged_loops(const int* count, const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < count[i]; ++k) sum += in[(i + k * 32) % n];
  out[i] = sum;
}

__global__ void nested_ifs(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = in[i];
  int r = 0;
  if (v & 1) {
    r = out[(i * 3) % n];
    if (v & 2) {
      r += out[(i * 5) % n];
      if (v & 4) r *= out[(i * 7) % n];
    } else {
      r -= 9;
    }
  } else if (v & 8) {
    r = v * v;
  }
  out[n + i] = r;
}

__global__ void break_and_continue(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int found = -1;
  int seen = 0;
  for (int k = 0; k < 40; ++k) {
    int v = in[(i + 37 * k) % n];
    if (v % 2) continue;
    ++seen;
    if (v > 900) {
      found = v;
      break;
    }
  }
  out[2 * i] = found;
  out[2 * i + 1] = seen;
}

__global__ void one_thread_works(const float* in, float* out, int n) {
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int k = 0; k < 32; ++k) sum += in[(blockIdx.x * 32 + k) % n];
    out[blockIdx.x] = sum;
  }
}

__global__ void do_while(const unsigned* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
  unsigned steps = 0;
  do {
    x = x * 1664525u + 1013904223u;
    ++steps;
  } while ((x >> 28) != 3u && steps < 64u);
  out[i] = steps;
}
