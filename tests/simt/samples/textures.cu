// Texture and surface objects: the references below are the formulas of the programming guide's appendix on
// texture fetching, written out for one texture each.
#ifdef __CUDACC__
#include <cuda_runtime.h>

__global__ void fetch_linear_memory(cudaTextureObject_t t, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = tex1Dfetch<float>(t, i - 2);
}

__global__ void fetch_pairs(cudaTextureObject_t t, int* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  short2 v = tex1Dfetch<short2>(t, i);
  o[i] = v.x * 100000 + v.y;
}

__global__ void lookup_table(cudaTextureObject_t t, float* o, int n, float step, float shift) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = tex1D<float>(t, i * step + shift);
}

__global__ void rotate_image(cudaTextureObject_t t, float* o, int w, int h, float c, float s) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float u = x / (float)w - 0.5f, v = y / (float)h - 0.5f;
  o[y * w + x] = tex2D<float>(t, u * c - v * s + 0.5f, v * c + u * s + 0.5f);
}

__global__ void box_filter(cudaTextureObject_t t, uchar4* o, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int4 sum = make_int4(0, 0, 0, 0);
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      uchar4 p = tex2D<uchar4>(t, x + dx + 0.5f, y + dy + 0.5f);
      sum.x += p.x, sum.y += p.y, sum.z += p.z, sum.w += p.w;
    }
  o[y * w + x] = make_uchar4(sum.x / 9, sum.y / 9, sum.z / 9, sum.w / 9);
}

__global__ void volume_slice(cudaTextureObject_t t, float* o, int n, float z) {
  int x = threadIdx.x, y = threadIdx.y;
  if (x < n && y < n) o[y * n + x] = tex3D<float>(t, x + 0.75f, y + 0.5f, z);
}

__global__ void corners(cudaTextureObject_t t, float4* o, int w) {
  int x = threadIdx.x, y = threadIdx.y;
  o[y * w + x] = tex2Dgather<float4>(t, x + 1.0f, y + 1.0f, 0);
}

__global__ void invert_surface(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  uchar4 p = surf2Dread<uchar4>(from, x * 4, y);
  uchar4 left = surf2Dread<uchar4>(from, (x - 1) * 4, y, cudaBoundaryModeClamp);
  uchar4 below = surf2Dread<uchar4>(from, x * 4, y + 1, cudaBoundaryModeZero);
  surf2Dwrite(make_uchar4(255 - p.x, left.y, below.z, p.w), to, x * 4, y);
}

__global__ void faces(cudaTextureObject_t cube, cudaTextureObject_t cubes, float* out) {
  const int t = threadIdx.x, axis = t / 2 % 3;
  const float s = t & 1 ? -1.0f : 1.0f;
  const float x = axis == 0 ? s : 0.25f, y = axis == 1 ? s : 0.25f, z = axis == 2 ? s : -0.25f;
  out[t] = texCubemap<float>(cube, x, y, z) + 100 * texCubemapLayered<float>(cubes, x, y, z, t / 6);
}

#else

// A texel of a row-major image; outside of it, the nearest one inside.
template <typename T>
static T clamped(const T* image, int x, int y, int w, int h) {
  return image[std::min(std::max(y, 0), h - 1) * w + std::min(std::max(x, 0), w - 1)];
}
// The fraction that a texture unit keeps: 8 bits, rounded.
static double eight_bits(double x) {
  return std::floor(x * 256 + 0.5) / 256;
}

SAMPLE(fetch_linear_memory, {.grid = {1},
                             .block = {64},
                             .arguments = {texture("tex:f32:50:hash"), zeros<float>(64), value(64)}}) {
  for (int i = 0; i < 64; ++i) data.floats(1)[i] = i >= 2 && i < 52 ? data.floats(0)[i - 2] : 0;
}

SAMPLE(fetch_pairs,
       {.grid = {2}, .block = {32}, .arguments = {texture("tex:i16x2:64:hash"), zeros<int>(60), value(60)}}) {
  const auto* pairs = data.as<std::int16_t>(0);
  for (int i = 0; i < 60; ++i) {
    // Wraps as the GPU does.
    const unsigned high = static_cast<unsigned>(pairs[2 * i]) * 100000u;
    data.ints(1)[i] = static_cast<int>(high + static_cast<unsigned>(pairs[2 * i + 1]));
  }
}

SAMPLE(lookup_table, {.grid = {1},
                      .block = {128},
                      .arguments = {texture("tex:f32:16:linear,clamp:hash"), zeros<float>(128), value(128),
                                    value(0.15625f), value(-1.0f)},
                      .tolerance = 1e-6}) {
  for (int i = 0; i < 128; ++i) {
    const double x = eight_bits(static_cast<double>(static_cast<float>(i) * 0.15625f - 1.0f) - 0.5);
    const int left = static_cast<int>(std::floor(x));
    const double a = x - left;
    const float* table = data.floats(0);
    data.floats(1)[i] = static_cast<float>((1 - a) * static_cast<double>(clamped(table, left, 0, 16, 1)) +
                                           a * static_cast<double>(clamped(table, left + 1, 0, 16, 1)));
  }
}

SAMPLE(rotate_image, {.grid = {2, 3},
                      .block = {16, 8},
                      .arguments = {texture("tex:f32:24x20:linear,wrap,norm:hash"), zeros<float>(24 * 20),
                                    value(24), value(20), value(0.75f), value(0.5f)},
                      .tolerance = 1e-2}) {
  const float* image = data.floats(0);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 24; ++x) {
      const float u = static_cast<float>(x) / 24.0f - 0.5f, v = static_cast<float>(y) / 20.0f - 0.5f;
      const double fx = eight_bits(static_cast<double>(u * 0.75f - v * 0.5f + 0.5f) * 24 - 0.5);
      const double fy = eight_bits(static_cast<double>(v * 0.75f + u * 0.5f + 0.5f) * 20 - 0.5);
      const int i = static_cast<int>(std::floor(fx)), j = static_cast<int>(std::floor(fy));
      const auto at = [&](int a, int b) {
        return static_cast<double>(image[(b % 20 + 20) % 20 * 24 + (a % 24 + 24) % 24]);
      };
      const double a = fx - i, b = fy - j;
      data.floats(1)[y * 24 + x] =
          static_cast<float>((1 - b) * ((1 - a) * at(i, j) + a * at(i + 1, j)) +
                             b * ((1 - a) * at(i, j + 1) + a * at(i + 1, j + 1)));
    }
  }
}

SAMPLE(box_filter, {.grid = {2, 2},
                    .block = {16, 16},
                    .arguments = {texture("tex:u8x4:30x20:point,clamp:hash"), zeros<std::uint8_t>(30 * 20 * 4),
                                  value(30), value(20)}}) {
  const auto* in = data.as<std::uint32_t>(0);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 30; ++x) {
      for (int c = 0; c < 4; ++c) {
        std::uint32_t sum = 0;
        for (int k = 0; k < 9; ++k) sum += clamped(in, x + k % 3 - 1, y + k / 3 - 1, 30, 20) >> (8 * c) & 255;
        data.as<std::uint8_t>(1)[(y * 30 + x) * 4 + c] = static_cast<std::uint8_t>(sum / 9);
      }
    }
  }
}

SAMPLE(volume_slice, {.grid = {1},
                      .block = {8, 8},
                      .arguments = {texture("tex:f32:8x8x4:linear,border:iota"), zeros<float>(64), value(8),
                                    value(4.0f)},
                      .tolerance = 1e-6}) {
  // z = 4 lies half a texel behind the last slice, x half way to the next texel's quarter.
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      const float* row = data.floats(0) + (3 * 8 + y) * 8;
      const float next = x < 7 ? row[x + 1] : 0;
      data.floats(1)[y * 8 + x] = 0.5f * (0.75f * row[x] + 0.25f * next);
    }
  }
}

SAMPLE(corners, {.grid = {1},
                 .block = {6, 4},
                 .arguments = {texture("tex:f32:8x8:point,clamp:iota"), zeros<float>(6 * 4 * 4), value(6)}}) {
  const float* t = data.floats(0);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 6; ++x) {
      float* out = data.floats(1) + (y * 6 + x) * 4;
      out[0] = t[(y + 1) * 8 + x];
      out[1] = t[(y + 1) * 8 + x + 1];
      out[2] = t[y * 8 + x + 1];
      out[3] = t[y * 8 + x];
    }
  }
}

SAMPLE(invert_surface,
       {.grid = {2, 2},
        .block = {8, 8},
        .arguments = {texture("surf:u8x4:10x9:hash"), texture("surf:u8x4:10x9:zero"), value(10), value(9)}}) {
  const auto* from = data.as<std::uint8_t>(0);
  auto* to = data.as<std::uint8_t>(1);
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 10; ++x) {
      const int i = (y * 10 + x) * 4, left = x > 0 ? i - 4 : i;
      to[i] = static_cast<std::uint8_t>(255 - from[i]);
      to[i + 1] = from[left + 1];
      to[i + 2] = y < 8 ? from[i + 40 + 2] : 0;
      to[i + 3] = from[i + 3];
    }
  }
}

SAMPLE(faces, {.grid = {1}, .block = {12}, .arguments = {texture("tex:f32:1x1:cube:iota"), texture("tex:f32:1x1x2:layered,cube:iota"), zeros<float>(12)}}) {
  for (int t = 0; t < 12; ++t) data.floats(2)[t] = static_cast<float>(t % 6 + 100 * t);
}
#endif
