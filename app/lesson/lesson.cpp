#include "app/lesson/lesson.h"

#include <algorithm>

#include "app/model/text/in_language.h"

namespace warplens::lesson {

const model::GalleryKernel* Lesson::own_kernel(std::string_view id) const {
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [&](const model::GalleryKernel& k) { return k.id == id; });
  return found == kernels.end() ? nullptr : &*found;
}

const Words& Lesson::text(const std::string& language) const {
  static const Words kNone;
  const Words* const found = model::find_in_language(words, language);
  return found == nullptr ? kNone : *found;
}

const model::GalleryKernel* kernel_of(const Lesson& lesson, const model::Gallery& gallery,
                                      const State& state) {
  if (const model::GalleryKernel* own = lesson.own_kernel(state.kernel)) return own;
  if (lesson.reference && lesson.reference->id == state.kernel) return &*lesson.reference;
  return gallery.find(state.kernel);
}

int minutes_of(const Lesson& lesson, const Plan& plan) {
  int sum = 0;
  for (const Step& step : lesson.steps)
    if (std::find(plan.steps.begin(), plan.steps.end(), step.id) != plan.steps.end()) sum += step.minutes;
  return sum;
}

}  // namespace warplens::lesson
