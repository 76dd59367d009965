#include "app/lesson/book_picture.h"

#include <algorithm>

namespace warplens::lesson {
namespace {

// How a view ends a text of which it left out whole sentences.
bool leaves_out(const visual::Scene& scene) {
  return std::ranges::any_of(scene.shapes, [](const visual::Shape& shape) {
    return shape.text.ends_with(". …") || shape.text.ends_with("。…");
  });
}

}  // namespace

Result<visual::Scene> whole_picture(const model::Pictures& pictures, const model::Run& run,
                                    model::PictureOptions options) {
  constexpr float kTallest = 1.5f * kPicture.height, kStep = 40;
  options.size = kPicture;
  auto scene = pictures.draw(run, options);
  while (scene && leaves_out(*scene) && options.size.height + kStep <= kTallest) {
    options.size.height += kStep;
    auto taller = pictures.draw(run, options);
    if (!taller) return taller;
    scene = std::move(taller);
  }
  return scene;
}

}  // namespace warplens::lesson
