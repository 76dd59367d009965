// Saves what a view shows as a file, with the same layout at the same size, through the Cairo canvas.
#pragma once

#include <filesystem>
#include <string_view>

#include "app/window/ui.h"

namespace warplens::window {

// A fresh name in the user's picture folder: "strided-copy_address-map.svg", "..._2.svg".
std::filesystem::path export_path(const Workbench& bench, std::string_view view, std::string_view extension);
// Works in the background; a note says where the file went.
void export_view(Ui& ui, const visual::View& view, visual::Size size, const std::filesystem::path& file);

}  // namespace warplens::window
