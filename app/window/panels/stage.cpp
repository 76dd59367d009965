// The stage: one or two views. A view is laid out again only when something it depends on changed, and drawn
// from its Scene every frame; hover, click, wheel and right click are hit tests on that Scene.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "app/window/draw/imgui_canvas.h"
#include "app/window/panels/stage_stand_in.h"
#include "app/window/panels/ui.h"
#include "app/window/session/export_view.h"
#include "app/window/session/why_nothing.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

constexpr int kPlotSlot = 2;

// Everything a Scene depends on; equal keys, equal Scene.
struct SceneKey {
  std::string view, language;
  std::uint64_t picture = 0, pinned = 0;
  std::size_t step = 0;
  float phase = 0, width = 0, height = 0, scale = 0;
  visual::Selection selection, hover;
  std::uint64_t sweep = 0;
  std::string device;
  ViewOptions options;
  bool reduce_motion = false;
  std::string earlier, pinned_earlier;
  bool operator==(const SceneKey&) const = default;
};

struct CachedScene {
  SceneKey key;
  visual::Scene scene;
  bool valid = false;
};

// One for each view of the stage, and one for the plot on the bench.
std::array<CachedScene, kPlotSlot + 1>& scenes() {
  static std::array<CachedScene, kPlotSlot + 1> cache;
  return cache;
}

const visual::Scene& scene_for(const Ui& ui, int slot, const visual::View& view, visual::Size size) {
  SceneKey key;
  key.view = view.id;
  key.language = ui.bench.settings.language;
  key.picture = ui.bench.picture() ? ui.bench.picture()->serial : 0;
  const visual::Cursor cursor = ui.bench.cursor();
  key.step = cursor.step;
  key.phase = cursor.phase;
  key.width = size.width;
  key.height = size.height;
  key.scale = ui.scale();
  key.selection = ui.bench.selection();
  key.hover = ui.bench.hover();
  key.sweep = ui.bench.sweep_serial();
  key.device = ui.bench.device_name();
  key.options = ui.bench.view_options;
  // The plot of the bench shows the open side alone: its curve is over all values anyway.
  const bool alone = slot == kPlotSlot;
  key.pinned = ui.bench.pinned() && !alone ? ui.bench.pinned()->picture.serial : 0;
  key.reduce_motion = ui.bench.settings.reduce_motion;
  const visual::Basis basis = ui.bench.basis_of(view);
  if (ui.bench.looks_earlier()) key.earlier = ui.bench.earlier_line(basis, ui.catalogue);
  if (key.pinned != 0 && ui.bench.looks_earlier()) key.pinned_earlier = ui.bench.pinned_line(ui.catalogue);
  CachedScene& cached = scenes()[static_cast<std::size_t>(slot)];
  if (!cached.valid || !(cached.key == key)) {
    Composition now = ui.bench.composition(ui.catalogue);
    if (alone) now.a.reset();
    now.earlier[static_cast<std::size_t>(basis)] = key.earlier;
    now.a_earlier = key.pinned_earlier;
    cached.scene = now.lay_out(view, size, ui.catalogue, ui.measure);
    cached.key = std::move(key);
    cached.valid = true;
  }
  return cached.scene;
}

std::string short_name(const Ui& ui, const visual::View& view) {
  const std::string key = fmt::format("window.view.{}", view.id);
  return ui.catalogue.has(key) ? ui.say(key) : ui.say(view.title_key);
}

// One row over each view: which views there are, which is shown, and what can be done with it.
void draw_tabs(Ui& ui, Pen& pen, int slot, float width) {
  std::string& chosen = ui.bench.settings.views[static_cast<std::size_t>(slot)];
  float right = width - 8;
  const auto place = [&](float w) {
    right -= w;
    return Rect{right, 4, w, kTabsHeight - 8};
  };
  const std::string id = fmt::format("{}", slot);
  if (icon_button(ui, pen, ("save" + id).c_str(), Icon::Save, place(28), ui.say("window.stage.save"),
                  ui.state.export_view == slot)) {
    ui.state.export_view = slot;
    ImGui::OpenPopup(("export" + id).c_str());
  }
  const bool full = ui.state.full_view == slot || ui.layout.view_count == 1;
  if (icon_button(ui, pen, ("full" + id).c_str(), full ? Icon::Split : Icon::Full, place(28),
                  ui.say(full ? "window.stage.two" : "window.stage.full"))) {
    if (full) {
      ui.state.full_view = -1;
      ui.bench.settings.two_views = true;
    } else {
      ui.state.full_view = slot;
    }
  }
  right -= 8;
  // As many names as fit; the rest behind the last button.
  float needed = 0;
  for (const visual::View& view : visual::all_views()) needed += pen.width(short_name(ui, view)) + 20;
  const bool all_fit = needed < right - 8;
  const visual::View* shown = visual::find_view(chosen);
  // The lit one is always there: those before it leave it room.
  const float reserved = shown ? pen.width(short_name(ui, *shown), 13, Face::SansBold) + 20 : 0;
  bool drawn = false;
  float x = 6;  // the first name then stands over the titles
  for (const visual::View& view : visual::all_views()) {
    const bool lit = chosen == view.id;
    const std::string name = short_name(ui, view);
    const float w = pen.width(name, 13, lit ? Face::SansBold : Face::Sans) + 20;
    if (!all_fit && !lit && x + w + (drawn ? 0 : reserved) > right - 36) continue;
    drawn = drawn || lit;
    const std::string tab = fmt::format("tab{}.{}", slot, view.id);
    if (text_button(ui, pen, tab.c_str(), name, {x, 4, w, kTabsHeight - 8}, lit, ui.say(view.title_key))) {
      chosen = view.id;
      ui.state.active_view = slot;
    }
    x += w;
  }
  if (all_fit) return;
  if (icon_button(ui, pen, ("more" + id).c_str(), Icon::Chevron, {x + 2, 4, 28, kTabsHeight - 8},
                  ui.say("window.stage.more"))) {
    ImGui::OpenPopup(("views" + id).c_str());
  }
  if (begin_menu(ui, ("views" + id).c_str())) {
    for (const visual::View& view : visual::all_views()) {
      const std::string label = fmt::format("{}###{}", ui.say(view.title_key), view.id);
      if (ImGui::Selectable(label.c_str(), chosen == view.id)) chosen = view.id;
    }
    end_menu();
  }
}

struct Format {
  const char* extension;  // "" a folder of frames
  const char* key;
};
constexpr std::array<Format, 5> kFormats = {{{"png", "window.stage.as_png"},
                                             {"svg", "window.stage.as_svg"},
                                             {"pdf", "window.stage.as_pdf"},
                                             {"gif", "window.stage.as_gif"},
                                             {"", "window.stage.as_frames"}}};

void save_menu(Ui& ui, int slot, const visual::View& view, visual::Size size) {
  const std::string id = fmt::format("export{}", slot);
  if (!begin_menu(ui, id.c_str())) {
    if (ui.state.export_view == slot) ui.state.export_view = -1;
    return;
  }
  const std::string kernel = ui.bench.kernel() ? ui.bench.kernel()->id : "";
  for (const Format& format : kFormats) {
    const std::filesystem::path file = export_path(kernel, view.id, format.extension);
    const std::string label =
        fmt::format("{}   {}###{}", ui.say(format.key), file.filename().string(), format.key);
    if (!ImGui::Selectable(label.c_str())) continue;
    ExportJob job;
    job.shown = ui.bench.composition(ui.catalogue);
    job.view = &view;
    job.size = size;
    job.text = std::make_shared<const Catalogue>(ui.catalogue);
    job.theme = &ui.theme;
    job.file = file;
    ui.bench.save_picture(std::move(job));
  }
  end_menu();
}

// Captions, legends and axes name terms; their cards open from there.
bool term_under_mouse(const Ui& ui, Pen& pen, const visual::Scene& scene, const Rect& box, bool clicked) {
  return std::any_of(scene.shapes.rbegin(), scene.shapes.rend(), [&](const visual::Shape& shape) {
    const Rect at{box.x + shape.box.x, box.y + shape.box.y, shape.box.width, shape.box.height};
    const TextStyle style{.size = shape.font_size, .face = shape.face, .align = shape.align};
    return shape.kind == visual::ShapeKind::Text && term_link(ui, pen, at, shape.text, style, clicked);
  });
}

void handle_mouse(Ui& ui, Pen& pen, int slot, const visual::Scene& scene, const Rect& box) {
  const Hit h = hit(pen, "scene", box);
  if (h.right_clicked) {
    ui.state.export_view = slot;
    ImGui::OpenPopup(fmt::format("export{}", slot).c_str());
  }
  if (!h.hovered) return;
  const visual::Point mouse = pen.from(ImGui::GetIO().MousePos);
  const visual::Shape* shape = scene.hit({mouse.x - box.x, mouse.y - box.y});
  visual::Target target;
  if (shape) {
    const bool side_a = ui.bench.pinned() && shape->id.starts_with("a.");
    target = side_a ? ui.bench.from_pinned(shape->target) : shape->target;
    ui.state.next_hover = target;
    tooltip(ui, shape->tooltip);
    if (!target.empty()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  if (target.empty() && term_under_mouse(ui, pen, scene, box, h.clicked)) return;
  if (h.clicked) {
    ui.state.active_view = slot;
    ui.state.focused_slider.clear();
    if (target.measure) {
      ui.bench.view_options.measure = static_cast<visual::Measure>(*target.measure);
    } else if (!target.empty()) {
      ui.bench.select(target);
    } else {
      ui.bench.clear_selection();
    }
  }
  if (h.double_clicked && target.empty()) {
    ui.state.full_view = ui.state.full_view == slot ? -1 : slot;
  }
  if (const float wheel = ImGui::GetIO().MouseWheel; wheel != 0) {
    // The wheel over a picture moves time, as over the transport.
    wheel > 0 ? ui.bench.back() : ui.bench.go_to_stop(ui.bench.stop() + 1, false);
  }
}

StageStandIn*& stand_in() {
  static StageStandIn* one = nullptr;
  return one;
}

// What a view had to shorten is known by its end; the whole is then the tooltip.
void note_shortened(const Ui& ui, const visual::Shape& shape) {
  constexpr std::string_view kDots = "…";
  if (shape.kind != visual::ShapeKind::Text || !shape.text.ends_with(kDots)) return;
  const std::string_view begin(shape.text.data(), shape.text.size() - kDots.size());
  ui.fonts.note_cut(shape.tooltip.starts_with(begin) ? shape.tooltip : shape.text);
}

void draw_shapes(const Ui& ui, Pen& pen, const visual::Scene& scene, const Rect& box) {
  const ImVec2 origin = pen.at(box.x, box.y);
  pen.list().PushClipRect(origin, pen.at(box.right(), box.bottom()), true);
  ImGuiCanvas canvas(pen.list(), ui.fonts, {std::round(origin.x), std::round(origin.y)}, ui.scale());
  for (const visual::Shape& shape : scene.shapes) {
    canvas.draw(shape, ui.theme);
    note_shortened(ui, shape);
  }
  pen.list().PopClipRect();
}

const visual::Scene& draw_scene(const Ui& ui, Pen& pen, int slot, const visual::View& view, const Rect& box) {
  const visual::Scene& scene = scene_for(ui, slot, view, {box.width, box.height});
  draw_shapes(ui, pen, scene, box);
  return scene;
}

// What stands there instead of the view takes the mouse as well. False: nothing does.
bool draw_stand_in(Ui& ui, Pen& pen, int slot, const visual::View& view, const Rect& box) {
  if (stand_in() == nullptr) return false;
  const visual::Scene* scene = stand_in()->scene(ui, slot, view, {box.width, box.height});
  if (scene == nullptr) return false;
  draw_shapes(ui, pen, *scene, box);
  const Hit h = hit(pen, "stand_in", box);
  const visual::Point mouse = pen.from(ImGui::GetIO().MousePos);
  const visual::Point at{mouse.x - box.x, mouse.y - box.y};
  const visual::Shape* shape = scene->hit(at);
  if (h.hovered && shape != nullptr) tooltip(ui, shape->tooltip);
  stand_in()->mouse(ui, slot, shape != nullptr ? shape->target : visual::Target{}, at, h.clicked, h.held);
  return true;
}

// In place of a view that has nothing to show yet. False: it has.
bool draw_why_nothing(const Ui& ui, Pen& pen, const visual::View& view, const Rect& box) {
  const std::optional<std::string> key = why_nothing(ui.bench, view);
  if (!key) return false;
  const std::string advice = ui.say(*key + "_advice");
  const float width = std::min(520.0f, box.width - 48), x = box.x + (box.width - width) / 2;
  const float y = box.y + std::max(16.0f, box.height * 0.4f - 40);
  pen.text({x, y, width, 26}, ui.say(*key),
           {.size = 16, .face = Face::SansBold, .align = visual::Align::Centre});
  const TextStyle style{.size = 13, .role = Role::Dim};
  float at = y + 34;
  for (const std::string& line : pen.wrapped(advice, width, style)) {
    pen.text({x, at, width, 20}, line, {.size = 13, .role = Role::Dim, .align = visual::Align::Centre});
    at += 20;
  }
  return true;
}

void draw_slot(Ui& ui, int slot, const Rect& area) {
  const visual::View* view = visual::find_view(ui.bench.settings.views[static_cast<std::size_t>(slot)]);
  if (!view && !visual::all_views().empty()) view = &visual::all_views()[0];
  const std::string id = fmt::format("stage{}", slot);
  const Area child(ui, id.c_str(), area);
  Pen pen = ui.pen();
  if (slot == 1 && ui.layout.view_count == 2) pen.line({16, 0.5f}, {area.width - 16, 0.5f}, Role::Line);
  if (!view) return;
  draw_tabs(ui, pen, slot, area.width);
  // Whose tabs the keys change.
  if (ui.layout.view_count == 2 && ui.state.active_view == slot)
    pen.fill({0, 10, 2.5f, kTabsHeight - 20}, Role::Accent, 1.2f, 0.8f);
  const Rect whole{0, kTabsHeight, area.width, area.height - kTabsHeight};
  if (draw_stand_in(ui, pen, slot, *view, whole) || draw_why_nothing(ui, pen, *view, whole)) return;
  const float bar = view_bar_height(ui, *view, area.height - kTabsHeight);
  const Rect box{0, kTabsHeight, area.width, area.height - kTabsHeight - bar};
  if (box.height < 40 || box.width < 60) return;
  const visual::Scene& scene = draw_scene(ui, pen, slot, *view, box);
  handle_mouse(ui, pen, slot, scene, box);
  draw_view_bar(ui, pen, *view, {0, box.bottom(), area.width, bar});
  save_menu(ui, slot, *view, {box.width, box.height});
}

}  // namespace

void set_stage_stand_in(StageStandIn* one) {
  stand_in() = one;
}

void draw_bench_plot(Ui& ui, const Rect& area) {
  const visual::View* view = visual::find_view("timing");
  if (!view) return;
  const Area child(ui, "bench.plot", area);
  Pen pen = ui.pen();
  const Rect box{0, 0, area.width, area.height};
  const visual::Scene& scene = draw_scene(ui, pen, kPlotSlot, *view, box);
  const Hit h = hit(pen, "plot", box);
  if (!h.hovered) return;
  const visual::Point mouse = pen.from(ImGui::GetIO().MousePos);
  if (const visual::Shape* shape = scene.hit(mouse)) tooltip(ui, shape->tooltip);
}

namespace {

// Between two views: one takes from the other.
void draw_divider(Ui& ui) {
  const Rect &upper = ui.layout.views[0], &lower = ui.layout.views[1];
  const Divided line = divider(ui, "divider", lower.x, lower.y, lower.width, ui.say("window.stage.divider"));
  if (line.shared_evenly) ui.bench.settings.upper_view = Settings{}.upper_view;
  if (!line.to) return;
  const float share = (*line.to - upper.y) / (upper.height + lower.height);
  ui.bench.settings.upper_view = std::clamp(static_cast<double>(share), 0.1, 0.9);
}

}  // namespace

void draw_stage(Ui& ui) {
  if (ui.layout.view_count == 1) {
    draw_slot(ui, std::max(0, ui.state.full_view), ui.layout.views[0]);
    return;
  }
  for (int slot = 0; slot < 2; ++slot) draw_slot(ui, slot, ui.layout.views[static_cast<std::size_t>(slot)]);
  draw_divider(ui);
}

}  // namespace warplens::window
