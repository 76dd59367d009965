// Dear ImGui's own widgets (popups, input fields, scroll bars) in our colours and sizes.
#pragma once

#include "visual/canvas.h"

namespace warplens::window {

void use_metrics(float scale);
void use_colours(const visual::Theme& theme);

}  // namespace warplens::window
