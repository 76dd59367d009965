#include "engine/gpu/library_product.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "engine/base/message.h"

namespace warplens::gpu {
namespace {

namespace fs = std::filesystem;

// The part of the library's interface that is used, as its documentation defines it; matrices are
// column-major.
struct Cublas {
  using Handle = void*;
  int (*create)(Handle*) = nullptr;
  int (*destroy)(Handle) = nullptr;
  int (*version)(Handle, int*) = nullptr;
  int (*sgemm)(Handle, int, int, int m, int n, int k, const float* alpha, const float* a, int lda,
               const float* b, int ldb, const float* beta, float* c, int ldc) = nullptr;

  static const Cublas* open() {
    static const Cublas library = load();
    return library.sgemm == nullptr ? nullptr : &library;
  }

 private:
  static void* opened() {
    std::vector<fs::path> candidates{"libcublas.so.13", "libcublas.so.12"};
    for (const char* toolkit : std::initializer_list<const char*>{
             std::getenv("CUDA_HOME"), std::getenv("CUDA_PATH"), "/usr/local/cuda"})
      if (toolkit != nullptr && *toolkit != '\0')
        for (const char* folder : {"lib64", "targets/x86_64-linux/lib"})
          for (const char* name : {"libcublas.so.13", "libcublas.so.12"})
            candidates.push_back(fs::path(toolkit) / folder / name);
    for (const fs::path& file : candidates) {
      std::error_code ignored;
      if (file.has_parent_path() && !fs::exists(file, ignored)) continue;
      if (void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); handle != nullptr) return handle;
    }
    return nullptr;
  }

  static Cublas load() {
    Cublas out;
    void* handle = opened();
    if (handle == nullptr) return out;
    const auto find = [&]<typename F>(F& to, const char* name) {
      to = reinterpret_cast<F>(dlsym(handle, name));
    };
    find(out.create, "cublasCreate_v2");
    find(out.destroy, "cublasDestroy_v2");
    find(out.version, "cublasGetVersion_v2");
    find(out.sgemm, "cublasSgemm_v2");
    if (out.create == nullptr || out.destroy == nullptr || out.version == nullptr) out.sgemm = nullptr;
    return out;
  }
};

Error refused(const char* what, int status) {
  return told(ErrorKind::System,
              {"gpu.library.failed", {{"what", value_of(what)}, {"code", value_of(status)}}});
}

// 130002 is 13.0.2.
std::string version_text(int version) {
  return fmt::format("cuBLAS {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace

Result<LibraryTimes> time_library_product(const Driver& driver, Stopwatch& stopwatch, const ProductSize& size,
                                          int runs, double seconds,
                                          const std::function<bool(double)>& progress) {
  const Cublas* cublas = Cublas::open();
  if (cublas == nullptr) return told(ErrorKind::System, {"gpu.library.none", {}});
  const auto bytes = [](int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * sizeof(float);
  };
  auto a = DeviceBuffer::make(driver, bytes(size.m, size.k));
  if (!a) return a.error();
  auto b = DeviceBuffer::make(driver, bytes(size.k, size.n));
  if (!b) return b.error();
  auto c = DeviceBuffer::make(driver, bytes(size.m, size.n));
  if (!c) return c.error();
  // 0x3c3c3c3c is a small number: no sum overflows.
  for (const DeviceBuffer* buffer : {&*a, &*b})
    if (const CudaResult code = driver.fill_bytes(buffer->pointer(), 0x3c, buffer->bytes()); code != 0)
      return driver.error(code, "fill_matrix");

  Cublas::Handle raw = nullptr;
  if (const int status = cublas->create(&raw); status != 0) return refused("cublasCreate", status);
  const std::unique_ptr<void, int (*)(Cublas::Handle)> handle(raw, cublas->destroy);
  int version = 0;
  if (const int status = cublas->version(raw, &version); status != 0)
    return refused("cublasGetVersion", status);

  const float one = 1, zero = 0;
  const auto at = [](const DeviceBuffer& buffer) {
    return reinterpret_cast<float*>(static_cast<std::uintptr_t>(buffer.pointer()));
  };
  // Row-major C = A * B is column-major C' = B' * A'.
  const auto run = [&]() -> Status {
    constexpr int kAsItIs = 0;
    const int status = cublas->sgemm(raw, kAsItIs, kAsItIs, size.n, size.m, size.k, &one, at(*b), size.n,
                                     at(*a), size.k, &zero, at(*c), size.n);
    if (status != 0) return refused("cublasSgemm", status);
    return Done{};
  };
  const auto times = stopwatch.time_calls(run, 3, runs, seconds, progress);
  if (!times) return times.error();
  return LibraryTimes{*times, version_text(version)};
}

}  // namespace warplens::gpu
