// What lies over everything: the note that something was done, and the list of keys.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "app/window/panels/ui.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

void draw_toast(const Ui& ui, visual::Size size) {
  if (!ui.bench.toast()) return;
  Pen pen(ui.fonts, ui.theme, *ImGui::GetForegroundDrawList(), {0, 0});
  const std::string text = ui.say(ui.bench.toast()->text);
  const float width = std::min(pen.width(text, 13) + 32, size.width - 40);
  const Rect box{(size.width - width) / 2, size.height - kTransportHeight - 52, width, 36};
  pen.fill(box, Role::Ground, 8);
  pen.fill(box, Role::Raised, 8);
  pen.frame(box, Role::Accent, 8, 1, 0.7f);
  pen.text({box.x + 16, box.y, box.width - 32, box.height}, text, {.align = visual::Align::Centre});
}

// Work that takes longer than a blink: what it is, how far, and a way to stop it. True: stop it.
bool draw_task(Ui& ui, visual::Size size, const char* id, float above, const std::string& what,
               double fraction, const std::string& stop) {
  const float s = ui.scale(), width = std::min(420.0f, size.width - 40);
  ImGui::SetNextWindowPos({(size.width - width) / 2 * s, (size.height - kTransportHeight - above) * s});
  ImGui::SetNextWindowSize({width * s, 40 * s});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin(fmt::format("###{}", id).c_str(), nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoFocusOnAppearing);
  Pen pen = ui.pen();
  pen.fill({0, 0, width, 40}, Role::Raised, 8);
  pen.text({16, 0, width - 120, fraction > 0 ? 36.0f : 40.0f}, what);
  if (fraction > 0) {  // a compiler does not say how far it is
    const auto done = static_cast<float>(fraction);
    pen.text({width - 100, 0, 50, 36}, fmt::format("{} %", shown_percent(fraction)),
             {.face = Face::Mono, .align = visual::Align::Right});
    pen.fill({16, 34, width - 32, 2}, Role::Line, 1);
    pen.fill({16, 34, (width - 32) * done, 2}, Role::Accent, 1);
  }
  const bool stopped = icon_button(ui, pen, id, Icon::Close, {width - 38, 5, 28, 26}, stop);
  ImGui::End();
  ImGui::PopStyleVar();
  return stopped;
}

void draw_tasks(Ui& ui, visual::Size size) {
  const std::optional<Message> what = ui.bench.exports().what();
  const bool saving = what && ui.bench.exports().seconds_running() > 0.3;
  if (saving && draw_task(ui, size, "stop_export", 116, ui.say(*what), ui.bench.exports().fraction(),
                          ui.say("window.export.stop")))
    ui.bench.cancel_export();
  const double seconds = ui.bench.seconds_running(), done = ui.bench.fraction();
  if (seconds < kRunShown) return;
  const int line = ui.bench.line_running();
  const Message run{ui.bench.compiling() ? "window.run.compiling"
                    : line > 0           ? "window.run.in_loop"
                                         : "window.run.running",
                    {{"seconds", value_of(static_cast<int>(seconds))}, {"line", value_of(line)}}};
  if (draw_task(ui, size, "stop_run", saving ? 164 : 116, ui.say(run), done, ui.say("window.run.stop")))
    ui.bench.cancel();
}

struct KeyHelp {
  const char* keys;
  const char* text;
};
constexpr auto kKeys = std::to_array<KeyHelp>({
    {"Space", "window.keys.play"},
    {"→   ←", "window.keys.step"},
    {"PgDn PgUp", "window.keys.way_points"},
    {"W", "window.keys.waste"},
    {"Home   End", "window.keys.ends"},
    {"+   −", "window.keys.speed"},
    {"Tab", "window.keys.slider"},
    {"↑   ↓", "window.keys.change"},
    {"0 … 9", "window.keys.view"},
    {"F", "window.keys.full"},
    {"P   F5", "window.keys.present"},
    {"F11", "window.keys.screen"},
    {".", "window.keys.blank"},
    {"B", "window.keys.bench"},
    {"C", "window.keys.compare"},
    {"X", "window.keys.swap"},
    {"L", "window.keys.link"},
    {"Ctrl Z", "window.keys.undo"},
    {"E", "window.keys.edit"},
    {"V", "window.keys.lower"},
    {"K", "window.keys.shelf"},
    {"N", "window.keys.kernel"},
    {"D", "window.keys.device"},
    {"R", "window.keys.program"},
    {"Ctrl O", "window.keys.open"},
    {"Ctrl S", "window.keys.save"},
    {"T", "window.keys.theme"},
    {"M", "window.keys.motion"},
    {"Esc", "window.keys.escape"},
});

void draw_keys(Ui& ui, visual::Size size) {
  if (!ui.state.help) return;
  Pen pen(ui.fonts, ui.theme, *ImGui::GetForegroundDrawList(), {0, 0});
  pen.fill({0, 0, size.width, size.height}, Role::Ground, 0, 0.75f);
  constexpr float kRow = 28, kRest = 84;
  // In a low window two columns.
  const auto all = static_cast<float>(kKeys.size());
  const bool one = kRow * all + kRest <= size.height - 16;
  const float rows = one ? all : std::ceil(all / 2);
  const float width = std::min(one ? 640.0f : 1160.0f, size.width - 32), column = one ? width : width / 2;
  const float height = kRow * rows + kRest;
  const Rect box{(size.width - width) / 2, std::max(8.0f, (size.height - height) / 2), width, height};
  pen.fill(box, Role::Panel, 10);
  pen.frame(box, Role::Line, 10);
  pen.text({box.x + 24, box.y + 16, width - 48, 28}, ui.say("window.keys.title"),
           {.size = 16, .face = Face::SansBold});
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    const float at = static_cast<float>(i), x = box.x + 24 + (at < rows ? 0 : column);
    const float y = box.y + 56 + kRow * (at < rows ? at : at - rows);
    pen.text({x, y, 96, kRow}, kKeys[i].keys, {.face = Face::Mono, .role = Role::Accent});
    const Rect words{x + 104, y, column - 144, kRow};
    pen.text(words, ui.say(kKeys[i].text));
  }
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && ImGui::GetFrameCount() > 1 &&
      !ImGui::IsMouseHoveringRect(pen.at(size.width - 400, 0), pen.at(size.width, kTopBarHeight), false)) {
    ui.state.help = false;
  }
}

}  // namespace

void draw_overlays(Ui& ui) {
  const float s = ui.scale();
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const visual::Size size{display.x / s, display.y / s};
  draw_toast(ui, size);
  draw_tasks(ui, size);
  draw_keys(ui, size);
}

}  // namespace warplens::window
