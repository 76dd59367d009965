#include "app/window/draw/style.h"

#include <imgui.h>

namespace warplens::window {
namespace {

using visual::Role;

ImVec4 colour(const visual::Theme& theme, Role role, float alpha = 1) {
  const visual::Colour c = theme.resolve(visual::Ink::of(role, alpha));
  return {c.r, c.g, c.b, c.a};
}

}  // namespace

void use_metrics(float scale) {
  ImGuiStyle style;
  style.WindowPadding = {0, 0};
  style.WindowBorderSize = 0;
  style.ChildBorderSize = 0;
  style.PopupRounding = 8;
  style.PopupBorderSize = 1;
  style.FrameRounding = 4;
  style.FramePadding = {6, 4};
  style.ItemSpacing = {8, 6};
  style.ScrollbarSize = 10;
  style.ScrollbarRounding = 5;
  style.GrabMinSize = 24;
  style.CurveTessellationTol = 0.8f;
  style.CircleTessellationMaxError = 0.2f;
  style.ScaleAllSizes(scale);
  style.PopupBorderSize = 1;
  style.WindowMinSize = {1, 1};  // ImGui rounds down, and aborts at 0
  const ImVec4* old = ImGui::GetStyle().Colors;
  for (int i = 0; i < ImGuiCol_COUNT; ++i) style.Colors[i] = old[i];
  ImGui::GetStyle() = style;
}

void use_colours(const visual::Theme& theme) {
  ImVec4* c = ImGui::GetStyle().Colors;
  c[ImGuiCol_Text] = colour(theme, Role::Text);
  c[ImGuiCol_TextDisabled] = colour(theme, Role::Dim);
  c[ImGuiCol_WindowBg] = colour(theme, Role::Ground);
  c[ImGuiCol_PopupBg] = colour(theme, Role::Raised);
  c[ImGuiCol_Border] = colour(theme, Role::Line);
  c[ImGuiCol_FrameBg] = colour(theme, Role::Ground);
  c[ImGuiCol_FrameBgHovered] = colour(theme, Role::Ground);
  c[ImGuiCol_FrameBgActive] = colour(theme, Role::Ground);
  c[ImGuiCol_Header] = colour(theme, Role::Accent, 0.25f);
  c[ImGuiCol_HeaderHovered] = colour(theme, Role::Accent, 0.18f);
  c[ImGuiCol_HeaderActive] = colour(theme, Role::Accent, 0.3f);
  c[ImGuiCol_ScrollbarBg] = colour(theme, Role::Panel, 0);
  c[ImGuiCol_ScrollbarGrab] = colour(theme, Role::Line);
  c[ImGuiCol_ScrollbarGrabHovered] = colour(theme, Role::Dim, 0.6f);
  c[ImGuiCol_ScrollbarGrabActive] = colour(theme, Role::Dim);
  c[ImGuiCol_TextSelectedBg] = colour(theme, Role::Accent, 0.35f);
  c[ImGuiCol_NavHighlight] = colour(theme, Role::Accent, 0);
}

}  // namespace warplens::window
