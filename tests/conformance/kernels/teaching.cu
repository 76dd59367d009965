// What a course hands out in its first weeks: copies, strides, layouts, matrix sums, transposes and tiled products.

template <typename T>
__global__ void copy_offset_of(T* odata, const T* idata, int s) {
  int i = blockDim.x * blockIdx.x + threadIdx.x + s;
  odata[i] = idata[i];
}
template __global__ void copy_offset_of<float>(float*, const float*, int);
template __global__ void copy_offset_of<double>(double*, const double*, int);
template __global__ void copy_offset_of<short>(short*, const short*, int);
template __global__ void copy_offset_of<char>(char*, const char*, int);

template <typename T>
__global__ void increment_strided(T* a, int s) {
  int i = (blockDim.x * blockIdx.x + threadIdx.x) * s;
  a[i] = a[i] + 1;
}
template __global__ void increment_strided<float>(float*, int);
template __global__ void increment_strided<double>(double*, int);
template __global__ void increment_strided<unsigned char>(unsigned char*, int);

struct Particle12 { float x, y, z; };
struct Particle20 { float x, y, z; int id; float charge; };
struct Particle24 { double x, y, z; };
struct Particle48 { float position[3], velocity[3], mass, charge, age, spare[3]; };

template <typename P>
__global__ void shift_x(P* p, float dx, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i].x += dx;
}
template __global__ void shift_x<Particle12>(Particle12*, float, int);
template __global__ void shift_x<Particle20>(Particle20*, float, int);
template __global__ void shift_x<Particle24>(Particle24*, float, int);

template <typename P>
__global__ void copy_structs(const P* __restrict__ in, P* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
template __global__ void copy_structs<Particle12>(const Particle12*, Particle12*, int);
template __global__ void copy_structs<Particle20>(const Particle20*, Particle20*, int);
template __global__ void copy_structs<Particle24>(const Particle24*, Particle24*, int);
template __global__ void copy_structs<Particle48>(const Particle48*, Particle48*, int);

__global__ void drift(Particle48* p, float dt, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    for (int k = 0; k < 3; ++k) p[i].position[k] += dt * p[i].velocity[k];
    p[i].age += dt;
  }
}

// Array of structures of arrays: 8 of each field together.
struct Pack8 { float x[8], y[8], z[8]; };
__global__ void lengths_aosoa(const Pack8* packs, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Pack8& pack = packs[i / 8];
  int k = i % 8;
  out[i] = sqrtf(pack.x[k] * pack.x[k] + pack.y[k] * pack.y[k] + pack.z[k] * pack.z[k]);
}

// Sums of matrices: an element, a row, a column a thread.
__global__ void sum_by_element(const float* A, const float* B, float* C, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) C[r * cols + c] = A[r * cols + c] + B[r * cols + c];
}
__global__ void sum_by_row(const float* A, const float* B, float* C, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows)
    for (int c = 0; c < cols; ++c) C[r * cols + c] = A[r * cols + c] + B[r * cols + c];
}
__global__ void sum_by_column(const float* A, const float* B, float* C, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < cols)
    for (int r = 0; r < rows; ++r) C[r * cols + c] = A[r * cols + c] + B[r * cols + c];
}
__global__ void add_pitched(const char* A, const char* B, char* C, size_t pitch, int width, int height) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= width || y >= height) return;
  const float* a = (const float*)(A + y * pitch);
  const float* b = (const float*)(B + y * pitch);
  float* c = (float*)(C + y * pitch);
  c[x] = a[x] + b[x];
}

// Transposes.
template <int TILE, int ROWS, int PAD>
__global__ void transpose_tile_of(float* odata, const float* idata, int width, int height) {
  __shared__ float tile[TILE][TILE + PAD];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < height && y + j < width) odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
template __global__ void transpose_tile_of<32, 8, 0>(float*, const float*, int, int);
template __global__ void transpose_tile_of<32, 8, 1>(float*, const float*, int, int);
template __global__ void transpose_tile_of<16, 4, 1>(float*, const float*, int, int);
template __global__ void transpose_tile_of<8, 8, 0>(float*, const float*, int, int);
template __global__ void transpose_tile_of<64, 16, 2>(float*, const float*, int, int);

template <typename T>
__global__ void transpose_swizzled(const T* in, T* out, int n) {
  __shared__ T tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 32;
#pragma unroll
  for (int r = threadIdx.y; r < 32; r += 8) tile[r][threadIdx.x ^ r] = in[(size_t)(y0 + r) * n + x];
  __syncthreads();
  int xo = y0 + threadIdx.x, yo = blockIdx.x * 32;
#pragma unroll
  for (int r = threadIdx.y; r < 32; r += 8) out[(size_t)(yo + r) * n + xo] = tile[threadIdx.x][r ^ threadIdx.x];
}
template __global__ void transpose_swizzled<float>(const float*, float*, int);
template __global__ void transpose_swizzled<double>(const double*, double*, int);
template __global__ void transpose_swizzled<unsigned short>(const unsigned short*, unsigned short*, int);

// Tiled products whose tile is not square.
template <int BM, int BN, int BK>
__global__ void product_tile(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];
  int row = blockIdx.y * BM + threadIdx.y, col = blockIdx.x * BN + threadIdx.x;
  int t = threadIdx.y * BN + threadIdx.x;
  float acc = 0.f;
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int e = t; e < BM * BK; e += BM * BN) {
      int r = blockIdx.y * BM + e / BK, k = k0 + e % BK;
      As[e / BK][e % BK] = r < M && k < K ? A[r * K + k] : 0.f;
    }
    for (int e = t; e < BK * BN; e += BM * BN) {
      int k = k0 + e / BN, c = blockIdx.x * BN + e % BN;
      Bs[e / BN][e % BN] = k < K && c < N ? B[k * N + c] : 0.f;
    }
    __syncthreads();
    for (int k = 0; k < BK; ++k) acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}
template __global__ void product_tile<8, 8, 8>(const float*, const float*, float*, int, int, int);
template __global__ void product_tile<8, 32, 8>(const float*, const float*, float*, int, int, int);
template __global__ void product_tile<5, 17, 11>(const float*, const float*, float*, int, int, int);
template __global__ void product_tile<32, 4, 16>(const float*, const float*, float*, int, int, int);

// The tile's side given at the launch, its memory too.
extern __shared__ float pool[];
__global__ void product_dynamic(const float* A, const float* B, float* C, int n) {
  int side = blockDim.x;
  float* As = pool;
  float* Bs = pool + side * side;
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * side + ty, col = blockIdx.x * side + tx;
  float sum = 0;
  for (int m = 0; m < n / side; m++) {
    As[ty * side + tx] = A[row * n + m * side + tx];
    Bs[ty * side + tx] = B[(m * side + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < side; k++) sum += As[ty * side + k] * Bs[k * side + tx];
    __syncthreads();
  }
  C[row * n + col] = sum;
}

// Sub-matrices, as the programming guide writes it.
struct Matrix { int width, height, stride; float* elements; };
__device__ float get_element(const Matrix A, int row, int col) { return A.elements[row * A.stride + col]; }
__device__ void set_element(Matrix A, int row, int col, float value) { A.elements[row * A.stride + col] = value; }
__device__ Matrix sub_matrix(Matrix A, int row, int col) {
  Matrix S;
  S.width = 16;
  S.height = 16;
  S.stride = A.stride;
  S.elements = &A.elements[A.stride * 16 * row + 16 * col];
  return S;
}
__global__ void guide_product(float* a, float* b, float* c, int n) {
  Matrix A = {n, n, n, a}, B = {n, n, n, b}, C = {n, n, n, c};
  Matrix Cs = sub_matrix(C, blockIdx.y, blockIdx.x);
  float value = 0;
  int row = threadIdx.y, col = threadIdx.x;
  for (int m = 0; m < A.width / 16; ++m) {
    Matrix Asub = sub_matrix(A, blockIdx.y, m), Bsub = sub_matrix(B, m, blockIdx.x);
    __shared__ float As[16][16];
    __shared__ float Bs[16][16];
    As[row][col] = get_element(Asub, row, col);
    Bs[row][col] = get_element(Bsub, row, col);
    __syncthreads();
    for (int e = 0; e < 16; ++e) value += As[row][e] * Bs[e][col];
    __syncthreads();
  }
  set_element(Cs, row, col, value);
}

// 64-bit indexes in three dimensions.
__global__ void volume_scale(const float* in, float* out, long long nx, long long ny, long long nz, float a) {
  long long x = (long long)blockIdx.x * blockDim.x + threadIdx.x, y = (long long)blockIdx.y * blockDim.y + threadIdx.y,
            z = (long long)blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z < nz) {
    long long i = (z * ny + y) * nx + x;
    out[i] = a * in[i];
  }
}

__global__ void mirror_rows(uchar3* image, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width / 2 || y >= height) return;
  uchar3 left = image[y * width + x], right = image[y * width + width - 1 - x];
  image[y * width + x] = right;
  image[y * width + width - 1 - x] = left;
}

__global__ void vector_types(const char4* a, const short2* b, const ushort4* c, const longlong2* d, const int2* e, float4* out,
                             int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  char4 p = a[i];
  short2 q = b[i];
  ushort4 r = c[i];
  longlong2 s = d[i];
  int2 t = e[i];
  out[i] = make_float4(p.x + p.y + p.z + p.w, q.x * q.y, r.x + r.y + r.z + r.w, (float)(s.x - s.y) + t.x * 0.5f + t.y);
}
