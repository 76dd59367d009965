#include "app/lesson/open_page.h"

#include <algorithm>
#include <sstream>

#include "engine/base/assets.h"
#include "engine/base/toml.h"

namespace warplens::lesson {

std::filesystem::path open_page_file() {
  return cache_folder() / "open_page.toml";
}

Status write_open_page(const std::filesystem::path& file, const OpenPage& open) {
  std::ostringstream out;
  out << toml::table{{"lesson", open.lesson}, {"page", open.page}, {"told", open.told}} << "\n";
  return write_text(file, out.str());
}

OpenPage read_open_page(const std::filesystem::path& file) {
  const Result<toml::table> table = read_toml(file);
  if (!table) return {};
  return {(*table)["lesson"].value_or(std::string()),
          static_cast<int>(std::clamp<std::int64_t>((*table)["page"].value_or(std::int64_t{0}), 0, 1000)),
          (*table)["told"].value_or(false)};
}

}  // namespace warplens::lesson
