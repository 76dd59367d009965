#include "app/model/picture/embedded_picture.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <filesystem>

#include "engine/base/assets.h"
#include "engine/base/markup.h"
#include "visual/export.h"

namespace warplens::model {
namespace {

// As it stands in an attribute in double quotes: a quarter shorter than base64 would be.
std::string as_data(std::string_view svg) {
  std::string out;
  out.reserve(svg.size() * 11 / 10);
  for (const char c : svg) switch (c) {
      case '"':
        out += '\'';
        break;
      case '\n':
        out += ' ';
        break;
      case '%':
        out += "%25";
        break;
      case '#':
        out += "%23";
        break;
      case '<':
        out += "%3C";
        break;
      case '>':
        out += "%3E";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += c;
    }
  return out;
}

// Hundredths of a pixel are what a picture needs; a third of its text are digits behind these. What a matrix
// scales by may be small, and words stay as they are.
std::string with_short_numbers(std::string_view svg) {
  std::string out;
  out.reserve(svg.size());
  const std::size_t words = svg.find("</desc>");
  std::size_t at = words == std::string_view::npos ? 0 : words;
  out += svg.substr(0, at);
  while (at < svg.size()) {
    if (svg.substr(at).starts_with("matrix(")) {
      const std::size_t end = std::min(svg.find(')', at), svg.size());
      out += svg.substr(at, end - at);
      at = end;
      continue;
    }
    // Surfaces are counted through the life of the process; nothing refers to them, and equal pictures shall
    // be equal texts.
    if (constexpr std::string_view kId = " id=\"surface"; svg.substr(at).starts_with(kId)) {
      at = std::min(svg.find('"', at + kId.size()), svg.size() - 1) + 1;
      continue;
    }
    const bool point = svg[at] == '.' && at > 0 && std::isdigit(static_cast<unsigned char>(svg[at - 1])) != 0;
    out += svg[at++];
    if (!point) continue;
    std::size_t digits = 0;
    for (; at < svg.size() && std::isdigit(static_cast<unsigned char>(svg[at])) != 0; ++at)
      if (++digits <= 2) out += svg[at];
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
  return fmt::format("<img alt=\"{}\" src=\"data:image/svg+xml,{}\">\n", escaped_markup(scene.transcript),
                     as_data(with_short_numbers(*svg)));
}

}  // namespace warplens::model
