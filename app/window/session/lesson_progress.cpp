#include "app/window/session/lesson_progress.h"

#include <algorithm>
#include <sstream>

#include "app/window/session/settings.h"
#include "engine/base/toml.h"

namespace warplens::window {
namespace {

int read(const toml::table& table, const char* key, int most) {
  return static_cast<int>(std::clamp<std::int64_t>(table[key].value_or(std::int64_t{0}), 0, most));
}

}  // namespace

ProgressBook load_progress(const std::filesystem::path& file, std::optional<Message>& trouble) {
  ProgressBook out;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return out;
  const Result<toml::table> table = read_toml(file);
  if (!table) {
    trouble = Message{"lesson.progress_set_aside",
                      {{"line", value_of(table.error().place.line)},
                       {"file", value_of(set_aside(file, table.error()).filename().string())}}};
    return out;
  }
  for (const auto& [name, value] : *table)
    if (const toml::table* entry = value.as_table())
      out[std::string(name.str())] = {read(*entry, "page", 1000), read(*entry, "furthest", 1000),
                                      (*entry)["done"].value_or(false), read(*entry, "stars", 3)};
  return out;
}

std::string to_toml(const ProgressBook& book) {
  toml::table table;
  for (const auto& [name, progress] : book)
    table.insert(name, toml::table{{"page", progress.page},
                                   {"furthest", progress.furthest},
                                   {"done", progress.done},
                                   {"stars", progress.stars}});
  std::ostringstream out;
  out << "# How far you are in each lesson. Written by Warplens; safe to edit or delete.\n" << table << "\n";
  return out.str();
}

std::filesystem::path progress_file() {
  return settings_file().parent_path() / "progress.toml";
}

}  // namespace warplens::window
