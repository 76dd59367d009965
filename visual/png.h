// Pixels to a PNG file's bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace warplens::visual {

// Pixels of four bytes, blue, green, red and one that is left out, as Cairo's RGB24 holds them on the
// machines we build for; `stride` bytes from row to row. Nothing when there is not enough memory.
std::optional<std::string> png_of(const unsigned char* pixels, int width, int height, std::ptrdiff_t stride);

}  // namespace warplens::visual
