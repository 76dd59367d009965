// What a fuzz target gives besides LLVMFuzzerTestOneInput: texts to start from. The short run of ./test
// (short_run.cpp) mutates them, and `fuzz_NAME --seeds FOLDER` writes them down for libFuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/assets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace warplens::fuzz {

std::vector<std::string> seeds();

// The files below a folder of the source tree that end so, in a fixed order, none longer than `most` bytes.
std::vector<std::string> files_in(const char* folder, std::string_view ending, std::size_t most = 40000);

[[noreturn]] inline void complain(const char* what, const std::string& about) {
  std::fprintf(stderr, "%s\n%s\n", what, about.c_str());
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace warplens::fuzz
