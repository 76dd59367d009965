// The source pane: the kernel's text (or its PTX) in colours, with what each line costs, linked both ways
// with the views; and the editor, which is the same text under a transparent input field.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/model/run/launch_line.h"
#include "app/window/panels/file_panel.h"
#include "app/window/panels/line_cost.h"
#include "app/window/panels/text_field.h"
#include "app/window/panels/ui.h"
#include "app/window/panels/users_file.h"
#include "app/window/session/highlight.h"
#include "visual/code_rows.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

constexpr float kHeader = 32, kLaunch = 26, kLaunchLine = 17, kCostWidth = 74, kTextRight = 10,
                kLaunchSize = 12;

// How large the code is written.
struct Letters {
  float line, size, small, gutter, text_left;
  bool operator==(const Letters&) const = default;
};
constexpr Letters kToRead{20, 13, 11, 44, 52};
constexpr Letters kToSpeak{21, 14, 11, 26, 33};  // from the back row

// The coloured lines of a text, kept until the text changes.
struct Coloured {
  std::string text;
  bool ptx = false;
  std::vector<TextLine> lines;
  std::size_t longest = 0;  // characters

  void update(const std::string& wanted, bool is_ptx) {
    if (!lines.empty() && ptx == is_ptx && text == wanted) return;
    text = wanted;
    ptx = is_ptx;
    lines = is_ptx ? highlight_ptx(text) : highlight_cuda(text);
    longest = 0;
    for (const TextLine& line : lines) longest = std::max(longest, line.end - line.begin);
  }
};

// What the pane itself remembers; there is one source pane in the window.
struct PaneState {
  Letters letters = kToRead;
  Coloured coloured;
  std::string editing;
  int last_line = 0, last_wrong = 0;
  bool last_ptx = false;
  float last_letter = 0, last_height = 0;  // of which the rows were in sight
  float last_width = 0;
  bool last_speaks = false;
  int follows = 0;  // frames in which the line under the cursor is brought into sight
  bool was_editing = false;
  std::size_t last_caret = 0;
  LineMap lines;         // of the text that ran, in the one that is open
  LineMap cost_lines;    // the same of the costs, which may be of a text before
  bool earlier = false;  // the costs are not of what is open
  std::string launch;    // the launch line, of the picture with this serial
  std::uint64_t launch_of = 0;

  // The rows of the text, kept until it, the width or the room that costs take changes.
  std::vector<visual::CodeRow> rows;
  std::string rows_of;
  float rows_width = 0, rows_letter = 0;
  std::map<int, float> rows_taken;  // by line
};
PaneState& pane() {
  static PaneState state;
  return state;
}

const Letters& letters() {
  return pane().letters;
}

struct InkLook {
  Role role;
  float alpha;
};
InkLook look_of(Ink ink) {
  switch (ink) {
    case Ink::Plain:
      return {Role::Text, 1};
    case Ink::Keyword:
    case Ink::Type:
      return {Role::Accent, 1};
    case Ink::Cuda:
      return {Role::Modelled, 1};
    case Ink::Number:
      return {Role::Good, 1};
    case Ink::String:
    case Ink::Directive:
      return {Role::Warn, 1};
    case Ink::Comment:
      return {Role::Dim, 1};
  }
  return {Role::Text, 1};
}

// PTX lines belong to a source line through the sites; the source shows lines as they are.
int source_line_of(const Ui& ui, int shown_line, bool ptx) {
  if (!ptx) return pane().lines.then(shown_line);
  const Picture* picture = ui.bench.picture();
  if (!picture) return 0;
  for (const trace::Site& site : picture->run->trace.sites) {
    if (site.ptx_line == shown_line) return site.line;
  }
  return 0;
}

// The first PTX line of a source line, 1 when it has none.
int ptx_row_of(const Picture& picture, int source_line) {
  int row = 0;
  for (const trace::Site& site : picture.run->trace.sites) {
    if (site.line == source_line && site.ptx_line > 0 && (row == 0 || site.ptx_line < row))
      row = site.ptx_line;
  }
  return std::max(row, 1);
}

// The PTX lines that a cursor on this source line lights up.
bool lit(const Ui& ui, int shown_line, bool ptx, int source_line) {
  if (source_line <= 0) return false;
  return source_line_of(ui, shown_line, ptx) == source_line;
}

const LineCost* cost_of(const Picture* picture, int line) {
  if (!picture) return nullptr;
  const auto it = std::find_if(picture->costs.begin(), picture->costs.end(),
                               [&](const LineCost& c) { return c.line == line; });
  return it == picture->costs.end() ? nullptr : &*it;
}

CostLook cost_look() {
  return {letters().line, letters().size, letters().small, pane().earlier};
}

void draw_header(Ui& ui, const Rect& area) {
  const Area header(ui, "source.header", {area.x, area.y, area.width, kHeader});
  Pen pen = ui.pen();
  PanelState& state = ui.state;
  float x = area.width;
  const auto place = [&](float width) {
    x -= width;
    return Rect{x, 3, width - 2, kHeader - 8};
  };
  if (text_button(ui, pen, "ptx", "PTX", place(44), state.show_ptx, ui.say("window.source.ptx_tip"))) {
    state.show_ptx = true;
    state.editing = false;
  }
  if (text_button(ui, pen, "cuda", "CUDA", place(52), !state.show_ptx)) state.show_ptx = false;
  if (!state.show_ptx &&
      icon_button(ui, pen, "edit", Icon::Edit, place(28),
                  ui.say(state.editing ? "window.source.leave_edit" : "window.source.edit"), state.editing)) {
    state.editing = !state.editing;
  }
  if (ui.bench.edited() &&
      icon_button(ui, pen, "revert", Icon::Reset, place(28), ui.say("window.source.revert"))) {
    ui.bench.revert_text();
    state.editing = false;
  }
  if (ui.bench.edited() &&
      icon_button(ui, pen, "save_text", Icon::Save, place(28),
                  ui.say(ui.bench.is_users_file() ? "window.source.save" : "window.source.save_copy")))
    save_or_ask(ui);
  if (ui.bench.is_users_file()) draw_compiler_gear(ui, pen, place(28));
  // Beside many buttons the question has no room.
  std::string title = ui.say("window.source.title");
  if (pen.width(title, 16, Face::SansBold) > x - 8) title = ui.say("window.source.title_short");
  pen.text({0, 0, x - 8, kHeader}, title, {.size = 16, .face = Face::SansBold});
  // Which compiler made what is shown, where there is room for it.
  const std::string compiler = compiler_name(ui);
  const float after = pen.width(title, 16, Face::SansBold) + 12, wide = pen.width(compiler, 11);
  if (compiler.empty() || after + wide + 8 > x) return;
  const Rect box{after, 2, wide + 4, kHeader - 4};
  pen.text(box, compiler, {.size = 11, .role = Role::Dim});
  if (hit(pen, "compiler.name", box).hovered) tooltip(ui, compiler_tip(ui));
}

// "grid: ceil(n / block) = 256 blocks": where the numbers of the launch line come from.
std::string launch_tip(const Ui& ui, const trace::Launch& launch) {
  const auto joined = [](const std::vector<std::string>& all) {
    std::string out;
    for (const std::string& one : all) out += (out.empty() ? "" : ", ") + one;
    return out;
  };
  const model::GalleryKernel* kernel = ui.bench.kernel();
  return ui.say({"window.source.launch_tip",
                 {{"grid", value_of(kernel ? joined(kernel->grid) : std::string())},
                  {"block", value_of(kernel ? joined(kernel->block) : std::string())},
                  {"blocks", value_of(launch.grid.volume())},
                  {"threads", value_of(launch.block.volume())}}});
}

// The launch in as many rows as it needs, two at most, beside what stands at its end.
std::vector<std::string> launch_in_rows(Ui& ui, float width, std::size_t rows) {
  const Picture* picture = ui.bench.picture();
  PaneState& p = pane();
  if (!picture) return {};
  if (picture->serial != p.launch_of) {
    p.launch_of = picture->serial;
    p.launch = model::launch_line(*picture->run);
  }
  const float letter = ui.fonts.measure("0", Face::Mono, kLaunchSize).width;
  const float room = std::max(0.0f, width - 20 - assumed_width(ui));
  return visual::launch_rows(p.launch, static_cast<std::size_t>(room / letter), rows);
}

// How the kernel is launched, as its host code would say it: of the run that is shown.
void draw_launch(Ui& ui, const Rect& area, const std::vector<std::string>& rows) {
  const Picture* picture = ui.bench.picture();
  const PaneState& p = pane();
  const Area row(ui, "source.launch", area);
  Pen pen = ui.pen();
  const Rect box{0, 0, area.width, area.height - 4};
  pen.fill(box, Role::Panel, 6);
  draw_assumed(ui, pen, {box.x, box.y, box.width, kLaunch - 4});
  const Rect rest{box.x, box.y, box.width - assumed_width(ui), box.height};
  if (!picture) return;
  const bool earlier = ui.bench.looks_earlier();
  float y = 0;
  for (const std::string& line : rows) {
    pen.text({10, y, rest.width - 10, kLaunch - 4}, line,
             {.size = kLaunchSize, .face = Face::Mono, .role = Role::Text, .alpha = earlier ? 0.5f : 0.9f});
    y += kLaunchLine;
  }
  if (hit(pen, "launch", rest).hovered)
    tooltip(ui, p.launch + "\n" + launch_tip(ui, picture->run->report.launch));
}

struct Rows {
  std::size_t first = 0, last = 0;  // visible, half-open
};

// Backgrounds first: the current line, the selected one, the error, and how hot a line is.
void draw_line_ground(const Ui& ui, Pen& pen, int line, float y, float left, float width, bool hovered) {
  const bool ptx = ui.state.show_ptx;
  const int source = source_line_of(ui, line, ptx);
  const std::optional<Error>& error = ui.bench.error();
  const bool wrong = !ptx && error && error->place.line == line && !ui.bench.error_is_earlier();
  const bool current = lit(ui, line, ptx, ui.bench.current_line());
  const bool chosen = source > 0 && ui.bench.selection().line == source;
  if (wrong) {
    pen.fill({left, y, width, letters().line}, Role::Bad, 0, 0.16f);
  } else if (current) {
    pen.fill({left, y, width, letters().line}, Role::Accent, 0, 0.13f);
  } else if (chosen || hovered || (source > 0 && ui.bench.hover().line == source)) {
    pen.fill({left, y, width, letters().line}, Role::Raised, 0, chosen ? 1.0f : 0.7f);
  }
  const LineCost* cost =
      ptx || pane().earlier ? nullptr : cost_of(ui.bench.picture(), pane().cost_lines.then(line));
  if (cost && cost->worse())
    pen.fill({left, y, 3, letters().line}, Role::Bad, 0, 0.35f + 0.65f * static_cast<float>(cost->share));
  if (wrong) pen.fill({left, y, 3, letters().line}, Role::Bad);
  if (current && !(cost && cost->worse())) pen.fill({left, y, 3, letters().line}, Role::Accent);
}

void draw_row_text(const Ui& ui, Pen& pen, const Coloured& c, const visual::CodeRow& row, float y) {
  const TextLine& line = c.lines[static_cast<std::size_t>(row.line) - 1];
  if (row.begin == 0)
    pen.text({0, y, letters().gutter - 4, letters().line}, fmt::format("{}", row.line),
             {.size = letters().small,
              .face = Face::Mono,
              .role = Role::Dim,
              .align = visual::Align::Right,
              .alpha = 0.8f});
  // The editor's own font, so that the caret of the input field stands exactly between our letters.
  ImFont* font = ui.fonts.editor(letters().size, letters().line);
  ImVec2 at = pen.at(letters().text_left + row.left, y);
  at = {std::round(at.x), std::round(at.y)};
  for (const Piece& piece : line.pieces) {
    const std::size_t from = std::max<std::size_t>(piece.begin, row.begin);
    const std::size_t to = std::min<std::size_t>(piece.end, row.end);
    if (from >= to) continue;
    const char* begin = c.text.data() + line.begin + from;
    const char* end = c.text.data() + line.begin + to;
    const InkLook look = look_of(piece.ink);
    pen.list().AddText(font, font->FontSize, at, pen.colour(look.role, look.alpha), begin, end);
    at.x += font->CalcTextSizeA(font->FontSize, 1e9f, 0, begin, end).x;
  }
}

void handle_line(Ui& ui, Pen& pen, const Rect& view, float scroll_y) {
  if (!ImGui::IsWindowHovered() || ui.state.editing) return;
  const visual::Point mouse = pen.from(ImGui::GetIO().MousePos);
  const auto row = static_cast<std::size_t>(std::max(0.0f, mouse.y / letters().line));
  if (row >= pane().rows.size() || mouse.y < scroll_y) return;
  const int line = pane().rows[row].line;
  const int source = source_line_of(ui, line, ui.state.show_ptx);
  visual::Target target;
  if (source > 0) target.line = source;
  ui.state.next_hover = target;
  const std::optional<Error>& error = ui.bench.error();
  if (error && error->place.line == line && !ui.state.show_ptx && !ui.bench.error_is_earlier()) {
    std::string text = ui.say(*error);
    for (const std::string& note : error->notes) text += "\n" + note;
    tooltip(ui, text.substr(0, 1200));
  } else if (const LineCost* cost =
                 ui.state.show_ptx ? nullptr : cost_of(ui.bench.picture(), pane().cost_lines.then(line));
             cost && mouse.x > view.width - cost_width(ui, pen, *cost, cost_look())) {
    const std::string of = pane().earlier ? ui.bench.totals_line(ui.catalogue) + "\n" : "";
    tooltip(ui, of + cost_tip(ui, *cost));
  }
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && !ui.state.show_ptx) {
    ui.state.editing = true;
  } else if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && source > 0) {
    ui.bench.select(target);
  }
}

// Keeps the text cursor in sight: the field itself is as large as the text and does not scroll.
void follow_caret(const Ui& ui, visual::Point caret, const Rect& view) {
  const float s = ui.scale();
  const float top = ImGui::GetScrollY() / s, left = ImGui::GetScrollX() / s;
  if (caret.y < top) ImGui::SetScrollY(caret.y * s);
  if (caret.y + letters().line > top + view.height)
    ImGui::SetScrollY((caret.y + letters().line - view.height) * s);
  const float room = view.width - kCostWidth - 24;
  if (caret.x < room) {
    ImGui::SetScrollX(0);
  } else if (caret.x < left + letters().text_left || caret.x > left + room) {
    ImGui::SetScrollX((caret.x - room / 2) * s);
  }
}

visual::Point caret_place(const Ui& ui, const std::string& text, std::size_t at) {
  const std::size_t start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  const auto line =
      static_cast<float>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  ImFont* font = ui.fonts.editor(letters().size, letters().line);
  const float x = font->CalcTextSizeA(font->FontSize, 1e9f, 0, text.data() + start, text.data() + at).x;
  return {letters().text_left + x / ui.scale(), line * letters().line};
}

void draw_editor(Ui& ui, Pen& pen, const Rect& view, float text_width) {
  PaneState& p = pane();
  const float s = ui.scale();
  // A text that comes from elsewhere (another editor, undo, another language) while the field has the
  // keyboard would be written over by the field's own copy: it begins anew.
  const bool other = p.editing != ui.bench.text();
  if (other && p.was_editing) ImGui::ClearActiveID();
  // However editing began (button, key, double click), the text cursor is there at once.
  if (other || !p.was_editing) ImGui::SetKeyboardFocusHere();
  if (other) p.editing = ui.bench.text();
  ImGui::SetCursorScreenPos(pen.at(letters().text_left, 0));
  ImGui::PushFont(ui.fonts.editor(letters().size, letters().line));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
  ImGui::PushStyleColor(ImGuiCol_FrameBg, 0);
  ImGui::PushStyleColor(ImGuiCol_Text, pen.colour(Role::Text, 0.01f));  // ours is drawn; the caret is ImGui's
  ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, pen.colour(Role::Accent, 0.35f));
  const float height = static_cast<float>(pane().coloured.lines.size() + 1) * letters().line * s;
  int cursor = -1;
  if (edit_lines("###editor", p.editing,
                 {std::max(view.width - letters().text_left, text_width + 80) * s, height}, cursor) &&
      // Escape leaves the editor; ImGui would also take back everything typed since it was entered.
      !ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape))) {
    ui.bench.set_text(p.editing, ui.now);
  }
  ImGui::PopStyleColor(3);
  ImGui::PopStyleVar();
  ImGui::PopFont();
  if (cursor < 0) return;
  const auto at = std::min(static_cast<std::size_t>(cursor), p.editing.size());
  const visual::Point caret = caret_place(ui, p.editing, at);
  if (at != p.last_caret || !p.was_editing) follow_caret(ui, caret, view);
  p.last_caret = at;
  // ImGui's caret has the invisible colour of the text.
  if (std::fmod(ui.now, 1.06) < 0.6) pen.fill({caret.x, caret.y + 2, 1.6f, letters().line - 4}, Role::Text);
}

// While the text is typed its lines are not broken: a cost that would stand on one is left out.
bool covers_text(const Ui& ui, const Coloured& c, int line, float room) {
  const TextLine& text = c.lines[static_cast<std::size_t>(line) - 1];
  ImFont* font = ui.fonts.editor(letters().size, letters().line);
  const char* begin = c.text.data() + text.begin;
  const float wide = font->CalcTextSizeA(font->FontSize, 1e9f, 0, begin, c.text.data() + text.end).x;
  return letters().text_left + (wide - ImGui::GetScrollX()) / ui.scale() > room;
}

void draw_costs(const Ui& ui, Pen& pen, const Rect& view, Rows shown) {
  if (ui.state.show_ptx) return;
  const float left = ImGui::GetScrollX() / ui.scale();  // the column stays in sight when the text scrolls
  for (std::size_t row = shown.first; row < shown.last; ++row) {
    const visual::CodeRow& at = pane().rows[row];
    const bool last = row + 1 == pane().rows.size() || pane().rows[row + 1].line != at.line;
    const LineCost* cost = last ? cost_of(ui.bench.picture(), pane().cost_lines.then(at.line)) : nullptr;
    if (!cost) continue;
    if (ui.state.editing &&
        covers_text(ui, pane().coloured, at.line, view.width - cost_width(ui, pen, *cost, cost_look())))
      continue;
    draw_cost(ui, pen, *cost, cost_look(), left + view.width, static_cast<float>(row) * letters().line);
  }
}

// Lines are broken where they are read; where they are typed each is one row, as the input field has it.
// True: they were made anew.
bool update_rows(const Ui& ui, const Pen& pen, float width) {
  PaneState& p = pane();
  const bool breaks = !ui.state.editing;
  std::map<int, float> taken;
  if (breaks && !p.coloured.ptx && ui.bench.picture())
    for (const LineCost& cost : ui.bench.picture()->costs) {
      // In steps: a number that grows by a digit moves no text.
      const float wide = std::ceil((cost_width(ui, pen, cost, cost_look()) - kTextRight) / 16) * 16;
      if (const int line = p.cost_lines.now(cost.line); line > 0) taken[line] = wide;
    }
  const float room = breaks ? width - letters().text_left - kTextRight : 1e9f;
  // A font that is not there yet in a window's first frame has letters of another width.
  ImFont* font = ui.fonts.editor(letters().size, letters().line);
  const float scale = ui.scale();
  const float letter = font->CalcTextSizeA(font->FontSize, 1e9f, 0, "m").x / scale;
  if (p.rows_of == p.coloured.text && p.rows_width == room && p.rows_letter == letter &&
      p.rows_taken == taken && !p.rows.empty())
    return false;
  p.rows_of = p.coloured.text;
  p.rows_width = room;
  p.rows_letter = letter;
  p.rows_taken = std::move(taken);
  std::vector<std::string_view> lines;
  for (const TextLine& line : p.coloured.lines)
    lines.push_back(std::string_view(p.coloured.text).substr(line.begin, line.end - line.begin));
  p.rows = visual::code_rows(
      lines,
      {room,
       [&](int line) {
         const auto found = p.rows_taken.find(line);
         return found == p.rows_taken.end() ? 0.0f : found->second;
       },
       [&](std::string_view code) {
         return font->CalcTextSizeA(font->FontSize, 1e9f, 0, code.data(), code.data() + code.size()).x /
                scale;
       }});
  return true;
}

// The first row from this one on that may stand at the top of the pane.
float top_row(float row) {
  return static_cast<float>(
      visual::line_begins_from(pane().rows, static_cast<std::size_t>(std::max(0.0f, row))));
}

}  // namespace

std::size_t source_rows(const Ui& ui) {
  return pane().rows_of == ui.bench.text() ? pane().rows.size() : 0;
}

void draw_source(Ui& ui, const Rect& area) {
  PaneState& p = pane();
  // A speaker shows the lines that the words are about, and has no use for what is done with a text.
  const bool speaks = ui.layout.speaker;
  p.letters = speaks ? kToSpeak : kToRead;
  if (!speaks) draw_header(ui, area);
  const Picture* picture = ui.bench.picture();
  const bool ptx = ui.state.show_ptx && picture && picture->program;
  if (!ptx) ui.state.show_ptx = false;
  p.lines = ui.bench.lines();
  p.cost_lines = ui.bench.cost_lines();
  p.earlier = ui.bench.looks_earlier() && ui.bench.totals_are_earlier();
  p.coloured.update(ptx ? picture->program->ptx.text : ui.bench.text(), ptx);
  // In a very low pane the code is worth more than its launch, in a low one its second row.
  const bool has_launch = area.height > 140 && !speaks && (picture || !ui.bench.error());
  std::vector<std::string> launch = launch_in_rows(ui, area.width, area.height > 240 ? 2 : 1);
  // The kernel's name is worth a second one.
  if (area.height > 170 && launch.size() == 1 && launch[0].find("…<<<") != std::string::npos)
    launch = launch_in_rows(ui, area.width, 2);
  const float launch_height = !has_launch ? 0 : kLaunch + (launch.size() > 1 ? kLaunchLine : 0);
  const float above = speaks ? 0 : kHeader + launch_height;
  if (has_launch) draw_launch(ui, {area.x, area.y + kHeader, area.width, launch_height}, launch);
  const Rect frame{area.x, area.y + above, area.width, std::max(8.0f, area.height - above)};
  {
    const Area ground(ui, "source.ground", frame);
    ui.pen().fill({0, 0, frame.width, frame.height}, Role::Panel, 6);
  }
  const Rect view{frame.x, frame.y + 8, frame.width, frame.height - 12};
  const Area area_of_text(ui, "source.text", view, true, ui.state.editing);
  Pen pen = ui.pen();
  const float s = ui.scale();
  const bool other_text = p.rows_of != p.coloured.text;
  // Where the rows are made anew a line still begins at the top.
  const bool new_rows = update_rows(ui, pen, view.width);
  if (new_rows && !ui.state.editing)
    ImGui::SetScrollY(top_row(std::round(ImGui::GetScrollY() / s / letters().line)) * letters().line * s);
  const std::size_t count = p.rows.size();
  const float scroll = ImGui::GetScrollY() / s, sideways = ImGui::GetScrollX() / s;
  const std::size_t first =
      std::min(static_cast<std::size_t>(std::max(0.0f, scroll / letters().line)), count);
  const Rows shown{first,
                   std::min(first + static_cast<std::size_t>(view.height / letters().line) + 2, count)};
  const visual::Point mouse = pen.from(ImGui::GetIO().MousePos);
  const bool over = ImGui::IsWindowHovered() && !ui.state.editing && mouse.y >= 0;
  const auto under = static_cast<std::size_t>(std::max(0.0f, mouse.y / letters().line));
  const int hovered = over && under < count ? p.rows[under].line : 0;
  for (std::size_t row = shown.first; row < shown.last; ++row) {
    const int line = p.rows[row].line;
    draw_line_ground(ui, pen, line, static_cast<float>(row) * letters().line, sideways, view.width,
                     hovered == line);
  }
  for (std::size_t row = shown.first; row < shown.last; ++row)
    draw_row_text(ui, pen, p.coloured, p.rows[row], static_cast<float>(row) * letters().line);
  const float letter = ui.fonts.measure("0", Face::Mono, letters().size).width;
  const float text_width = static_cast<float>(p.coloured.longest) * letter;
  if (ui.state.editing) draw_editor(ui, pen, view, text_width);
  p.was_editing = ui.state.editing;
  draw_costs(ui, pen, view, shown);
  handle_line(ui, pen, view, scroll);

  // The empty line after the last line break is only there for the editor.
  const bool last_empty = count > 1 && p.coloured.lines.back().begin == p.coloured.lines.back().end;
  const auto rows = static_cast<float>(count - (last_empty && !ui.state.editing ? 1 : 0));
  float end_of_text = rows * letters().line - 4;
  // At the end of the text, too, a line begins at the top: some empty rows stand under it.
  if (const float beyond = end_of_text - view.height; beyond > 0 && !ui.state.editing)
    end_of_text = top_row(std::ceil(beyond / letters().line)) * letters().line + view.height;
  ImVec2 corner = pen.at(ui.state.editing ? letters().text_left + text_width + kCostWidth : 0, end_of_text);
  corner.y -= 1;
  ImGui::SetCursorScreenPos(corner);
  ImGui::Dummy({1, 1});
  // The line under the time cursor comes into sight when it changes, never while somebody reads elsewhere; in
  // its place the one that does not compile.
  const int current = ui.bench.current_line();
  const int wrong = !ptx && ui.bench.error() ? ui.bench.error()->place.line : 0;
  // A speaker's few rows stay around that line, whatever makes them other ones.
  const bool other_rows = speaks && (p.rows_letter != p.last_letter || view.height != p.last_height);
  // Into presenter mode and out of it the rows become other ones, and how far they scroll is known a frame
  // later.
  if (speaks != p.last_speaks) p.follows = 4;
  p.last_speaks = speaks;
  const bool follows = p.follows > 0 && p.follows-- > 0;
  // What a lower pane, rows of another width, costs of another run or comments in another language would push
  // out of sight stays there.
  const bool lost = ui.state.line_in_sight &&
                    (new_rows || other_text || view.width != p.last_width || view.height != p.last_height);
  if ((current > 0 || wrong > 0) && !ui.state.editing) {
    const int line = wrong > 0 ? wrong
                     : ptx     ? ptx_row_of(*picture, current)
                               : std::max(1, p.lines.now(current));
    const float y = static_cast<float>(visual::row_of_line(p.rows, line)) * letters().line;
    const float end = static_cast<float>(visual::row_of_line(p.rows, line + 1)) * letters().line;
    const bool outside = y < scroll || std::min(end, y + view.height) > scroll + view.height;
    // All its rows, in the middle; its first ones where the pane is too low for all.
    const bool brought =
        current != p.last_line || wrong != p.last_wrong || ptx != p.last_ptx || other_rows || follows || lost;
    if (brought && (speaks || outside)) {
      const float row = std::round(std::min(y, (y + end - view.height) / 2) / letters().line);
      ImGui::SetScrollY(top_row(row) * letters().line * s);
    }
    ui.state.line_in_sight = brought || !outside;
  }
  p.last_letter = speaks && ImGui::GetScrollMaxY() > 0 ? p.rows_letter : 0;
  p.last_height = view.height;
  p.last_width = view.width;
  p.last_ptx = ptx;
  p.last_line = current;
  p.last_wrong = wrong;
}

}  // namespace warplens::window
