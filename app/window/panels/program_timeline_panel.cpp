// The time line of a program's run: the wheel enlarges it, a drag moves along it, a click opens a launch.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/model/program/run_timeline.h"
#include "app/window/draw/imgui_canvas.h"
#include "app/window/panels/program_panels.h"
#include "engine/base/number_text.h"

namespace warplens::window {
namespace {

using visual::ProgramTimeline;
using visual::Rect;
using visual::Role;
using Work = ProgramTimeline::Work;

constexpr float kTimelineTitle = 30;

// Rows in the order of the streams' numbers.
std::map<std::uint64_t, std::uint32_t> rows_of(const ProgramSession& session) {
  std::map<std::uint64_t, std::uint32_t> rows;
  for (const ProgramLaunch& launch : session.launches()) rows[launch.stream] = 0;
  for (const ProgramSpan& span : session.spans())
    if (!span.waits) rows[span.stream] = 0;
  std::uint32_t next = 0;
  for (auto& [stream, row] : rows) row = next++;
  return rows;
}

std::string told(const ProgramUi& p, const ProgramTimeline::Span& span, std::size_t place) {
  const Ui& ui = p.ui;
  const std::string time = model::seconds_text(span.end - span.begin);
  if (span.work == Work::Launch) {
    const ProgramLaunch& launch = p.session.launches()[place];
    const bool measured = p.session.measured().has_value();
    const std::string words =
        ui.say({measured ? "program.timeline.launch_measured" : "program.timeline.launch",
                {{"index", value_of(launch.index)},
                 {"kernel", value_of(launch.kernel())},
                 {"time", value_of(measured ? model::precise_seconds_text(launch.seconds) : time)}}});
    if (!(launch.modelled_us > 0)) return words;
    return words + "\n" +
           ui.say({"program.timeline.modelled",
                   {{"time", value_of(model::precise_seconds_text(launch.modelled_us * 1e-6))}}});
  }
  const ProgramSpan& one = p.session.spans()[place];
  if (span.work == Work::Wait)
    return ui.say({"program.timeline.wait", {{"what", value_of(one.what)}, {"time", value_of(time)}}});
  return ui.say({"program.timeline.copy",
                 {{"what", value_of(Key{"run.page.transfer." + one.what})},
                  {"bytes", value_of(bytes_text(one.bytes))},
                  {"time", value_of(time)}}});
}

ProgramTimeline line_of(const ProgramUi& p) {
  const ProgramSession& session = p.session;
  ProgramTimeline line;
  const auto rows = rows_of(session);
  for (const auto& [stream, row] : rows)
    line.rows.push_back(stream == 0 ? p.ui.say("program.timeline.default_stream")
                                    : p.ui.say({"program.timeline.stream", {{"number", value_of(stream)}}}));
  std::map<std::string, std::uint8_t> colours;
  for (const model::KernelSum& kernel : session.kernels()) {
    const auto place = static_cast<std::uint8_t>(std::min(colours.size(), visual::kTimelineKernels));
    colours[kernel.name] = place;
    if (place < visual::kTimelineKernels) line.kernels.push_back(plain_kernel(kernel.name));
  }
  line.more_kernels = colours.size() > visual::kTimelineKernels;
  // Of a launch its place in launches(), of anything else in spans().
  for (std::size_t i = 0; i < session.launches().size(); ++i) {
    const ProgramLaunch& l = session.launches()[i];
    if (l.ending != "skipped")
      line.spans.push_back({l.begin, l.begin + l.seconds, rows.at(l.stream), Work::Launch,
                            colours[l.kernel()], l.counts.faults > 0, i});
  }
  const auto waits = static_cast<std::uint32_t>(line.rows.size());
  bool any_wait = false;
  for (std::size_t i = 0; i < session.spans().size(); ++i) {
    const ProgramSpan& s = session.spans()[i];
    any_wait = any_wait || s.waits;
    line.spans.push_back({s.begin, s.begin + s.seconds, s.waits ? waits : rows.at(s.stream),
                          s.waits ? Work::Wait : Work::Copy, 0, false, i});
  }
  if (any_wait) line.rows.push_back(p.ui.say("program.timeline.waits"));
  return line;
}

void make(const ProgramUi& p, const Rect& box) {
  ProgramPanelState::Made now{p.session.serial(),
                              p.session.open().value_or(~std::size_t{0}),
                              p.state.begin,
                              p.state.end,
                              {box.width, box.height},
                              p.ui.scale(),
                              p.ui.bench.settings.language};
  ProgramPanelState::Made& made = p.state.made;
  if (made.serial == now.serial && made.marked == now.marked && made.begin == now.begin &&
      made.end == now.end && made.size.width == now.size.width && made.size.height == now.size.height &&
      made.scale == now.scale && made.language == now.language)
    return;
  made = now;
  ProgramTimeline line = line_of(p);
  line.begin = p.state.begin;
  line.end = p.state.end > p.state.begin ? p.state.end : std::max(1e-6, p.session.last_second());
  line.marked = now.marked;
  const bool waits = std::ranges::any_of(p.session.spans(), &ProgramSpan::waits);
  p.state.timeline_height = kTimelineTitle + 8 + visual::program_timeline_height(line.rows.size(), waits);
  line.tell = [&p](const ProgramTimeline::Span& first, std::uint64_t more) {
    const std::string words = told(p, first, static_cast<std::size_t>(first.launch));
    return more == 0
               ? words
               : p.ui.say({"program.timeline.more", {{"first", value_of(words)}, {"count", value_of(more)}}});
  };
  p.state.timeline = visual::program_timeline({made.size, p.ui.catalogue, p.ui.measure}, line);
}

// In seconds, within the run.
void look_at(ProgramPanelState& state, double begin, double end, double last) {
  const double length = std::clamp(end - begin, last * 1e-6, last);
  state.begin = std::clamp(begin, 0.0, last - length);
  state.end = state.begin + length;
  if (length >= last) state.begin = state.end = 0;
}

void follow_mouse(const ProgramUi& p, Pen& pen, const Rect& box) {
  const Hit h = hit(pen, "program.timeline", box);
  const double last = std::max(1e-6, p.session.last_second());
  const double from = p.state.begin, to = p.state.end > p.state.begin ? p.state.end : last;
  const visual::Point mouse = pen.from(ImGui::GetIO().MousePos);
  if (h.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
    const double along = -ImGui::GetIO().MouseDelta.x / pen.scale() / box.width * (to - from);
    look_at(p.state, from + along, to + along, last);
    return;
  }
  if (!h.hovered) return;
  const visual::Shape* shape = p.state.timeline.hit({mouse.x - box.x, mouse.y - box.y});
  if (shape != nullptr) tooltip(p.ui, shape->tooltip);
  const bool opens = shape != nullptr && shape->target.step.has_value();
  if (opens) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const bool moved = ImGui::GetIO().MouseDragMaxDistanceSqr[ImGuiMouseButton_Left] > 16;
  if (h.clicked && opens && !moved) p.session.open_launch(*shape->target.step);
  if (h.double_clicked && !opens) p.state.begin = p.state.end = 0;
  if (const float wheel = ImGui::GetIO().MouseWheel; wheel != 0) {
    const double at = from + (to - from) * std::clamp((mouse.x - box.x) / box.width, 0.0f, 1.0f);
    const double factor = wheel > 0 ? 0.75 : 1 / 0.75;
    look_at(p.state, at - (at - from) * factor, at + (to - at) * factor, last);
  }
}

}  // namespace

void draw_program_timeline(const ProgramUi& p, const Rect& area) {
  if (area.height < 60) return;
  const Area child(p.ui, "program.timeline", area);
  Pen pen = p.ui.pen();
  const std::string title = p.ui.say("program.timeline.title");
  const Rect head{16, 0, pen.width(title, 11, visual::Face::SansBold) + 4, kTimelineTitle};
  pen.text(head, title, {.size = 11, .face = visual::Face::SansBold, .role = Role::Dim});
  const Rect note{head.right() + 16, 0, area.width - head.right() - 32, kTimelineTitle};
  const auto& gpu = p.session.measured();
  const std::string clock = gpu ? p.ui.say({"program.timeline.gpu_time",
                                            {{"device", value_of(gpu->device)},
                                             {"driver", value_of(gpu->driver)},
                                             {"date", value_of(gpu->date)}}})
                                : p.ui.say("program.timeline.host_time");
  pen.text(note, clock, {.size = 11, .role = Role::Dim, .align = visual::Align::Right});
  if (hit(pen, "timeline.title", {head.x, 0, note.right() - head.x, kTimelineTitle}).hovered)
    tooltip(p.ui, clock + "\n" + p.ui.say("program.timeline.tip"));
  const Rect box{0, kTimelineTitle, area.width, area.height - kTimelineTitle};
  make(p, box);
  ImGuiCanvas canvas(pen.list(), p.ui.fonts, pen.at(box.x, box.y), p.ui.scale());
  for (const visual::Shape& shape : p.state.timeline.shapes) canvas.draw(shape, p.ui.theme);
  follow_mouse(p, pen, box);
}

}  // namespace warplens::window
