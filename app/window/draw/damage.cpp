#include "app/window/draw/damage.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace warplens::window {
namespace {

constexpr std::size_t kMostParts = 6;

class Hash {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* at = static_cast<const unsigned char*>(data);
    for (; bytes >= 8; at += 8, bytes -= 8) {
      std::uint64_t word;
      std::memcpy(&word, at, 8);
      mix(word);
    }
    std::uint64_t rest = bytes;
    if (bytes > 0) std::memcpy(&rest, at, bytes);  // nothing may have no address
    mix(rest);
  }
  void mix(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15u;
    value_ ^= value_ >> 32;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

// Adds a part; parts whose hull costs hardly more than both are one.
void add(std::vector<PixelRect>& parts, PixelRect part) {
  for (bool merged = true; merged;) {
    merged = false;
    for (std::size_t i = 0; i < parts.size() && !merged; ++i) {
      const PixelRect hull = around(parts[i], part);
      if (parts.size() < kMostParts && hull.area() * 4 > (parts[i].area() + part.area()) * 5) continue;
      part = hull;
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
      merged = true;
    }
  }
  parts.push_back(part);
}

}  // namespace

PixelRect common(const PixelRect& a, const PixelRect& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
          std::min(a.bottom, b.bottom)};
}

PixelRect around(const PixelRect& a, const PixelRect& b) {
  return {std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right),
          std::max(a.bottom, b.bottom)};
}

PixelRect clip_of(const ImDrawCmd& command, int height) {
  const ImVec4& c = command.ClipRect;
  const int left = static_cast<int>(c.x),
            bottom = height - static_cast<int>(static_cast<float>(height) - c.w);
  return {left, bottom - static_cast<int>(c.w - c.y), left + static_cast<int>(c.z - c.x), bottom};
}

void Damage::copy(const ImDrawList& list, const ImDrawCmd& command, int height, Drawn& out) {
  const ImDrawIdx* const indices = list.IdxBuffer.Data + command.IdxOffset;
  const ImDrawVert* const vertices = list.VtxBuffer.Data + command.VtxOffset;
  unsigned first = std::numeric_limits<unsigned>::max(), last = 0;
  for (unsigned i = 0; i < command.ElemCount; ++i) {
    first = std::min<unsigned>(first, indices[i]);
    last = std::max<unsigned>(last, indices[i]);
  }
  out.clip = clip_of(command, height);
  out.texture = command.TextureId;
  out.vertices.clear();
  if (command.ElemCount > 0) out.vertices.assign(vertices + first, vertices + last + 1);
  out.indices.resize(command.ElemCount);
  for (unsigned i = 0; i < command.ElemCount; ++i) out.indices[i] = indices[i] - first;
  Hash hash;
  hash.add(&out.clip, sizeof out.clip);
  hash.mix(reinterpret_cast<std::uintptr_t>(out.texture));
  hash.add(out.vertices.data(), out.vertices.size() * sizeof(ImDrawVert));
  hash.add(out.indices.data(), out.indices.size() * sizeof(unsigned));
  out.hash = hash.value();
}

PixelRect Damage::pixels(const Drawn& drawn, std::size_t first, std::size_t last) {
  if (first >= last) return {};
  const ImVec2 start = drawn.corner(3 * first).pos;
  float left = start.x, right = start.x, top = start.y, bottom = start.y;
  for (std::size_t i = 3 * first; i < 3 * last; ++i) {
    const ImVec2 p = drawn.corner(i).pos;
    left = std::min(left, p.x), right = std::max(right, p.x);
    top = std::min(top, p.y), bottom = std::max(bottom, p.y);
  }
  const auto whole = [](float v) { return static_cast<int>(std::clamp(v, -1e6f, 1e6f)); };
  return common(drawn.clip, {whole(std::floor(left)), whole(std::floor(top)), whole(std::ceil(right)),
                             whole(std::ceil(bottom))});
}

// What two forms of one command have in common at the beginning and at the end stays as it is.
void Damage::compare(const Drawn& before, const Drawn& now, std::vector<PixelRect>& parts) {
  const std::size_t old_count = before.indices.size() / 3, new_count = now.indices.size() / 3;
  const auto same = [&](std::size_t a, std::size_t b) {
    for (std::size_t k = 0; k < 3; ++k)
      if (std::memcmp(&before.corner(3 * a + k), &now.corner(3 * b + k), sizeof(ImDrawVert)) != 0)
        return false;
    return true;
  };
  std::size_t front = 0, back = 0;
  if (before.clip == now.clip && before.texture == now.texture) {
    const std::size_t most = std::min(old_count, new_count);
    while (front < most && same(front, front)) ++front;
    while (back < most - front && same(old_count - 1 - back, new_count - 1 - back)) ++back;
  }
  for (const PixelRect& part :
       {pixels(before, front, old_count - back), pixels(now, front, new_count - back)})
    if (!part.empty()) add(parts, part);
}

std::vector<PixelRect> Damage::since_last(const ImDrawData& data, int width, int height,
                                          std::uint32_t ground) {
  const PixelRect frame{0, 0, width, height};
  std::size_t count = 0;
  spare_.swap(last_);  // what is overwritten keeps its memory
  for (int i = 0; i < data.CmdListsCount; ++i)
    for (const ImDrawCmd& command : data.CmdLists[i]->CmdBuffer) {
      if (last_.size() == count) last_.emplace_back();
      copy(*data.CmdLists[i], command, height, last_[count++]);
    }
  last_.resize(count);
  const std::vector<Drawn>& before = spare_;
  const bool comparable = !before.empty() && width == width_ && height == height_ && ground == ground_;
  width_ = width, height_ = height, ground_ = ground;
  if (!comparable) return {frame};

  // Commands that are found again in the same order are the same. As many as lie between two such in both
  // frames are taken for changed ones, pair by pair; others have come or gone.
  std::vector<PixelRect> parts;
  static const Drawn nothing;
  const auto between = [&](std::size_t a, std::size_t a_end, std::size_t b, std::size_t b_end) {
    const bool pairs = a_end - a == b_end - b;
    for (std::size_t i = a; i < a_end; ++i) compare(before[i], pairs ? last_[b + i - a] : nothing, parts);
    for (std::size_t i = b; i < b_end && !pairs; ++i) compare(nothing, last_[i], parts);
  };
  std::size_t a = 0, b = 0;  // up to here everything is dealt with
  for (std::size_t now = 0; now < last_.size(); ++now) {
    std::size_t found = a;
    while (found < before.size() && before[found].hash != last_[now].hash) ++found;
    if (found == before.size()) continue;
    between(a, found, b, now);
    a = found + 1, b = now + 1;
  }
  between(a, before.size(), b, last_.size());

  std::int64_t area = 0;
  for (PixelRect& part : parts) area += (part = common(part, frame)).area();
  std::erase_if(parts, [](const PixelRect& part) { return part.empty(); });
  if (area * 10 > frame.area() * 9) return {frame};
  return parts;
}

}  // namespace warplens::window
