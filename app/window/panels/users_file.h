// Two menus over the code of a user's own file: what its compiler is given besides, and what nobody said
// about its launch, each of which can be changed.
#pragma once

#include "app/window/panels/ui.h"

namespace warplens::window {

// The gear; nothing for kernels of the gallery, whose TOML says it.
void draw_compiler_gear(Ui& ui, Pen& pen, const visual::Rect& box);

// "5 assumed", at the right end of `row`; how much of it that takes, 0 where nothing was assumed.
void draw_assumed(Ui& ui, Pen& pen, const visual::Rect& row);
float assumed_width(const Ui& ui);

// The kernels and template instances of the open file, as entries of a menu; none for the gallery's.
std::size_t kernels_of_file(const Ui& ui);
void kernel_items(Ui& ui, const std::string& current);

// "nvcc 13.0", and with what, for a tooltip.
std::string compiler_name(const Ui& ui);
std::string compiler_tip(const Ui& ui);

}  // namespace warplens::window
