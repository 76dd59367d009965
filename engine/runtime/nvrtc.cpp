// NVRTC stays the vendor's, which needs no GPU. What it compiles for a GPU comes with the PTX that it was
// made of: the emulator runs that, and follows the machine code.
#if __has_include(<nvrtc.h>)
#include <dlfcn.h>

#pragma GCC visibility push(default)
#include <nvrtc.h>
#pragma GCC visibility pop

#include <algorithm>
#include <vector>

#include "engine/runtime/fat_binary.h"

namespace {

template <typename Function>
Function* vendors(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// Empty when nothing was compiled for a GPU.
nvrtcResult both(nvrtcProgram program, std::vector<std::uint8_t>& out) {
  const auto cubin_size = vendors<decltype(nvrtcGetCUBINSize)>("nvrtcGetCUBINSize");
  const auto cubin = vendors<decltype(nvrtcGetCUBIN)>("nvrtcGetCUBIN");
  if (cubin_size == nullptr || cubin == nullptr) return NVRTC_ERROR_INTERNAL_ERROR;
  std::size_t bytes = 0;
  if (const nvrtcResult result = cubin_size(program, &bytes); result != NVRTC_SUCCESS || bytes == 0)
    return result;
  std::vector<char> machine_code(bytes);
  if (const nvrtcResult result = cubin(program, machine_code.data()); result != NVRTC_SUCCESS) return result;
  std::vector<char> ptx;
  const auto ptx_size = vendors<decltype(nvrtcGetPTXSize)>("nvrtcGetPTXSize");
  const auto text = vendors<decltype(nvrtcGetPTX)>("nvrtcGetPTX");
  if (ptx_size != nullptr && text != nullptr && ptx_size(program, &bytes) == NVRTC_SUCCESS && bytes > 1) {
    ptx.resize(bytes);
    if (text(program, ptx.data()) != NVRTC_SUCCESS) ptx.clear();
  }
  out = warplens::runtime::make_fat_binary({ptx.data(), ptx.size()},
                                           {machine_code.data(), machine_code.size()});
  return NVRTC_SUCCESS;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* bytes) {
  std::vector<std::uint8_t> made;
  const nvrtcResult result = both(program, made);
  *bytes = made.size();
  return result;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* out) {
  std::vector<std::uint8_t> made;
  const nvrtcResult result = both(program, made);
  std::copy(made.begin(), made.end(), out);
  return result;
}

}  // extern "C"
#pragma GCC visibility pop
#endif
