// Which page of which lesson stands in the window, for whoever follows it from outside (`warplens lesson
// notes --follow`): a small file that the window writes at each page, and again when the answer is told.
#pragma once

#include <filesystem>
#include <string>

#include "engine/base/result.h"

namespace warplens::lesson {

struct OpenPage {
  std::string lesson;  // empty: none is open
  int page = 0;        // 0 the introduction, then one a step, then what to remember
  bool told = false;
  bool operator==(const OpenPage&) const = default;
};

std::filesystem::path open_page_file();  // in the cache folder
Status write_open_page(const std::filesystem::path& file, const OpenPage& open);
// None is open where there is no such file, or nothing that can be read.
OpenPage read_open_page(const std::filesystem::path& file);

}  // namespace warplens::lesson
