// The workbench and the disk: what is typed can be saved, and what another editor saves is taken.
#include "app/model/kept_launch.h"
#include "app/window/session/workbench.h"
#include "engine/base/assets.h"

namespace warplens::window {

Status Workbench::save_text(const std::string& path) {
  if (const Status written = write_text(path, setup_.text); !written) return written;
  if (path == setup_.users_file) setup_.file_text = setup_.text;
  note({"window.file.saved", {{"file", value_of(std::filesystem::path(path).filename().string())}}});
  changed_ = true;
  return Done{};
}

void Workbench::read_again() {
  if (!is_users_file()) return;
  Result<std::string> text = model::text_to_edit(setup_.users_file);
  if (!text || *text == setup_.file_text) return;
  const bool follow = !edited();
  setup_.file_text = std::move(*text);
  const std::string name = std::filesystem::path(setup_.users_file).filename().string();
  note({follow ? "window.file.read_again" : "window.file.changed", {{"file", value_of(name)}}});
  changed_ = true;
  if (!follow) return;
  setup_.text = setup_.file_text;
  adopt_again();
}

}  // namespace warplens::window
