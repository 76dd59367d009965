#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb_image_write.h>

#include "app/window/platform.h"

namespace warplens::window {

Status write_png(const std::string& file, int width, int height, const std::vector<unsigned char>& rgb) {
  if (stbi_write_png(file.c_str(), width, height, 3, rgb.data(), width * 3) != 0) return Done{};
  return Error{ErrorKind::System, "Cannot write the screenshot '" + file + "'.", {file, 0, 0}, {}};
}

}  // namespace warplens::window
