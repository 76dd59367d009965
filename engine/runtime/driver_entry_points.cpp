// Functions of the driver by name: cudaGetDriverEntryPoint and cuGetProcAddress, as programs use them that
// are not linked with libcuda. Knows no declarations: the table holds addresses only.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "engine/runtime/refuse.h"

extern "C" {
#define ENTRY(function) int function();
#include "engine/runtime/driver_entry_points.inc"
#undef ENTRY
int cuGetProcAddress_v2(const char* name, void** out, int version, unsigned long long flags, int* status);
}

namespace {

struct Entry {
  std::string_view name;
  void* address;
};

constexpr int kSuccess = 0, kInvalidValue = 1, kNotFound = 1;

const Entry kEntries[] = {
#define ENTRY(function) {#function, reinterpret_cast<void*>(&function)},
#include "engine/runtime/driver_entry_points.inc"
#undef ENTRY
    {"cuGetProcAddress_v2", reinterpret_cast<void*>(&cuGetProcAddress_v2)},
};

void* find(const std::string& name) {
  const auto found = std::ranges::find(kEntries, name, &Entry::name);
  return found == std::end(kEntries) ? nullptr : found->address;
}

// The newest form of it that is there: cuMemAlloc is cuMemAlloc_v2.
void* newest(const std::string& name) {
  for (const char* version : {"_v4", "_v3", "_v2", ""})
    if (void* const found = find(name + version); found != nullptr) return found;
  return nullptr;
}

// As a driver answers for a name that it does not know; who asked is told that it is not there.
int look_up(const char* name, void** out, int* status) {
  if (name == nullptr || out == nullptr || *name == '\0') return kInvalidValue;
  *out = newest(name);
  if (*out == nullptr) warplens::runtime::refuse(name, kSuccess);
  if (status != nullptr) *status = *out == nullptr ? kNotFound : kSuccess;
  return kSuccess;
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default"))) int

EXPORTED cudaGetDriverEntryPoint(const char* name, void** out, unsigned long long, int* status) {
  return look_up(name, out, status);
}
EXPORTED cudaGetDriverEntryPoint_ptsz(const char* name, void** out, unsigned long long, int* status) {
  return look_up(name, out, status);
}
EXPORTED cudaGetDriverEntryPointByVersion(const char* name, void** out, unsigned, unsigned long long,
                                          int* status) {
  return look_up(name, out, status);
}
EXPORTED cudaGetDriverEntryPointByVersion_ptsz(const char* name, void** out, unsigned, unsigned long long,
                                               int* status) {
  return look_up(name, out, status);
}
EXPORTED cuGetProcAddress_v2(const char* name, void** out, int, unsigned long long, int* status) {
  return look_up(name, out, status);
}
EXPORTED cuGetProcAddress(const char* name, void** out, int, unsigned long long) {
  int status = kSuccess;
  const int error = look_up(name, out, &status);
  return error != kSuccess ? error : status == kNotFound ? 500 : kSuccess;  // CUDA_ERROR_NOT_FOUND
}
