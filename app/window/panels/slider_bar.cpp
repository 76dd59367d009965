// The sliders under the views, where the bench is folded away.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/model/gallery/slider_values.h"
#include "app/model/text/in_language.h"
#include "app/window/panels/ui.h"

namespace warplens::window {
namespace {

using visual::Rect;
using visual::Role;

constexpr float kBarPad = 16, kBetweenSliders = 24;

}  // namespace

std::size_t sliders_in_a_row(float width) {
  constexpr float kLeastWidth = 260;
  return static_cast<std::size_t>(std::max(1.0f, (width - kBetweenSliders) / kLeastWidth));
}

void draw_slider_bar(Ui& ui) {
  const Rect& bar = ui.layout.sliders;
  const model::GalleryKernel* kernel = ui.bench.kernel();
  if (!kernel || bar.width < 200) return;
  const Area area(ui, "slider_bar", bar);
  Pen pen = ui.pen();
  pen.fill({0, 0, bar.width, bar.height}, Role::Panel);
  pen.line({0, 0.5f}, {bar.width, 0.5f}, Role::Line);
  const auto rows = static_cast<std::size_t>(std::max(1.0f, std::round(bar.height / kSliderBarHeight)));
  const std::size_t all = kernel->sliders.size();
  const std::size_t count = std::min(sliders_in_a_row(bar.width) * rows, all);
  const std::size_t a_row = (count + rows - 1) / rows;
  // Those without room come with the button at the end, or when Tab reaches them.
  constexpr float kMoreSliders = 52;
  const float room = bar.width - (count < all ? kMoreSliders : 0);
  std::size_t& first = ui.state.first_slider;
  first = std::min(first, all - count);
  const auto focused = static_cast<std::size_t>(
      std::ranges::find(kernel->sliders, ui.state.focused_slider, &model::Slider::name) -
      kernel->sliders.begin());
  if (focused < all) first = std::clamp(first, focused < count ? 0 : focused + 1 - count, focused);
  const float width = std::min(420.0f, (room - kBetweenSliders) / static_cast<float>(a_row));
  const std::string& language = ui.bench.settings.language;
  for (std::size_t i = 0; i < count; ++i) {
    const float x = kBarPad + width * static_cast<float>(i % a_row);
    const float y = kSliderBarHeight * static_cast<float>(i / a_row);
    const model::Slider& s = kernel->sliders[first + i];
    const std::string label = model::title_of(s, language);
    const float link = ui.bench.moves_both(s.name) ? 14.0f : 0.0f;
    const float label_width = std::min(pen.width(label) + 16 + link, width * 0.54f);
    slider_control(ui, pen,
                   {s,
                    label,
                    model::in_language(s.hint, language),
                    {x, y + 4, width - kBetweenSliders, kSliderBarHeight - 8},
                    label_width});
  }
  if (count == all) return;
  const Rect more{bar.width - kMoreSliders, 6, kMoreSliders - 12, kSliderBarHeight - 12};
  if (text_button(ui, pen, "more_sliders", fmt::format("+{}", all - count), more, false,
                  ui.say({"window.slider.more_tip", {{"n", value_of(all - count)}}}))) {
    first = first + count < all ? std::min(first + count, all - count) : 0;
    ui.state.focused_slider.clear();
  }
}

}  // namespace warplens::window
