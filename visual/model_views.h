// Views of what models say, beside those of views.h.
#pragma once

#include "visual/view.h"

namespace warplens::visual {

Scene shelf_view(const ViewContext& context, const ViewInput& input);
bool shelf_applies(const ViewInput& input);

}  // namespace warplens::visual
