// The tour: a picture book of the gallery in a folder, for machines without a display.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "engine/base/message.h"
#include "engine/base/result.h"
#include "visual/canvas.h"

namespace warplens::model {

struct TourOptions {
  std::filesystem::path folder = "tour";
  std::string language = "en";
  visual::ThemeName theme = visual::ThemeName::Dark;
  // Called before each kernel: its number, how many there are, its title.
  std::function<void(int, int, const std::string&)> on_kernel;
};

struct TourResult {
  int kernels = 0, pictures = 0;
  std::vector<Error> problems;  // kernels that could not be shown; the rest is there
};

// Writes FOLDER/index.html and one SVG a picture. Fails only when nothing can be written at all.
Result<TourResult> render_tour(const TourOptions& options);

}  // namespace warplens::model
