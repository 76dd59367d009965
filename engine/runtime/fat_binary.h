// What nvcc puts into a program for its kernels: PTX and machine code for one or more architectures.
//
//   for (const Image& image : *read_fat_binary(wrapper)) if (image.is_ptx) parse(text_of(image));
//
// Layout as it is found in programs of CUDA 11 to 13: a wrapper (magic 0x466243b1) points to a header
// (0xba55ed50), behind which entries follow, each with a header of its own. Payloads may be compressed, as an
// LZ4 block or a Zstandard frame. Reads what the program's own file says: sizes are checked, memory is the
// program's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace warplens::runtime {

struct Image {
  bool is_ptx = false;
  int arch = 0;                      // 90
  std::uint64_t unpacked_bytes = 0;  // 0: not compressed
  bool zstandard = false;
  int file = 0;  // of device code linked from several files: which of them, from 1
  std::span<const std::uint8_t> payload;
};

// `data`: where the header is, of which no more than `bytes` may be read.
Result<std::vector<Image>> read_fat_binary(const void* data, std::uint64_t bytes);
// By a registered wrapper.
Result<std::vector<Image>> read_fat_binary_wrapper(const void* wrapper);
// Unpacked.
Result<std::vector<std::uint8_t>> bytes_of(const Image& image);

// One of a text of PTX and of what ptxas made of it, for compute capability 9.0; either may be empty.
std::vector<std::uint8_t> make_fat_binary(std::span<const char> ptx, std::span<const char> machine_code);

// An LZ4 block; fails rather than reading or writing outside.
Result<std::vector<std::uint8_t>> unpack_lz4(std::span<const std::uint8_t> packed,
                                             std::uint64_t unpacked_bytes);

}  // namespace warplens::runtime
