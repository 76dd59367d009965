#include "app/window/jobs/setup.h"

#include "app/model/gallery/slider_values.h"
#include "app/model/text/in_language.h"
#include "engine/base/typography.h"

namespace warplens::window {
namespace {

std::string value_in(const model::Slider& slider, const model::SliderValues& values,
                     const std::string& language) {
  const auto it = values.find(slider.name);
  return model::value_name(slider, it == values.end() ? slider.value : it->second, language);
}

}  // namespace

bool same_program(const Setup& a, const Setup& b) {
  if (!a.kernel || !b.kernel || a.kernel->id != b.kernel->id || a.users_file != b.users_file) return false;
  if (a.text != b.text || a.compiler != b.compiler) return false;
  // A define or a choice of the entry makes another program of the same text.
  const auto of = [](const Setup& s) { return model::launch_of(*s.kernel, s.values); };
  if (a.kernel->defines.empty() && a.kernel->kernel.find('{') == std::string::npos) return true;
  const auto x = of(a), y = of(b);
  return x && y && x->defines == y->defines && x->launch.kernel == y->launch.kernel;
}

SideNames side_names(const Setup& a, const Setup& b, const Catalogue& text, const std::string& language) {
  if (!a.kernel || !b.kernel) return {};
  if (a.kernel->id != b.kernel->id || a.users_file != b.users_file) {
    const auto name_of = [&](const model::GalleryKernel& kernel) {
      return visual::SideName(model::in_language(kernel.title, language, kernel.id),
                              model::in_language(kernel.title_within, language));
    };
    return {name_of(*a.kernel), name_of(*b.kernel)};
  }
  std::vector<std::string> of_a, of_b;
  for (const model::Slider& slider : b.kernel->sliders) {
    const std::string x = value_in(slider, a.values, language), y = value_in(slider, b.values, language);
    if (x == y) continue;
    // A choice says what it is by itself; a number needs its name.
    const std::string title =
        slider.choices.empty() ? model::title_of(slider, language) + " " : std::string();
    of_a.push_back(title + x);
    of_b.push_back(title + y);
  }
  if (a.text != b.text) {
    of_a.push_back(text.text(a.edited() ? "window.twin.edited" : "window.twin.original"));
    of_b.push_back(text.text(b.edited() ? "window.twin.edited" : "window.twin.original"));
  }
  if (of_a.empty()) return {text.text("window.twin.pinned"), text.text("window.twin.now")};
  return {listed(of_a, language), listed(of_b, language)};
}

}  // namespace warplens::window
