#include <fmt/format.h>

#include "app/lesson/book.h"

namespace warplens::lesson {

std::string filled_text(Runs& runs, const Lesson& lesson, const Step* step, bool revealed,
                        const std::string& text) {
  if (text.find("{{") == std::string::npos) return text;
  const auto scope = [&]() -> Result<RunScope> {
    if (step != nullptr) return scope_at(runs, lesson, step, revealed ? step->revealed() : step->state);
    if (lesson.kind != Kind::Challenge) return scope_of(runs, lesson, nullptr, {});
    Subject start;
    start.kernel = revealed && lesson.reference ? &*lesson.reference : &lesson.kernels.front();
    start.values = model::default_values(*start.kernel);
    return scope_of(runs, lesson, nullptr, std::move(start));
  }();
  const auto filled = fill_in(text, [&](const Placeholder& p) -> Result<std::string> {
    const auto value = scope ? value_of(p.expression, *scope) : Result<double>(scope.error());
    auto written = value ? formatted(*value, p.format) : Result<std::string>(value.error());
    return written ? written : Result<std::string>(std::string("?"));
  });
  return filled ? *filled : text;
}

std::string notes_of(Runs& runs, const Lesson& lesson, const std::string& language) {
  const Words& words = lesson.text(language);
  std::string out = "# " + words.title + "\n";
  if (const Section* teacher = words.section("teacher"))
    out += "\n" + filled_text(runs, lesson, nullptr, false, teacher->body) + "\n";
  int number = 0;
  for (const Step& step : lesson.steps) {
    const Section* section = words.section(step.id);
    if (section == nullptr) continue;
    out += fmt::format("\n## {}. {}\n", ++number, section->title);
    for (const char* kind : {"note", "ask", "reveal", "goal"})
      if (const Part* part = section->part(kind)) {
        const bool before = std::string_view(kind) == "note" || std::string_view(kind) == "ask";
        const std::string text = filled_text(runs, lesson, &step, !before, part->body);
        out += std::string_view(kind) == "note" ? "\n" + text + "\n" : "\n> " + text + "\n";
      }
  }
  if (const Section* remember = words.section("remember")) out += "\n---\n" + remember->body + "\n";
  return out;
}

}  // namespace warplens::lesson
