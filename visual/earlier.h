// A picture that belongs to an earlier text or setting than the one that is asked for looks so: it is dim,
// and one line over it says what it belongs to.
#pragma once

#include <string_view>

#include "visual/view.h"

namespace warplens::visual {

void mark_as_earlier(Scene& scene, const ViewContext& context, std::string_view words);

}  // namespace warplens::visual
