// cuFFT: plans of one to three dimensions, computed on the CPU in double precision.
#if __has_include(<cufft.h>)
#include <cufft.h>
#include <cufftXt.h>

#include <algorithm>
#include <array>
#include <complex>
#include <map>
#include <numbers>
#include <optional>
#include <vector>

#include "engine/runtime/host_library.h"
#include "engine/runtime/refuse.h"

namespace {

using namespace warplens::runtime;
using Number = std::complex<double>;

// Where the elements of one side are, in elements: of batch b at b * distance, and inside of it rows of
// `embed` elements, `stride` apart.
struct Layout {
  std::array<int, 3> embed{1, 1, 1};
  int stride = 1;
  std::int64_t distance = 0;
  std::int64_t at(int batch, int z, int y, int x) const {
    return batch * distance + ((std::int64_t{z} * embed[1] + y) * embed[2] + x) * stride;
  }
};

struct Plan {
  std::array<int, 3> n{1, 1, 1};  // the last one runs fastest
  int batch = 1;
  cufftType type = CUFFT_C2C;
  Layout in, out;
};

std::map<cufftHandle, Plan>& plans() {
  static auto* const all = new std::map<cufftHandle, Plan>;
  return *all;
}

// Of any length: halves while it is even, else sums over each odd factor.
void transform(std::vector<Number>& data, double sign) {
  const std::size_t n = data.size();
  if (n < 2) return;
  std::size_t factor = 2;
  while (n % factor != 0 && factor * factor <= n) ++factor;
  if (n % factor != 0) factor = n;
  const std::size_t rest = n / factor;
  std::vector<std::vector<Number>> parts(factor, std::vector<Number>(rest));
  for (std::size_t i = 0; i < n; ++i) parts[i % factor][i / factor] = data[i];
  for (std::vector<Number>& part : parts) transform(part, sign);
  std::vector<Number> turns(n);
  for (std::size_t i = 0; i < n; ++i)
    turns[i] = std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n));
  for (std::size_t k = 0; k < n; ++k) {
    Number sum{};
    for (std::size_t f = 0; f < factor; ++f) sum += parts[f][k % rest] * turns[f * k % n];
    data[k] = sum;
  }
}

// Along one dimension of a dense box.
void along(std::vector<Number>& box, const std::array<int, 3>& n, int dimension, double sign) {
  const int length = n[static_cast<std::size_t>(dimension)];
  if (length == 1) return;
  std::size_t step = 1;
  for (int d = 2; d > dimension; --d) step *= static_cast<std::size_t>(n[static_cast<std::size_t>(d)]);
  std::vector<Number> line(static_cast<std::size_t>(length));
  for (std::size_t first = 0; first < box.size(); ++first) {
    if (first / step % static_cast<std::size_t>(length) != 0) continue;
    for (std::size_t i = 0; i < line.size(); ++i) line[i] = box[first + i * step];
    transform(line, sign);
    for (std::size_t i = 0; i < line.size(); ++i) box[first + i * step] = line[i];
  }
}

template <typename Visit>
void visit(const std::array<int, 3>& n, Visit&& one) {
  for (int z = 0; z < n[0]; ++z)
    for (int y = 0; y < n[1]; ++y)
      for (int x = 0; x < n[2]; ++x) one(z, y, x);
}

std::array<int, 3> halved(std::array<int, 3> n) {
  n[2] = n[2] / 2 + 1;
  return n;
}

std::size_t dense(const std::array<int, 3>& n, int z, int y, int x) {
  return (static_cast<std::size_t>(z) * static_cast<std::size_t>(n[1]) + static_cast<std::size_t>(y)) *
             static_cast<std::size_t>(n[2]) +
         static_cast<std::size_t>(x);
}

void transform_box(std::vector<Number>& box, const std::array<int, 3>& n, double sign) {
  for (int dimension = 0; dimension < 3; ++dimension) along(box, n, dimension, sign);
}

template <typename T>
void complex_to_complex(const Plan& plan, const std::complex<T>* in, std::complex<T>* out, double sign) {
  for (int b = 0; b < plan.batch; ++b) {
    std::vector<Number> box(dense(plan.n, plan.n[0] - 1, plan.n[1] - 1, plan.n[2] - 1) + 1);
    visit(plan.n,
          [&](int z, int y, int x) { box[dense(plan.n, z, y, x)] = Number(in[plan.in.at(b, z, y, x)]); });
    transform_box(box, plan.n, sign);
    visit(plan.n, [&](int z, int y, int x) {
      out[plan.out.at(b, z, y, x)] = std::complex<T>(box[dense(plan.n, z, y, x)]);
    });
  }
}

template <typename T>
void real_to_complex(const Plan& plan, const T* in, std::complex<T>* out) {
  for (int b = 0; b < plan.batch; ++b) {
    std::vector<Number> box(dense(plan.n, plan.n[0] - 1, plan.n[1] - 1, plan.n[2] - 1) + 1);
    visit(plan.n, [&](int z, int y, int x) { box[dense(plan.n, z, y, x)] = in[plan.in.at(b, z, y, x)]; });
    transform_box(box, plan.n, -1);
    visit(halved(plan.n), [&](int z, int y, int x) {
      out[plan.out.at(b, z, y, x)] = std::complex<T>(box[dense(plan.n, z, y, x)]);
    });
  }
}

// The half that is not there is the other half's mirror.
template <typename T>
void complex_to_real(const Plan& plan, const std::complex<T>* in, T* out) {
  for (int b = 0; b < plan.batch; ++b) {
    std::vector<Number> box(dense(plan.n, plan.n[0] - 1, plan.n[1] - 1, plan.n[2] - 1) + 1);
    visit(plan.n, [&](int z, int y, int x) {
      const bool here = x <= plan.n[2] / 2;
      const auto from =
          here ? plan.in.at(b, z, y, x)
               : plan.in.at(b, (plan.n[0] - z) % plan.n[0], (plan.n[1] - y) % plan.n[1], plan.n[2] - x);
      box[dense(plan.n, z, y, x)] = here ? Number(in[from]) : std::conj(Number(in[from]));
    });
    transform_box(box, plan.n, 1);
    visit(plan.n, [&](int z, int y, int x) {
      out[plan.out.at(b, z, y, x)] = static_cast<T>(box[dense(plan.n, z, y, x)].real());
    });
  }
}

// Dense on both sides, unless the caller says otherwise.
void set_layouts(Plan& plan) {
  const bool halves_in = plan.type == CUFFT_C2R || plan.type == CUFFT_Z2D;
  const bool halves_out = plan.type == CUFFT_R2C || plan.type == CUFFT_D2Z;
  const auto of = [&](bool halves) {
    Layout layout;
    layout.embed = halves ? halved(plan.n) : plan.n;
    layout.distance = std::int64_t{layout.embed[0]} * layout.embed[1] * layout.embed[2];
    return layout;
  };
  plan.in = of(halves_in);
  plan.out = of(halves_out);
}

std::optional<cufftType> type_of(cudaDataType in, cudaDataType out) {
  if (in == CUDA_C_32F) return out == CUDA_C_32F ? CUFFT_C2C : CUFFT_C2R;
  if (in == CUDA_C_64F) return out == CUDA_C_64F ? CUFFT_Z2Z : CUFFT_Z2D;
  if (in == CUDA_R_32F) return CUFFT_R2C;
  if (in == CUDA_R_64F) return CUFFT_D2Z;
  return std::nullopt;
}

cufftResult keep(cufftHandle handle, Plan plan) {
  for (const int n : plan.n)
    if (n < 1) return CUFFT_INVALID_SIZE;
  if (plan.batch < 1) return CUFFT_INVALID_SIZE;
  return on_host<cufftResult>("cufftPlan", CUFFT_INTERNAL_ERROR, [&] {
    plans()[handle] = plan;
    return CUFFT_SUCCESS;
  });
}

cufftResult keep_dense(cufftHandle handle, std::array<int, 3> n, cufftType type, int batch) {
  Plan plan;
  plan.n = n;
  plan.type = type;
  plan.batch = batch;
  set_layouts(plan);
  return keep(handle, plan);
}

void set_layout(Layout& layout, int rank, const int* embed, int stride, int distance) {
  layout.embed = {1, 1, 1};
  for (int i = 0; i < rank; ++i) layout.embed[static_cast<std::size_t>(3 - rank + i)] = embed[i];
  layout.stride = stride;
  layout.distance = distance;
}

// In place, rows of reals have room for the complex ones.
Plan of_call(cufftHandle handle, bool in_place) {
  Plan plan = plans().at(handle);
  const bool reals_in = plan.type == CUFFT_R2C || plan.type == CUFFT_D2Z;
  const bool reals_out = plan.type == CUFFT_C2R || plan.type == CUFFT_Z2D;
  if (!in_place || (!reals_in && !reals_out)) return plan;
  Layout& reals = reals_in ? plan.in : plan.out;
  if (reals.embed != plan.n || reals.stride != 1) return plan;
  reals.embed[2] = 2 * (plan.n[2] / 2 + 1);
  reals.distance = std::int64_t{reals.embed[0]} * reals.embed[1] * reals.embed[2];
  return plan;
}

template <typename Body>
cufftResult execute(const char* function, cufftHandle handle, const void* in, const void* out, Body&& body) {
  return on_host<cufftResult>(function, CUFFT_EXEC_FAILED, [&] {
    if (!plans().contains(handle)) return CUFFT_INVALID_PLAN;
    body(of_call(handle, in == out));
    return CUFFT_SUCCESS;
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cufftResult cufftCreate(cufftHandle* handle) {
  static cufftHandle last = 0;
  *handle = ++last;
  return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle handle) {
  plans().erase(handle);
  return CUFFT_SUCCESS;
}
cufftResult cufftSetStream(cufftHandle, cudaStream_t) {
  return CUFFT_SUCCESS;
}
cufftResult cufftSetAutoAllocation(cufftHandle, int) {
  return CUFFT_SUCCESS;
}
cufftResult cufftSetWorkArea(cufftHandle, void*) {
  return CUFFT_SUCCESS;
}
cufftResult cufftGetVersion(int* version) {
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}
cufftResult cufftGetSize(cufftHandle, std::size_t* bytes) {
  *bytes = 0;
  return CUFFT_SUCCESS;
}

cufftResult cufftMakePlan1d(cufftHandle handle, int n, cufftType type, int batch, std::size_t* bytes) {
  if (bytes != nullptr) *bytes = 0;
  return keep_dense(handle, {1, 1, n}, type, batch);
}
cufftResult cufftMakePlan2d(cufftHandle handle, int ny, int nx, cufftType type, std::size_t* bytes) {
  if (bytes != nullptr) *bytes = 0;
  return keep_dense(handle, {1, ny, nx}, type, 1);
}
cufftResult cufftMakePlan3d(cufftHandle handle, int nz, int ny, int nx, cufftType type, std::size_t* bytes) {
  if (bytes != nullptr) *bytes = 0;
  return keep_dense(handle, {nz, ny, nx}, type, 1);
}
cufftResult cufftMakePlanMany(cufftHandle handle, int rank, int* n, int* in_embed, int in_stride,
                              int in_distance, int* out_embed, int out_stride, int out_distance,
                              cufftType type, int batch, std::size_t* bytes) {
  if (bytes != nullptr) *bytes = 0;
  if (rank < 1 || rank > 3) return CUFFT_INVALID_VALUE;
  Plan plan;
  for (int i = 0; i < rank; ++i) plan.n[static_cast<std::size_t>(3 - rank + i)] = n[i];
  plan.type = type;
  plan.batch = batch;
  set_layouts(plan);
  if (in_embed != nullptr && out_embed != nullptr) {
    set_layout(plan.in, rank, in_embed, in_stride, in_distance);
    set_layout(plan.out, rank, out_embed, out_stride, out_distance);
  }
  return keep(handle, plan);
}
// Sizes of 64 bits, and types by element instead of by pair.
cufftResult cufftXtMakePlanMany(cufftHandle handle, int rank, long long* n, long long* in_embed,
                                long long in_stride, long long in_distance, cudaDataType in_type,
                                long long* out_embed, long long out_stride, long long out_distance,
                                cudaDataType out_type, long long batch, std::size_t* bytes, cudaDataType) {
  const std::optional<cufftType> type = type_of(in_type, out_type);
  if (!type) return static_cast<cufftResult>(refuse("cufftXtMakePlanMany of half precision", 16));
  const auto whole = [&](const long long* from) {
    std::array<int, 3> out{};
    for (int i = 0; from != nullptr && i < std::min(rank, 3); ++i)
      out[static_cast<std::size_t>(i)] = static_cast<int>(from[i]);
    return out;
  };
  std::array<int, 3> sizes = whole(n), in = whole(in_embed), out = whole(out_embed);
  return cufftMakePlanMany(handle, rank, sizes.data(), in_embed == nullptr ? nullptr : in.data(),
                           static_cast<int>(in_stride), static_cast<int>(in_distance),
                           out_embed == nullptr ? nullptr : out.data(), static_cast<int>(out_stride),
                           static_cast<int>(out_distance), *type, static_cast<int>(batch), bytes);
}
cufftResult cufftMakePlanMany64(cufftHandle handle, int rank, long long* n, long long* in_embed,
                                long long in_stride, long long in_distance, long long* out_embed,
                                long long out_stride, long long out_distance, cufftType type, long long batch,
                                std::size_t* bytes) {
  const bool twice = type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
  const cudaDataType real = twice ? CUDA_R_64F : CUDA_R_32F, complex = twice ? CUDA_C_64F : CUDA_C_32F;
  const bool reals_in = type == CUFFT_R2C || type == CUFFT_D2Z,
             reals_out = type == CUFFT_C2R || type == CUFFT_Z2D;
  return cufftXtMakePlanMany(handle, rank, n, in_embed, in_stride, in_distance, reals_in ? real : complex,
                             out_embed, out_stride, out_distance, reals_out ? real : complex, batch, bytes,
                             complex);
}
// Nothing here needs room beside the data.
cufftResult cufftEstimate1d(int, cufftType, int, std::size_t* bytes) {
  return *bytes = 0, CUFFT_SUCCESS;
}
cufftResult cufftEstimate2d(int, int, cufftType, std::size_t* bytes) {
  return *bytes = 0, CUFFT_SUCCESS;
}
cufftResult cufftEstimate3d(int, int, int, cufftType, std::size_t* bytes) {
  return *bytes = 0, CUFFT_SUCCESS;
}
cufftResult cufftEstimateMany(int, int*, int*, int, int, int*, int, int, cufftType, int, std::size_t* bytes) {
  return *bytes = 0, CUFFT_SUCCESS;
}
cufftResult cufftPlan1d(cufftHandle* handle, int n, cufftType type, int batch) {
  cufftCreate(handle);
  return cufftMakePlan1d(*handle, n, type, batch, nullptr);
}
cufftResult cufftPlan2d(cufftHandle* handle, int ny, int nx, cufftType type) {
  cufftCreate(handle);
  return cufftMakePlan2d(*handle, ny, nx, type, nullptr);
}
cufftResult cufftPlan3d(cufftHandle* handle, int nz, int ny, int nx, cufftType type) {
  cufftCreate(handle);
  return cufftMakePlan3d(*handle, nz, ny, nx, type, nullptr);
}
cufftResult cufftPlanMany(cufftHandle* handle, int rank, int* n, int* in_embed, int in_stride,
                          int in_distance, int* out_embed, int out_stride, int out_distance, cufftType type,
                          int batch) {
  cufftCreate(handle);
  return cufftMakePlanMany(*handle, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride,
                           out_distance, type, batch, nullptr);
}

cufftResult cufftExecC2C(cufftHandle handle, cufftComplex* in, cufftComplex* out, int direction) {
  return execute("cufftExecC2C", handle, in, out, [&](const Plan& plan) {
    complex_to_complex(plan, reinterpret_cast<std::complex<float>*>(in),
                       reinterpret_cast<std::complex<float>*>(out), direction);
  });
}
cufftResult cufftExecZ2Z(cufftHandle handle, cufftDoubleComplex* in, cufftDoubleComplex* out, int direction) {
  return execute("cufftExecZ2Z", handle, in, out, [&](const Plan& plan) {
    complex_to_complex(plan, reinterpret_cast<Number*>(in), reinterpret_cast<Number*>(out), direction);
  });
}
cufftResult cufftExecR2C(cufftHandle handle, cufftReal* in, cufftComplex* out) {
  return execute("cufftExecR2C", handle, in, out, [&](const Plan& plan) {
    real_to_complex(plan, in, reinterpret_cast<std::complex<float>*>(out));
  });
}
cufftResult cufftExecD2Z(cufftHandle handle, cufftDoubleReal* in, cufftDoubleComplex* out) {
  return execute("cufftExecD2Z", handle, in, out,
                 [&](const Plan& plan) { real_to_complex(plan, in, reinterpret_cast<Number*>(out)); });
}
cufftResult cufftExecC2R(cufftHandle handle, cufftComplex* in, cufftReal* out) {
  return execute("cufftExecC2R", handle, in, out, [&](const Plan& plan) {
    complex_to_real(plan, reinterpret_cast<std::complex<float>*>(in), out);
  });
}
cufftResult cufftExecZ2D(cufftHandle handle, cufftDoubleComplex* in, cufftDoubleReal* out) {
  return execute("cufftExecZ2D", handle, in, out,
                 [&](const Plan& plan) { complex_to_real(plan, reinterpret_cast<Number*>(in), out); });
}

cufftResult cufftXtExec(cufftHandle handle, void* in, void* out, int direction) {
  const auto found = plans().find(handle);
  if (found == plans().end()) return CUFFT_INVALID_PLAN;
  switch (found->second.type) {
    case CUFFT_C2C:
      return cufftExecC2C(handle, static_cast<cufftComplex*>(in), static_cast<cufftComplex*>(out), direction);
    case CUFFT_R2C:
      return cufftExecR2C(handle, static_cast<cufftReal*>(in), static_cast<cufftComplex*>(out));
    case CUFFT_C2R:
      return cufftExecC2R(handle, static_cast<cufftComplex*>(in), static_cast<cufftReal*>(out));
    case CUFFT_Z2Z:
      return cufftExecZ2Z(handle, static_cast<cufftDoubleComplex*>(in), static_cast<cufftDoubleComplex*>(out),
                          direction);
    case CUFFT_D2Z:
      return cufftExecD2Z(handle, static_cast<cufftDoubleReal*>(in), static_cast<cufftDoubleComplex*>(out));
    default:
      return cufftExecZ2D(handle, static_cast<cufftDoubleComplex*>(in), static_cast<cufftDoubleReal*>(out));
  }
}

}  // extern "C"
#pragma GCC visibility pop
#endif
