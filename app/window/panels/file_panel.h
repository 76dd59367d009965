// The dialog that opens a file of the user's, or saves the text to one: a path that can be typed, the folder
// it is in, and the files that were open last.
#pragma once

#include "app/window/panels/ui.h"

namespace warplens::window {

enum class FileTask : std::uint8_t { Open, Save };
// From the next frame on.
void ask_for_file(FileTask task);
// Writes the edited text to the user's file, or asks where to: a kernel of the gallery stays as it is.
void save_or_ask(Ui& ui);
void draw_file_panel(Ui& ui);

}  // namespace warplens::window
