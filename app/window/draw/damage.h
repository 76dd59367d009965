// What of the window changed since the frame before, so that only that is drawn again: most frames move a
// cursor or change one view, and software OpenGL pays for every pixel.
//
//   for (const PixelRect& part : damage.since_last(*ImGui::GetDrawData(), width, height, ground))
//     draw with clip_to(part);
#pragma once

#include <imgui.h>

#include <cstdint>
#include <vector>

namespace warplens::window {

struct PixelRect {  // device pixels, y down, half-open
  int left = 0, top = 0, right = 0, bottom = 0;
  bool empty() const { return right <= left || bottom <= top; }
  std::int64_t area() const { return empty() ? 0 : std::int64_t{right - left} * (bottom - top); }
  bool operator==(const PixelRect&) const = default;
};
PixelRect common(const PixelRect& a, const PixelRect& b);
PixelRect around(const PixelRect& a, const PixelRect& b);

// The pixels that ImGui's OpenGL back end clips a command to, in a frame so many pixels high.
PixelRect clip_of(const ImDrawCmd& command, int height);

class Damage {
 public:
  // A few rectangles that hold every pixel that differs from the last frame, which is remembered; the whole
  // frame where little would be saved. `ground` is what the frame is cleared to. Exact up to a collision of
  // 64-bit hashes. For frames whose pixels are ImGui's coordinates.
  std::vector<PixelRect> since_last(const ImDrawData& data, int width, int height, std::uint32_t ground);
  // The next frame is drawn whole: another font texture, say.
  void forget() { last_.clear(); }

 private:
  struct Drawn {  // one draw command, copied
    std::uint64_t hash = 0;
    PixelRect clip;
    ImTextureID texture = nullptr;
    std::vector<ImDrawVert> vertices;
    std::vector<unsigned> indices;  // into `vertices`
    const ImDrawVert& corner(std::size_t i) const { return vertices[indices[i]]; }
  };
  static void copy(const ImDrawList& list, const ImDrawCmd& command, int height, Drawn& out);
  // The triangles from the first to before the last.
  static PixelRect pixels(const Drawn& drawn, std::size_t first, std::size_t last);
  static void compare(const Drawn& before, const Drawn& now, std::vector<PixelRect>& parts);

  std::vector<Drawn> last_, spare_;
  int width_ = 0, height_ = 0;
  std::uint32_t ground_ = 0;
};

}  // namespace warplens::window
