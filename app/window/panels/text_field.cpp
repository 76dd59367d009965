#include "app/window/panels/text_field.h"

namespace warplens::window {
namespace {

struct Field {
  std::string* text = nullptr;
  int* cursor = nullptr;
  int length = 0;  // before this frame
};

// Enter goes on under the line it leaves, and one step further in after an opening brace.
void indent(ImGuiInputTextCallbackData* data) {
  const std::string_view before(data->Buf, static_cast<std::size_t>(data->CursorPos));
  const std::string blanks = indent_after(before);
  if (!blanks.empty()) data->InsertChars(data->CursorPos, blanks.c_str());
}

int on_event(ImGuiInputTextCallbackData* data) {
  auto* field = static_cast<Field*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    field->text->resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = field->text->data();
  }
  if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways && field->cursor) {
    const bool entered = data->BufTextLen == field->length + 1 && data->CursorPos > 0 &&
                         data->Buf[data->CursorPos - 1] == '\n';
    if (entered) indent(data);
    *field->cursor = data->CursorPos;
  }
  return 0;
}

}  // namespace

std::string indent_after(std::string_view text) {
  if (text.empty() || text.back() != '\n') return {};
  text.remove_suffix(1);
  const std::size_t start = text.empty() ? 0 : text.rfind('\n') + 1;  // npos + 1 is 0
  const std::string_view line = text.substr(start);
  std::string blanks(line.substr(0, std::min(line.find_first_not_of(" \t"), line.size())));
  const std::size_t last = line.find_last_not_of(" \t\r");
  if (last != std::string_view::npos && line[last] == '{') blanks += "  ";
  return blanks;
}

bool edit_line(const char* id, std::string& text, ImGuiInputTextFlags flags) {
  Field field{&text, nullptr, 0};
  return ImGui::InputText(id, text.data(), text.capacity() + 1, flags | ImGuiInputTextFlags_CallbackResize,
                          on_event, &field);
}

bool edit_lines(const char* id, std::string& text, ImVec2 size, int& cursor) {
  Field field{&text, &cursor, static_cast<int>(text.size())};
  cursor = -1;
  return ImGui::InputTextMultiline(
      id, text.data(), text.capacity() + 1, size,
      ImGuiInputTextFlags_AllowTabInput | ImGuiInputTextFlags_NoHorizontalScroll |
          ImGuiInputTextFlags_CallbackResize | ImGuiInputTextFlags_CallbackAlways,
      on_event, &field);
}

}  // namespace warplens::window
