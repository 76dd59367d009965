// When, on what and at which size a quoted time was taken.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/lesson/runs.h"
#include "app/lesson/titled.h"
#include "app/model/gallery/slider_values.h"
#include "app/model/text/in_language.h"
#include "engine/base/typography.h"

namespace warplens::lesson {
namespace {

// "elements 16,777,216": the sliders that stand elsewhere than in the picture.
std::string sizes_of(const Subject& subject, const std::string& language) {
  const model::SliderValues values = model::measured_values(*subject.kernel, subject.values, subject.keep);
  std::vector<std::string> out;
  for (const model::Slider& slider : subject.kernel->sliders) {
    const auto timed = values.find(slider.name), shown = subject.values.find(slider.name);
    if (timed == values.end() || shown == subject.values.end() || timed->second == shown->second) continue;
    const std::string value = slider.choices.empty() ? number_text(static_cast<double>(timed->second))
                                                     : model::value_name(slider, timed->second, language);
    out.push_back(model::title_of(slider, language) + " " + value);
  }
  return listed(out, language);
}

}  // namespace

std::optional<Subject> timed_curve(const Lesson& lesson, const model::Gallery& gallery, const Step& step) {
  if (!step.predict || step.predict->kind != PredictKind::Curve || !step.predict->measured)
    return std::nullopt;
  auto subject = subject_of(lesson, gallery, step.predict->then);
  if (!subject) return std::nullopt;
  subject->keep = {step.predict->over};
  return *subject;
}

std::optional<Message> timed_note(const model::Recording* recording, const std::vector<Subject>& timed,
                                  const std::string& language) {
  if (recording == nullptr || timed.empty()) return std::nullopt;
  std::set<std::string> days;
  std::vector<std::pair<std::string, std::string>> all;  // kernel's title, sizes
  for (const Subject& subject : timed) {
    const std::string sizes = sizes_of(subject, language);
    days.insert(recording->day_of(subject.kernel->id));
    const std::pair<std::string, std::string> one{
        model::in_language(subject.kernel->title, language, subject.kernel->id), sizes};
    if (!sizes.empty() && std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
  const std::string when = listed({days.begin(), days.end()}, language);
  if (all.empty()) return Message{"lesson.timed_here", {{"device", recording->device.name}, {"days", when}}};
  // Kernels are named where they were timed at different sizes.
  const bool same =
      std::all_of(all.begin(), all.end(), [&](const auto& one) { return one.second == all.front().second; });
  std::string sizes = all.front().second;
  if (!same) {
    sizes.clear();
    for (const auto& [title, size] : all)
      sizes += (sizes.empty() ? "" : language == "zh" ? "；" : "; ") + titled(title, size, language);
  }
  return Message{"lesson.timed", {{"device", recording->device.name}, {"days", when}, {"sizes", sizes}}};
}

}  // namespace warplens::lesson
