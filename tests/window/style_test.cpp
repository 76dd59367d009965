// The one test that includes ImGui: what use_metrics() sets stands in ImGui's own style and nowhere else.
#include "app/window/draw/style.h"

#include <gtest/gtest.h>
#include <imgui.h>

namespace warplens::window {
namespace {

// ImGui rounds what it scales down, and ends the program when a window may have no size.
TEST(Style, EveryZoomLeavesWindowsASize) {
  ImGui::CreateContext();
  for (const float scale : {0.5f, 0.625f, 0.875f, 0.99f, 1.0f, 1.125f, 3.0f, 8.0f}) {
    use_metrics(scale);
    const ImGuiStyle& style = ImGui::GetStyle();
    EXPECT_GE(style.WindowMinSize.x, 1) << scale;
    EXPECT_GE(style.WindowMinSize.y, 1) << scale;
    EXPECT_GE(style.GrabMinSize, 1) << scale;
    EXPECT_GE(style.ScrollbarSize, 1) << scale;
    EXPECT_GT(style.CurveTessellationTol, 0) << scale;
    EXPECT_GT(style.CircleTessellationMaxError, 0) << scale;
  }
  ImGui::DestroyContext();
}

}  // namespace
}  // namespace warplens::window
