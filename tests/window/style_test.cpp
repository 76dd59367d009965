// What stands in ImGui's own structures and nowhere else: what use_metrics() sets, and the atlas of the
// fonts.
#include "app/window/draw/style.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include "app/window/draw/fonts.h"

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

// Presented on a screen of 3840 by 2160 text is drawn four times as large: all its characters still go into
// one texture that any card takes, and are as wide as ever.
TEST(Fonts, ChineseOnALargeWallFitsIntoATexture) {
  ImGui::CreateContext();
  {
    Fonts fonts;
    ASSERT_TRUE(fonts.load());
    std::u32string characters = U"中文";
    for (char32_t c = 0x4e00; c < 0x4e00 + 2500; ++c) characters += c;
    fonts.need(characters);
    float width = 0;
    for (const float scale : {1.0f, 4.0f}) {
      for (int i = 0; i < 2; ++i) {
        fonts.prepare(scale);
        for (const float size : {11.0f, 13.0f, 14.0f, 16.0f, 22.0f, 28.0f})
          for (const visual::Face face : {visual::Face::Sans, visual::Face::SansBold}) fonts.get(face, size);
      }
      const ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
      EXPECT_LE(atlas.TexWidth, 8192) << scale;
      EXPECT_LE(atlas.TexHeight, 8192) << scale;
      const float now = fonts.measure("中文", visual::Face::Sans, 28).width;
      EXPECT_NEAR(now, width > 0 ? width : now, 0.04f * now) << scale;
      width = now;
    }
  }
  ImGui::DestroyContext();
}

}  // namespace
}  // namespace warplens::window
