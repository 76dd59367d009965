// The shelf: every kernel of the gallery by topic. Folded, it is a rail with one sign a topic.
#include <algorithm>
#include <filesystem>

#include "app/model/text/in_language.h"
#include "app/window/panels/file_panel.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

constexpr float kKernelRow = 24, kTopicRow = 30, kShelfGap = 10;

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

constexpr std::size_t kRecentShown = 4;

float files_height(const Ui& ui) {
  return kKernelRow * static_cast<float>(1 + std::min(ui.bench.settings.recent.size(), kRecentShown)) +
         kShelfGap;
}

float list_height(const Ui& ui) {
  float height = kShelfGap + files_height(ui);
  for (const model::Topic& topic : ui.bench.gallery().topics) {
    height += kTopicRow + kKernelRow * static_cast<float>(topic.kernels.size()) + kShelfGap;
  }
  return height + 40;
}

void kernel_row(Ui& ui, Pen& pen, const model::GalleryKernel& kernel, const Rect& row) {
  const std::string& language = ui.bench.settings.language;
  const model::GalleryKernel* open = ui.bench.kernel();
  const bool current = open && !ui.bench.is_users_file() && open->id == kernel.id;
  const Rect box{row.x + 8, row.y, row.width - 16, row.height};
  const Hit h = hit(pen, ("kernel." + kernel.id).c_str(), box);
  if (current) {
    pen.fill(box, Role::Raised, 5);
    pen.fill({box.x, box.y, 3, box.height}, Role::Accent, 1.5f);
  } else if (h.hovered) {
    pen.fill(box, Role::Raised, 5, 0.5f);
  }
  const std::string title = model::in_language(kernel.title, language, kernel.id);
  pen.text(
      {box.x + 14, box.y, box.width - 20, box.height}, title,
      {.face = current ? Face::SansBold : Face::Sans, .role = current || h.hovered ? Role::Text : Role::Dim});
  if (h.hovered) tooltip(ui, title + "\n" + model::in_language(kernel.summary, language));
  if (h.clicked) {
    ui.bench.open_kernel(kernel.id);
    ui.state.shelf_open = false;
    ui.state.program = false;
    ui.state.editing = false;
  }
}

// A row of the shelf; `sign` stands before the words of the first.
bool shelf_row(Ui& ui, Pen& pen, const std::string& id, const Rect& row, const std::string& words,
               bool current, bool folder, const std::string& tip) {
  const Rect box{row.x + 8, row.y, row.width - 16, row.height};
  const Hit h = hit(pen, id.c_str(), box);
  if (current || h.hovered) pen.fill(box, Role::Raised, 5, current ? 1.0f : 0.5f);
  if (current) pen.fill({box.x, box.y, 3, box.height}, Role::Accent, 1.5f);
  const Role role = current || h.hovered ? Role::Text : Role::Dim;
  if (folder) pen.icon(Icon::Folder, {box.x + 21, box.y + box.height / 2}, 13, role);
  const float left = folder ? 36 : 14;
  pen.text({box.x + left, box.y, box.width - left - 6, box.height}, words,
           {.face = current ? Face::SansBold : Face::Sans, .role = role});
  if (h.hovered && !tip.empty()) tooltip(ui, tip);
  return h.clicked;
}

// Files of the user's: any, and those that were open last.
float draw_files(Ui& ui, Pen& pen, float width) {
  float y = kShelfGap;
  if (shelf_row(ui, pen, "open_file", {0, y, width, kKernelRow}, ui.say("window.file.open_row"), false, true,
                ui.say("window.file.open_tip")))
    ask_for_file(FileTask::Open);
  const std::vector<std::string> recent = ui.bench.settings.recent;  // opening one changes the list
  for (std::size_t i = 0; i < std::min(recent.size(), kRecentShown); ++i) {
    y += kKernelRow;
    ui.fonts.need(recent[i]);
    const bool current = !ui.bench.setup().users_file.empty() && i == 0;
    if (shelf_row(ui, pen, "recent." + recent[i], {0, y, width, kKernelRow},
                  std::filesystem::path(recent[i]).filename().string(), current, false, recent[i]) &&
        !current) {
      ui.bench.open_file(recent[i], "");
      ui.state.editing = ui.state.shelf_open = false;
    }
  }
  return files_height(ui);
}

void draw_list(Ui& ui, const Rect& window_rect) {
  const Area area(ui, "shelf.list", window_rect, true);
  Pen pen = ui.pen();
  const float width = window_rect.width;
  float y = kShelfGap + draw_files(ui, pen, width);
  for (const model::Topic& topic : ui.bench.gallery().topics) {
    pen.text({20, y, width - 28, kTopicRow},
             upper(model::in_language(topic.title, ui.bench.settings.language, topic.id)),
             {.size = 11, .face = Face::SansBold, .role = Role::Dim});
    y += kTopicRow;
    for (const std::string& id : topic.kernels) {
      const model::GalleryKernel* kernel = ui.bench.gallery().find(id);
      if (!kernel) continue;
      kernel_row(ui, pen, *kernel, {0, y, width, kKernelRow});
      y += kKernelRow;
    }
    y += kShelfGap;
  }
  if (ui.bench.gallery().topics.empty()) {
    pen.paragraph({20, 20, width - 36, 0}, ui.say("window.shelf.empty"), {.role = Role::Dim}, 20);
  }
  ImGui::SetCursorScreenPos(pen.at(0, list_height(ui)));
  ImGui::Dummy({1, 1});
}

// The sign of a topic: what its kernels do to 32 lanes, in a few strokes. Topics that have none of their own
// show their first letter.
void topic_sign(Pen& pen, const model::Topic& topic, const std::string& title, visual::Point c, Role role) {
  const auto bars = [&](std::initializer_list<float> heights) {
    float x = c.x - 8;
    for (const float h : heights) {
      pen.fill({x, c.y + 7 - h, 3, h}, role, 1);
      x += 4.5f;
    }
  };
  const std::string& id = topic.id;
  if (id.find("global") != std::string::npos || id.find("memory") == 0) {
    for (int i = 0; i < 4; ++i) {
      const float x = c.x - 8 + 5 * static_cast<float>(i);
      pen.line({x + 1, c.y - 7}, {x + 1, c.y + 3}, role, 1.3f);
    }
    return pen.fill({c.x - 9, c.y + 4, 18, 4}, role, 1);
  }
  if (id.find("shared") != std::string::npos) return bars({14, 6, 10, 6});
  if (id.find("movement") != std::string::npos) {  // there and back
    for (const float way : {1.0f, -1.0f}) {
      const float y = c.y - 4 * way;
      pen.line({c.x - 8 * way, y}, {c.x + 8 * way, y}, role, 1.5f);
      pen.line({c.x + 8 * way, y}, {c.x + 4 * way, y - 4}, role, 1.5f);
      pen.line({c.x + 8 * way, y}, {c.x + 4 * way, y + 4}, role, 1.5f);
    }
    return;
  }
  if (id.find("diverg") != std::string::npos) {
    pen.line({c.x, c.y + 8}, {c.x, c.y}, role, 1.5f);
    pen.line({c.x, c.y}, {c.x - 7, c.y - 8}, role, 1.5f);
    return pen.line({c.x, c.y}, {c.x + 7, c.y - 8}, role, 1.5f);
  }
  if (id.find("til") != std::string::npos) {
    for (int i = 0; i < 4; ++i) {
      const float x = c.x - 8 + 9 * static_cast<float>(i % 2), y = c.y - 8 + 9 * static_cast<float>(i / 2);
      pen.fill({x, y, 7, 7}, role, 1.5f, i == 0 ? 1.0f : 0.55f);
    }
    return;
  }
  if (id.find("thread") != std::string::npos) return bars({8, 8, 8, 8});
  if (id.find("warp") == 0) {  // values change lanes
    pen.line({c.x - 8, c.y - 6}, {c.x + 8, c.y + 6}, role, 1.5f);
    pen.line({c.x + 8, c.y - 6}, {c.x - 8, c.y + 6}, role, 1.5f);
    return pen.line({c.x, c.y - 6}, {c.x, c.y + 6}, role, 1.5f);
  }
  if (id.find("sync") == 0) {  // everybody waits at the line
    for (int i = 0; i < 3; ++i) {
      const float y = c.y - 6 + 6 * static_cast<float>(i);
      pen.line({c.x - 8, y}, {c.x + 3 - 4 * static_cast<float>(i % 2), y}, role, 1.5f);
    }
    return pen.line({c.x + 6, c.y - 9}, {c.x + 6, c.y + 9}, role, 2);
  }
  if (id.find("tensor") == 0) {  // a cube of products
    pen.frame({c.x - 9, c.y - 4, 13, 13}, role, 1.5f, 1.4f);
    pen.line({c.x - 9, c.y - 4}, {c.x - 4, c.y - 9}, role, 1.4f);
    pen.line({c.x - 4, c.y - 9}, {c.x + 9, c.y - 9}, role, 1.4f);
    pen.line({c.x + 4, c.y - 4}, {c.x + 9, c.y - 9}, role, 1.4f);
    pen.line({c.x + 9, c.y - 9}, {c.x + 9, c.y + 4}, role, 1.4f);
    return pen.line({c.x + 4, c.y + 9}, {c.x + 9, c.y + 4}, role, 1.4f);
  }
  if (id.find("memor") != std::string::npos) {
    for (int i = 0; i < 3; ++i) {
      const float y = c.y - 8 + 6 * static_cast<float>(i), half = 4 + 2.5f * static_cast<float>(i);
      pen.fill({c.x - half, y, 2 * half, 4}, role, 1);
    }
    return;
  }
  if (id.find("occup") == 0 || id.find("latency") == 0) {
    pen.frame({c.x - 9, c.y - 7, 18, 14}, role, 2, 1.4f);
    return pen.fill({c.x - 6, c.y - 4, 8, 8}, role, 1);
  }
  pen.text({c.x - 12, c.y - 10, 24, 20},
           title.substr(0, static_cast<unsigned char>(title[0]) >= 0x80 ? 3 : 1),
           {.size = 14, .face = Face::SansBold, .role = role, .align = visual::Align::Centre});
}

void draw_rail(Ui& ui, const Rect& rail) {
  const Area area(ui, "shelf.rail", rail);
  Pen pen = ui.pen();
  if (icon_button(ui, pen, "unfold", Icon::Menu, {8, 8, 32, 32}, ui.say("window.shelf.unfold"),
                  ui.state.shelf_open)) {
    ui.state.shelf_open = !ui.state.shelf_open;
  }
  if (icon_button(ui, pen, "rail.open_file", Icon::Folder, {8, 44, 32, 32}, ui.say("window.file.open_tip")))
    ask_for_file(FileTask::Open);
  float y = 84;
  const model::GalleryKernel* open = ui.bench.kernel();
  for (const model::Topic& topic : ui.bench.gallery().topics) {
    if (y + 40 > rail.height) break;
    const Rect box{6, y, 36, 36};
    const bool current = open && open->topic == topic.id;
    const std::string title = model::in_language(topic.title, ui.bench.settings.language, topic.id);
    const Hit h = hit(pen, ("topic." + topic.id).c_str(), box);
    if (current || h.hovered) pen.fill(box, Role::Raised, 6, current ? 1.0f : 0.5f);
    if (current) pen.fill({0, y + 6, 3, 24}, Role::Accent, 1.5f);
    topic_sign(pen, topic, title, {box.x + 18, box.y + 18}, current || h.hovered ? Role::Text : Role::Dim);
    if (h.hovered) tooltip(ui, title);
    if (h.clicked) ui.state.shelf_open = true;
    y += 40;
  }
}

}  // namespace

void draw_shelf(Ui& ui) {
  const Rect& shelf = ui.layout.shelf;
  if (shelf.width <= 0) return;
  {
    const Area area(ui, "shelf", shelf);
    Pen pen = ui.pen();
    pen.fill({0, 0, shelf.width, shelf.height}, Role::Panel);
    pen.line({shelf.width - 0.5f, 0}, {shelf.width - 0.5f, shelf.height}, Role::Line);
  }
  if (!ui.layout.shelf_folded) {
    Rect list = shelf;
    list.height -= 36;
    draw_list(ui, list);
    const Area area(ui, "shelf.foot", {shelf.x, shelf.bottom() - 36, shelf.width, 36});
    Pen pen = ui.pen();
    if (icon_button(ui, pen, "fold", Icon::Menu, {10, 4, 28, 28}, ui.say("window.shelf.fold"))) {
      ui.bench.settings.shelf_folded = true;
    }
    return;
  }
  draw_rail(ui, shelf);
}

// The folded shelf, unfolded over the rest; drawn last so that it lies on top.
void draw_open_shelf(Ui& ui) {
  if (!ui.layout.shelf_folded || !ui.state.shelf_open) return;
  const Rect& shelf = ui.layout.shelf;
  const float s = ui.scale();
  const Rect sheet{shelf.right(), shelf.y, kShelfWidth + 24, shelf.height};
  ImGui::SetNextWindowPos({sheet.x * s, sheet.y * s});
  ImGui::SetNextWindowSize({sheet.width * s, sheet.height * s});
  ImGui::Begin("###open_shelf", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBackground);
  {
    Pen pen(ui.fonts, ui.theme, *ImGui::GetWindowDrawList(), {sheet.x * s, sheet.y * s});
    pen.fill({0, 0, sheet.width, sheet.height}, Role::Panel);
    pen.frame({0, 0, sheet.width, sheet.height}, Role::Line);
  }
  Rect list = sheet;
  list.height -= 40;
  draw_list(ui, list);
  {
    const Area area(ui, "open_shelf.foot", {sheet.x, sheet.bottom() - 40, sheet.width, 40});
    Pen pen = ui.pen();
    const std::string pin = ui.say("window.shelf.pin");
    if (ui.bench.settings.shelf_folded &&
        text_button(ui, pen, "pin", pin, {12, 6, pen.width(pin) + 24, 28}, false)) {
      ui.bench.settings.shelf_folded = false;
      ui.state.shelf_open = false;
    }
  }
  const bool outside =
      ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
      !ImGui::IsMouseHoveringRect({0, sheet.y * s}, {sheet.right() * s, sheet.bottom() * s}, false);
  if (outside) ui.state.shelf_open = false;
  ImGui::End();
}

}  // namespace warplens::window
