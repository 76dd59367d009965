// Whether two runs of one problem computed the same.
#pragma once

#include <optional>
#include <vector>

#include "app/model/run/pipeline.h"

namespace warplens::lesson {

struct Difference {
  struct Element {
    std::size_t index = 0;
    double mine = 0, wanted = 0;  // for people: a double does not hold every whole number
  };
  int argument = 0;
  std::optional<Element> element;  // none: the buffers are of different length
};
// Where `a` first differs from `b` in these arguments. Whole numbers exactly; floating-point ones within what
// their type can hold of a sum whose order differs, measured at the largest element; NaN equals NaN.
std::optional<Difference> first_difference(const model::Run& a, const model::Run& b,
                                           const std::vector<int>& arguments);

}  // namespace warplens::lesson
