// Draws every view over every fixture, theme, size and language, to look at:
//   draw_samples FOLDER [view] [fixture] [WIDTHxHEIGHT] [dark|light] [en|zh] [phase]
// An argument that is "-" or missing means all (phase: 1).
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "tests/visual/fixtures.h"
#include "visual/export.h"

using namespace warplens;
using namespace warplens::visual;

namespace {

constexpr std::array<Size, 6> kSizes{
    {{640, 360}, {640, 400}, {980, 420}, {980, 840}, {1600, 900}, {2560, 1440}}};

bool wanted(const char* filter, std::string_view value) {
  return !filter || std::strcmp(filter, "-") == 0 || value == filter;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i) { return i < argc ? argv[i] : nullptr; };
  if (argc < 2) {
    fmt::print(stderr,
               "usage: draw_samples FOLDER [view] [fixture] [WIDTHxHEIGHT] [theme] [language] [phase]\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const auto fixtures = all_fixtures();
  int drawn = 0, problems = 0;
  for (const char* language : {"en", "zh"}) {
    if (!wanted(argument(6), language)) continue;
    const auto catalogue = Catalogue::load(language);
    if (!catalogue) {
      fmt::print(stderr, "{}\n", catalogue.error().text());
      return 2;
    }
    for (const View& view : all_views())
      for (const Fixture& fixture : fixtures)
        for (const Size size : kSizes) {
          const std::string shape = fmt::format("{:.0f}x{:.0f}", size.width, size.height);
          if (!wanted(argument(2), view.id) || !wanted(argument(3), fixture.name) ||
              !wanted(argument(4), shape))
            continue;
          const ViewContext context{size, *catalogue, cairo_text_measure()};
          ViewInput input = fixture.input();
          if (argument(7)) input.cursor.phase = static_cast<float>(std::atof(argument(7)));
          const Scene scene = view.layout(context, input);
          const std::string name = fmt::format("{}-{}-{}-{}", view.id, fixture.name, shape, language);
          for (const std::string& problem : find_layout_problems(scene, cairo_text_measure())) {
            fmt::print("{}: {}\n", name, problem);
            ++problems;
          }
          for (const Theme* theme : {&Theme::dark(), &Theme::light()}) {
            const char* tone = theme->name == ThemeName::Dark ? "dark" : "light";
            if (!wanted(argument(5), tone)) continue;
            if (const Status status =
                    export_scene(scene, *theme, folder / fmt::format("{}-{}.png", name, tone));
                !status)
              fmt::print(stderr, "{}\n", status.error().text());
            ++drawn;
          }
        }
  }
  fmt::print("{} pictures, {} problems\n", drawn, problems);
  return 0;
}
