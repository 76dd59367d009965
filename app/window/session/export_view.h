// Saves what a view shows as a file, with the same layout at the same size, through the Cairo canvas.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "app/window/session/composition.h"
#include "engine/base/progress.h"
#include "visual/canvas.h"

namespace warplens::window {

struct ExportJob {
  Composition shown;  // with both sides of a comparison
  const visual::View* view = nullptr;
  visual::Size size;
  std::shared_ptr<const Catalogue> text;
  const visual::Theme* theme = nullptr;
  std::filesystem::path file;  // .png, .svg, .pdf, .gif; without an extension: a folder of numbered frames
  double scale = 2;
  int frames = 48, frames_per_second = 24;
};

// Where the file goes: a fresh name in the user's picture folder, "copy-strided_address-map.svg",
// "..._2.svg". No extension: a folder for frames.
std::filesystem::path export_path(std::string_view kernel, std::string_view view, std::string_view extension);

// The frame of an animation at t from 0 to 1: the motion inside the step, or, for views without one, the walk
// over the steps that follow.
visual::Scene frame_at(const ExportJob& job, double t);

// Takes seconds for animations; reports progress, and stops when asked with an error of kind Cancelled. What
// was begun is then removed.
Status write_export(const ExportJob& job, Progress& progress);

}  // namespace warplens::window
