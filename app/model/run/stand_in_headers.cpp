#include "app/model/run/stand_in_headers.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "engine/base/assets.h"

namespace warplens::model {

namespace fs = std::filesystem;

std::string headers_folder() {
  return (assets_folder() / "headers").lexically_normal().string();
}

// One of ours has this name, seen from where the samples' headers are.
bool have_header(const std::string& name) {
  const fs::path samples = fs::path(headers_folder()) / "samples";
  const fs::path file = (samples / name).lexically_normal();
  std::error_code ignored;
  return !fs::path(name).is_absolute() && file.string().starts_with(headers_folder()) &&
         fs::is_regular_file(file, ignored);
}

std::string stand_in_folder() {
  return (fs::path(headers_folder()) / "samples").string();
}

std::vector<std::string> missed_headers(const std::string& file, const std::string& text,
                                        const std::vector<std::string>& folders) {
  std::vector<fs::path> searched{fs::path(file).parent_path()};
  searched.insert(searched.end(), folders.begin(), folders.end());
  const auto lies_there = [&](const std::string& name) {
    return std::ranges::any_of(searched, [&](const fs::path& folder) {
      std::error_code ignored;
      return fs::is_regular_file(folder / name, ignored);
    });
  };
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') continue;
    const std::size_t word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || line.compare(word, 7, "include") != 0) continue;
    const std::size_t open = line.find_first_of("<\"", word);
    if (open == std::string::npos) continue;
    const std::size_t close = line.find_first_of(">\"", open + 1);
    if (close == std::string::npos) continue;
    const std::string name = line.substr(open + 1, close - open - 1);
    if (!name.empty() && have_header(name) && !lies_there(name)) out.push_back(name);
  }
  return out;
}

}  // namespace warplens::model
