#include <cairo.h>
#ifdef WARPLENS_HAS_GIF
#include <gif_lib.h>
#endif

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "visual/cairo_canvas.h"
#include "visual/colour_table.h"
#include "visual/export.h"

namespace warplens::visual {

#ifndef WARPLENS_HAS_GIF

Status export_gif(const std::function<Scene(double)>&, int, int, const Theme&,
                  const std::filesystem::path& file, const ExportOptions&) {
  return told(ErrorKind::System, {"file.picture.no_giflib", {}}, {file.string()});
}

#else

namespace {

struct Bitmap {
  int width = 0, height = 0;
  std::vector<std::uint32_t> pixels;  // 0xRRGGBB, rows from the top
};

Bitmap rasterise(const Scene& scene, const Theme& theme, int width, int height, double scale) {
  Bitmap out{width, height, {}};
  cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  cairo_t* context = cairo_create(surface);
  cairo_scale(context, scale, scale);
  CairoCanvas canvas(context);
  draw(scene, canvas, theme);
  cairo_destroy(context);
  cairo_surface_flush(surface);
  const int stride = cairo_image_surface_get_stride(surface);
  const unsigned char* data = cairo_image_surface_get_data(surface);
  out.pixels.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = 0; data && y < height; ++y) {
    const auto* row = reinterpret_cast<const std::uint32_t*>(data + static_cast<std::ptrdiff_t>(y) * stride);
    for (int x = 0; x < width; ++x) out.pixels.push_back(row[x] & 0xffffffu);
  }
  cairo_surface_destroy(surface);
  return out;
}

struct Region {
  int left = 0, top = 0, width = 0, height = 0;
};

// The smallest box that holds every change, at least one pixel: frames of an animation mostly agree.
Region changed(const Bitmap& before, const Bitmap& now) {
  int left = now.width, right = -1, top = now.height, bottom = -1;
  for (int y = 0; y < now.height; ++y)
    for (int x = 0; x < now.width; ++x) {
      const auto i =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(now.width) + static_cast<std::size_t>(x);
      if (before.pixels[i] == now.pixels[i]) continue;
      left = std::min(left, x);
      right = std::max(right, x);
      top = std::min(top, y);
      bottom = std::max(bottom, y);
    }
  if (right < 0) return {0, 0, 1, 1};
  return {left, top, right - left + 1, bottom - top + 1};
}

int append(GifFileType* gif, const GifByteType* data, int length) {
  static_cast<std::string*>(gif->UserData)
      ->append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(length));
  return length;
}

class GifWriter {
 public:
  GifWriter() {
    int error = 0;
    gif_ = EGifOpen(&bytes_, append, &error);
  }
  ~GifWriter() {
    int error = 0;
    if (gif_) EGifCloseFile(gif_, &error);
  }
  GifWriter(const GifWriter&) = delete;
  GifWriter& operator=(const GifWriter&) = delete;

  bool begin(int width, int height, const std::vector<std::uint32_t>& colours) {
    if (!gif_) return false;
    int size = 2;
    while (size < static_cast<int>(colours.size())) size *= 2;
    ColorMapObject* map = GifMakeMapObject(size, nullptr);
    if (!map) return false;
    for (std::size_t i = 0; i < colours.size(); ++i)
      map->Colors[i] = {static_cast<GifByteType>(colours[i] >> 16), static_cast<GifByteType>(colours[i] >> 8),
                        static_cast<GifByteType>(colours[i])};
    EGifSetGifVersion(gif_, true);
    const bool good = EGifPutScreenDesc(gif_, width, height, 8, 0, map) == GIF_OK && put_loop();
    GifFreeMapObject(map);
    return good;
  }

  bool frame(const Bitmap& bitmap, Region region, int hundredths, ColourTable& table) {
    const GifByteType control[4] = {4 /* leave in place */, static_cast<GifByteType>(hundredths & 0xff),
                                    static_cast<GifByteType>(hundredths >> 8), 0};
    if (EGifPutExtension(gif_, GRAPHICS_EXT_FUNC_CODE, 4, control) != GIF_OK) return false;
    if (EGifPutImageDesc(gif_, region.left, region.top, region.width, region.height, false, nullptr) !=
        GIF_OK)
      return false;
    std::vector<GifByteType> row(static_cast<std::size_t>(region.width));
    for (int y = region.top; y < region.top + region.height; ++y) {
      const std::uint32_t* from =
          &bitmap.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(bitmap.width) +
                         static_cast<std::size_t>(region.left)];
      std::transform(from, from + region.width, row.begin(),
                     [&](std::uint32_t c) { return table.nearest(c); });
      if (EGifPutLine(gif_, row.data(), region.width) != GIF_OK) return false;
    }
    return true;
  }

  std::optional<std::string> finish() {
    int error = 0;
    GifFileType* gif = gif_;
    gif_ = nullptr;
    if (EGifCloseFile(gif, &error) != GIF_OK) return std::nullopt;
    return std::move(bytes_);
  }

 private:
  bool put_loop() {  // Netscape's application block: repeat for ever
    const GifByteType forever[3] = {1, 0, 0};
    return EGifPutExtensionLeader(gif_, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(gif_, 11, "NETSCAPE2.0") == GIF_OK &&
           EGifPutExtensionBlock(gif_, 3, forever) == GIF_OK && EGifPutExtensionTrailer(gif_) == GIF_OK;
  }
  std::string bytes_;
  GifFileType* gif_ = nullptr;
};

constexpr int kMaxFrames = 2000;
constexpr double kMaxSide = 8192;

}  // namespace

Status export_gif(const std::function<Scene(double)>& frame, int frames, int frames_per_second,
                  const Theme& theme, const std::filesystem::path& file, const ExportOptions& options) {
  if (frames < 1 || frames > kMaxFrames || frames_per_second < 1 || frames_per_second > 50)
    return told(ErrorKind::Usage,
                {"file.picture.frames_a_second",
                 {{"most", value_of(kMaxFrames)},
                  {"frames", value_of(frames)},
                  {"rate", value_of(frames_per_second)}}},
                {file.string()});
  const auto at = [&](int i) { return frame(frames == 1 ? 1.0 : i / static_cast<double>(frames - 1)); };
  const Scene first = at(0);
  const double w = first.size.width * options.scale, h = first.size.height * options.scale;
  if (!(w >= 1 && h >= 1 && w <= kMaxSide && h <= kMaxSide))
    return told(ErrorKind::Usage,
                {"file.picture.animation_size",
                 {{"width", value_of(w)}, {"height", value_of(h)}, {"most", value_of(kMaxSide)}}},
                {file.string()});
  const int width = static_cast<int>(std::lround(w)), height = static_cast<int>(std::lround(h));

  // A sample of the frames is enough to choose colours; drawing all of them twice is not worth the time.
  ColourTable table;
  constexpr int kSamples = 12;
  for (int k = 0; k < std::min(frames, kSamples); ++k) {
    const int i = frames <= kSamples ? k : k * (frames - 1) / (kSamples - 1);
    table.add(rasterise(at(i), theme, width, height, options.scale).pixels);
  }
  table.build();

  GifWriter writer;
  bool good = writer.begin(width, height, table.colours());
  Bitmap last;
  const int pause = std::max(2, 100 / frames_per_second);
  for (int i = 0; good && i < frames; ++i) {
    Bitmap now = rasterise(at(i), theme, width, height, options.scale);
    const Region region = i == 0 ? Region{0, 0, width, height} : changed(last, now);
    good = writer.frame(now, region, i + 1 == frames ? 100 : pause, table);
    last = std::move(now);
  }
  std::optional<std::string> bytes = good ? writer.finish() : std::nullopt;
  if (!bytes) return told(ErrorKind::System, {"file.picture.giflib", {}}, {file.string()});
  return write_text(file, *bytes);
}

#endif

}  // namespace warplens::visual
