// Comments of kernels in other languages. The .cu says them in English and is what is compiled; beside it
// comments.LANGUAGE.toml says for each line of a comment what stands in that line instead:
//
//   [copy_strided]                                            # of which kernel, for who reads the file
//   "Every stride-th element: lanes move apart" = "每隔 stride 个取一个：通道彼此远离"
//
//   const std::string shown = comments_in("zh", text, "kernels/global_memory/copy_strided.cu");
//
// Line for line: places in the code stay what they are. It goes back as well, so that a text that was shown
// in Chinese is known as the one that was recorded, and what a user writes is left alone.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace warplens::model {

struct Comments {
  using Lines = std::map<std::string, std::string, std::less<>>;
  std::map<std::string, Lines, std::less<>> of;  // language -> English line -> that language's
  Lines english;                                 // line of any other language -> the English one
  std::vector<Error> problems;                   // files and lines that cannot be used; the rest is there
};

Comments read_comments(const std::filesystem::path& folder);
// The text with every comment in `language` that the folder of this .cu knows there; others stay as they are.
// A folder is read once in the life of the program. May be used from any thread.
std::string comments_in(std::string_view language, std::string_view text, const std::filesystem::path& file);
// The lines of its comments, without their slashes, in order; empty ones are left out.
std::vector<std::string> comment_lines(std::string_view text);

}  // namespace warplens::model
