#include "visual/earlier.h"

#include <algorithm>

#include "engine/base/typography.h"
#include "visual/layout.h"

namespace warplens::visual {
namespace {

constexpr float kVeil = 0.6f;
constexpr float kPad = 12, kLine = 28;

}  // namespace

void mark_as_earlier(Scene& scene, const ViewContext& context, std::string_view words) {
  const float width = scene.size.width, height = scene.size.height;
  Draft draft(context);
  draft.box("earlier.veil", {0, 0, width, height}, Ink::of(Role::Ground, kVeil));
  if (width >= 120 && height >= kLine + 16) {
    const float most = width - 2 * kMargin;
    const float wide = std::min(most, draft.width(words) + 2 * kPad + 4);
    const Rect line{(width - wide) / 2, height - kLine - 8, wide, kLine};
    draft.box("earlier.ground", line, Ink::of(Role::Raised), 6).tooltip = words;
    draft.box("earlier.bar", {line.x, line.y, 3, line.height}, Ink::of(Role::Warn), 1.5f);
    Shape& text = draft.text("earlier.words", {line.x + kPad, line.y, line.width - 2 * kPad + 4, line.height},
                             words, {kSmall, Face::Sans, Ink::of(Role::Text), Align::Left});
    text.tooltip = words;
    text.is_label = false;  // lies over others on purpose
  }
  Scene over = draft.finish({});
  for (Shape& shape : over.shapes) scene.shapes.push_back(std::move(shape));
  std::string transcript(words);
  append_sentence(transcript, scene.transcript);
  scene.transcript = std::move(transcript);
}

}  // namespace warplens::visual
