// Ways through a program: nested ifs, short circuits, switches, early returns, jumps, machines and searches.

__global__ void three_nested_ifs(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int v = in[i];
    if (v % 2 == 0) {
      if (v % 3 == 0) {
        if (v % 5 == 0)
          out[i] = out[(i + 1) % 2 + 2 * n] + 30;
        else
          out[i] = v / 6;
      } else {
        out[i] = in[n - 1 - i];
      }
      out[i + n] = v;
    } else if (v > 500) {
      out[i] = -v;
    }
  }
}

__global__ void and_or_else(const int* a, const int* b, const int* c, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (a[i] > 3 && (b[i] < 5 || c[i] == 2))
    out[i] = a[n - 1 - i];
  else
    out[i] = b[i] + 1;
}

__global__ void or_of_ands(const int* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bool left = i > 0 && a[i - 1] > 4, right = i + 1 < n && a[i + 1] < 3;
  if ((left && b[i] > 0.3f) || (right && b[(i + 7) % n] < 0.6f) || !(a[i] & 1)) out[i] = b[i] * 2.f;
}

__global__ void not_both(const int* a, const int* b, int* out, int n, int mode) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || (mode == 1 && i % 4 == 3)) return;
  if (!(a[i] > 5 && b[i] > 5) && (mode || a[i] != b[i])) out[i] = a[i] * b[i];
}

__global__ void dense_eight(const int* kind, const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  switch (kind[i]) {
    case 0:
      v = v + 1.f;
      break;
    case 1:
      v = v * v;
      break;
    case 2:
      v = x[(i + 1) % n];
      break;
    case 3:
      v = sqrtf(fabsf(v));
      break;
    case 4:
      v = -v;
      break;
    case 5:
      v = x[i / 2] - v;
      break;
    case 6:
      v = 1.f / (v + 2.f);
      break;
    case 7:
      return;
    default:
      v = 0.f;
  }
  out[i] = v;
}

__global__ void sparse_codes(const int* code, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int r;
  switch (code[i]) {
    case 3:
      r = code[0];
      break;
    case 100:
      r = 2;
      break;
    case 404:
      r = i;
      break;
    case 731:
      r = code[(i + 3) % n];
      break;
    case 200:
    case 201:
      r = 20;
      break;
    default:
      r = code[i] > 500 ? 5 : 1;
  }
  out[i] = r;
}

__global__ void falling_steps(const int* from, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int s = 0;
  switch (from[i] & 7) {
    case 0:
      s += from[(i + 4) % n];
    case 1:
      s += 3;
    case 2:
      s *= 2;
      break;
    case 3:
      s = from[i] / 8;
    case 4:
      s ^= from[(i + 9) % n];
      break;
    case 6:
      s -= 1;
    case 7:
      s += i;
  }
  out[i] = s;
}

__global__ void first_divisor(const unsigned* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i] + 2;
  for (unsigned d = 2; d * d <= v; d++)
    if (v % d == 0) {
      out[i] = d;
      return;
    }
  out[i] = v;
}

__global__ void find_in_row(const int* rows, int* at, int width, int wanted, int count) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count) return;
  for (int c = 0; c < width; c++) {
    int v = rows[r * width + c];
    if (v == wanted) {
      at[r] = c;
      return;
    }
    if (v > 95) return;
  }
  at[r] = -2;
}

__global__ void retry_with_goto(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int place = i, tries = 0, v;
again:
  v = in[place];
  if (v % 3 == 0) goto done;
  place = (place * 5 + v) % n;
  if (++tries < 6) goto again;
  v = -1;
done:
  out[i] = v + tries * 1000;
}

__global__ void goto_two_loops(const int* grid, int* out, int rows, int width, int wanted) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  int x = 0, y = 0;
  for (y = 0; y < 3; y++)
    for (x = 0; x < width; x++)
      if (grid[(r + y) % rows * width + x] == wanted) goto found;
  out[r] = -1;
  return;
found:
  out[r] = y * width + x;
}

__global__ void chained_ternaries(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  out[i] = v < 0.25f ? in[i / 3] : v < 0.5f ? v * 4.f : v < 0.75f ? in[n - 1] - v : 1.f;
}

__device__ __noinline__ int costly(const int* in, int i, int n) {
  int s = 0;
  for (int k = 0; k < (in[i] & 7) + 1; k++) s += in[(i + k * k) % n];
  return s;
}

__global__ void call_if_odd(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int r = in[i];
  if (r & 1)
    r = costly(in, i, n);
  else if (i % 3 == 0)
    r = costly(in, n - 1 - i, n) + 1;
  out[i] = r;
}

// A lift: closed, open, moving up, moving down.
__global__ void lift_machine(const unsigned char* events, int* visits, int machines, int steps) {
  int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= machines) return;
  int state = 0, floor = 0, opened = 0;
  for (int s = 0; s < steps; s++) {
    int e = events[s * machines + m] & 3;
    if (state == 0) {
      if (e == 0) {
        state = 1;
        opened++;
      } else if (e == 1 && floor < 5) {
        state = 2;
      } else if (e == 2 && floor > 0) {
        state = 3;
      }
    } else if (state == 1) {
      if (e != 3) state = 0;
    } else {
      floor += state == 2 ? 1 : -1;
      if (e > 1 || floor == 0 || floor == 5) state = 0;
    }
  }
  visits[m] = opened * 100 + floor * 10 + state;
}

__global__ void quoted_fields(const unsigned char* text, int* fields, int lines, int width) {
  int l = blockIdx.x * blockDim.x + threadIdx.x;
  if (l >= lines) return;
  enum { kStart, kPlain, kQuoted, kAfter } state = kStart;
  int count = 1;
  for (int k = 0; k < width; k++) {
    int c = text[l * width + k] % 6;  // 0 comma, 1 quote, 2 end of the line, else a letter
    if (c == 2 && state != kQuoted) break;
    switch (state) {
      case kStart:
        state = c == 1 ? kQuoted : c == 0 ? (count++, kStart) : kPlain;
        break;
      case kPlain:
        if (c == 0) count++, state = kStart;
        break;
      case kQuoted:
        if (c == 1) state = kAfter;
        break;
      case kAfter:
        if (c == 1)
          state = kQuoted;
        else if (c == 0)
          count++, state = kStart;
        break;
    }
  }
  fields[l] = state == kQuoted ? -count : count;
}

__global__ void bisect_upper(const int* sorted, const int* keys, int* out, int count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int low = 0, high = count - 1, found = -1;
  while (low <= high) {
    int middle = low + (high - low) / 2, v = sorted[middle];
    if (v == keys[i]) {
      found = middle;
      break;
    }
    if (v < keys[i])
      low = middle + 1;
    else
      high = middle - 1;
  }
  out[i] = found >= 0 ? found : -low - 1;
}

__global__ void bisect_root(const float* target, float* root, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float low = 0.f, high = 4.f;
  for (int k = 0; k < 30 && high - low > 0.001f; k++) {
    float m = 0.5f * (low + high);
    if (m * m * m - m > target[i])
      high = m;
    else
      low = m;
  }
  root[i] = low;
}

__global__ void march_into_grid(const unsigned char* solid, float* depth, int width, int height, int size) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float x = px * 0.5f, y = py * 0.5f, z = 0.f;
  float dx = (px - width / 2) * 0.02f, dy = (py - height / 2) * 0.02f;
  for (int step = 0; step < 40; step++) {
    x += dx;
    y += dy;
    z += 0.375f;
    int cx = (int)floorf(x), cy = (int)floorf(y), cz = (int)z;
    if (cx < 0 || cy < 0 || cx >= size || cy >= size || cz >= size) break;
    if (solid[(cz * size + cy) * size + cx] > 240) {
      depth[py * width + px] = z;
      return;
    }
  }
  depth[py * width + px] = -1.f;
}

__global__ void sphere_tracing(const float4* spheres, float* out, int count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = (i % 13) * 0.25f - 1.5f, y = (i / 13) * 0.25f - 1.5f, z = -4.f;
  int steps = 0;
  float d = 0.f;
  do {
    d = 100.f;
    for (int s = 0; s < count; s++) {
      float4 c = spheres[s];
      float ax = x - c.x, ay = y - c.y, az = z - c.z;
      d = fminf(d, sqrtf(ax * ax + ay * ay + az * az) - c.w * 0.5f);
    }
    z += d;
    steps++;
  } while (d > 0.015625f && z < 6.f && steps < 24);
  out[i] = z < 6.f ? z : 6.f;
}

__global__ void signed_numbers(const unsigned char* text, int* value, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned char* p = text + i * width;
  const unsigned char* end = p + width;
  while (p<end&& * p % 16> 12) p++;
  bool minus = false;
  if (p < end && (*p % 16 == 11 || *p % 16 == 12)) minus = *p++ % 16 == 12;
  int v = 0;
  while (p != end && *p % 16 < 10) v = v * 10 + *p++ % 16;
  value[i] = minus ? -v : v;
}

__global__ void little_codes(const unsigned char* in, unsigned char* out, int* lengths, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int put = 0;
  for (int k = 0; k < 12;) {
    unsigned char c = in[i * 12 + k];
    int run = 1;
    while (k + run < 12 && in[i * 12 + k + run] == c && run < 4) run++;
    if (run > 1) {
      out[i * 24 + put++] = 0xf0 | run;
      out[i * 24 + put++] = c;
    } else if (c >= 0x3) {
      out[i * 24 + put++] = 0xf1;
      out[i * 24 + put++] = c;
    } else {
      out[i * 24 + put++] = c;
    }
    k += run;
  }
  lengths[i] = put;
}

__global__ void warp_by_warp_roles(const float* in, float* out, int n) {
  __shared__ float s[160];
  int t = threadIdx.x, i = blockIdx.x * 160 + t;
  s[t] = i < n ? in[i] : 0.f;
  __syncthreads();
  float v = 0.f;
  switch (t / 32) {
    case 0:
      v = s[t * 5 % 160];
      break;
    case 1:
      v = s[t] + s[t - 1];
      break;
    case 2:
      if (t & 1) v = s[159 - t];
      break;
    case 3:
      for (int k = 0; k < t % 4; k++) v += s[k * 32];
      break;
    default:
      v = s[0];
  }
  if (i < n) out[i] = v;
}

__global__ void rock_paper_scissors(const int2* throws, int* wins, int* draws, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int a = throws[i].x, b = throws[i].y;
  if (a == b)
    atomicAdd(draws, 1);
  else if ((a == 0 && b == 2) || (a == 1 && b == 0) || (a == 2 && b == 1))
    atomicAdd(&wins[0], 1);
  else
    atomicAdd(&wins[1], 1);
}

__global__ void tax_bands(const double* income, double* tax, const int* married, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = income[i], t = 0;
  if (married[i]) v *= 0.5;
  if (v > 400) {
    t += (v - 400) * 0.4;
    v = 400;
  }
  if (v > 150) {
    t += (v - 150) * 0.2;
    v = 150;
  }
  if (v > 50 && !(married[i] && v < 80)) t += (v - 50) * 0.1;
  tax[i] = married[i] ? t * 2 : t;
}

__global__ void edges_of_volume(const int* in, int* out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x >= nx || y >= ny) return;
  int at = (z * ny + y) * nx + x, v = in[at], s = 0;
  if (x == 0 || in[at - 1] != v) s |= 1;
  if (x == nx - 1 || in[at + 1] != v) s |= 2;
  if (y > 0 && y < ny - 1) {
    if (in[at - nx] != v && in[at + nx] != v) s |= 4;
  } else if (z > 0) {
    s |= in[at - nx * ny] & 8;
  }
  if (s) out[at] = s;
}
