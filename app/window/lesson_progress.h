// How far a reader is: progress.toml beside the settings, written at each page that is turned. A damaged file
// is ignored: it costs a reader a page number, never the window.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace warplens::window {

struct LessonProgress {
  int page = 0;      // where to go on
  int furthest = 0;  // the last page that was seen
  bool done = false;
  int stars = 0;  // challenges
  bool operator==(const LessonProgress&) const = default;
};

using ProgressBook = std::map<std::string, LessonProgress>;  // by the lesson's name

ProgressBook parse_progress(std::string_view toml);
std::string to_toml(const ProgressBook& book);
std::filesystem::path progress_file();

}  // namespace warplens::window
