#include "app/window/session/export_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "visual/export.h"

namespace warplens::window {
namespace {

namespace fs = std::filesystem;

fs::path picture_folder() {
  std::error_code ignored;
  if (const char* home = std::getenv("HOME"); home && *home) {
    const fs::path pictures = fs::path(home) / "Pictures";
    if (fs::is_directory(pictures, ignored)) return pictures;
    if (fs::is_directory(home, ignored)) return home;
  }
  return fs::current_path(ignored);
}

Error stopped() {
  return told(ErrorKind::Cancelled, {"window.export.stopped", {}});
}

Status write_frames(const ExportJob& job, Progress& progress) {
  visual::ExportOptions options;
  options.scale = job.scale;
  return visual::export_frames([&](double t) { return frame_at(job, t); }, job.frames, *job.theme, job.file,
                               options,
                               [&](double done) {
                                 progress.report(done);
                                 return !progress.cancelled();
                               });
}

Status write_gif(const ExportJob& job, Progress& progress) {
  visual::ExportOptions options;
  options.scale = 1;  // films are shown small, and every pixel costs in each frame
  const visual::Scene last = frame_at(job, 1);
  const auto frame = [&](double t) {
    // export_gif has no way to stop: once cancelled, the rest of its frames cost nothing.
    if (progress.cancelled()) {
      visual::Scene nothing;
      nothing.size = job.size;
      return nothing;
    }
    progress.report(t);
    return t >= 1 ? last : frame_at(job, t);
  };
  const Status saved =
      visual::export_gif(frame, job.frames, job.frames_per_second, *job.theme, job.file, options);
  if (saved && progress.cancelled()) return stopped();
  return saved;
}

}  // namespace

fs::path export_path(std::string_view kernel, std::string_view view, std::string_view extension) {
  std::string stem = std::string(kernel.empty() ? "warplens" : kernel) + "_" + std::string(view);
  for (char& c : stem) {
    if (c == '/' || c == '\\' || c == ' ') c = '-';
  }
  const fs::path folder = picture_folder();
  const std::string end = extension.empty() ? "" : "." + std::string(extension);
  std::error_code ignored;
  fs::path file = folder / (stem + end);
  for (int i = 2; fs::exists(file, ignored) && i < 10000; ++i) {
    file = folder / (stem + "_" + std::to_string(i) + end);
  }
  return file;
}

visual::Scene frame_at(const ExportJob& job, double t) {
  Composition at = job.shown;
  const auto move = [&](Shown& side) {
    if (!side.run) return;
    const std::size_t size = side.run->trace.size();
    if (!job.view->stops.empty() || size == 0) {
      side.cursor.phase = static_cast<float>(t);
      return;
    }
    const auto walked = static_cast<std::size_t>(t * (job.frames - 1) + 0.5);
    side.cursor = {std::min(side.cursor.step + walked, size - 1), 1};
  };
  move(at.b);
  if (at.a) move(*at.a);
  return at.lay_out(*job.view, job.size, *job.text, visual::cairo_text_measure());
}

Status write_export(const ExportJob& job, Progress& progress) {
  const bool frames = job.file.extension().empty();
  const bool film = job.file.extension() == ".gif";
  Status saved = Done{};
  if (frames) {
    saved = write_frames(job, progress);
  } else if (film) {
    saved = write_gif(job, progress);
  } else {
    visual::ExportOptions options;
    options.scale = job.scale;
    saved =
        visual::export_scene(job.shown.lay_out(*job.view, job.size, *job.text, visual::cairo_text_measure()),
                             *job.theme, job.file, options);
  }
  if (!saved && saved.error().kind == ErrorKind::Cancelled) {
    std::error_code ignored;
    fs::remove_all(job.file, ignored);
  }
  return saved;
}

}  // namespace warplens::window
