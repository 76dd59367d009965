#include "app/window/session/settings.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "app/window/session/user_files.h"
#include "engine/base/assets.h"
#include "engine/base/toml.h"

namespace warplens::window {
namespace {

// Takes a value that is there, has the right type and lies in the range; otherwise leaves the default.
void read(const toml::table& table, const char* key, std::string& value) {
  if (const auto v = table[key].value<std::string>(); v && v->size() < 200) value = *v;
}
void read(const toml::table& table, const char* key, bool& value) {
  if (const auto v = table[key].value<bool>()) value = *v;
}
void read(const toml::table& table, const char* key, double& value, double low, double high) {
  if (const auto v = table[key].value<double>(); v && *v >= low && *v <= high) value = *v;
}
void read(const toml::table& table, const char* key, int& value, int low, int high) {
  if (const auto v = table[key].value<std::int64_t>(); v && *v >= low && *v <= high) {
    value = static_cast<int>(*v);
  }
}

Settings settings_from(const toml::table& table) {
  Settings s;
  read(table, "theme", s.theme);
  if (s.theme != "light") s.theme = "dark";
  read(table, "language", s.language);
  if (std::ranges::find(kLanguages, s.language) == kLanguages.end()) s.language.clear();
  read(table, "kernel", s.kernel);
  if (const toml::array* views = table["views"].as_array()) {
    for (std::size_t i = 0; i < std::min(s.views.size(), views->size()); ++i) {
      s.views[i] = (*views)[i].value_or(std::string{});
    }
  }
  if (const toml::array* recent = table["recent"].as_array())
    for (const toml::node& file : *recent)
      if (const auto name = file.value<std::string>();
          name && !name->empty() && s.recent.size() < kMostRecent)
        s.recent.push_back(*name);
  read(table, "two_views", s.two_views);
  read(table, "shelf_folded", s.shelf_folded);
  read(table, "reduce_motion", s.reduce_motion);
  read(table, "runs_on", s.runs_on);
  if (s.runs_on != "emulator" && s.runs_on != "gpu" && !s.runs_on.starts_with("recording")) s.runs_on.clear();
  read(table, "zoom", s.zoom, 0.5, 4.0);
  read(table, "speed", s.speed, 0.05, 256.0);
  read(table, "bench_width", s.bench_width, 0, 900);
  read(table, "code_height", s.code_height, 0, 4096);
  read(table, "upper_view", s.upper_view, 0.1, 0.9);
  read(table, "width", s.width, 640, 16384);
  read(table, "height", s.height, 360, 16384);
  read(table, "maximised", s.maximised);
  return s;
}

}  // namespace

std::filesystem::path settings_file() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config && *config) {
    return std::filesystem::path(config) / "warplens" / "settings.toml";
  }
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home && *home ? home : ".") / ".config" / "warplens" / "settings.toml";
}

bool Settings::shows(const std::function<bool(const visual::View&)>& such) const {
  const auto is_such = [&](const std::string& id) {
    const visual::View* const view = visual::find_view(id);
    return view != nullptr && such(*view);
  };
  return is_such(views[0]) || (two_views && is_such(views[1]));
}

Settings parse_settings(std::string_view text) {
  const Result<toml::table> parsed = parse_toml(text, "settings.toml");
  return parsed ? settings_from(*parsed) : Settings{};
}

std::filesystem::path set_aside(const std::filesystem::path& file, const Error& why) {
  std::filesystem::path aside = file;
  aside += ".bad";
  std::error_code ignored;
  std::filesystem::rename(file, aside, ignored);
  std::fprintf(stderr, "warplens: %s; kept as %s\n", why.text().c_str(), aside.c_str());
  return aside;
}

Settings load_settings(const std::filesystem::path& file, std::optional<Message>& trouble) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return {};
  const Result<toml::table> table = read_toml(file);
  if (table) return settings_from(*table);
  trouble = Message{"window.settings.set_aside",
                    {{"line", value_of(table.error().place.line)},
                     {"file", value_of(set_aside(file, table.error()).filename().string())}}};
  return {};
}

std::string to_toml(const Settings& s) {
  toml::array recent;
  for (const std::string& file : s.recent) recent.push_back(file);
  const toml::table table{
      {"theme", s.theme},
      {"language", s.language},
      {"kernel", s.kernel},
      {"views", toml::array{s.views[0], s.views[1]}},
      {"recent", recent},
      {"two_views", s.two_views},
      {"shelf_folded", s.shelf_folded},
      {"reduce_motion", s.reduce_motion},
      {"runs_on", s.runs_on},
      {"zoom", s.zoom},
      {"speed", s.speed},
      {"bench_width", s.bench_width},
      {"code_height", s.code_height},
      {"upper_view", s.upper_view},
      {"width", s.width},
      {"height", s.height},
      {"maximised", s.maximised},
  };
  std::ostringstream out;
  out << "# Written by Warplens when its window closes; safe to edit or delete.\n" << table << "\n";
  return out.str();
}

Status save_settings(const Settings& settings, const std::filesystem::path& file) {
  std::error_code ignored;  // write_text reports what matters
  std::filesystem::create_directories(file.parent_path(), ignored);
  return write_text(file, to_toml(settings));
}

std::string system_language() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value && *value) return std::string_view(value).starts_with("zh") ? "zh" : "en";
  }
  return "en";
}

}  // namespace warplens::window
