// Records of 7 to 36 bytes, packed and padded; half, bfloat16, 64-bit and three-part types; unions and bit
// fields.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Point12 {
  float x, y, z;
};

__global__ void unit_points(const Point12* in, Point12* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Point12 p = in[i];
  float inv = rsqrtf(p.x * p.x + p.y * p.y + p.z * p.z + 1e-6f);
  p.x *= inv;
  p.y *= inv;
  p.z *= inv;
  out[i] = p;
}

struct Body20 {
  float position[3];
  int id;
  float weight;
};

__global__ void lift_bodies(Body20* bodies, int n, float dz, int every) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && bodies[i].id % every == 0) {
    bodies[i].position[2] += dz * bodies[i].weight;
    bodies[i].id += 1;
  }
}

struct Sample24 {
  double time;
  float value[3];
  int channel;
};

__global__ void resample(const Sample24* samples, float* out, int n, double at) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1) return;
  const Sample24& a = samples[i];
  const Sample24& b = samples[i + 1];
  float t = (float)((at - a.time) * 0.5);
#pragma unroll
  for (int k = 0; k < 3; ++k) out[i * 3 + k] = a.value[k] + t * (b.value[k] - a.value[k]);
}

struct Padded8 {
  signed char tag;
  short level;
  int weight;
};

__global__ void tagged_sum(const Padded8* in, long long* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (long long)in[i].tag * in[i].weight + in[i].level;
}

#pragma pack(push, 1)
struct Packed7 {
  unsigned char kind;
  unsigned short code;
  unsigned int value;
};
#pragma pack(pop)

__global__ void unpack_records(const Packed7* in, unsigned* values, unsigned short* codes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Packed7 r = in[i];
  if (r.kind & 1) values[i] = r.value;
  codes[i] = r.code;
}

union Bits32 {
  float f;
  unsigned u;
  unsigned char b[4];
};

__global__ void float_fields(const float* in, unsigned char* exponent, unsigned* mantissa, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Bits32 v;
  v.f = in[i];
  exponent[i] = (unsigned char)(v.u >> 23);
  mantissa[i] = v.u & 0x7fffffu;
  if (v.b[3] & 0x80) mantissa[i] |= 0x80000000u;
}

struct Date {
  unsigned day : 5, month : 4, year : 12, weekday : 3;
};

__global__ void next_day(Date* dates, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Date d = dates[i];
  d.weekday = (d.weekday + 1) % 7;
  if (++d.day > 30) {
    d.day = 1;
    if (++d.month > 12) {
      d.month = 1;
      d.year++;
    }
  }
  dates[i] = d;
}

__global__ void half_lerp(const __half* a, const __half* b, __half* out, __half t, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __hfma(t, __hsub(b[i], a[i]), a[i]);
}

__global__ void half2_with_tail(const __half* in, __half* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const __half2* in2 = reinterpret_cast<const __half2*>(in);
  __half2* out2 = reinterpret_cast<__half2*>(out);
  if (i < n / 2) out2[i] = __hmul2(in2[i], in2[i]);
  if (i == 0 && n % 2) out[n - 1] = __hmul(in[n - 1], in[n - 1]);
}

__global__ void bf16_average(const __nv_bfloat16* rows, float* mean, int nrows, int ncols) {
  int r = blockIdx.x * blockDim.y + threadIdx.y;
  float sum = 0;
  if (r < nrows)
    for (int c = threadIdx.x; c < ncols; c += 32) sum += __bfloat162float(rows[r * ncols + c]);
  for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if (threadIdx.x == 0 && r < nrows) mean[r] = sum / ncols;
}

__global__ void to_bf16_pairs(const float2* in, __nv_bfloat162* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __float22bfloat162_rn(in[i]);
}

__global__ void swap_wide(longlong2* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) {
    longlong2 a = v[i], b = v[n - 1 - i];
    v[i] = make_longlong2(b.y, b.x);
    v[n - 1 - i] = make_longlong2(a.y, a.x);
  }
}

__device__ float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

__global__ void face_normals(const float3* vertices, const int* faces, float3* normals, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float3 a = vertices[faces[3 * i]], b = vertices[faces[3 * i + 1]], c = vertices[faces[3 * i + 2]];
  float3 u = make_float3(b.x - a.x, b.y - a.y, b.z - a.z);
  float3 v = make_float3(c.x - a.x, c.y - a.y, c.z - a.z);
  normals[i] = cross(u, v);
}

__global__ void tint(uchar3* pixels, short4* sums, int n, int red) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar3 p = pixels[i];
  short4 s = sums[i];
  s.x += p.x;
  s.y += p.y;
  s.z += p.z;
  s.w++;
  sums[i] = s;
  p.x = (unsigned char)min(255, p.x + red);
  pixels[i] = p;
}

// Five floats a record are turned into five arrays through shared memory.
__global__ void split_records(const float* records, float* columns, int n) {
  __shared__ float stage[5 * 96];
  int first = blockIdx.x * 96;
  int here = min(96, n - first);
  for (int k = threadIdx.x; k < here * 5; k += blockDim.x) stage[k] = records[first * 5 + k];
  __syncthreads();
  if (threadIdx.x < here)
    for (int f = 0; f < 5; ++f) columns[f * n + first + threadIdx.x] = stage[threadIdx.x * 5 + f];
}

struct Matrix36 {
  float m[3][3];
};

__global__ void transform_points(const Matrix36* poses, const float3* in, float3* out, int n, int nposes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Matrix36& t = poses[i % nposes];
  float3 p = in[i];
  out[i] = make_float3(t.m[0][0] * p.x + t.m[0][1] * p.y + t.m[0][2] * p.z,
                       t.m[1][0] * p.x + t.m[1][1] * p.y + t.m[1][2] * p.z,
                       t.m[2][0] * p.x + t.m[2][1] * p.y + t.m[2][2] * p.z);
}

struct alignas(16) Quaternion {
  float w, x, y, z;
};

__device__ Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

__global__ void compose_turns(const Quaternion* a, Quaternion* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i] * b[i];
}

struct Ten {
  short s[5];
};

__global__ void rotate_tens(Ten* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Ten t = v[i];
  short first = t.s[0];
  for (int k = 0; k < 4; ++k) t.s[k] = t.s[k + 1];
  t.s[4] = first;
  v[i] = t;
}

struct Edge {
  unsigned short from, to;
  __half cost;
};

__global__ void edge_costs(const Edge* edges, const float* potential, float* reduced, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    Edge e = edges[i];
    reduced[i] = (float)(e.from & 511) + potential[e.from % 200] - potential[e.to % 200];
  }
}

// A time stamp is looked up in a table of breaks by bisection.
__global__ void bucket_of(const long long* stamps, const long long* breaks, unsigned char* bucket, int n,
                          int nbreaks) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long t = stamps[i];
  int lo = 0, hi = nbreaks;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (breaks[mid] <= t)
      lo = mid + 1;
    else
      hi = mid;
  }
  bucket[i] = (unsigned char)lo;
}
