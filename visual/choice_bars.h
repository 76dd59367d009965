// The variants of a choice beside each other: a row each with its name, a column of bars for each thing that
// was measured or counted. For what a curve would draw between values that have nothing between them.
#pragma once

#include "visual/layout.h"

namespace warplens::visual {

// "Time, µs"; the name alone where there is no unit.
std::string named_with_unit(const Draft& draft, const std::string& name, const std::string& unit);

// Of the series that stand beside each other, in order. None has the colour of a model: all were measured or
// counted.
Ink ink_of_column(std::size_t index, float alpha = 1);

// Series of a sweep whose x are indexes of `x_names`; the row at x_now is marked. `elsewhere` names the GPU
// of a measured series where the view is about another one.
void draw_choice_bars(Draft& draft, const Rect& area, const Sweep& sweep, const std::string& elsewhere);

}  // namespace warplens::visual
