#include "app/model/picture/tour.h"

#include <fmt/format.h>

#include "app/model/gallery/gallery.h"
#include "app/model/picture/picture.h"
#include "app/model/text/comments.h"
#include "app/model/text/in_language.h"
#include "engine/base/assets.h"
#include "engine/base/markup.h"
#include "visual/export.h"

namespace warplens::model {
namespace {

std::string css_colour(const visual::Theme& theme, visual::Role role) {
  const visual::Colour c = theme.resolve(visual::Ink::of(role));
  const auto byte = [](float v) { return static_cast<int>(v * 255.0f + 0.5f); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(c.r), byte(c.g), byte(c.b));
}

std::string page_head(const visual::Theme& theme, const std::string& language, const std::string& title) {
  using visual::Role;
  return fmt::format(
      "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{}</title>\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<style>\n"
      "body{{background:{};color:{};font:16px/1.5 Inter,system-ui,sans-serif;margin:0 auto;max-width:1200px;"
      "padding:32px 24px}}\nh1{{font-size:28px}} h2{{font-size:22px;margin-top:56px}} "
      "h3{{font-size:16px;color:{}}}\n"
      "p,li{{color:{};max-width:72ch}} img{{display:block;width:100%;margin:16px 0;border-radius:8px}}\n"
      "pre{{background:{};padding:16px;border-radius:8px;overflow:auto;font:13px/1.6 'JetBrains "
      "Mono',monospace}}\n"
      "a{{color:{}}} nav li{{display:inline-block;margin-right:16px}}\n</style></head><body>\n<h1>{}</h1>\n",
      language, escaped_markup(title), css_colour(theme, Role::Ground), css_colour(theme, Role::Text),
      css_colour(theme, Role::Dim), css_colour(theme, Role::Text), css_colour(theme, Role::Panel),
      css_colour(theme, Role::Accent), escaped_markup(title));
}

struct TourWriter {
  const TourOptions& options;
  const Catalogue& catalogue;
  const Pictures& pictures;
  const visual::Theme& theme;
  const Recording* recording;  // null: there is none
  TourResult result;

  // The run of a kernel at its default sliders.
  static Result<std::shared_ptr<const Run>> run_of(const GalleryKernel& kernel) {
    const auto bound = launch_of(kernel, default_values(kernel));
    if (!bound) return bound.error();
    const auto program = load_program(program_request(kernel, *bound));
    if (!program) return program.error();
    RunRequest request;
    request.program = *program;
    request.launch = bound->launch;
    return execute(request);
  }

  // What a GPU measured of it, where the view draws that.
  RecordedViews recorded(const GalleryKernel& kernel, std::string_view view,
                         const analysis::Report& report) const {
    const auto text = read_text(kernel.file);
    const visual::View* const drawn = visual::find_view(view);
    if (drawn == nullptr || recording == nullptr || !text) return {};
    return recorded_for(*drawn, *recording, kernel, *text, default_values(kernel), &report, catalogue);
  }

  Result<std::string> section(const GalleryKernel& kernel) {
    const auto run = run_of(kernel);
    if (!run) return run.error();
    const std::string title = in_language(kernel.title, options.language);
    std::string html = fmt::format("<h2 id=\"{}\">{}</h2>\n<p>{}</p>\n", kernel.id, escaped_markup(title),
                                   escaped_markup(in_language(kernel.summary, options.language)));
    html += fmt::format("<pre>{}</pre>\n<ul>\n",
                        escaped_markup(comments_in(options.language, (*run)->program->text, kernel.file)));
    for (const Message& message : (*run)->report.explanations)
      html += fmt::format("<li>{}</li>\n", escaped_markup(catalogue.text(message)));
    html += "</ul>\n";
    for (const std::string& view : kernel.views) {
      if (view == "faults" && (*run)->report.faults.empty()) continue;
      PictureOptions picture;
      picture.view = view;
      picture.recorded = recorded(kernel, view, (*run)->report);
      picture.size = {1120, 560};
      const auto scene = pictures.draw(**run, picture);
      if (!scene) return scene.error();
      const std::string name = fmt::format("{}-{}.svg", kernel.id, view);
      if (const Status status = visual::export_scene(*scene, theme, options.folder / name); !status)
        return status.error();
      html += fmt::format("<img src=\"{}\" alt=\"{}\">\n", name, escaped_markup(scene->transcript));
      ++result.pictures;
    }
    ++result.kernels;
    return html;
  }
};

}  // namespace

Result<TourResult> render_tour(const TourOptions& options) {
  const auto catalogue = Catalogue::load(options.language);
  if (!catalogue) return catalogue.error();
  const auto gallery = load_gallery();
  if (!gallery) return gallery.error();
  const auto pictures = Pictures::make(*catalogue);
  if (!pictures) return pictures.error();
  std::error_code failed;
  std::filesystem::create_directories(options.folder, failed);

  const visual::Theme& theme =
      options.theme == visual::ThemeName::Dark ? visual::Theme::dark() : visual::Theme::light();
  const Recordings recordings = load_recordings();
  TourWriter writer{options, *catalogue, *pictures, theme, recordings.best(), {}};
  writer.result.problems = gallery->problems;
  std::string contents = "<nav>\n", sections;
  int number = 0;
  for (const Topic& topic : gallery->topics) {
    contents += fmt::format("<h3>{}</h3><ul>\n", escaped_markup(in_language(topic.title, options.language)));
    for (const std::string& id : topic.kernels) {
      const GalleryKernel* kernel = gallery->find(id);
      if (kernel == nullptr) continue;
      const std::string title = in_language(kernel->title, options.language);
      if (options.on_kernel) options.on_kernel(++number, static_cast<int>(gallery->kernels.size()), title);
      auto section = writer.section(*kernel);
      if (!section) {
        Error problem = section.error();
        problem.message = fmt::format("{}: {}", id, problem.message);
        writer.result.problems.push_back(std::move(problem));
        continue;
      }
      contents += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, escaped_markup(title));
      sections += *section;
    }
    contents += "</ul>\n";
  }
  const std::string page = page_head(theme, options.language, catalogue->text("tour.title")) + contents +
                           "</nav>\n" + sections + "</body></html>\n";
  if (const Status status = write_text(options.folder / "index.html", page); !status) return status.error();
  return std::move(writer.result);
}

}  // namespace warplens::model
