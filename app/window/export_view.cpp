#include "app/window/export_view.h"

#include <cstdlib>
#include <memory>
#include <string>

#include "visual/export.h"

namespace warplens::window {
namespace {

std::filesystem::path picture_folder() {
  std::error_code ignored;
  if (const char* home = std::getenv("HOME"); home && *home) {
    const std::filesystem::path pictures = std::filesystem::path(home) / "Pictures";
    if (std::filesystem::is_directory(pictures, ignored)) return pictures;
    if (std::filesystem::is_directory(home, ignored)) return home;
  }
  return std::filesystem::current_path(ignored);
}

}  // namespace

std::filesystem::path export_path(const Workbench& bench, std::string_view view, std::string_view extension) {
  const std::string kernel = bench.kernel() ? bench.kernel()->id : "warplens";
  std::string stem = kernel + "_" + std::string(view);
  for (char& c : stem) {
    if (c == '/' || c == '\\' || c == ' ') c = '-';
  }
  const std::filesystem::path folder = picture_folder();
  std::error_code ignored;
  std::filesystem::path file = folder / (stem + "." + std::string(extension));
  for (int i = 2; std::filesystem::exists(file, ignored) && i < 10000; ++i) {
    file = folder / (stem + "_" + std::to_string(i) + "." + std::string(extension));
  }
  return file;
}

void export_view(Ui& ui, const visual::View& view, visual::Size size, const std::filesystem::path& file) {
  // Laid out with Cairo's own text widths; the run is kept alive by the shared pointer.
  const visual::ViewContext context{size, ui.catalogue, visual::cairo_text_measure()};
  const auto scene = std::make_shared<const visual::Scene>(view.layout(context, ui.bench.view_input()));
  Workbench* bench = &ui.bench;
  const visual::Theme& theme = ui.theme;
  ui.bench.later([scene, file, bench, &theme] {
    visual::ExportOptions options;
    options.scale = 2.0;
    const Status saved = visual::export_scene(*scene, theme, file, options);
    bench->note(saved ? Message{"window.stage.saved", {{"file", value_of(file.string())}}}
                      : Message{"window.stage.not_saved", {{"reason", value_of(saved.error().text())}}});
  });
}

}  // namespace warplens::window
