#include "engine/gpu/counters_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace warplens::gpu {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> candidates() {
  std::vector<fs::path> out;
  if (const char* set = std::getenv("WARPLENS_CUPTI"); set != nullptr && *set != '\0') out.emplace_back(set);
  out.emplace_back("libcupti.so.13");
  std::vector<fs::path> toolkits;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* set = std::getenv(variable); set != nullptr && *set != '\0') toolkits.emplace_back(set);
  toolkits.emplace_back("/usr/local/cuda");
  for (const fs::path& toolkit : toolkits)
    for (const char* folder : {"extras/CUPTI/lib64", "lib64", "lib", "targets/x86_64-linux/lib"})
      out.push_back(toolkit / folder / "libcupti.so.13");
  return out;
}

void* open_first() {
  for (const fs::path& file : candidates()) {
    std::error_code ignored;
    if (file.has_parent_path() && !fs::exists(file, ignored)) continue;
    // CUPTI looks for its two helpers by name only: they must be there already.
    if (file.has_parent_path())
      for (const char* helper : {"libnvperf_host.so", "libnvperf_target.so"})
        dlopen((file.parent_path() / helper).c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); handle != nullptr) return handle;
  }
  return nullptr;
}

}  // namespace

CountersLibrary* CountersLibrary::open() {
  static CountersLibrary library = [] {
    CountersLibrary out;
    out.handle_ = open_first();
    return out;
  }();
  return library.handle_ == nullptr ? nullptr : &library;
}

void* CountersLibrary::find(const char* name) const {
  return dlsym(handle_, name);
}

}  // namespace warplens::gpu
