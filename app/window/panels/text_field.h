// ImGui's text inputs on a std::string that grows as one types.
#pragma once

#include <imgui.h>

#include <string>

namespace warplens::window {

bool edit_line(const char* id, std::string& text, ImGuiInputTextFlags flags = 0);
// `cursor` receives the byte at which the text cursor stands while the field is active, else -1.
bool edit_lines(const char* id, std::string& text, ImVec2 size, int& cursor);

}  // namespace warplens::window
