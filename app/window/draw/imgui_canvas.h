// Draws a Scene with Dear ImGui's draw lists.
//
//   ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), fonts, top_left, fonts.scale());
//   visual::draw(scene, canvas, visual::Theme::dark());
//
// A scene's logical pixels are multiplied by the scale; shapes outside the clip rectangle are skipped.
#pragma once

#include <imgui.h>

#include "app/window/draw/fonts.h"
#include "visual/canvas.h"

namespace warplens::window {

ImU32 colour_of(visual::Colour colour);

class ImGuiCanvas : public visual::Canvas {
 public:
  ImGuiCanvas(ImDrawList& list, Fonts& fonts, ImVec2 origin, float scale);
  void draw(const visual::Shape& shape, const visual::Theme& theme) override;

 private:
  ImVec2 at(visual::Point p) const { return {origin_.x + p.x * scale_, origin_.y + p.y * scale_}; }
  void box(const visual::Shape& shape, const visual::Theme& theme, ImU32 fill, ImU32 stroke);
  void hatch(ImVec2 min, ImVec2 max, ImU32 colour);
  void dots(ImVec2 min, ImVec2 max, ImU32 colour);
  void outline(const visual::Shape& shape, ImU32 stroke);
  void stroke_path(bool closed, const visual::Shape& shape, ImU32 stroke);
  void polygon(const visual::Shape& shape, ImU32 fill, ImU32 stroke);
  void text(const visual::Shape& shape, ImU32 colour);
  bool visible(const visual::Shape& shape) const;

  ImDrawList& list_;
  Fonts& fonts_;
  ImVec2 origin_;
  float scale_;
};

}  // namespace warplens::window
