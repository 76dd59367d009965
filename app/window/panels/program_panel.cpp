// The place of a whole program: how its run is going, its kernels, its launches and what it prints.
#include <fmt/format.h>

#include <algorithm>

#include "app/window/panels/program_panels.h"
#include "app/window/panels/stage_stand_in.h"
#include "app/window/panels/text_field.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;
using State = ProgramSession::State;

constexpr float kProgramHeader = 64, kNotice = 20, kStrip = 36, kPanelPad = 16;

Role role_of_state(const ProgramSession& session) {
  if (session.failed()) return Role::Bad;
  if (session.busy()) return Role::Accent;
  return session.state() == State::Ended ? Role::Good : Role::Dim;
}

bool shows_form(const ProgramUi& p) {
  if (p.session.busy()) return false;
  return p.state.form || p.session.state() == State::Ready || !p.session.agreed();
}

// A popup in which a file or a folder is typed. True: that is where it shall go.
bool asks_where(const ProgramUi& p, const char* popup, const char* about, const char* go, std::string& to) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y * 0.35f}, ImGuiCond_Appearing, {0.5f, 0.5f});
  if (!begin_menu(p.ui, popup)) return false;
  ImGui::TextUnformatted(p.ui.say(about).c_str());
  ImGui::SetNextItemWidth(520 * p.ui.scale());
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  const bool entered =
      edit_line((std::string("###") + popup).c_str(), to, ImGuiInputTextFlags_EnterReturnsTrue);
  const bool goes = (ImGui::Button(p.ui.say(go).c_str()) || entered) && !to.empty();
  if (goes) ImGui::CloseCurrentPopup();
  end_menu();
  return goes;
}

void draw_page_popup(const ProgramUi& p) {
  if (asks_where(p, "page", "program.page.about", "program.page.go", p.state.page_to))
    p.session.write_page(p.state.page_to);
}

float draw_buttons(const ProgramUi& p, Pen& pen, float right) {
  const Ui& ui = p.ui;
  const auto place = [&](const std::string& label) {
    const float width = pen.width(label, 13, Face::SansBold) + 28;
    right -= width;
    const Rect box{right, 16, width, 32};
    right -= 8;
    return box;
  };
  if (p.session.busy()) {
    const std::string stop = ui.say("program.button.stop");
    if (text_button(ui, pen, "program.stop", stop, place(stop), true, ui.say("program.button.stop_tip")))
      p.session.stop();
    return right;
  }
  if (shows_form(p)) {
    if (p.session.state() != State::Ended) return right;
    const std::string close = ui.say("program.form.close");
    if (text_button(ui, pen, "program.close", close, place(close), false)) p.state.form = false;
    return right;
  }
  const std::string again = ui.say("program.button.again");
  if (filled_button(pen, "program.again", again, place(again), !p.session.wrong())) p.session.run();
  const std::string settings = ui.say("program.form.settings");
  if (text_button(ui, pen, "program.settings", settings, place(settings), false,
                  ui.say("program.form.settings_tip")))
    p.state.form = true;
  if (!p.session.has_page()) return right;
  const std::string page = ui.say("program.page.button");
  if (text_button(ui, pen, "program.page", page, place(page), false, ui.say("program.page.tip"))) {
    p.state.page_to = p.session.page_file();
    ImGui::OpenPopup("page");
  }
  draw_page_popup(p);
  return right;
}

// Name, state, buttons; what goes on has a line that fills.
void draw_header(const ProgramUi& p, Pen& pen, float width) {
  const float right = draw_buttons(p, pen, width - kPanelPad);
  pen.text({kPanelPad, 8, right - kPanelPad, 26}, p.session.name(), {.size = 16, .face = Face::SansBold});
  pen.disc({kPanelPad + 5, 46}, 4, role_of_state(p.session));
  pen.text({kPanelPad + 18, 35, right - kPanelPad - 18, 22}, p.ui.say(p.session.state_line()));
  pen.line({0, kProgramHeader - 0.5f}, {width, kProgramHeader - 0.5f}, Role::Line);
}

// What is to be known and done, two lines each at most; all of it when pointed at. Returns the height.
float draw_notices(const ProgramUi& p, Pen& pen, float y, float width, float most) {
  const float top = y;
  int place = 0;
  for (const Message& notice : p.session.notices()) {
    const std::string words = p.ui.say(notice);
    const TextStyle style{.size = 13};
    const auto lines = std::min<std::size_t>(2, pen.wrapped(words, width - 2 * kPanelPad - 28, style).size());
    const float height = kNotice * static_cast<float>(lines) + 10;
    if (y + height + 6 > top + most) break;
    const Rect box{kPanelPad, y, width - 2 * kPanelPad, height};
    const Role role = p.session.failed() ? Role::Bad : Role::Warn;
    pen.fill(box, role, 6, 0.08f);
    pen.fill({box.x, box.y, 3, box.height}, role, 1.5f);
    pen.paragraph({box.x + 14, box.y + 5, box.width - 28, 0}, words, style, kNotice, static_cast<int>(lines));
    if (hit(pen, fmt::format("notice.{}", place++).c_str(), box).hovered) tooltip(p.ui, words);
    y += height + 6;
  }
  return y - top;
}

void draw_nothing(const ProgramUi& p, Pen& pen, const Rect& area) {
  const float y = area.height * 0.38f;
  pen.text({0, y, area.width, 28}, p.ui.say("program.none.headline"),
           {.size = 22, .face = Face::SansBold, .align = visual::Align::Centre});
  const float width = std::min(560.0f, area.width - 48);
  pen.paragraph({(area.width - width) / 2, y + 44, width, 0}, p.ui.say("program.none.advice"),
                {.size = 14, .role = Role::Dim}, 22);
}

void draw_run(const ProgramUi& p, const Rect& area, float top) {
  // What a compiler or a program says before its first launch is all there is.
  if (p.session.launches().empty() && p.session.spans().empty())
    return draw_program_output(p, {area.x, area.y + top, area.width, area.height - top});
  const float output = std::clamp(area.width * 0.32f, 260.0f, 560.0f);
  const Rect left{area.x, area.y + top, area.width - output, area.height - top};
  draw_program_output(p, {left.right(), left.y, output, left.height});
  const float timeline = std::min(p.state.timeline_height, std::max(92.0f, left.height * 0.3f));
  const float kernels = std::min(program_kernels_height(p.session), left.height * 0.36f);
  draw_program_kernels(p, {left.x, left.y, left.width, kernels});
  draw_program_timeline(p, {left.x, left.y + kernels, left.width, timeline});
  draw_program_launches(p,
                        {left.x, left.y + kernels + timeline, left.width, left.height - kernels - timeline});
}

void move_row(const ProgramUi& p, int by) {
  const auto count = static_cast<std::ptrdiff_t>(p.session.listed().size());
  if (count == 0) return;
  p.state.row = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(p.state.row) + by, 0, count - 1));
  p.state.follow_row = true;
}

void next_kernel(const ProgramUi& p, int by) {
  const auto& kernels = p.session.kernels();
  if (kernels.empty()) return;
  const auto at = std::ranges::find(kernels, p.session.chosen_kernel(), &model::KernelSum::name);
  const auto count = static_cast<std::ptrdiff_t>(kernels.size());
  // One place more than there are kernels: all of them.
  const std::ptrdiff_t next = ((at - kernels.begin()) + by + count + 1) % (count + 1);
  const std::string name =
      next == count ? p.session.chosen_kernel() : kernels[static_cast<std::size_t>(next)].name;
  p.session.choose_kernel(name);
  p.state.row = 0;
  p.state.follow_row = true;
}

}  // namespace

void draw_program(const ProgramUi& p) {
  const Arrangement& layout = p.ui.layout;
  const Rect area{layout.shelf.right(), kTopBarHeight, layout.top.width - layout.shelf.right(),
                  layout.shelf.height};
  float top = kProgramHeader;
  bool form = false;
  {
    const Area child(p.ui, "program", area);
    Pen pen = p.ui.pen();
    if (p.session.state() == State::None) return draw_nothing(p, pen, area);
    draw_header(p, pen, area.width);
    form = shows_form(p);
    if (!form) {
      const float notices = draw_notices(p, pen, kProgramHeader + 8, area.width, area.height * 0.3f);
      if (notices > 0) top += notices + 8;
    }
  }
  if (form)
    draw_program_form(p, {area.x, area.y + top, area.width, area.height - top});
  else
    draw_run(p, area, top);
}

void draw_program_mode(const ProgramUi& p) {
  if (!has_room_for_program(p.ui)) return;  // its key leads there
  const std::string name = p.ui.say("program.mode");
  const Area area(p.ui, "program.mode", {kModesLeft, 0, modes_width(p.ui), kTopBarHeight - 2});
  Pen pen = p.ui.pen();
  const float width = pen.width(name, 13, Face::SansBold) + 20;
  const Rect box{modes_width(p.ui) - width - 2, 8, width, kTopBarHeight - 16};
  if (text_button(p.ui, pen, "program.mode", name, box, p.session.shown(), p.ui.say("program.mode_tip")))
    p.session.show(true);
  if (p.session.busy() && !p.session.shown()) pen.disc({box.right() - 4, box.y + 6}, 3, Role::Accent);
}

void arrange_program(const ProgramSession& session, Arrangement& layout, Rect& strip) {
  if (!session.offers() && !session.open()) return;
  strip = {layout.shelf.right(), kTopBarHeight, layout.top.width - layout.shelf.right(), kStrip};
  layout.bench.y += kStrip;
  layout.bench.height -= kStrip;
  const float share = kStrip / static_cast<float>(layout.view_count);
  for (int i = 0; i < layout.view_count; ++i) {
    layout.views[i].y += kStrip - share * static_cast<float>(i);
    layout.views[i].height -= share;
  }
}

void draw_program_strip(const ProgramUi& p, const Rect& strip) {
  if (strip.height <= 0) return;
  const Area area(p.ui, "program.strip", strip);
  Pen pen = p.ui.pen();
  const Ui& ui = p.ui;
  const float width = strip.width;
  const Rect row{0, 4, 0, kStrip - 8};
  pen.fill({0, 0, width, kStrip}, Role::Panel);
  pen.line({0, kStrip - 0.5f}, {width, kStrip - 0.5f}, Role::Line);
  float right = width - 10;
  const auto place = [&](const std::string& label) {
    const float w = pen.width(label, 13, Face::SansBold) + 24;
    right -= w + 4;
    return Rect{right + 4, row.y, w, row.height};
  };
  if (const auto open = p.session.open()) {
    const ProgramLaunch& launch = p.session.launches()[*open];
    const std::string take = ui.say("program.strip.take");
    if (text_button(ui, pen, "strip.take", take, place(take), false, ui.say("program.strip.take_tip")))
      ask_where_to_take(p, *open);
    const std::string back = "‹  " + ui.say("program.strip.back");
    const float w = pen.width(back, 13, Face::SansBold) + 24;
    if (text_button(ui, pen, "strip.back", back, {8, row.y, w, row.height}, true,
                    ui.say("program.strip.back_tip")))
      p.session.show(true);
    pen.text({w + 20, 0, right - w - 24, kStrip},
             ui.say({"program.strip.launch",
                     {{"program", value_of(p.session.name())},
                      {"index", value_of(launch.index)},
                      {"number", value_of(launch.number)},
                      {"kernel", value_of(plain_kernel(launch.kernel()))}}}),
             {.role = Role::Dim});
    draw_take_popup(p);
    return;
  }
  const std::string decline = ui.say("program.strip.decline"), run = ui.say("program.strip.run");
  if (text_button(ui, pen, "strip.decline", decline, place(decline), false)) p.session.decline();
  if (filled_button(pen, "strip.run", run, place(run))) {
    p.session.show(true);
    p.state.form = true;
  }
  pen.text({20, 0, right - 24, kStrip},
           ui.say({"program.strip.offer", {{"program", value_of(p.session.name())}}}));
}

bool program_keys(const ProgramUi& p) {
  const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key)); };
  if (shows_form(p)) {
    if (pressed(ImGuiKey_LeftArrow)) p.session.run_on(false);
    if (pressed(ImGuiKey_RightArrow)) p.session.run_on(true);
    // Yes to the warning is a click: a key that was meant for something else must not run a program.
    if (pressed(ImGuiKey_Enter) && p.session.agreed() && !p.session.wrong()) {
      p.state.form = false;
      p.session.run();
    }
    return true;
  }
  if (pressed(ImGuiKey_UpArrow)) move_row(p, -1);
  if (pressed(ImGuiKey_DownArrow)) move_row(p, 1);
  if (pressed(ImGuiKey_PageUp)) move_row(p, -12);
  if (pressed(ImGuiKey_PageDown)) move_row(p, 12);
  if (pressed(ImGuiKey_Home)) move_row(p, -(1 << 30));
  if (pressed(ImGuiKey_End)) move_row(p, 1 << 30);
  if (pressed(ImGuiKey_LeftArrow)) next_kernel(p, -1);
  if (pressed(ImGuiKey_RightArrow)) next_kernel(p, 1);
  if (pressed(ImGuiKey_Enter) && p.state.row < p.session.listed().size())
    p.session.open_launch(p.session.listed()[p.state.row]);
  return true;
}

void ask_where_to_take(const ProgramUi& p, std::size_t launch) {
  p.state.taking = launch;
  p.state.take_to = p.session.take_folder(launch);
  ImGui::OpenPopup("take");
}

void draw_take_popup(const ProgramUi& p) {
  if (asks_where(p, "take", "program.take.about", "program.take.go", p.state.take_to) &&
      p.state.taking < p.session.launches().size())
    p.session.take(p.state.taking, p.state.take_to);
}

}  // namespace warplens::window
