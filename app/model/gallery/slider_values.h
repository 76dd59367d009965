// The values a slider may take, and those of them that a curve over it goes through.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/gallery/gallery.h"

namespace warplens::model {

// In order; empty: every integer from min to max.
std::vector<std::int64_t> notches_of(const Slider& slider);
std::int64_t nearest_allowed(const Slider& slider, std::int64_t value);
// The same for a slider of a kernel: the size that the clock needs lies beyond the slider's end, and can be
// gone to all the same.
std::int64_t allowed_value(const GalleryKernel& kernel, const Slider& slider, std::int64_t value);
std::uint64_t count_of_values(const Slider& slider);
// What a person calls it: in that language, else in English, else by its name.
std::string title_of(const Slider& slider, std::string_view language);

// A curve goes through every value of a slider that has no more than these.
inline constexpr std::size_t kEveryValue = 66;

// Ascending: all values while they are at most `most` (2 or more), else so many of them, both ends, where the
// slider starts and where it stands (`now`) among them. Notable: then powers of two, which is where memory
// changes its mind, the rest of the points spread evenly. Even: spread evenly from the start, whatever else
// there is.
// Doubling: all powers of two and no others, for an axis on which these stand evenly.
enum class Steps { Even, Notable, Doubling };
std::vector<std::int64_t> slider_steps(const Slider& slider, std::size_t most, Steps steps = Steps::Even,
                                       std::optional<std::int64_t> now = {});
// Where a curve over it is counted: everywhere while there are no more than kEveryValue, or what lies between
// two points would be told wrongly; over decades at powers of two; else at so few values that it is there
// soon.
std::vector<std::int64_t> curve_steps(const Slider& slider, std::int64_t now);

}  // namespace warplens::model
