#include "app/window/panels/users_file.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "app/model/run/signature.h"
#include "app/model/text/expression.h"
#include "app/window/panels/text_field.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

// What is being typed into the menus; there is one of each in the window.
struct Typed {
  std::string folders, defines;               // of the gear, one a line
  std::map<std::string, std::string> values;  // of the list, by name
  std::string wrong, why_wrong;               // the entry that was refused last, and why
};
Typed& typed() {
  static Typed state;
  return state;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    if (!line.empty()) out.push_back(line);
  }
  return out;
}

CompilerChoices choices_of(const Typed& typed) {
  CompilerChoices out;
  out.include_paths = lines_of(typed.folders);
  for (const std::string& define : lines_of(typed.defines)) {
    const std::size_t equals = std::min(define.find('='), define.size());
    out.defines.emplace_back(define.substr(0, equals),
                             equals == define.size() ? "1" : define.substr(equals + 1));
  }
  return out;
}

void fill_typed(const CompilerChoices& choices) {
  Typed& t = typed();
  t.folders.clear();
  t.defines.clear();
  for (const std::string& path : choices.include_paths) t.folders += path + "\n";
  for (const auto& [name, value] : choices.defines) t.defines += name + "=" + value + "\n";
}

void quiet(const Ui& ui, const std::string& words, float width) {
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width * ui.scale());
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  ImGui::TextUnformatted(words.c_str());
  ImGui::PopStyleColor();
  ImGui::PopTextWrapPos();
}

void gear_items(Ui& ui) {
  Typed& t = typed();
  const float s = ui.scale();
  const ImVec2 field{380 * s, 70 * s};
  int unused = 0;
  quiet(ui, ui.say("window.compiler.folders"), 380);
  edit_lines("###folders", t.folders, field, unused);
  quiet(ui, ui.say("window.compiler.defines"), 380);
  edit_lines("###defines", t.defines, field, unused);
  const CompilerChoices wanted = choices_of(t);
  const bool same = wanted == ui.bench.setup().compiler;
  ImGui::BeginDisabled(same);
  if (ImGui::Button(ui.say("window.compiler.apply").c_str())) {
    ui.bench.compile_with(wanted);
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndDisabled();
}

// Which kernel of the file: chosen from a list.
void kernel_choice(Ui& ui, const std::string& current) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {8 * ui.scale(), 8 * ui.scale()});
  const bool open = ImGui::BeginCombo("###kernel", current.c_str());
  ImGui::PopStyleVar();
  if (!open) return;
  kernel_items(ui, current);
  ImGui::EndCombo();
}

void assumed_value(Ui& ui, const model::Assumption& one) {
  Typed& t = typed();
  if (one.what == "kernel") return kernel_choice(ui, one.value);
  const auto filled = model::interpolate(one.value, ui.bench.values());
  std::string& text = t.values[one.what];
  const std::string id = "###" + one.what;
  const bool active = ImGui::GetActiveID() == ImGui::GetID(id.c_str());
  if (!active && t.wrong != one.what) text = filled ? *filled : one.value;
  if (edit_line(id.c_str(), text, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll)) {
    const Status fits = ui.bench.give(one.what, text);
    t.wrong = fits ? "" : one.what;
    t.why_wrong = fits ? "" : ui.say(fits.error());
  }
}

void assumed_items(Ui& ui) {
  const float s = ui.scale();
  Typed& t = typed();
  quiet(ui, ui.say("window.assumed.about"), 620);
  if (!ImGui::BeginTable("###assumed", 3, ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("what", 0, 110 * s);
  ImGui::TableSetupColumn("value", 0, 210 * s);
  ImGui::TableSetupColumn("why", 0, 330 * s);
  const std::vector<model::Assumption> all = ui.bench.setup().assumed;  // an entry may change the list
  for (const model::Assumption& one : all) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(one.what.c_str());
    ImGui::TableNextColumn();
    ImGui::SetNextItemWidth(200 * s);
    assumed_value(ui, one);
    ImGui::TableNextColumn();
    if (ui.bench.setup().given.contains(one.what)) {
      if (ImGui::SmallButton(fmt::format("{}###back.{}", ui.say("window.assumed.back"), one.what).c_str())) {
        ui.bench.take_back(one.what);
        t.wrong.clear();
      }
      ImGui::SameLine();
    }
    quiet(ui, t.wrong == one.what ? t.why_wrong : ui.say(one.why), 330);
  }
  ImGui::EndTable();
}

// Empty where nothing was assumed.
std::string assumed_words(const Ui& ui) {
  const std::size_t count = ui.bench.is_users_file() ? ui.bench.setup().assumed.size() : 0;
  return count == 0 ? std::string() : ui.say({"window.assumed.count", {{"count", value_of(count)}}});
}

}  // namespace

std::size_t kernels_of_file(const Ui& ui) {
  const Picture* picture = ui.bench.picture();
  return ui.bench.is_users_file() && picture && picture->program ? model::entries_of(*picture->program).size()
                                                                 : 0;
}

void kernel_items(Ui& ui, const std::string& current) {
  if (kernels_of_file(ui) == 0) return;
  const model::Program& program = *ui.bench.picture()->program;
  for (const ptx::Function* entry : model::entries_of(program)) {
    const std::string name = model::signature_of(program, *entry).name;
    if (!ImGui::Selectable(fmt::format("{}###{}", name, entry->name).c_str(), name == current)) continue;
    const std::string file = ui.bench.setup().users_file, chosen = entry->name;
    ui.bench.open_file(file, chosen, {}, ui.bench.setup().compiler);
    ImGui::CloseCurrentPopup();
    return;
  }
}

std::string compiler_name(const Ui& ui) {
  const Picture* picture = ui.bench.picture();
  if (!picture || !picture->program) return {};
  return picture->program->ptx.compiler_version;
}

std::string compiler_tip(const Ui& ui) {
  const Picture* picture = ui.bench.picture();
  if (!picture || !picture->program) return {};
  const CompilerChoices& with = ui.bench.setup().compiler;
  std::string tip = ui.say({"window.compiler.made_by",
                            {{"compiler", value_of(in_words(picture->program->compiled_by(), ui.catalogue))},
                             {"arch", value_of(picture->program->arch)}}});
  for (const std::string& path : with.include_paths) tip += "\n-I " + path;
  for (const auto& [name, value] : with.defines) tip += fmt::format("\n-D {}={}", name, value);
  return tip;
}

void draw_compiler_gear(Ui& ui, Pen& pen, const Rect& box) {
  if (!ui.bench.is_users_file()) return;
  const bool used = ui.bench.setup().compiler != CompilerChoices{};
  if (icon_button(ui, pen, "compiler", Icon::Settings, box, ui.say("window.compiler.tip"), used)) {
    fill_typed(ui.bench.setup().compiler);
    ImGui::OpenPopup("compiler_menu");
  }
  ImGui::SetNextWindowPos(pen.at(box.x, box.bottom() + 4));
  if (begin_menu(ui, "compiler_menu")) {
    gear_items(ui);
    end_menu();
  }
}

float assumed_width(const Ui& ui) {
  const std::string words = assumed_words(ui);
  return words.empty() ? 0 : ui.fonts.measure(words, visual::Face::Sans, 12).width + 26;
}

void draw_assumed(Ui& ui, Pen& pen, const Rect& row) {
  const std::string words = assumed_words(ui);
  if (words.empty()) return;
  const float width = assumed_width(ui);
  const Rect box{row.right() - width, row.y, width, row.height};
  const Hit h = hit(pen, "assumed", box);
  if (h.hovered) {
    pen.fill(box, Role::Raised, 6, 0.8f);
    tooltip(ui, ui.say("window.assumed.tip"));
  }
  pen.text({box.x + 8, box.y, width - 22, box.height}, words, {.size = 12, .role = Role::Warn});
  pen.icon(Icon::Chevron, {box.right() - 11, box.y + box.height / 2}, 8, Role::Dim);
  if (h.clicked) {
    typed() = {};
    ImGui::OpenPopup("assumed_menu");
  }
  ImGui::SetNextWindowPos(pen.at(row.x, row.bottom() + 2));
  ImGui::SetNextWindowSizeConstraints({0, 0}, {720 * ui.scale(), ImGui::GetIO().DisplaySize.y * 0.7f});
  if (begin_menu(ui, "assumed_menu")) {
    assumed_items(ui);
    end_menu();
  }
}

}  // namespace warplens::window
