// The values a slider may take.
#pragma once

#include <vector>

#include "app/model/gallery.h"

namespace warplens::window {

// In order; empty: every integer from min to max.
std::vector<std::int64_t> notches_of(const model::Slider& slider);
std::int64_t nearest_allowed(const model::Slider& slider, std::int64_t value);

}  // namespace warplens::window
