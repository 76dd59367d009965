// ImGui's text inputs on a std::string that grows as one types. Several lines indent themselves.
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

namespace warplens::window {

// The blanks that a new line begins with: `text` ends with the line break that was just typed.
std::string indent_after(std::string_view text);

bool edit_line(const char* id, std::string& text, ImGuiInputTextFlags flags = 0);
// `cursor` receives the byte at which the text cursor stands while the field is active, else -1.
bool edit_lines(const char* id, std::string& text, ImVec2 size, int& cursor);

}  // namespace warplens::window
