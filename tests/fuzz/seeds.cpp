#include <algorithm>

#include "tests/fuzz/target.h"

namespace warplens::fuzz {

std::vector<std::string> files_in(const char* folder, std::string_view ending, std::size_t most) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  std::error_code failed;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(WARPLENS_SOURCE_DIR) / folder, failed))
    if (entry.path().string().ends_with(ending)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> out;
  for (const fs::path& file : files)
    if (auto text = read_text(file); text && text->size() <= most) out.push_back(std::move(*text));
  return out;
}

}  // namespace warplens::fuzz
