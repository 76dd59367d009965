// The transport: play, pause, step, step back, scrub and speed over the recorded accesses. Kinds differ by
// colour and by form: loads fill their cell, stores its lower half, atomics carry a notch, branches are
// narrow, barriers are a line.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/window/panels/ui.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

constexpr float kStripTop = 16, kStripHeight = 22;
constexpr const char* kKindKeys[kStopKinds] = {"window.kind.load",   "window.kind.store",
                                               "window.kind.atomic", "window.kind.copy",
                                               "window.kind.branch", "window.kind.barrier"};
constexpr Role kKindRoles[kStopKinds] = {Role::Accent,   Role::Good, Role::Modelled,
                                         Role::Modelled, Role::Warn, Role::Dim};

void draw_cell(Pen& pen, StopKind kind, const Rect& cell, float alpha, float radius = 2) {
  const Role role = kKindRoles[static_cast<std::size_t>(kind)];
  switch (kind) {
    case StopKind::Load:
      return pen.fill(cell, role, radius, alpha);
    case StopKind::Store:
      return pen.fill({cell.x, cell.y + cell.height * 0.4f, cell.width, cell.height * 0.6f}, role, radius,
                      alpha);
    case StopKind::Atomic:
    case StopKind::Copy:
      pen.fill(cell, role, radius, alpha);
      return pen.fill({cell.x + cell.width * 0.3f, cell.y, cell.width * 0.4f, cell.height * 0.35f},
                      Role::Panel);
    case StopKind::Branch:
      return pen.fill({cell.x + cell.width * 0.3f, cell.y + cell.height * 0.25f,
                       std::max(1.5f, cell.width * 0.4f), cell.height * 0.5f},
                      role, radius, alpha);
    case StopKind::Barrier:
      return pen.fill({cell.x + cell.width / 2 - 1, cell.y, 2, cell.height}, role, 0, alpha);
  }
}

// The columns of the strip, kept until the trace, the warp or the width changes: a large trace takes
// milliseconds to sum up.
const std::vector<Column>& columns_for(const Ui& ui, std::size_t count) {
  static std::vector<Column> columns;
  static std::uint64_t picture = 0;
  static std::optional<std::uint32_t> warp;
  const std::uint64_t serial = ui.bench.picture() ? ui.bench.picture()->serial : 0;
  if (columns.size() != count || picture != serial || warp != ui.bench.followed_warp()) {
    const Timeline& timeline = ui.bench.timeline();
    columns = timeline.columns(count, 0, timeline.size());
    picture = serial;
    warp = ui.bench.followed_warp();
  }
  return columns;
}

// Every stop has a cell of its own while there is room; then a column stands for several and shows the
// commonest kind.
void draw_strip(Ui& ui, Pen& pen, const Rect& strip) {
  Playback& time = ui.bench.playback();
  const Timeline& timeline = time.timeline();
  pen.fill({strip.x - 4, strip.y - 4, strip.width + 8, strip.height + 8}, Role::Raised, 5, 0.6f);
  if (timeline.empty()) return;
  const auto fit = static_cast<std::size_t>(std::max(1.0f, strip.width / 3));
  const std::vector<Column>& columns = columns_for(ui, std::min(timeline.size(), fit));
  const float cell = strip.width / static_cast<float>(columns.size());
  const float gap = cell > 5 ? 2.0f : cell > 3 ? 1.0f : 0.0f;
  // Narrow cells stand on whole pixels and have no corners: hundreds of rounded and smoothed ones would cost
  // more triangles than all views together.
  const bool narrow = cell * ui.scale() < 8;
  const auto edge = [&](std::size_t i) {
    const float x = strip.x + static_cast<float>(i) * cell;
    return narrow ? std::round(x * ui.scale()) / ui.scale() : x;
  };
  const float seen = ui.bench.looks_earlier() && ui.bench.earlier(visual::Basis::Run) ? 0.4f : 1.0f;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (const auto kind = columns[i].main()) {
      const bool past = columns[i].first <= time.stop();
      draw_cell(pen, *kind, {edge(i), strip.y, edge(i + 1) - edge(i) - gap, strip.height},
                (past ? 0.9f : 0.45f) * seen, narrow ? 0.0f : 2.0f);
    }
  }
  const float used = cell * static_cast<float>(columns.size());
  const float per_stop = used / static_cast<float>(timeline.size());
  // Where something is new; a clicker goes there.
  for (const std::size_t stop : time.way_points())
    pen.fill(
        {strip.x + (static_cast<float>(stop) + 0.5f) * per_stop - gap / 2 - 1.5f, strip.bottom() + 1, 3, 3},
        Role::Dim, 1.5f, seen);
  const float x = strip.x + (static_cast<float>(time.stop()) + 0.5f) * per_stop - gap / 2;
  pen.fill({x - 1.5f, strip.y - 6, 3, strip.height + 12}, Role::Text, 1.5f);

  const Hit h = hit(pen, "strip", {strip.x - 4, strip.y - 6, used + 8, strip.height + 12});
  const float mouse = pen.from(ImGui::GetIO().MousePos).x;
  const float place = std::clamp((mouse - strip.x) / std::max(1.0f, used), 0.0f, 0.99999f);
  const auto under = static_cast<std::size_t>(place * static_cast<float>(timeline.size()));
  if (h.held) {
    time.play(false);
    time.go_to_stop(under, false);
  }
  if (!h.hovered) return;
  if (const float wheel = ImGui::GetIO().MouseWheel; wheel != 0) {
    wheel > 0 ? time.back() : time.go_to_stop(time.stop() + 1, false);
  }
  const trace::Trace& trace = ui.bench.picture()->run->trace;
  const trace::Step& step = trace.steps()[timeline.step(under)];
  std::string text = fmt::format("{}", ui.say(kKindKeys[static_cast<std::size_t>(timeline.kind(under))]));
  if (step.site < trace.sites.size()) {
    const trace::Site& site = trace.sites[step.site];
    text = ui.say({"window.transport.stop",
                   {{"number", value_of(under + 1)},
                    {"kind", value_of(text)},
                    {"warp", value_of(step.warp)},
                    {"line", value_of(site.line)}}});
    if (!site.text.empty()) text += "\n" + site.text;
  }
  tooltip(ui, text);
}

void draw_legend(const Ui& ui, Pen& pen, const Timeline& timeline, float x, float y, float right) {
  bool present[kStopKinds] = {};
  // Sampled: the legend names kinds, it does not count them.
  const std::size_t stride = std::max<std::size_t>(1, timeline.size() / 4096);
  for (std::size_t i = 0; i < timeline.size(); i += stride)
    present[static_cast<std::size_t>(timeline.kind(i))] = true;
  for (std::size_t kind = 0; kind < kStopKinds; ++kind) {
    if (!present[kind]) continue;
    const std::string name = ui.say(kKindKeys[kind]);
    const float width = pen.width(name, 11) + 30;
    if (x + width > right) return;
    draw_cell(pen, static_cast<StopKind>(kind), {x, y + 4, 9, 8}, 0.9f);
    pen.text({x + 14, y, width, 16}, name, {.size = 11, .role = Role::Dim});
    x += width;
  }
}

float draw_buttons(Ui& ui, Pen& pen) {
  Playback& time = ui.bench.playback();
  const double factor = ui.bench.settings.speed;
  const float middle = kTransportHeight / 2;
  if (icon_button(ui, pen, "back", Icon::Back, {12, middle - 18, 36, 36}, ui.say("window.transport.back")))
    time.back();
  const Rect play{54, middle - 18, 36, 36};
  const Hit h = hit(pen, "play", play);
  pen.disc({play.x + 18, middle}, h.hovered ? 18.5f : 17.5f, Role::Accent,
           time.timeline().empty() ? 0.4f : 1.0f);
  pen.icon(time.playing() ? Icon::Pause : Icon::Play, {play.x + 18 + (time.playing() ? 0.0f : 1.0f), middle},
           15, Role::OnAccent);
  if (h.hovered) tooltip(ui, ui.say(time.playing() ? "window.transport.pause" : "window.transport.play"));
  if (h.clicked) time.play(!time.playing());
  if (icon_button(ui, pen, "next", Icon::Next, {96, middle - 18, 36, 36}, ui.say("window.transport.next"))) {
    time.play(false);
    time.next();
  }
  const std::string speed = factor < 1 ? fmt::format("{:g}×", factor) : fmt::format("{:.0f}×", factor);
  const Rect speed_box{136, middle - 14, 48, 28};
  const Hit s = hit(pen, "speed", speed_box);
  if (s.hovered) {
    pen.fill(speed_box, Role::Raised, 6);
    tooltip(ui, ui.say("window.transport.speed"));
    if (const float wheel = ImGui::GetIO().MouseWheel; wheel != 0) time.faster(wheel > 0 ? 1 : -1);
  }
  if (s.clicked) time.faster(factor >= 64 ? -99 : 1);
  if (s.right_clicked) time.faster(-1);
  pen.text(speed_box, speed, {.role = Role::Dim, .align = visual::Align::Centre});
  return speed_box.right() + 12;
}

// Which warps time walks through: all of the block, or one.
void draw_warps(Ui& ui, Pen& pen, const Rect& box) {
  const Picture* picture = ui.bench.picture();
  if (!picture) return;
  const auto& block = picture->run->report.launch.block;
  const auto warps = static_cast<std::uint32_t>((block.volume() + 31) / 32);
  const std::optional<std::uint32_t> followed = ui.bench.followed_warp();
  const std::string label = followed ? ui.say({"window.transport.one_warp", {{"warp", value_of(*followed)}}})
                                     : ui.say("window.transport.all_warps");
  const Hit h = hit(pen, "warps", box);
  if (h.hovered) {
    pen.fill(box, Role::Raised, 6, 0.7f);
    tooltip(ui, ui.say("window.transport.warps_tip"));
  }
  pen.text({box.x + 8, box.y, box.width - 26, box.height}, label, {.role = Role::Dim});
  pen.icon(Icon::Chevron, {box.right() - 11, box.y + box.height / 2}, 8, Role::Dim);
  if (h.clicked) ImGui::OpenPopup("choose_warp");
  if (begin_menu(ui, "choose_warp")) {
    if (ImGui::Selectable(ui.say("window.transport.all_warps").c_str(), !followed)) ui.bench.follow_warp({});
    for (std::uint32_t w = 0; w < std::min(warps, 64u); ++w) {
      const std::string name = ui.say({"window.transport.one_warp", {{"warp", value_of(w)}}});
      if (ImGui::Selectable(name.c_str(), followed == w)) ui.bench.follow_warp(w);
    }
    end_menu();
  }
}

}  // namespace

void draw_transport(Ui& ui) {
  const Rect& bar = ui.layout.transport;
  const Area area(ui, "transport", bar);
  Pen pen = ui.pen();
  pen.fill({0, 0, bar.width, bar.height}, Role::Panel);
  pen.line({0, 0.5f}, {bar.width, 0.5f}, Role::Line);
  const float left = draw_buttons(ui, pen);
  const Timeline& timeline = ui.bench.timeline();
  const auto at = [&](std::size_t stop) {
    return ui.say(
        {"window.transport.where", {{"stop", value_of(stop)}, {"stops", value_of(timeline.size())}}});
  };
  // As wide as the last stop needs, so that nothing moves on the way there.
  const float label_width = std::clamp(pen.width(at(timeline.size())) + 8, 150.0f, bar.width / 3);
  const float right = bar.width - label_width - 12;
  const Rect strip{left + 4, kStripTop, std::max(20.0f, right - left - 20), kStripHeight};
  draw_strip(ui, pen, strip);
  draw_legend(ui, pen, timeline, strip.x, kStripTop + kStripHeight + 9, strip.right());
  const std::string where = timeline.empty() ? ui.say("window.transport.nothing") : at(ui.bench.stop() + 1);
  pen.text({right + 4, 12, label_width, 20}, where, {.role = Role::Text});
  draw_warps(ui, pen, {right - 4, 35, label_width, 24});
}

}  // namespace warplens::window
