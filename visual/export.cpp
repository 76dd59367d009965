#include "visual/export.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <unordered_map>

#include "engine/base/assets.h"
#include "engine/base/markup.h"
#include "engine/base/message.h"
#include "visual/cairo_canvas.h"
#include "visual/png.h"

namespace warplens::visual {
namespace {

struct SurfaceDeleter {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct ContextDeleter {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, SurfaceDeleter>;
using Context = std::unique_ptr<cairo_t, ContextDeleter>;

// Beyond this Cairo's image surfaces refuse, and no screen or printer has it.
constexpr double kMaxPixels = 32767;

cairo_status_t append(void* out, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

Error failure(const std::filesystem::path& file, std::string why) {
  return told(ErrorKind::System, {"file.picture.not_drawn", {{"why", value_of(std::move(why))}}},
              {file.string()});
}

Status check_size(const Scene& scene, double scale, const std::filesystem::path& file) {
  const double width = scene.size.width * scale, height = scene.size.height * scale;
  if (std::isfinite(width) && std::isfinite(height) && width >= 1 && height >= 1 && width <= kMaxPixels &&
      height <= kMaxPixels)
    return Done{};
  return told(ErrorKind::Usage,
              {"file.picture.size",
               {{"width", value_of(width)}, {"height", value_of(height)}, {"most", value_of(kMaxPixels)}}},
              {file.string()});
}

Status paint(const Scene& scene, const Theme& theme, cairo_surface_t* surface, double scale,
             const std::filesystem::path& file) {
  const Context context(cairo_create(surface));
  cairo_scale(context.get(), scale, scale);
  CairoCanvas canvas(context.get());
  draw(scene, canvas, theme);
  cairo_surface_flush(surface);
  if (const cairo_status_t status = cairo_status(context.get()); status != CAIRO_STATUS_SUCCESS)
    return failure(file, cairo_status_to_string(status));
  return Done{};
}

void look_through(Vision vision, cairo_surface_t* surface) {
  if (vision == Vision::Normal) return;
  unsigned char* data = cairo_image_surface_get_data(surface);
  const int stride = cairo_image_surface_get_stride(surface);
  std::unordered_map<std::uint32_t, std::uint32_t> known;  // flat pictures have few colours
  for (int y = 0; y < cairo_image_surface_get_height(surface); ++y) {
    auto* row = reinterpret_cast<std::uint32_t*>(data + static_cast<std::ptrdiff_t>(y) * stride);
    for (int x = 0; x < cairo_image_surface_get_width(surface); ++x) {
      const auto found = known.find(row[x]);
      row[x] =
          found != known.end() ? found->second : known.emplace(row[x], seen(row[x], vision)).first->second;
    }
  }
  cairo_surface_mark_dirty(surface);
}

Status export_png(const Scene& scene, const Theme& theme, const std::filesystem::path& file,
                  const ExportOptions& options) {
  const double scale = options.scale;
  if (const Status status = check_size(scene, scale, file); !status) return status;
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                                   static_cast<int>(std::lround(scene.size.width * scale)),
                                                   static_cast<int>(std::lround(scene.size.height * scale))));
  if (const Status status = paint(scene, theme, surface.get(), scale, file); !status) return status;
  look_through(options.vision, surface.get());
  const auto bytes =
      png_of(cairo_image_surface_get_data(surface.get()), cairo_image_surface_get_width(surface.get()),
             cairo_image_surface_get_height(surface.get()), cairo_image_surface_get_stride(surface.get()));
  return bytes ? write_text(file, *bytes) : failure(file, "not enough memory");
}

// Cairo writes no alternative text; a screen reader looks for <title> and <desc> first inside <svg>.
void describe_svg(const Scene& scene, std::string& svg) {
  const std::size_t start = svg.find("<svg");
  const std::size_t end = start == std::string::npos ? start : svg.find('>', start);
  if (end == std::string::npos) return;
  svg.insert(end + 1, fmt::format("\n<title>{}</title>\n<desc>{}</desc>", escaped_markup(scene.title),
                                  escaped_markup(scene.transcript)));
}

Status export_vector(const Scene& scene, const Theme& theme, const std::filesystem::path& file, bool svg) {
  if (const Status status = check_size(scene, 1.0, file); !status) return status;
  std::string bytes;
  {
    const auto create = svg ? cairo_svg_surface_create_for_stream : cairo_pdf_surface_create_for_stream;
    const Surface surface(create(append, &bytes, scene.size.width, scene.size.height));
    if (!svg) {
      cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, scene.title.c_str());
      cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_SUBJECT, scene.transcript.c_str());
    }
    if (const Status status = paint(scene, theme, surface.get(), 1.0, file); !status) return status;
    cairo_surface_finish(surface.get());
    if (const cairo_status_t status = cairo_surface_status(surface.get()); status != CAIRO_STATUS_SUCCESS)
      return failure(file, cairo_status_to_string(status));
  }
  if (svg) describe_svg(scene, bytes);
  return write_text(file, bytes);
}

}  // namespace

Status export_scene(const Scene& scene, const Theme& theme, const std::filesystem::path& file,
                    const ExportOptions& options) {
  const std::string extension = file.extension().string();
  if (extension == ".png") return export_png(scene, theme, file, options);
  if (extension == ".svg" || extension == ".pdf")
    return export_vector(scene, theme, file, extension == ".svg");
  return told(ErrorKind::Usage, {"file.picture.no_format", {{"file", value_of(file.filename().string())}}},
              {file.string()});
}

Status export_frames(const std::function<Scene(double)>& frame, int frames, const Theme& theme,
                     const std::filesystem::path& folder, const ExportOptions& options,
                     const std::function<bool(double)>& progress) {
  constexpr int kMostFrames = 100'000;
  if (frames < 1 || frames > kMostFrames)
    return told(ErrorKind::Usage,
                {"file.picture.frames", {{"most", value_of(kMostFrames)}, {"frames", value_of(frames)}}},
                {folder.string()});
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return failure(folder, failed.message());
  for (int i = 0; i < frames; ++i) {
    const Scene scene = frame(frames == 1 ? 1.0 : i / static_cast<double>(frames - 1));
    if (const Status status =
            export_scene(scene, theme, folder / fmt::format("frame_{:04}.png", i + 1), options);
        !status)
      return status;
    if (progress && !progress(static_cast<double>(i + 1) / frames))
      return told(ErrorKind::Cancelled, {"file.picture.stopped", {}}, {folder.string()});
  }
  return Done{};
}

}  // namespace warplens::visual
