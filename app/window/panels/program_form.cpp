// What a program is to be run with, and the question whether it may run at all.
#include <algorithm>

#include "app/window/panels/program_panels.h"
#include "app/window/panels/text_field.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

constexpr float kField = 30, kFormRow = 40;

class Form {
 public:
  Form(const ProgramUi& p, Pen& pen, float width) : p_(p), pen_(pen), width_(width) {
    for (const char* key : {"place", "arguments", "folder", "more", "every", "budget"})
      names_ = std::max(names_, pen.width(say(key)) + 20);
  }

  float draw() {
    ProgramChoices& choices = p_.session.choices;
    y_ += pen_.paragraph({0, y_, width_, 0}, about(), {.size = 14}, 22) + 16;
    if (!p_.session.agreed()) warn();
    place();
    field("arguments", choices.arguments, width_ - names_, "arguments_hint");
    field("folder", choices.folder, width_ - names_);
    field("more", choices.more, width_ - names_, "more_hint");
    y_ += 10;
    number("every", choices.every, "every_hint", "every_about");
    number("budget", choices.budget, "budget_hint", "budget_about");
    if (!choices.on_gpu) {
      check("checks", choices.all_checks);
      check("strict", choices.strict, "strict_tip");
    }
    check("keep", choices.keep_first);
    y_ += 10;
    go();
    return y_;
  }

 private:
  std::string say(const std::string& key) const { return p_.ui.say("program.form." + key); }

  std::string about() const {
    const MessageValue name = value_of(p_.session.name());
    if (!p_.session.choices.on_gpu || !p_.session.has_gpu())
      return p_.ui.say({"program.form.about", {{"program", name}}});
    return p_.ui.say(
        {"program.form.about_gpu", {{"program", name}, {"device", value_of((*p_.session.gpu())->device)}}});
  }

  // Emulator or GPU; where there is no GPU, why.
  void place() {
    pen_.text({0, y_, names_ - 12, kField}, say("place"), {.role = Role::Dim});
    const bool there = p_.session.has_gpu(), on_gpu = p_.session.choices.on_gpu;
    const std::string gpu = there ? (*p_.session.gpu())->device : say("gpu");
    float x = names_;
    const auto choice = [&](const char* id, const std::string& name, bool chosen, bool can,
                            const std::string& tip) {
      const float width = pen_.width(name, 13, Face::SansBold) + 28;
      const Rect box{x, y_, width, kField};
      const Hit h = hit(pen_, id, box);
      if (chosen) pen_.fill(box, Role::Accent, 4, 0.16f);
      pen_.frame(box, chosen || (h.hovered && can) ? Role::Accent : Role::Line, 4);
      pen_.text(box, name,
                {.face = chosen ? Face::SansBold : Face::Sans,
                 .role = can ? Role::Text : Role::Dim,
                 .align = visual::Align::Centre,
                 .alpha = can ? 1.0f : 0.6f});
      if (h.hovered) tooltip(p_.ui, tip);
      x += width + 8;
      return h.clicked && can;
    };
    const std::string why = there ? std::string() : p_.ui.say(p_.session.no_gpu());
    if (choice("program.emulator", say("emulator"), !on_gpu, true, say("emulator_tip")))
      p_.session.run_on(false);
    if (choice("program.gpu", gpu, on_gpu, there, there ? say("gpu_tip") : why)) p_.session.run_on(true);
    y_ += kField + 4;
    const std::string words = there ? say("place_keys") : why;
    y_ += pen_.paragraph({names_, y_, width_ - names_, 0}, words, {.size = 12, .role = Role::Dim}, 18, 3) + 8;
  }

  void warn() {
    const std::string words = say("warning");
    const auto lines = static_cast<float>(pen_.wrapped(words, width_ - 36, {.size = 14}).size());
    const Rect box{0, y_, width_, lines * 22 + 20};
    pen_.fill(box, Role::Warn, 6, 0.1f);
    pen_.fill({box.x, box.y, 3, box.height}, Role::Warn, 1.5f);
    pen_.paragraph({18, y_ + 10, width_ - 36, 0}, words, {.size = 14}, 22);
    y_ += box.height + 18;
  }

  void input(const std::string& key, std::string& text, const Rect& box, const std::string& hint) {
    pen_.fill(box, Role::Ground, 4);
    pen_.frame(box, Role::Line, 4);
    ImGui::SetCursorScreenPos(pen_.at(box.x + 4, box.y + 2));
    ImGui::SetNextItemWidth((box.width - 8) * pen_.scale());
    edit_line(("###program." + key).c_str(), text);
    if (text.empty() && !hint.empty() && !ImGui::IsItemActive())
      pen_.text({box.x + 12, box.y, box.width - 20, box.height}, hint, {.role = Role::Dim, .alpha = 0.75f});
  }
  void field(const std::string& key, std::string& text, float width, const std::string& hint = {}) {
    pen_.text({0, y_, names_ - 12, kField}, say(key), {.role = Role::Dim});
    input(key, text, {names_, y_, width, kField}, hint.empty() ? hint : say(hint));
    y_ += kFormRow;
  }
  // What only the emulator can do is greyed for a GPU, and says so.
  bool emulator_only(const std::string& key) {
    if (!p_.session.choices.on_gpu) return false;
    pen_.text({0, y_, names_ - 12, kField}, say(key), {.role = Role::Dim, .alpha = 0.5f});
    pen_.text({names_, y_, width_ - names_, kField}, say("emulator_only"),
              {.role = Role::Dim, .alpha = 0.6f});
    y_ += kFormRow;
    return true;
  }
  void number(const std::string& key, std::string& text, const std::string& hint, const std::string& about) {
    if (emulator_only(key)) return;
    pen_.text({0, y_, names_ - 12, kField}, say(key), {.role = Role::Dim});
    input(key, text, {names_, y_, 150, kField}, say(hint));
    pen_.text({names_ + 162, y_, width_ - names_ - 162, kField}, say(about), {.role = Role::Dim});
    y_ += kFormRow;
  }
  void check(const std::string& key, bool& on, const std::string& tip = {}) {
    const Rect box{names_, y_, width_ - names_, 28};
    const Hit h = hit(pen_, ("program." + key).c_str(), box);
    const Rect mark{names_, y_ + 6, 16, 16};
    pen_.fill(mark, on ? Role::Accent : Role::Ground, 4);
    pen_.frame(mark, on || h.hovered ? Role::Accent : Role::Line, 4);
    if (on) {
      pen_.line({mark.x + 3.5f, mark.y + 8.5f}, {mark.x + 7, mark.y + 12}, Role::OnAccent, 2);
      pen_.line({mark.x + 7, mark.y + 12}, {mark.x + 12.5f, mark.y + 4.5f}, Role::OnAccent, 2);
    }
    pen_.text({names_ + 26, y_, box.width - 26, 28}, say(key));
    if (h.hovered && !tip.empty()) tooltip(p_.ui, say(tip));
    if (h.clicked) on = !on;
    y_ += 32;
  }

  void go() {
    const auto wrong = p_.session.wrong();
    const std::string label = say(p_.session.agreed() ? "run" : "trust");
    const float width = pen_.width(label, 13, Face::SansBold) + 40;
    if (filled_button(pen_, "program.go", label, {names_, y_, width, 36}, !wrong)) {
      p_.session.agree();
      p_.state.form = false;
      p_.session.run();
    }
    if (wrong)
      pen_.text({names_ + width + 14, y_, width_ - names_ - width - 14, 36}, p_.ui.say(*wrong),
                {.role = Role::Bad});
    y_ += 48;
  }

  const ProgramUi& p_;
  Pen& pen_;
  float width_, names_ = 90, y_ = 0;
};

}  // namespace

void draw_program_form(const ProgramUi& p, const Rect& area) {
  const float width = std::min(760.0f, area.width - 64);
  const float left = std::max(32.0f, std::min((area.width - width) / 2, 240.0f));
  const Area child(p.ui, "program.form", {area.x + left, area.y + 16, width + 12, area.height - 16}, true);
  Pen pen = p.ui.pen();
  const float height = Form(p, pen, width).draw();
  ImGui::SetCursorScreenPos(pen.at(0, height));
  ImGui::Dummy({1, 1});
}

}  // namespace warplens::window
