// What a program prints, as it prints it, and the line that is typed for it.
#include <algorithm>

#include "app/window/panels/program_panels.h"
#include "app/window/panels/text_field.h"
#include "engine/base/number_text.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

constexpr float kOutputTitle = 34, kOutputLine = 18, kInput = 40, kOutputPad = 14;

// What Warplens' runtime says stands out from what the program prints.
Role role_of_line(const std::string& line) {
  return line.starts_with("warplens: ") ? Role::Warn : Role::Text;
}

struct Lines {
  const std::vector<std::string>& compiler;
  const TerminalText& text;
  std::size_t size() const {
    return compiler.size() + text.lines().size() + (text.open_line().empty() ? 0 : 1);
  }
  const std::string& operator[](std::size_t i) const {
    if (i < compiler.size()) return compiler[i];
    i -= compiler.size();
    return i < text.lines().size() ? text.lines()[i] : text.open_line();
  }
};

// Only the lines that are seen are drawn; the newest stay in sight while the end of the list is.
void draw_lines(const ProgramUi& p, const Rect& area) {
  const Area child(p.ui, "program.output", area, true, true);
  Pen pen = p.ui.pen();
  const float s = p.ui.scale();
  const Lines lines{p.session.compiler_lines(), p.session.output()};
  const std::uint64_t lost = p.session.output().lost();
  float y = 0;
  if (lost > 0) {
    pen.text({kOutputPad, y, area.width - kOutputPad, kOutputLine},
             p.ui.say({"program.output.lost", {{"bytes", value_of(bytes_text(lost))}}}),
             {.size = 11, .role = Role::Dim});
    y += kOutputLine;
  }
  if (lines.size() == 0)
    pen.paragraph({kOutputPad, y, area.width - 2 * kOutputPad, 0}, p.ui.say("program.output.empty"),
                  {.role = Role::Dim}, kOutputLine);
  const float scrolled = ImGui::GetScrollY() / s;
  const auto first = static_cast<std::size_t>(std::max(0.0f, (scrolled - y) / kOutputLine));
  const auto behind = std::min(lines.size(), first + static_cast<std::size_t>(area.height / kOutputLine) + 2);
  float widest = 0;
  for (std::size_t i = first; i < behind; ++i) {
    const TextStyle style{.size = 13, .face = Face::Mono, .role = role_of_line(lines[i])};
    p.ui.fonts.need(lines[i]);  // in any script
    const float width = pen.width(lines[i], 13, Face::Mono);
    widest = std::max(widest, width);
    pen.text({kOutputPad, y + kOutputLine * static_cast<float>(i), width + 2, kOutputLine}, lines[i], style);
  }
  ImGui::SetCursorScreenPos(pen.at(0, 0));
  ImGui::Dummy({(widest + 2 * kOutputPad) * s, (y + kOutputLine * static_cast<float>(lines.size()) + 8) * s});
  const bool at_end = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 2 * kOutputLine * s;
  if (at_end && p.session.busy()) ImGui::SetScrollHereY(1);
}

void draw_input(const ProgramUi& p, const Rect& area) {
  const Area child(p.ui, "program.input", area);
  Pen pen = p.ui.pen();
  if (p.session.input_ended()) {
    pen.text({kOutputPad, 0, area.width - kOutputPad, kInput}, p.ui.say("program.output.ended"),
             {.role = Role::Dim});
    return;
  }
  const std::string end = p.ui.say("program.output.end");
  const float button = pen.width(end) + 20;
  const Rect box{kOutputPad, 5, area.width - button - 2 * kOutputPad - 4, kInput - 10};
  pen.fill(box, Role::Ground, 4);
  pen.frame(box, Role::Line, 4);
  ImGui::SetCursorScreenPos(pen.at(box.x + 4, box.y + 2));
  ImGui::SetNextItemWidth((box.width - 8) * pen.scale());
  if (edit_line("###program.line", p.state.line, ImGuiInputTextFlags_EnterReturnsTrue)) {
    p.session.type(p.state.line);
    p.state.line.clear();
    ImGui::SetKeyboardFocusHere(-1);
  }
  if (p.state.line.empty() && !ImGui::IsItemActive())
    pen.text({box.x + 12, box.y, box.width - 16, box.height}, p.ui.say("program.output.input_hint"),
             {.role = Role::Dim, .alpha = 0.75f});
  if (text_button(p.ui, pen, "program.end_input", end, {box.right() + 6, box.y, button, box.height}, false,
                  p.ui.say("program.output.end_tip")))
    p.session.end_input();
}

}  // namespace

void draw_program_output(const ProgramUi& p, const Rect& area) {
  const bool reads = p.session.busy() && p.session.state() == ProgramSession::State::Running;
  {
    const Area child(p.ui, "program.output.title", area);
    Pen pen = p.ui.pen();
    pen.fill({0, 0, area.width, area.height}, Role::Panel);
    pen.line({0.5f, 0}, {0.5f, area.height}, Role::Line);
    pen.text({kOutputPad, 0, area.width - 2 * kOutputPad, kOutputTitle}, p.ui.say("program.output.title"),
             {.size = 11, .face = Face::SansBold, .role = Role::Dim});
  }
  const float input = reads ? kInput : 0;
  draw_lines(p, {area.x + 1, area.y + kOutputTitle, area.width - 1, area.height - kOutputTitle - input});
  if (reads) draw_input(p, {area.x + 1, area.bottom() - input, area.width - 1, input});
}

}  // namespace warplens::window
