// The workbench and the disk: what is typed can be saved, and what another editor saves is taken.
#include "app/model/run/kept_launch.h"
#include "app/window/session/workbench.h"
#include "engine/base/assets.h"

namespace warplens::window {

Status Workbench::save_text(const std::string& path) {
  const Setup& open = program_.setup();
  // A file is replaced whole, which its own permissions would not hinder.
  using std::filesystem::perms;
  std::error_code none;
  const perms may = std::filesystem::status(path, none).permissions();
  if (!none && (may & (perms::owner_write | perms::group_write | perms::others_write)) == perms::none)
    return told(ErrorKind::System, {"file.read_only", {}}, {path, 0, 0});
  if (const Status written = write_text(path, text()); !written) return written;
  if (path == open.users_file) program_.saved();
  note({"window.file.saved", {{"file", value_of(std::filesystem::path(path).filename().string())}}});
  changed_ = true;
  return Done{};
}

void Workbench::read_again() {
  if (!program_.is_users_file()) return;
  const Setup& open = program_.setup();
  Result<std::string> text = model::text_to_edit(open.users_file);
  if (!text || program_.is_on_disk(*text)) return;
  const std::string name = std::filesystem::path(open.users_file).filename().string();
  const Moment before = moment();
  const bool follow = program_.read_again(*text);
  if (follow) remember("", before);
  note({follow ? "window.file.read_again" : "window.file.changed", {{"file", value_of(name)}}});
  changed_ = true;
  if (follow) start();
}

}  // namespace warplens::window
