// What the window remembers between starts: $XDG_CONFIG_HOME/warplens/settings.toml. Anything unreadable in
// the file is ignored, value by value: a damaged file never keeps the window from opening.
//
//   theme = "dark"
//   kernel = "copy_strided"
//   views = ["address-map", "bank-view"]
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/message.h"
#include "engine/base/result.h"
#include "visual/view.h"

namespace warplens::window {

struct Settings {
  std::string theme = "dark";       // or "light"
  std::string language;             // empty: the system's
  std::string kernel;               // last gallery kernel
  std::vector<std::string> recent;  // files of the user's, the last one first
  std::array<std::string, 2> views;
  bool two_views = true;
  bool shelf_folded = false;
  bool reduce_motion = false;
  std::string runs_on;      // "emulator", "gpu", "recording", "recording of GPU"; empty: the best there is
  double zoom = 1.0;        // the user's own factor on top of the monitor's scale
  double speed = 1.0;       // of the transport
  double bench_width = 0;   // logical pixels; 0: a share of the window
  double code_height = 0;   // most of it on the bench, in logical pixels; 0: all of the text
  double upper_view = 0.5;  // its share of the stage
  int width = 1600, height = 900;
  bool maximised = false;
  bool operator==(const Settings&) const = default;
  // Whether such a view stands on the stage.
  bool shows(const std::function<bool(const visual::View&)>& such) const;
};

std::filesystem::path settings_file();
Settings parse_settings(std::string_view toml);
std::string to_toml(const Settings& settings);
// Renames a file that cannot be read to NAME.bad, so that nothing is lost and the next start is free of it,
// says so on standard error, and returns the new name.
std::filesystem::path set_aside(const std::filesystem::path& file, const Error& why);
// A file that cannot be used is set aside, and `trouble` says why.
Settings load_settings(const std::filesystem::path& file, std::optional<Message>& trouble);
Status save_settings(const Settings& settings, const std::filesystem::path& file);

// "zh" when LC_ALL, LC_MESSAGES or LANG asks for Chinese, else "en".
std::string system_language();

}  // namespace warplens::window
