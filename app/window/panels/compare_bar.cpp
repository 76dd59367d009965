// The row over the sliders: pins the present state as side A, names both sides, links, swaps and ends the
// comparison; undo and redo stand at its end.
#include <fmt/format.h>

#include <algorithm>

#include "app/model/text/in_language.h"
#include "app/window/panels/ui.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

constexpr float kIcon = 24;  // the names have the rest
constexpr float kName = 13, kLongName = 11, kNameRow = 14;

// The kernels of the same topic first: those are what one compares with.
void kernel_items(Ui& ui, const std::string& topic_now) {
  const std::string& language = ui.bench.settings.language;
  for (const bool own_topic : {true, false}) {
    for (const model::Topic& topic : ui.bench.gallery().topics) {
      if ((topic.id == topic_now) != own_topic) continue;
      ImGui::TextDisabled("%s", model::in_language(topic.title, language, topic.id).c_str());
      for (const std::string& id : topic.kernels) {
        const model::GalleryKernel* kernel = ui.bench.gallery().find(id);
        if (!kernel) continue;
        const std::string label = fmt::format("{}###{}", model::in_language(kernel->title, language, id), id);
        if (ImGui::Selectable(label.c_str())) ui.bench.compare_with(id);
      }
    }
  }
}

void side_menu(Ui& ui) {
  ImGui::SetNextWindowSizeConstraints({0, 0}, {420 * ui.scale(), ImGui::GetIO().DisplaySize.y * 0.6f});
  if (!begin_menu(ui, "choose_a")) return;
  if (ImGui::Selectable(ui.say("window.twin.pin_now").c_str())) ui.bench.compare();
  ImGui::Separator();
  kernel_items(ui, ui.bench.kernel() ? ui.bench.kernel()->topic : "");
  end_menu();
}

// Of two names that begin alike ("stride in words 32", "stride in words 1") what tells them apart.
std::string_view apart(std::string_view name, std::string_view other) {
  const auto differs = std::ranges::mismatch(name, other).in1;
  const std::size_t word = name.rfind(' ', static_cast<std::size_t>(differs - name.begin()));
  return word == std::string_view::npos ? name : name.substr(word + 1);
}

// In one row, else what tells it from the other one, else in two smaller rows.
void write_name(Pen& pen, const Rect& room, const std::string& name, const std::string& other) {
  if (pen.width(name, kName) <= room.width) {
    pen.text(room, name);
    return;
  }
  if (const std::string_view different = apart(name, other); pen.width(different, kName) <= room.width) {
    pen.text(room, different);
    return;
  }
  const std::string_view long_name = apart(name, other);
  const TextStyle small{.size = kLongName};
  const std::vector<std::string> lines = pen.wrapped(long_name, room.width, small);
  const float top = room.y + (room.height - kNameRow * (lines.size() > 1 ? 2 : 1)) / 2;
  pen.text({room.x, top, room.width, kNameRow}, lines.front(), small);
  if (lines.size() < 2) return;
  std::string_view rest = long_name.substr(std::min(lines.front().size(), long_name.size()));
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  pen.text({room.x, top + kNameRow, room.width, kNameRow}, rest, small);
}

void draw_name(Ui& ui, Pen& pen, const Rect& box, const char* letter, const std::string& name,
               const std::string& other, bool opens) {
  const Hit h = hit(pen, letter, box);
  pen.fill(box, Role::Raised, 6, h.hovered && opens ? 1.0f : 0.55f);
  const float x = box.x + 8;
  const float letter_width =
      pen.text({x, box.y, 16, box.height}, letter, {.face = Face::SansBold, .role = Role::Accent});
  const float left = x + letter_width + 6, end = box.right() - (opens ? 17.0f : 6.0f);
  write_name(pen, {left, box.y, end - left, box.height}, name, other);
  if (opens) pen.icon(Icon::Chevron, {box.right() - 10, box.y + box.height / 2}, 8, Role::Dim);
  if (h.hovered) tooltip(ui, opens ? name + "\n" + ui.say("window.twin.choose_tip") : name);
  if (h.clicked && opens) ImGui::OpenPopup("choose_a");
}

void draw_sides(Ui& ui, Pen& pen, float width, float height) {
  Setup shown = ui.bench.setup();
  if (ui.bench.picture()) shown.values = ui.bench.picture()->of.values;
  const SideNames names =
      side_names(ui.bench.pinned()->shown(), shown, ui.catalogue, ui.bench.settings.language);
  const bool linked = ui.bench.pinned()->linked;
  const float name = (width - 3 * kIcon - 12) / 2;
  draw_name(ui, pen, {0, 2, name, height - 4}, "A", names.a.name, names.b.name, true);
  float x = name + 3;
  if (icon_button(ui, pen, "link", linked ? Icon::Link : Icon::Unlink, {x, 2, kIcon, height - 4},
                  ui.say(linked ? "window.twin.linked" : "window.twin.unlinked"), linked))
    ui.bench.link_sides(!linked);
  x += kIcon;
  if (icon_button(ui, pen, "swap", Icon::Swap, {x, 2, kIcon, height - 4}, ui.say("window.twin.swap")))
    ui.bench.swap_sides();
  x += kIcon + 3;
  // Swapping ends the frame's right to the old pinned side; names were taken before.
  draw_name(ui, pen, {x, 2, name, height - 4}, "B", names.b.name, names.a.name, false);
  if (icon_button(ui, pen, "uncompare", Icon::Close, {x + name + 3, 2, kIcon, height - 4},
                  ui.say("window.twin.close")))
    ui.bench.stop_comparing();
}

void draw_way_in(Ui& ui, Pen& pen, float height) {
  const std::string label = ui.say("window.twin.compare");
  const float width = pen.width(label, 13) + 46;
  const Rect box{0, 2, width, height - 4};
  const bool ready = ui.bench.picture() != nullptr;
  const Hit h = hit(pen, "compare", box);
  pen.fill(box, Role::Raised, 6, h.hovered && ready ? 1.0f : 0.55f);
  const Role role = ready ? Role::Text : Role::Dim;
  pen.icon(Icon::Twin, {box.x + 18, box.y + box.height / 2}, 14, role);
  pen.text({box.x + 34, box.y, width - 40, box.height}, label, {.role = role});
  if (h.hovered) tooltip(ui, ui.say("window.twin.compare_tip"));
  if (h.clicked) ui.bench.compare();
  const Rect other{box.right() + 2, 2, 24, height - 4};
  if (icon_button(ui, pen, "compare_with", Icon::Chevron, other, ui.say("window.twin.choose_tip")))
    ImGui::OpenPopup("choose_a");
}

}  // namespace

void draw_compare_row(Ui& ui, const Rect& window_area) {
  if (!ui.bench.kernel() || window_area.width < 160) return;
  const Area area(ui, "compare", window_area);
  Pen pen = ui.pen();
  const float width = window_area.width, height = window_area.height;
  if (ui.bench.pinned()) {
    draw_sides(ui, pen, width - 2 * kIcon - 8, height);
  } else {
    draw_way_in(ui, pen, height);
  }
  side_menu(ui);
  // Nothing to take back, nothing to see.
  if (ui.bench.can_undo() &&
      icon_button(ui, pen, "undo", Icon::Undo, {width - 2 * kIcon, 2, kIcon, height - 4},
                  ui.say("window.twin.undo")))
    ui.bench.undo();
  if (ui.bench.can_redo() && icon_button(ui, pen, "redo", Icon::Redo, {width - kIcon, 2, kIcon, height - 4},
                                         ui.say("window.twin.redo")))
    ui.bench.redo();
}

}  // namespace warplens::window
