#include "app/window/panels/file_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "app/model/run/kept_launch.h"
#include "app/window/panels/text_field.h"
#include "app/window/session/user_files.h"

namespace warplens::window {
namespace {

namespace fs = std::filesystem;
using visual::Face;
using visual::Role;

constexpr const char* kPopup = "###files";
constexpr float kFileWidth = 640, kList = 300;

// What the dialog remembers; there is one in the window.
struct Dialog {
  FileTask task = FileTask::Open;
  bool wanted = false;  // opens in this frame
  fs::path folder;
  std::string typed;               // the path in the field
  std::vector<FolderEntry> there;  // what the folder holds
  std::string wrong;               // why the last path was refused
  bool replaces = false;           // a second click writes over a file that is there
};
Dialog& dialog() {
  static Dialog state;
  return state;
}

fs::path start_folder(const Ui& ui) {
  std::error_code failed;
  std::string near = ui.bench.setup().users_file;
  if (near.empty() && !ui.bench.settings.recent.empty()) near = ui.bench.settings.recent.front();
  const fs::path folder = near.empty() ? fs::path() : fs::absolute(near, failed).parent_path();
  if (!folder.empty() && fs::is_directory(folder, failed)) return folder.lexically_normal();
  const fs::path here = fs::current_path(failed);
  return failed ? fs::path("/") : here;
}

// "~/kernels" is written as in a shell.
fs::path from_home(const std::string& typed) {
  const char* home = std::getenv("HOME");
  if (home == nullptr || !(typed == "~" || typed.starts_with("~/"))) return typed;
  return fs::path(home) / typed.substr(std::min<std::size_t>(2, typed.size()));
}

void look_into(Ui& ui, const fs::path& folder) {
  Dialog& d = dialog();
  d.folder = folder.lexically_normal();
  d.there = list_folder(d.folder);
  for (const FolderEntry& entry : d.there) ui.fonts.need(entry.name);
  const std::string name = d.task == FileTask::Save ? fs::path(d.typed).filename().string() : "";
  d.typed = (d.folder / name).string();
  d.wrong.clear();
  d.replaces = false;
}

void open_chosen(Ui& ui, const fs::path& file) {
  Dialog& d = dialog();
  std::error_code failed;
  if (!fs::exists(file, failed)) {
    d.wrong = ui.say({"window.file.none", {{"file", value_of(file.string())}}});
    return;
  }
  if (fs::is_directory(file, failed) && !model::is_kept_launch(file)) return look_into(ui, file);
  ui.bench.open_file(file.string(), "");
  ui.state.editing = ui.state.shelf_open = false;
  ImGui::CloseCurrentPopup();
}

void save_chosen(Ui& ui, const fs::path& file) {
  Dialog& d = dialog();
  std::error_code failed;
  if (fs::is_directory(file, failed)) return look_into(ui, file);
  if (fs::exists(file, failed) && file != ui.bench.setup().users_file && !d.replaces) {
    d.replaces = true;
    d.wrong = ui.say({"window.file.there", {{"file", value_of(file.filename().string())}}});
    return;
  }
  if (const Status saved = ui.bench.save_text(file.string()); !saved) {
    d.wrong = ui.say(Message{"window.file.not_saved", {{"reason", with_place(saved.error())}}});
    return;
  }
  remember_file(ui.bench.settings.recent, file.string());
  ImGui::CloseCurrentPopup();
}

void use_path(Ui& ui, const std::string& typed) {
  if (typed.empty()) return;
  const fs::path path = from_home(typed), file = path.is_absolute() ? path : dialog().folder / path;
  dialog().task == FileTask::Open ? open_chosen(ui, file.lexically_normal())
                                  : save_chosen(ui, file.lexically_normal());
}

void dimmed(const std::string& words) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  ImGui::TextUnformatted(words.c_str());
  ImGui::PopStyleColor();
}

// Files that were open last: the name, and behind it where it is.
void recent_items(Ui& ui) {
  const std::vector<std::string> recent = ui.bench.settings.recent;  // opening one changes the list
  if (recent.empty()) return;
  dimmed(ui.say("window.file.recent"));
  for (const std::string& file : recent) {
    const fs::path path(file);
    ui.fonts.need(file);
    const bool clicked =
        ImGui::Selectable(fmt::format("{}###recent.{}", path.filename().string(), file).c_str(), false,
                          ImGuiSelectableFlags_DontClosePopups);
    ImGui::SameLine(220 * ui.scale());
    dimmed(path.parent_path().string());
    if (clicked) use_path(ui, file);
  }
  ImGui::Spacing();
}

void folder_items(Ui& ui) {
  Dialog& d = dialog();
  const float s = ui.scale();
  ImGui::BeginChild("###folder", {kFileWidth * s, kList * s}, false);
  if (d.folder.has_parent_path() && d.folder != d.folder.root_path() &&
      ImGui::Selectable("..###up", false, ImGuiSelectableFlags_DontClosePopups))
    look_into(ui, d.folder.parent_path());
  const std::vector<FolderEntry> there = d.there;  // a click may look into another folder
  for (const FolderEntry& entry : there) {
    const std::string label = fmt::format("{}{}###entry.{}", entry.name, entry.folder ? "/" : "", entry.name);
    if (!ImGui::Selectable(label.c_str(), false, ImGuiSelectableFlags_DontClosePopups)) continue;
    if (entry.folder)
      look_into(ui, d.folder / entry.name);
    else if (d.task == FileTask::Open)
      use_path(ui, (d.folder / entry.name).string());
    else
      d.typed = (d.folder / entry.name).string();
  }
  if (there.empty()) dimmed(ui.say("window.file.empty"));
  ImGui::EndChild();
}

void dialog_items(Ui& ui) {
  Dialog& d = dialog();
  const float s = ui.scale();
  const bool opens = d.task == FileTask::Open;
  ImGui::TextUnformatted(ui.say(opens ? "window.file.open_title" : "window.file.save_title").c_str());
  ImGui::SetNextItemWidth((kFileWidth - 110) * s);
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  const std::string before = d.typed;
  const bool entered =
      edit_line("###path", d.typed, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  if (entered) ImGui::SetKeyboardFocusHere(-1);  // a path that is refused is written again
  if (d.typed != before) d.replaces = false;
  ImGui::SameLine();
  const std::string verb = ui.say(opens        ? "window.file.open"
                                  : d.replaces ? "window.file.replace"
                                               : "window.file.save");
  const bool pressed = ImGui::Button((verb + "###go").c_str(), {100 * s, 0});
  const std::string path = d.typed;
  if (entered || pressed) use_path(ui, path);
  if (!d.wrong.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, ui.pen().colour(Role::Warn));
    ImGui::PushTextWrapPos(kFileWidth * s);
    ImGui::TextUnformatted(d.wrong.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
  }
  if (opens) recent_items(ui);
  dimmed(d.folder.string());
  folder_items(ui);
}

}  // namespace

void ask_for_file(FileTask task) {
  dialog().task = task;
  dialog().wanted = true;
}

void save_or_ask(Ui& ui) {
  const Setup& setup = ui.bench.setup();
  if (!setup.kernel) return;
  if (!ui.bench.is_users_file() || model::is_kept_launch(setup.users_file))
    return ask_for_file(FileTask::Save);
  if (!ui.bench.edited()) return;
  if (const Status saved = ui.bench.save_text(setup.users_file); !saved)
    ui.bench.note({"window.file.not_saved", {{"reason", with_place(saved.error())}}});
}

void draw_file_panel(Ui& ui) {
  Dialog& d = dialog();
  if (d.wanted) {
    d.wanted = false;
    d.typed = ui.bench.kernel() ? ui.bench.kernel()->file.filename().string() : "kernel.cu";
    look_into(ui, start_folder(ui));
    ImGui::OpenPopup(kPopup);
  }
  const ImVec2 middle{ImGui::GetIO().DisplaySize.x / 2, ImGui::GetIO().DisplaySize.y / 2};
  ImGui::SetNextWindowPos(middle, ImGuiCond_Appearing, {0.5f, 0.5f});
  if (!begin_menu(ui, kPopup)) return;
  dialog_items(ui);
  end_menu();
}

}  // namespace warplens::window
