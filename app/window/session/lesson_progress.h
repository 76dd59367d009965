// How far a reader is: progress.toml beside the settings, written at each page that is turned.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "engine/base/message.h"

namespace warplens::window {

struct LessonProgress {
  int page = 0;      // where to go on
  int furthest = 0;  // the last page that was seen
  bool done = false;
  int stars = 0;  // challenges
  bool operator==(const LessonProgress&) const = default;
};

using ProgressBook = std::map<std::string, LessonProgress>;  // by the lesson's name

// A file that cannot be used is set aside (NAME.bad), and `trouble` says why; wrong values count as none.
ProgressBook load_progress(const std::filesystem::path& file, std::optional<Message>& trouble);
std::string to_toml(const ProgressBook& book);
std::filesystem::path progress_file();

}  // namespace warplens::window
