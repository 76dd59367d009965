// The driver's linker: texts of PTX, joined as nvlink would join what they become.
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "engine/ptx/syntax/link_texts.h"
#include "engine/runtime/driver.h"

using namespace warplens;
using namespace warplens::runtime;

struct CUlinkState_st {
  std::vector<std::string> texts;
  JitOptions asked;
};

#pragma GCC visibility push(default)
extern "C" {

CUresult cuLinkCreate(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
  return driver([&](Context&) {
    *state = new CUlinkState_st{{}, JitOptions::of(count, options, values)};
    return cudaSuccess;
  });
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, std::size_t bytes, const char*,
                       unsigned, CUjit_option*, void**) {
  return driver([&](Context& all) -> cudaError_t {
    if (state == nullptr || data == nullptr) return cudaErrorInvalidValue;
    if (type == CU_JIT_INPUT_PTX) {
      const auto* const text = static_cast<const char*>(data);
      state->texts.emplace_back(text, ::strnlen(text, bytes));
      return cudaSuccess;
    }
    if (type != CU_JIT_INPUT_FATBINARY)
      return all.not_supported("cuLinkAddData of anything but PTX and fat binaries");
    const auto images = read_fat_binary(data, bytes);
    if (!images) return cudaErrorInvalidKernelImage;
    for (const Image& image : *images) {
      const auto text = image.is_ptx ? bytes_of(image) : Result<std::vector<std::uint8_t>>(Error{});
      if (!text) continue;
      state->texts.emplace_back(text->begin(), text->end());
      return cudaSuccess;
    }
    return cudaErrorNoKernelImageForDevice;
  });
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* file, unsigned count,
                       CUjit_option* options, void** values) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return CUDA_ERROR_FILE_NOT_FOUND;
  std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  return cuLinkAddData(state, type, bytes.data(), bytes.size(), file, count, options, values);
}

// Whoever loads it finds a text, which is as good as a cubin to cuModuleLoadData.
CUresult cuLinkComplete(CUlinkState state, void** out, std::size_t* bytes) {
  return driver([&](Context&) {
    if (state == nullptr || state->texts.empty()) return cudaErrorInvalidValue;
    const std::string text = state->texts.size() == 1 ? state->texts.front() : ptx::link_texts(state->texts);
    std::vector<std::uint8_t> with_end{text.begin(), text.end()};
    with_end.push_back(0);
    std::vector<std::uint8_t>& linked = kept(std::move(with_end));
    *out = linked.data();
    write_logs(state->asked, {});
    if (bytes != nullptr) *bytes = linked.size();
    return cudaSuccess;
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return driver([&](Context&) { return delete state, cudaSuccess; });
}

}  // extern "C"
#pragma GCC visibility pop
