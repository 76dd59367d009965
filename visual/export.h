// Scenes to files without a display: PNG, SVG, PDF (and GIF for animations) through Cairo.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "engine/base/result.h"
#include "visual/canvas.h"
#include "visual/vision.h"

namespace warplens::visual {

struct ExportOptions {
  double scale = 1.0;              // device pixels a logical pixel (PNG, GIF)
  Vision vision = Vision::Normal;  // PNG: as these eyes see it
};

// The format follows the extension: .png .svg .pdf. Other extensions are a Usage error that names these.
Status export_scene(const Scene& scene, const Theme& theme, const std::filesystem::path& file,
                    const ExportOptions& options = {});

// Measures text as the Cairo canvas draws it (Inter, JetBrains Mono, a CJK face for Chinese).
const TextMeasure& cairo_text_measure();
// Characters of a text that no installed font can draw (for tests and for the doctor).
std::u32string missing_glyphs(std::string_view text, Face face);

// Frames of an animation; `frame(t)` is asked for t from 0 to 1, `frames` times. The file loops, and rests on
// its last frame for a second so that the result can be read. Every frame has the size of the first.
Status export_gif(const std::function<Scene(double)>& frame, int frames, int frames_per_second,
                  const Theme& theme, const std::filesystem::path& file, const ExportOptions& options = {});

// The same animation as numbered pictures, frame_0001.png onwards, for a video encoder. Makes the folder;
// pictures of an earlier export in it are overwritten, others are left alone. `progress` hears how much is
// done after each picture; when it returns false, the export ends as Cancelled.
Status export_frames(const std::function<Scene(double)>& frame, int frames, const Theme& theme,
                     const std::filesystem::path& folder, const ExportOptions& options = {},
                     const std::function<bool(double)>& progress = {});

}  // namespace warplens::visual
