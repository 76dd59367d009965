#include "app/window/panels/text_field.h"

namespace warplens::window {
namespace {

struct Field {
  std::string* text = nullptr;
  int* cursor = nullptr;
};

int on_event(ImGuiInputTextCallbackData* data) {
  auto* field = static_cast<Field*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    field->text->resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = field->text->data();
  }
  if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways && field->cursor)
    *field->cursor = data->CursorPos;
  return 0;
}

}  // namespace

bool edit_line(const char* id, std::string& text, ImGuiInputTextFlags flags) {
  Field field{&text, nullptr};
  return ImGui::InputText(id, text.data(), text.capacity() + 1, flags | ImGuiInputTextFlags_CallbackResize,
                          on_event, &field);
}

bool edit_lines(const char* id, std::string& text, ImVec2 size, int& cursor) {
  Field field{&text, &cursor};
  cursor = -1;
  return ImGui::InputTextMultiline(
      id, text.data(), text.capacity() + 1, size,
      ImGuiInputTextFlags_AllowTabInput | ImGuiInputTextFlags_NoHorizontalScroll |
          ImGuiInputTextFlags_CallbackResize | ImGuiInputTextFlags_CallbackAlways,
      on_event, &field);
}

}  // namespace warplens::window
