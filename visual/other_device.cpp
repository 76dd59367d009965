#include "visual/other_device.h"

#include <algorithm>

namespace warplens::visual {

std::string other_device(const ViewInput& input, const MeasuredOn& on) {
  if (on.empty() || input.device == nullptr || on.is(input.device->name)) return {};
  return on.short_name();
}

std::string other_device_words(const Draft& draft, const ViewInput& input, const MeasuredOn& on) {
  if (other_device(input, on).empty()) return {};
  return draft.say(on.device.empty() ? "view.other_device.unlisted" : "view.other_device.choose",
                   {{"hardware", on.hardware}, {"listed", on.device}, {"device", input.device->name}});
}

void say_other_device(Draft& draft, Rect& rest, const ViewInput& input, const MeasuredOn& on) {
  const std::string words = other_device_words(draft, input, on);
  if (words.empty() || rest.height < 3 * kTextRow) return;
  const std::size_t most = rest.height > 200 ? 2 : 1;
  int row = 0;
  for (const std::string& line : draft.wrap(words, rest.width, kSmall, Face::Sans, most))
    draft
        .text("other_device." + std::to_string(row++), take_top(rest, kTextRow), line,
              {kSmall, Face::Sans, Ink::of(Role::Warn), Align::Left})
        .tooltip = words;
  take_top(rest, 4);
}

}  // namespace warplens::visual
