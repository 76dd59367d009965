// Matrix products and their kin with tiles whose neighbouring words are read turn by turn: each thread
// computes a column of results, or a row, from a tile of shared memory.

template <int BM, int BN, int BK, int TM>
__global__ void column_product(int m, int n, int k, float alpha, const float* a, const float* b, float beta, float* c) {
  __shared__ float as[BM * BK];
  __shared__ float bs[BK * BN];
  const int column = threadIdx.x % BN;
  const int row = threadIdx.x / BN;
  a += blockIdx.y * BM * k;
  b += blockIdx.x * BN;
  c += blockIdx.y * BM * n + blockIdx.x * BN;
  const int a_column = threadIdx.x % BK;
  const int a_row = threadIdx.x / BK;
  const int b_column = threadIdx.x % BN;
  const int b_row = threadIdx.x / BN;
  float results[TM] = {0.0f};
  for (int block = 0; block < k; block += BK) {
    as[a_row * BK + a_column] = a[a_row * k + a_column];
    bs[b_row * BN + b_column] = b[b_row * n + b_column];
    __syncthreads();
    a += BK;
    b += BK * n;
    for (int dot = 0; dot < BK; ++dot) {
      float value = bs[dot * BN + column];
      for (int result = 0; result < TM; ++result)
        results[result] += as[(row * TM + result) * BK + dot] * value;
    }
    __syncthreads();
  }
  for (int result = 0; result < TM; ++result)
    c[(row * TM + result) * n + column] = alpha * results[result] + beta * c[(row * TM + result) * n + column];
}

template __global__ void column_product<64, 64, 8, 8>(int, int, int, float, const float*, const float*, float, float*);
template __global__ void column_product<32, 32, 4, 8>(int, int, int, float, const float*, const float*, float, float*);
template __global__ void column_product<64, 64, 4, 16>(int, int, int, float, const float*, const float*, float, float*);
template __global__ void column_product<32, 32, 16, 2>(int, int, int, float, const float*, const float*, float, float*);
template __global__ void column_product<128, 128, 8, 16>(int, int, int, float, const float*, const float*, float, float*);
template __global__ void column_product<16, 16, 4, 4>(int, int, int, float, const float*, const float*, float, float*);
template __global__ void column_product<64, 64, 16, 4>(int, int, int, float, const float*, const float*, float, float*);
template __global__ void column_product<36, 36, 6, 6>(int, int, int, float, const float*, const float*, float, float*);
template __global__ void column_product<48, 48, 12, 4>(int, int, int, float, const float*, const float*, float, float*);
template __global__ void column_product<24, 24, 3, 8>(int, int, int, float, const float*, const float*, float, float*);

// The same with doubles: two words in sixteen bytes.
template <int BM, int BN, int BK, int TM>
__global__ void column_product_double(int n, int k, const double* a, const double* b, double* c) {
  __shared__ double as[BM][BK];
  __shared__ double bs[BK][BN];
  const int column = threadIdx.x % BN, row = threadIdx.x / BN;
  a += blockIdx.y * BM * k;
  b += blockIdx.x * BN;
  double results[TM] = {};
  for (int block = 0; block < k; block += BK, a += BK, b += BK * n) {
    as[threadIdx.x / BK][threadIdx.x % BK] = a[threadIdx.x / BK * k + threadIdx.x % BK];
    bs[threadIdx.x / BN][threadIdx.x % BN] = b[threadIdx.x / BN * n + threadIdx.x % BN];
    __syncthreads();
    for (int dot = 0; dot < BK; ++dot)
      for (int result = 0; result < TM; ++result) results[result] += as[row * TM + result][dot] * bs[dot][column];
    __syncthreads();
  }
  for (int result = 0; result < TM; ++result)
    c[(blockIdx.y * BM + row * TM + result) * n + blockIdx.x * BN + column] = results[result];
}
template __global__ void column_product_double<32, 32, 4, 8>(int, int, const double*, const double*, double*);
template __global__ void column_product_double<16, 16, 4, 4>(int, int, const double*, const double*, double*);
template __global__ void column_product_double<24, 24, 6, 4>(int, int, const double*, const double*, double*);
template __global__ void column_product_double<32, 32, 8, 4>(int, int, const double*, const double*, double*);

// Each thread computes a row of results: now the tile of B is read along its rows.
template <int BM, int BN, int BK, int TN>
__global__ void row_product(int n, int k, const float* a, const float* b, float* c) {
  __shared__ float as[BM * BK], bs[BN * BK];
  const int row = threadIdx.x % BM, column = threadIdx.x / BM;
  float results[TN] = {};
  for (int block = 0; block < k; block += BK) {
    as[threadIdx.x] = a[(blockIdx.y * BM + threadIdx.x / BK) * k + block + threadIdx.x % BK];
    bs[threadIdx.x % BN * BK + threadIdx.x / BN] = b[(block + threadIdx.x / BN) * n + blockIdx.x * BN + threadIdx.x % BN];
    __syncthreads();
    for (int dot = 0; dot < BK; ++dot) {
      float value = as[row * BK + dot];
      for (int result = 0; result < TN; ++result) results[result] += bs[(column * TN + result) * BK + dot] * value;
    }
    __syncthreads();
  }
  for (int result = 0; result < TN; ++result)
    c[(blockIdx.y * BM + row) * n + blockIdx.x * BN + column * TN + result] = results[result];
}
template __global__ void row_product<32, 32, 4, 8>(int, int, const float*, const float*, float*);
template __global__ void row_product<64, 64, 16, 4>(int, int, const float*, const float*, float*);

// A register tile of both: the outer product.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void patch_product(int n, int k, const float* a, const float* b, float* c) {
  __shared__ float as[BM * BK], bs[BK * BN];
  constexpr int kThreads = BM * BN / (TM * TN);
  const int column = threadIdx.x % (BN / TN), row = threadIdx.x / (BN / TN);
  float results[TM * TN] = {}, left[TM], right[TN];
  for (int block = 0; block < k; block += BK) {
    for (int i = threadIdx.x; i < BM * BK; i += kThreads)
      as[i] = a[(blockIdx.y * BM + i / BK) * k + block + i % BK];
    for (int i = threadIdx.x; i < BK * BN; i += kThreads)
      bs[i] = b[(block + i / BN) * n + blockIdx.x * BN + i % BN];
    __syncthreads();
    for (int dot = 0; dot < BK; ++dot) {
      for (int i = 0; i < TM; ++i) left[i] = as[(row * TM + i) * BK + dot];
      for (int i = 0; i < TN; ++i) right[i] = bs[dot * BN + column * TN + i];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) results[i * TN + j] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j)
      c[(blockIdx.y * BM + row * TM + i) * n + blockIdx.x * BN + column * TN + j] = results[i * TN + j];
}
template __global__ void patch_product<64, 64, 8, 4, 4>(int, int, const float*, const float*, float*);
template __global__ void patch_product<64, 64, 8, 8, 8>(int, int, const float*, const float*, float*);
template __global__ void patch_product<32, 32, 16, 4, 2>(int, int, const float*, const float*, float*);

// Distances of all points to centres that are kept in shared memory, three or four words a centre.
template <int DIMS>
__global__ void nearest_centre(const float* points, const float* centres, int* label, int n, int count) {
  __shared__ float kept[64 * DIMS];
  for (int i = threadIdx.x; i < count * DIMS; i += blockDim.x) kept[i] = centres[i];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float best = 1e30f;
  int where = -1;
  for (int c = 0; c < count; ++c) {
    float sum = 0.0f;
    for (int d = 0; d < DIMS; ++d) {
      float difference = points[d * n + i] - kept[c * DIMS + d];
      sum += difference * difference;
    }
    if (sum < best) {
      best = sum;
      where = c;
    }
  }
  label[i] = where;
}
template __global__ void nearest_centre<3>(const float*, const float*, int*, int, int);
template __global__ void nearest_centre<4>(const float*, const float*, int*, int, int);

// Weights in shared memory, one after the other, fixed in number.
__global__ void weighted_window(const float* in, const float* weights, float* out, int n) {
  __shared__ float w[32];
  if (threadIdx.x < 32) w[threadIdx.x] = weights[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < 32; ++j) {
    int at = i + j - 16;
    if (at >= 0 && at < n) sum += in[at] * w[j];
  }
  if (i < n) out[i] = sum;
}

__global__ void polynomial_of(const float* x, const float* coefficients, float* y, int n) {
  __shared__ float c[24];
  if (threadIdx.x < 24) c[threadIdx.x] = coefficients[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = x[i], sum = 0.0f;
  for (int j = 23; j >= 0; --j) sum = sum * value + c[j];
  y[i] = sum;
}

// Rows of a small matrix times a vector that each thread owns, the row's length a constant.
template <int ROWS, int LENGTH>
__global__ void dense_rows(const float* weights, const float* in, float* out, int n) {
  __shared__ float w[ROWS][LENGTH];
  for (int i = threadIdx.x; i < ROWS * LENGTH; i += blockDim.x) w[i / LENGTH][i % LENGTH] = weights[i];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sums[ROWS] = {};
  for (int j = 0; j < LENGTH; ++j) {
    float v = in[j * n + i];
    for (int r = 0; r < ROWS; ++r) sums[r] += w[r][j] * v;
  }
  for (int r = 0; r < ROWS; ++r) out[r * n + i] = fmaxf(sums[r], 0.0f);
}
template __global__ void dense_rows<8, 64>(const float*, const float*, float*, int);
template __global__ void dense_rows<4, 12>(const float*, const float*, float*, int);
template __global__ void dense_rows<6, 20>(const float*, const float*, float*, int);
template __global__ void dense_rows<3, 128>(const float*, const float*, float*, int);

// The length of the row is known at run time alone.
__global__ void rows_of_any_length(const float* weights, const float* in, float* out, int n, int length) {
  extern __shared__ float kept_rows[];
  for (int i = threadIdx.x; i < 4 * length; i += blockDim.x) kept_rows[i] = weights[i];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sums[4] = {};
  for (int j = 0; j < length; ++j) {
    float v = in[j * n + i];
    for (int r = 0; r < 4; ++r) sums[r] += kept_rows[r * length + j] * v;
  }
  for (int r = 0; r < 4; ++r) out[r * n + i] = sums[r];
}
