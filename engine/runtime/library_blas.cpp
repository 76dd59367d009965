// cuBLAS: what programs call most, computed on the CPU in plain loops.
#if __has_include(<cublas_v2.h>)
#include <cuComplex.h>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>
#include <vector>

#include "engine/runtime/host_library.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
};

namespace {

using namespace warplens::runtime;
using Complex = std::complex<float>;
using DoubleComplex = std::complex<double>;

template <typename Body>
cublasStatus_t blas(const char* function, cublasHandle_t handle, Body&& body) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  return on_host<cublasStatus_t>(function, CUBLAS_STATUS_EXECUTION_FAILED, body);
}

template <typename T>
T conjugate(T value, bool wanted) {
  if constexpr (std::is_same_v<T, Complex> || std::is_same_v<T, DoubleComplex>)
    return wanted ? std::conj(value) : value;
  else
    return value;
}

// A vector with a step; a negative one begins at the end.
template <typename T>
struct Vector {
  T* at;
  std::int64_t step;
  Vector(T* first, int n, int increment) : at(first), step(increment) {
    if (increment < 0) at = first - static_cast<std::int64_t>(n - 1) * increment;
  }
  T& operator[](int i) const { return at[i * step]; }
};

struct Shape {
  cublasOperation_t a, b;
  int m, n, k;
};

// C = alpha op(A) op(B) + beta C, columns first. Sums in `Sum`.
template <typename Sum, typename In, typename Out>
void multiply(const Shape& s, Sum alpha, const In* a, int lda, const In* b, int ldb, Sum beta, Out* c,
              int ldc) {
  std::vector<Sum> left(static_cast<std::size_t>(s.m) * s.k);
  for (int i = 0; i < s.m; ++i)
    for (int p = 0; p < s.k; ++p) {
      const std::int64_t from = s.a == CUBLAS_OP_N ? i + std::int64_t{p} * lda : p + std::int64_t{i} * lda;
      left[static_cast<std::size_t>(p) * s.m + i] = conjugate(static_cast<Sum>(a[from]), s.a == CUBLAS_OP_C);
    }
  std::vector<Sum> column(static_cast<std::size_t>(s.m));
  for (int j = 0; j < s.n; ++j) {
    std::fill(column.begin(), column.end(), Sum{});
    for (int p = 0; p < s.k; ++p) {
      const std::int64_t from = s.b == CUBLAS_OP_N ? p + std::int64_t{j} * ldb : j + std::int64_t{p} * ldb;
      const Sum right = conjugate(static_cast<Sum>(b[from]), s.b == CUBLAS_OP_C);
      const Sum* const row = left.data() + static_cast<std::size_t>(p) * s.m;
      for (int i = 0; i < s.m; ++i) column[static_cast<std::size_t>(i)] += row[i] * right;
    }
    for (int i = 0; i < s.m; ++i) {
      Out& out = c[i + std::int64_t{j} * ldc];
      const Sum sum = alpha * column[static_cast<std::size_t>(i)];
      // With beta 0 what C held is not read.
      out = static_cast<Out>(beta == Sum{} ? sum : sum + beta * static_cast<Sum>(out));
    }
  }
}

bool fits(const Shape& s, int lda, int ldb, int ldc) {
  return s.m >= 0 && s.n >= 0 && s.k >= 0 && lda >= std::max(1, s.a == CUBLAS_OP_N ? s.m : s.k) &&
         ldb >= std::max(1, s.b == CUBLAS_OP_N ? s.k : s.n) && ldc >= std::max(1, s.m);
}

// `count` products that lie `strides` apart.
struct Batch {
  int count = 1;
  long long a = 0, b = 0, c = 0;
};

template <typename Sum, typename In, typename Out>
cublasStatus_t gemm(const Shape& s, const Sum* alpha, const In* a, int lda, const In* b, int ldb,
                    const Sum* beta, Out* c, int ldc, Batch batch = {}) {
  if (!fits(s, lda, ldb, ldc) || batch.count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  for (int i = 0; i < batch.count; ++i)
    multiply<Sum>(s, *alpha, a + i * batch.a, lda, b + i * batch.b, ldb, *beta, c + i * batch.c, ldc);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
cublasStatus_t gemv(cublasOperation_t op, int m, int n, const T* alpha, const T* a, int lda, const T* x,
                    int incx, const T* beta, T* y, int incy) {
  if (m < 0 || n < 0 || lda < std::max(1, m) || incx == 0 || incy == 0) return CUBLAS_STATUS_INVALID_VALUE;
  const int rows = op == CUBLAS_OP_N ? m : n, columns = op == CUBLAS_OP_N ? n : m;
  const Vector<const T> in(x, columns, incx);
  const Vector<T> out(y, rows, incy);
  for (int i = 0; i < rows; ++i) {
    T sum{};
    for (int j = 0; j < columns; ++j)
      sum += conjugate(op == CUBLAS_OP_N ? a[i + std::int64_t{j} * lda] : a[j + std::int64_t{i} * lda],
                       op == CUBLAS_OP_C) *
             in[j];
    out[i] = *beta == T{} ? *alpha * sum : *alpha * sum + *beta * out[i];
  }
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
T sum_of_products(int n, const T* x, int incx, const T* y, int incy, bool conjugated = false) {
  const Vector<const T> a(x, n, incx), b(y, n, incy);
  using Wide = std::conditional_t<std::is_same_v<T, float>, double,
                                  std::conditional_t<std::is_same_v<T, Complex>, DoubleComplex, T>>;
  Wide sum{};
  for (int i = 0; i < n; ++i) sum += Wide(conjugate(a[i], conjugated)) * Wide(b[i]);
  return T(sum);
}

template <typename T, typename Size>
Size norm(int n, const T* x, int incx) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += std::norm(std::complex<double>(x[std::int64_t{i} * incx]));
  return static_cast<Size>(std::sqrt(sum));
}

template <typename T>
T sum_of_sizes(int n, const T* x, int incx) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += std::abs(x[std::int64_t{i} * incx]);
  return static_cast<T>(sum);
}

// The first of the largest or smallest sizes, counted from 1.
template <typename T>
int extreme(int n, const T* x, int incx, bool largest) {
  int found = 0;
  for (int i = 1; i < n; ++i) {
    const T size = std::abs(x[std::int64_t{i} * incx]), best = std::abs(x[std::int64_t{found} * incx]);
    if (largest ? size > best : size < best) found = i;
  }
  return n > 0 ? found + 1 : 0;
}

template <typename To, typename From>
To* as(From* pointer) {
  return reinterpret_cast<To*>(pointer);
}

// gemmEx for one type of sums.
template <typename Sum>
cublasStatus_t gemm_by_types(const Shape& s, const void* alpha, const void* a, cudaDataType type, int lda,
                             const void* b, int ldb, const void* beta, void* c, cudaDataType out, int ldc,
                             Batch batch) {
  const auto go = [&]<typename In, typename Out>(const In* x, Out* y) {
    return gemm(s, as<const Sum>(alpha), x, lda, as<const In>(b), ldb, as<const Sum>(beta), y, ldc, batch);
  };
  const auto into = [&]<typename In>(const In* x) {
    switch (out) {
      case CUDA_R_32F:
        return go(x, as<float>(c));
      case CUDA_R_64F:
        return go(x, as<double>(c));
      case CUDA_R_16F:
        return go(x, as<__half>(c));
      case CUDA_R_16BF:
        return go(x, as<__nv_bfloat16>(c));
      default:
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
  };
  switch (type) {
    case CUDA_R_32F:
      return into(as<const float>(a));
    case CUDA_R_64F:
      return into(as<const double>(a));
    case CUDA_R_16F:
      return into(as<const __half>(a));
    case CUDA_R_16BF:
      return into(as<const __nv_bfloat16>(a));
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

cublasStatus_t gemm_ex(const Shape& s, const void* alpha, const void* a, cudaDataType type, int lda,
                       const void* b, cudaDataType type_b, int ldb, const void* beta, void* c,
                       cudaDataType out, int ldc, cublasComputeType_t compute, Batch batch = {}) {
  if (type != type_b) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC)
    return gemm_by_types<double>(s, alpha, a, type, lda, b, ldb, beta, c, out, ldc, batch);
  if (compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC) {
    // The factors are halves; sums are kept longer than a GPU keeps them.
    const float wide_alpha = __half2float(*as<const __half>(alpha));
    const float wide_beta = __half2float(*as<const __half>(beta));
    return gemm_by_types<float>(s, &wide_alpha, a, type, lda, b, ldb, &wide_beta, c, out, ldc, batch);
  }
  if (compute == CUBLAS_COMPUTE_32I || compute == CUBLAS_COMPUTE_32I_PEDANTIC)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return gemm_by_types<float>(s, alpha, a, type, lda, b, ldb, beta, c, out, ldc, batch);
}

template <typename T>
cublasStatus_t copy_matrix(int rows, int columns, const T* from, std::int64_t from_step,
                           std::int64_t from_column, T* to, std::int64_t to_step, std::int64_t to_column,
                           std::size_t bytes) {
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i)
      std::memcpy(to + (i * to_step + j * to_column) * static_cast<std::int64_t>(bytes),
                  from + (i * from_step + j * from_column) * static_cast<std::int64_t>(bytes), bytes);
  return CUBLAS_STATUS_SUCCESS;
}

// A triangle of a matrix, as op(A) in B := alpha op(A)^-1 B: column-major, real.
template <typename T>
struct Triangle {
  const T* a;
  std::int64_t ld;
  bool lower, transposed, unit;
  T at(int i, int j) const { return transposed ? a[j + i * ld] : a[i + j * ld]; }
  T diagonal(int i) const { return unit ? T(1) : a[i + i * ld]; }
  bool is_lower() const { return lower != transposed; }  // of op(A)
};

// X with op(A) X = alpha B, in the place of B: rows one after the other, each without what is known already.
template <typename T>
void solve_left(const Triangle<T>& a, int m, int n, T alpha, T* b, std::int64_t ldb) {
  for (int j = 0; j < n; ++j) {
    T* const x = b + j * ldb;
    for (int step = 0; step < m; ++step) {
      const int i = a.is_lower() ? step : m - 1 - step;
      T sum = alpha * x[i];
      for (int k = a.is_lower() ? 0 : i + 1, end = a.is_lower() ? i : m; k < end; ++k)
        sum -= a.at(i, k) * x[k];
      x[i] = sum / a.diagonal(i);
    }
  }
}

// X with X op(A) = alpha B: columns one after the other.
template <typename T>
void solve_right(const Triangle<T>& a, int m, int n, T alpha, T* b, std::int64_t ldb) {
  for (int step = 0; step < n; ++step) {
    const int j = a.is_lower() ? n - 1 - step : step;
    for (int i = 0; i < m; ++i) {
      T sum = alpha * b[i + j * ldb];
      for (int k = a.is_lower() ? j + 1 : 0, end = a.is_lower() ? n : j; k < end; ++k)
        sum -= b[i + k * ldb] * a.at(k, j);
      b[i + j * ldb] = sum / a.diagonal(j);
    }
  }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  *stream = handle->stream;
  return CUBLAS_STATUS_SUCCESS;
}
// Numbers may lie where they like: the memory of both sides is one.
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  handle->pointers = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  *mode = handle->pointers;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  handle->atomics = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  handle->math = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  *mode = handle->math;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void*, std::size_t) {
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
  }
}
const char* cublasGetStatusString(cublasStatus_t status) {
  return cublasGetStatusName(status);
}

cublasStatus_t cublasSetVector(int n, int bytes, const void* x, int incx, void* y, int incy) {
  return on_host("cublasSetVector", CUBLAS_STATUS_MAPPING_ERROR, [&] {
    return copy_matrix(n, 1, static_cast<const char*>(x), incx, 0, static_cast<char*>(y), incy, 0,
                       static_cast<std::size_t>(bytes));
  });
}
cublasStatus_t cublasGetVector(int n, int bytes, const void* x, int incx, void* y, int incy) {
  return cublasSetVector(n, bytes, x, incx, y, incy);
}
cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, const void* a, int lda, void* b, int ldb) {
  return on_host("cublasSetMatrix", CUBLAS_STATUS_MAPPING_ERROR, [&] {
    return copy_matrix(rows, columns, static_cast<const char*>(a), 1, lda, static_cast<char*>(b), 1, ldb,
                       static_cast<std::size_t>(bytes));
  });
}
cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, const void* a, int lda, void* b, int ldb) {
  return cublasSetMatrix(rows, columns, bytes, a, lda, b, ldb);
}
cublasStatus_t cublasSetVectorAsync(int n, int bytes, const void* x, int incx, void* y, int incy,
                                    cudaStream_t) {
  return cublasSetVector(n, bytes, x, incx, y, incy);
}
cublasStatus_t cublasGetVectorAsync(int n, int bytes, const void* x, int incx, void* y, int incy,
                                    cudaStream_t) {
  return cublasSetVector(n, bytes, x, incx, y, incy);
}
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int bytes, const void* a, int lda, void* b,
                                    int ldb, cudaStream_t) {
  return cublasSetMatrix(rows, columns, bytes, a, lda, b, ldb);
}
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int bytes, const void* a, int lda, void* b,
                                    int ldb, cudaStream_t) {
  return cublasSetMatrix(rows, columns, bytes, a, lda, b, ldb);
}

// Of one letter: its C type, and what is computed with.
#define WARPLENS_BLAS(letter, C, T)                                                                          \
  cublasStatus_t cublas##letter##axpy_v2(cublasHandle_t h, int n, const C* alpha, const C* x, int incx,      \
                                         C* y, int incy) {                                                   \
    return blas("cublas" #letter "axpy", h, [&] {                                                            \
      const Vector<const T> in(as<const T>(x), n, incx);                                                     \
      const Vector<T> out(as<T>(y), n, incy);                                                                \
      for (int i = 0; i < n; ++i) out[i] += *as<const T>(alpha) * in[i];                                     \
      return CUBLAS_STATUS_SUCCESS;                                                                          \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##letter##scal_v2(cublasHandle_t h, int n, const C* alpha, C* x, int incx) {          \
    return blas("cublas" #letter "scal", h, [&] {                                                            \
      for (int i = 0; i < n; ++i) as<T>(x)[std::int64_t{i} * incx] *= *as<const T>(alpha);                   \
      return CUBLAS_STATUS_SUCCESS;                                                                          \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##letter##copy_v2(cublasHandle_t h, int n, const C* x, int incx, C* y, int incy) {    \
    return blas("cublas" #letter "copy", h, [&] {                                                            \
      const Vector<const T> in(as<const T>(x), n, incx);                                                     \
      const Vector<T> out(as<T>(y), n, incy);                                                                \
      for (int i = 0; i < n; ++i) out[i] = in[i];                                                            \
      return CUBLAS_STATUS_SUCCESS;                                                                          \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##letter##swap_v2(cublasHandle_t h, int n, C* x, int incx, C* y, int incy) {          \
    return blas("cublas" #letter "swap", h, [&] {                                                            \
      const Vector<T> a(as<T>(x), n, incx), b(as<T>(y), n, incy);                                            \
      for (int i = 0; i < n; ++i) std::swap(a[i], b[i]);                                                     \
      return CUBLAS_STATUS_SUCCESS;                                                                          \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##letter##gemv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n,               \
                                         const C* alpha, const C* a, int lda, const C* x, int incx,          \
                                         const C* beta, C* y, int incy) {                                    \
    return blas("cublas" #letter "gemv", h, [&] {                                                            \
      return gemv(op, m, n, as<const T>(alpha), as<const T>(a), lda, as<const T>(x), incx,                   \
                  as<const T>(beta), as<T>(y), incy);                                                        \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##letter##gemm_v2(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb,     \
                                         int m, int n, int k, const C* alpha, const C* a, int lda,           \
                                         const C* b, int ldb, const C* beta, C* c, int ldc) {                \
    return blas("cublas" #letter "gemm", h, [&] {                                                            \
      return gemm(Shape{opa, opb, m, n, k}, as<const T>(alpha), as<const T>(a), lda, as<const T>(b), ldb,    \
                  as<const T>(beta), as<T>(c), ldc);                                                         \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##letter##gemmStridedBatched(                                                         \
      cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const C* alpha,   \
      const C* a, int lda, long long stride_a, const C* b, int ldb, long long stride_b, const C* beta, C* c, \
      int ldc, long long stride_c, int count) {                                                              \
    return blas("cublas" #letter "gemmStridedBatched", h, [&] {                                              \
      return gemm(Shape{opa, opb, m, n, k}, as<const T>(alpha), as<const T>(a), lda, as<const T>(b), ldb,    \
                  as<const T>(beta), as<T>(c), ldc, {count, stride_a, stride_b, stride_c});                  \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##letter##gemmBatched(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, \
                                             int m, int n, int k, const C* alpha, const C* const a[],        \
                                             int lda, const C* const b[], int ldb, const C* beta,            \
                                             C* const c[], int ldc, int count) {                             \
    return blas("cublas" #letter "gemmBatched", h, [&] {                                                     \
      cublasStatus_t status = CUBLAS_STATUS_SUCCESS;                                                         \
      for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; ++i)                                     \
        status = gemm(Shape{opa, opb, m, n, k}, as<const T>(alpha), as<const T>(a[i]), lda,                  \
                      as<const T>(b[i]), ldb, as<const T>(beta), as<T>(c[i]), ldc);                          \
      return status;                                                                                         \
    });                                                                                                      \
  }
WARPLENS_BLAS(S, float, float)
WARPLENS_BLAS(D, double, double)
WARPLENS_BLAS(C, cuComplex, Complex)
WARPLENS_BLAS(Z, cuDoubleComplex, DoubleComplex)

#define WARPLENS_BLAS_REAL(letter, T)                                                                        \
  cublasStatus_t cublas##letter##dot_v2(cublasHandle_t h, int n, const T* x, int incx, const T* y, int incy, \
                                        T* result) {                                                         \
    return blas("cublas" #letter "dot", h, [&] {                                                             \
      *result = sum_of_products(n, x, incx, y, incy);                                                        \
      return CUBLAS_STATUS_SUCCESS;                                                                          \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##letter##nrm2_v2(cublasHandle_t h, int n, const T* x, int incx, T* result) {         \
    return blas("cublas" #letter "nrm2", h, [&] {                                                            \
      *result = norm<T, T>(n, x, incx);                                                                      \
      return CUBLAS_STATUS_SUCCESS;                                                                          \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##letter##asum_v2(cublasHandle_t h, int n, const T* x, int incx, T* result) {         \
    return blas("cublas" #letter "asum", h, [&] {                                                            \
      *result = sum_of_sizes(n, x, incx);                                                                    \
      return CUBLAS_STATUS_SUCCESS;                                                                          \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##letter##ger_v2(cublasHandle_t h, int m, int n, const T* alpha, const T* x,          \
                                        int incx, const T* y, int incy, T* a, int lda) {                     \
    return blas("cublas" #letter "ger", h, [&] {                                                             \
      const Vector<const T> left(x, m, incx), right(y, n, incy);                                             \
      for (int j = 0; j < n; ++j)                                                                            \
        for (int i = 0; i < m; ++i) a[i + std::int64_t{j} * lda] += *alpha * left[i] * right[j];             \
      return CUBLAS_STATUS_SUCCESS;                                                                          \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##letter##geam(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, \
                                      int n, const T* alpha, const T* a, int lda, const T* beta, const T* b, \
                                      int ldb, T* c, int ldc) {                                              \
    return blas("cublas" #letter "geam", h, [&] {                                                            \
      const auto element = [](const T* of, cublasOperation_t op, int ld, int i, int j) {                     \
        return op == CUBLAS_OP_N ? of[i + std::int64_t{j} * ld] : of[j + std::int64_t{i} * ld];              \
      };                                                                                                     \
      for (int j = 0; j < n; ++j)                                                                            \
        for (int i = 0; i < m; ++i) {                                                                        \
          T sum = 0;                                                                                         \
          if (*alpha != 0) sum += *alpha * element(a, opa, lda, i, j);                                       \
          if (*beta != 0) sum += *beta * element(b, opb, ldb, i, j);                                         \
          c[i + std::int64_t{j} * ldc] = sum;                                                                \
        }                                                                                                    \
      return CUBLAS_STATUS_SUCCESS;                                                                          \
    });                                                                                                      \
  }
#define WARPLENS_BLAS_SOLVE(letter, T)                                                                   \
  cublasStatus_t cublas##letter##trsm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, \
                                         cublasOperation_t op, cublasDiagType_t diagonal, int m, int n,  \
                                         const T* alpha, const T* a, int lda, T* b, int ldb) {           \
    return blas("cublas" #letter "trsm", h, [&] {                                                        \
      const Triangle<T> triangle{a, lda, fill == CUBLAS_FILL_MODE_LOWER, op != CUBLAS_OP_N,              \
                                 diagonal == CUBLAS_DIAG_UNIT};                                          \
      (side == CUBLAS_SIDE_LEFT ? solve_left<T> : solve_right<T>)(triangle, m, n, *alpha, b, ldb);       \
      return CUBLAS_STATUS_SUCCESS;                                                                      \
    });                                                                                                  \
  }
WARPLENS_BLAS_SOLVE(S, float)
WARPLENS_BLAS_SOLVE(D, double)

WARPLENS_BLAS_REAL(S, float)
WARPLENS_BLAS_REAL(D, double)

#define WARPLENS_BLAS_EXTREME(name, T, largest)                                                  \
  cublasStatus_t cublas##name##_v2(cublasHandle_t h, int n, const T* x, int incx, int* result) { \
    return blas("cublas" #name, h, [&] {                                                         \
      *result = extreme(n, x, incx, largest);                                                    \
      return CUBLAS_STATUS_SUCCESS;                                                              \
    });                                                                                          \
  }
WARPLENS_BLAS_EXTREME(Isamax, float, true)
WARPLENS_BLAS_EXTREME(Idamax, double, true)
WARPLENS_BLAS_EXTREME(Isamin, float, false)
WARPLENS_BLAS_EXTREME(Idamin, double, false)

cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n,
                            int k, const void* alpha, const void* a, cudaDataType type_a, int lda,
                            const void* b, cudaDataType type_b, int ldb, const void* beta, void* c,
                            cudaDataType type_c, int ldc, cublasComputeType_t compute, cublasGemmAlgo_t) {
  return blas("cublasGemmEx", h, [&] {
    return gemm_ex({opa, opb, m, n, k}, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, compute);
  });
}
cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n,
                             int k, const float* alpha, const void* a, cudaDataType type_a, int lda,
                             const void* b, cudaDataType type_b, int ldb, const float* beta, void* c,
                             cudaDataType type_c, int ldc) {
  return blas("cublasSgemmEx", h, [&] {
    return gemm_ex({opa, opb, m, n, k}, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc,
                   CUBLAS_COMPUTE_32F);
  });
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb,
                                          int m, int n, int k, const void* alpha, const void* a,
                                          cudaDataType type_a, int lda, long long stride_a, const void* b,
                                          cudaDataType type_b, int ldb, long long stride_b, const void* beta,
                                          void* c, cudaDataType type_c, int ldc, long long stride_c,
                                          int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  return blas("cublasGemmStridedBatchedEx", h, [&] {
    return gemm_ex({opa, opb, m, n, k}, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, compute,
                   {count, stride_a, stride_b, stride_c});
  });
}
cublasStatus_t cublasHgemm(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n,
                           int k, const __half* alpha, const __half* a, int lda, const __half* b, int ldb,
                           const __half* beta, __half* c, int ldc) {
  return blas("cublasHgemm", h, [&] {
    return gemm_ex({opa, opb, m, n, k}, alpha, a, CUDA_R_16F, lda, b, CUDA_R_16F, ldb, beta, c, CUDA_R_16F,
                   ldc, CUBLAS_COMPUTE_16F);
  });
}

}  // extern "C"
#pragma GCC visibility pop
#endif
