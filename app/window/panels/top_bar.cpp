// The top bar: where I am, what runs it, and the switches that concern the whole window.
#include <fmt/format.h>

#include <algorithm>

#include "app/model/recording/measured_on.h"
#include "app/model/text/in_language.h"
#include "app/window/panels/stage_stand_in.h"
#include "app/window/panels/ui.h"
#include "app/window/panels/users_file.h"
#include "engine/analysis/device_names.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

std::string topic_title(const Ui& ui, const model::GalleryKernel& kernel) {
  for (const model::Topic& topic : ui.bench.gallery().topics) {
    if (topic.id == kernel.topic)
      return model::in_language(topic.title, ui.bench.settings.language, topic.id);
  }
  return ui.bench.is_users_file() ? ui.say("window.top.own_file") : std::string();
}

// Behind the name of a kernel that is not the only one of its file: the others.
void kernels_menu(Ui& ui, Pen& pen, const Rect& box, const std::string& current) {
  const Hit h = hit(pen, "kernels", box);
  pen.icon(Icon::Chevron, {box.right() - 12, kTopBarHeight / 2}, 9, h.hovered ? Role::Text : Role::Dim);
  if (h.hovered) {
    tooltip(ui, ui.say("window.top.kernels_tip"));
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  if (h.clicked) ImGui::OpenPopup("kernels");
  ImGui::SetNextWindowPos(pen.at(box.x, box.bottom() + 4));
  ImGui::SetNextWindowSizeConstraints({0, 0}, {600 * ui.scale(), ImGui::GetIO().DisplaySize.y * 0.8f});
  if (!begin_menu(ui, "kernels")) return;
  kernel_items(ui, current);
  end_menu();
}

void draw_place(Ui& ui, Pen& pen, float right) {
  float x = 20;
  const Rect row{x, 0, 0, kTopBarHeight};
  pen.text(row, "Warplens", {.size = 16, .face = Face::SansBold});
  x = kModesLeft + modes_width(ui) + 14;
  const model::GalleryKernel* kernel = ui.bench.kernel();
  if (!kernel) return;
  const std::string topic = topic_title(ui, *kernel);
  const std::string title = model::in_language(kernel->title, ui.bench.settings.language, kernel->id);
  const float needed = pen.width(topic) + 22 + pen.width(title, 14, Face::SansBold);
  if (!topic.empty() && x + needed < right) {
    x += pen.text({x, 0, 0, kTopBarHeight}, topic, {.role = Role::Dim}) + 8;
    x += pen.text({x, 0, 0, kTopBarHeight}, "›", {.role = Role::Dim}) + 8;
  }
  if (right - x < 40) return;
  const bool several = kernels_of_file(ui) > 1;
  const Rect name{x, 0, right - x - (several ? 22 : 0), kTopBarHeight};
  x += pen.text(name, title, {.size = 14, .face = Face::SansBold});
  if (several) {
    kernels_menu(ui, pen, {name.x - 6, 8, x - name.x + 28, kTopBarHeight - 16}, title);
    x += 18;
  }
  if (ui.bench.edited() && x + 12 < right) pen.disc({x + 10, kTopBarHeight / 2}, 3, Role::Warn);
}

// The entry of a menu with a quiet second part; true when it was chosen.
bool entry(const std::string& name, const std::string& about, const std::string& id, bool chosen) {
  return ImGui::Selectable(fmt::format("{}{}{}###{}", name, about.empty() ? "" : "   ", about, id).c_str(),
                           chosen);
}

void backend_items(Ui& ui) {
  Workbench& bench = ui.bench;
  const Inventory* there = bench.inventory();
  using Kind = Backend::Kind;
  ImGui::TextDisabled("%s", ui.say("window.top.runs_on").c_str());
  if (entry(ui.say("window.top.emulator_only"), "", "emulator", bench.backend().kind == Kind::Emulator))
    bench.choose_backend({});
  if (!there) return;
  for (const gpu::DeviceInfo& d : there->found.devices) {
    const Backend of{Kind::Gpu, d.ordinal};
    if (entry(d.name, fmt::format("sm_{}{}", d.cc_major, d.cc_minor), fmt::format("gpu{}", d.ordinal),
              bench.backend() == of))
      bench.choose_backend(of);
  }
  for (std::size_t i = 0; i < there->recordings.all.size(); ++i) {
    const model::Recording& r = there->recordings.all[i];
    const Backend of{Kind::Recording, 0, i};
    const std::string about = ui.say(
        {"window.top.recording_of", {{"device", value_of(r.device.name)}, {"date", value_of(r.date)}}});
    if (entry(about, "", fmt::format("recording{}", i), bench.backend() == of)) bench.choose_backend(of);
  }
  // Why there is no GPU, and what would give one.
  if (there->found.devices.empty() && !there->found.reason.message.empty()) {
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 320 * ui.scale());
    ImGui::TextDisabled("%s", ui.say(there->found.reason).c_str());
    ImGui::PopTextWrapPos();
  }
}

void model_items(Ui& ui) {
  ImGui::TextDisabled("%s", ui.say("window.top.modelled_for").c_str());
  for (const analysis::Device& d : ui.bench.devices().devices()) {
    const std::string cc =
        fmt::format("sm_{}{}", d.cc.substr(0, d.cc.find('.')), d.cc.substr(d.cc.find('.') + 1));
    if (entry(d.name, cc, d.name, d.name == ui.bench.device_name())) ui.bench.choose_device(d.name);
  }
}

// In a narrow bar the kernel's name is worth more than the device's.
float title_width(const Ui& ui, const Pen& pen) {
  const model::GalleryKernel* kernel = ui.bench.kernel();
  if (!kernel) return 0;
  const std::string title = model::in_language(kernel->title, ui.bench.settings.language, kernel->id);
  return pen.width(title, 14, Face::SansBold) + (kernels_of_file(ui) > 1 ? 22.0f : 0.0f) + 30;
}

// What runs the kernels, where times come from, and which GPU the modelled numbers are about. Returns its
// left edge.
float draw_device(Ui& ui, Pen& pen, float right) {
  const gpu::DeviceInfo* gpu = ui.bench.gpu();
  const bool plays = ui.bench.backend().kind == Backend::Kind::Recording && ui.bench.recording();
  std::string backend = ui.say(gpu     ? "window.top.on_gpu"
                               : plays ? "window.top.recorded"
                                       : "window.top.emulator");
  // Whose clock it is comes first where modelled numbers are about another GPU.
  const MeasuredOn on = gpu     ? model::measured_on(*gpu)
                        : plays ? model::measured_on(ui.bench.recording()->device)
                                : MeasuredOn{};
  const bool elsewhere = ui.bench.is_of_other_device(on);
  const std::string device = elsewhere || gpu ? on.hardware : ui.bench.device_name();
  if (elsewhere)
    backend += " · " + ui.say({"window.top.modelled_as", {{"device", value_of(ui.bench.device_name())}}});
  // In a narrow bar the name alone, then a short one, whole: whose numbers these are is never a guess.
  const float room = right - (kModesLeft + modes_width(ui) + 14) - title_width(ui, pen);
  const auto with_marks = [&](const std::string& name) { return pen.width(name, 13, Face::SansBold) + 48; };
  const float of_backend = pen.width(backend) + 8;
  const bool in_full = with_marks(device) + of_backend <= room;
  const std::string name = with_marks(device) <= room ? device : analysis::brief_device_name(device);
  const float width = with_marks(name) + (in_full ? of_backend : 0);
  const Rect box{right - width, 8, width, kTopBarHeight - 16};
  const Hit h = hit(pen, "device", box);
  if (h.hovered) {
    pen.fill(box, Role::Raised, 6, 0.7f);
    tooltip(ui, (in_full ? "" : device + " " + backend + "\n") + ui.say(gpu     ? "window.top.gpu_tip"
                                                                        : plays ? "window.top.recorded_tip"
                                                                                : "window.top.device_tip"));
  }
  // Full: a GPU runs it. Half: one did. Hollow ground: none.
  pen.disc({box.x + 14, kTopBarHeight / 2}, 4, gpu ? Role::Good : plays ? Role::Accent : Role::Dim);
  float x = box.x + 26;
  x += pen.text({x, 0, 0, kTopBarHeight}, name, {.face = Face::SansBold}) + 8;
  if (in_full) pen.text({x, 0, 0, kTopBarHeight}, backend, {.role = Role::Dim});
  pen.icon(Icon::Chevron, {box.right() - 12, kTopBarHeight / 2}, 9, Role::Dim);
  if (h.clicked) ImGui::OpenPopup("devices");
  ImGui::SetNextWindowPos(pen.at(box.x, box.bottom() + 4));
  ImGui::SetNextWindowSizeConstraints({0, 0}, {600 * ui.scale(), ImGui::GetIO().DisplaySize.y * 0.8f});
  if (begin_menu(ui, "devices")) {
    backend_items(ui);
    ImGui::Separator();
    model_items(ui);
    end_menu();
  }
  return box.x;
}

// The switches that one sets once; in a narrow bar they are in the settings' menu, and all have keys.
bool has_room_for_switches(const Ui& ui) {
  return ui.layout.top.width >= 1100;
}

void zoom_by(Settings& settings, double step) {
  settings.zoom = std::clamp(settings.zoom + step, 0.625, 3.0);
}

void settings_menu(Ui& ui) {
  if (!begin_menu(ui, "settings")) return;
  Settings& settings = ui.bench.settings;
  const auto check = [&](const char* key, bool& value) {
    if (ImGui::MenuItem(ui.say(key).c_str(), nullptr, value)) value = !value;
  };
  check("window.top.reduce_motion", settings.reduce_motion);
  check("window.stage.two", settings.two_views);
  if (!has_room_for_switches(ui)) {
    ImGui::Separator();
    if (ImGui::MenuItem(
            ui.say(settings.theme == "dark" ? "window.top.to_light" : "window.top.to_dark").c_str()))
      settings.theme = settings.theme == "dark" ? "light" : "dark";
    if (ImGui::MenuItem(ui.say("window.top.zoom_in").c_str())) zoom_by(settings, 0.125);
    if (ImGui::MenuItem(ui.say("window.top.zoom_out").c_str())) zoom_by(settings, -0.125);
    if (ImGui::MenuItem(ui.say("window.top.help").c_str())) ui.state.help = !ui.state.help;
  }
  end_menu();
}

// Returns the left edge of the row of switches.
float draw_switches(Ui& ui, Pen& pen, float right) {
  Settings& settings = ui.bench.settings;
  float x = right;
  const auto place = [&](float width, float gap = 4) {
    x -= width;
    const Rect box{x, 8, width, kTopBarHeight - 16};
    x -= gap;
    return box;
  };
  const std::string present = ui.say(ui.state.presenting ? "window.top.leave" : "window.top.present");
  const Rect present_box = place(pen.width(present, 13, Face::SansBold) + 24, 8);
  if (hit(pen, "present", present_box).clicked) ui.state.presenting = !ui.state.presenting;
  const bool over = ImGui::IsMouseHoveringRect(pen.at(present_box.x, present_box.y),
                                               pen.at(present_box.right(), present_box.bottom()));
  if (over) {
    pen.fill(present_box, Role::Raised, 6);
    tooltip(ui, ui.say("window.top.present_tip"));
  }
  pen.text(present_box, present,
           {.face = Face::SansBold, .role = Role::Accent, .align = visual::Align::Centre});
  const bool all = has_room_for_switches(ui);
  if (all && icon_button(ui, pen, "help", Icon::Help, place(28), ui.say("window.top.help"), ui.state.help)) {
    ui.state.help = !ui.state.help;
  }
  if (icon_button(ui, pen, "settings", Icon::Settings, place(28), ui.say("window.top.settings")))
    ImGui::OpenPopup("settings");
  settings_menu(ui);
  const bool dark = settings.theme == "dark";
  if (all && icon_button(ui, pen, "theme", dark ? Icon::Sun : Icon::Moon, place(28, 8),
                         ui.say(dark ? "window.top.to_light" : "window.top.to_dark"))) {
    settings.theme = dark ? "light" : "dark";
  }
  if (all && icon_button(ui, pen, "zoom.in", Icon::Plus, place(24, 0), ui.say("window.top.zoom_in")))
    zoom_by(settings, 0.125);
  if (all && icon_button(ui, pen, "zoom.out", Icon::Minus, place(24, 8), ui.say("window.top.zoom_out")))
    zoom_by(settings, -0.125);
  // In a narrow bar only the one that is not spoken.
  const bool chinese = settings.language == "zh";
  if ((all || !chinese) && text_button(ui, pen, "zh", "中文", place(44, all ? 0 : 10), chinese))
    settings.language = "zh";
  if ((all || chinese) && text_button(ui, pen, "en", "EN", place(36, 10), !chinese)) settings.language = "en";
  return x;
}

}  // namespace

void draw_top_bar(Ui& ui) {
  const Area area(ui, "top", ui.layout.top);
  Pen pen = ui.pen();
  const float width = ui.layout.top.width;
  pen.fill({0, 0, width, kTopBarHeight}, Role::Panel);
  pen.line({0, kTopBarHeight - 0.5f}, {width, kTopBarHeight - 0.5f}, Role::Line);
  float right = draw_switches(ui, pen, width - 12);
  if (width > 900) right = draw_device(ui, pen, right);
  draw_place(ui, pen, right - 16);
  // A run that takes longer than a blink shows how far it is, and can be stopped.
  if (ui.bench.seconds_running() > 0.15) {
    const auto done = static_cast<float>(ui.bench.fraction());
    pen.fill({0, kTopBarHeight - 2, width, 2}, Role::Raised);
    pen.fill({0, kTopBarHeight - 2, width * std::max(0.02f, done), 2}, Role::Accent);
  }
}

}  // namespace warplens::window
