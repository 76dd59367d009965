#include "app/window/session/view_choice.h"

#include <algorithm>

namespace warplens::window {

void ViewChoice::keep(const std::array<std::string, 2>& views) {
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (visual::find_view(views[i])) settings_.views[i] = views[i];
  }
  kept_ = true;
}

bool ViewChoice::is_empty_of(const visual::ViewInput& input) const {
  const auto empty = [&](const std::string& id) {
    const visual::View* const view = visual::find_view(id);
    // That no lane waits is a picture too, and what a kernel about lanes wants to come to.
    return view && view->basis == visual::Basis::Run && !view->of_lanes && !view->applies(input);
  };
  return untouched() && (empty(settings_.views[0]) || (settings_.two_views && empty(settings_.views[1])));
}

void ViewChoice::choose(const model::GalleryKernel& kernel, const Picture& picture,
                        const Measurement& measurement, const visual::ViewInput& input) {
  std::vector<std::string> chosen;
  const auto add = [&](const visual::View* view, bool must_apply) {
    if (!view || (must_apply && picture.run && !view->applies(input))) return;
    const std::string id(view->id);
    if (std::find(chosen.begin(), chosen.end(), id) == chosen.end()) chosen.push_back(id);
  };
  // What a clock or the hardware's counters say comes later than the first picture.
  const auto comes_later = [&](const visual::View* view) {
    if (!kernel.kind.empty()) return true;  // about copies or streams
    return view && view->basis == visual::Basis::Hardware && !measurement.on.empty();
  };
  // Also of a run that did not end.
  if (picture.run) add(visual::find_view("faults"), true);
  for (const bool must_apply : {true, false}) {
    for (const std::string& id : kernel.views) {
      const visual::View* view = visual::find_view(id);
      add(view, must_apply && !comes_later(view));
    }
    for (const visual::View& view : visual::all_views()) add(&view, must_apply);
  }
  for (std::size_t i = 0; i < settings_.views.size() && i < chosen.size(); ++i)
    settings_.views[i] = chosen[i];
  ours_ = settings_.views;
}

}  // namespace warplens::window
