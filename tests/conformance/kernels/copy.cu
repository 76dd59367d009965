// Copies and simple vector code: every access width, offsets, strides, ragged sizes, grid-stride loops.

__global__ void copy(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

template <typename T>
__global__ void copy_as(const T* in, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
template __global__ void copy_as<unsigned char>(const unsigned char*, unsigned char*, int);
template __global__ void copy_as<short>(const short*, short*, int);
template __global__ void copy_as<double>(const double*, double*, int);
template __global__ void copy_as<float2>(const float2*, float2*, int);
template __global__ void copy_as<float3>(const float3*, float3*, int);
template __global__ void copy_as<float4>(const float4*, float4*, int);
template __global__ void copy_as<uchar4>(const uchar4*, uchar4*, int);
template __global__ void copy_as<double2>(const double2*, double2*, int);

__global__ void copy_offset(const float* in, float* out, int n, int offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + offset < n) out[i] = in[i + offset];
}

__global__ void copy_strided(const float* in, float* out, int n, int stride) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  if (i < n) out[i] = in[i];
}

__global__ void copy_strided_wide(const float2* __restrict__ in, float2* __restrict__ out, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = (i * stride) % n;
  if (i < n) out[i] = in[j];
}

__global__ void reverse(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[n - 1 - i] = in[i];
}

__global__ void gather(const float* in, const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[index[i]];
}

__global__ void scatter(const float* in, const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[index[i]] = in[i];
}

__global__ void saxpy_grid_stride(float a, const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = a * x[i] + y[i];
}

// Each thread owns a run of neighbouring elements: the classic uncoalesced mistake.
__global__ void add_chunks(const float* a, const float* b, float* c, int n, int chunk) {
  int begin = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
  for (int i = begin; i < begin + chunk; ++i)
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void broadcast_first(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[0] + in[i / 32] * 2.0f;
}

__global__ void read_only_cache(const float* __restrict__ in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 2) out[i] = __ldg(&in[i]) + in[i + 1] + in[i + 2];
}

__global__ void fill_2d(float* out, int width, int height, int pitch) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * pitch + x] = x + 0.5f * y;
}

__global__ void fill_3d(int* out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z < nz) out[(z * ny + y) * nx + x] = x + 10 * y + 100 * z;
}

__global__ void interleave(const unsigned short* a, const unsigned short* b, unsigned short* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[2 * i] = a[i];
    out[2 * i + 1] = b[i];
  }
}
