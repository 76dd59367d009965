// A picture as part of a page that needs no other file.
#pragma once

#include <string>

#include "engine/base/result.h"
#include "visual/canvas.h"

namespace warplens::model {

// <img> with the scene as SVG in it and its transcript as the text in its place.
Result<std::string> embedded_picture(const visual::Scene& scene, const visual::Theme& theme);

}  // namespace warplens::model
