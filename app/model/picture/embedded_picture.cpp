#include "app/model/picture/embedded_picture.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "engine/base/assets.h"
#include "engine/base/markup.h"
#include "visual/export.h"

namespace warplens::model {
namespace {

std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(bytes.size() * 4 / 3 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      out += i + j <= bytes.size() ? kDigits[group >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

}  // namespace

Result<std::string> embedded_picture(const visual::Scene& scene, const visual::Theme& theme) {
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("warplens_picture_{}.svg", ::getpid());
  const Status drawn = visual::export_scene(scene, theme, file);
  const auto svg = drawn ? read_text(file) : Result<std::string>(drawn.error());
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  if (!svg) return svg.error();
  return fmt::format("<img alt=\"{}\" src=\"data:image/svg+xml;base64,{}\">\n",
                     escaped_markup(scene.transcript), base64(*svg));
}

}  // namespace warplens::model
