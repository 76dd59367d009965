// Comments of kernels in other languages: each line there and back, none left out, none left over.
#include "app/model/text/comments.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/model/gallery/gallery.h"
#include "engine/base/assets.h"

namespace warplens::model {
namespace {

namespace fs = std::filesystem;

fs::path small_folder(const std::string& comments) {
  static int number = 0;
  const fs::path folder = fs::path(testing::TempDir()) /
                          ("comments_" + std::to_string(::getpid()) + "_" + std::to_string(number++));
  fs::create_directories(folder);
  EXPECT_TRUE(write_text(folder / "comments.zh.toml", comments));
  return folder;
}

TEST(Comments, GoLineForLineThereAndBack) {
  const fs::path file = small_folder("[k]\n\"One.\" = \"一。\"\n\"the end\" = \"结束\"\n") / "k.cu";
  const std::string english = "// One.\n//\nint i = 0;  // the end\r\nf(\"// One.\");  // mine\n";
  const std::string chinese = "// 一。\n//\nint i = 0;  // 结束\r\nf(\"// One.\");  // mine\n";
  EXPECT_EQ(comments_in("zh", english, file), chinese);
  EXPECT_EQ(comments_in("en", chinese, file), english);
  EXPECT_EQ(comments_in("zh", chinese, file), chinese);
  EXPECT_EQ(comments_in("fr", chinese, file), english) << "a language that it lacks";
  fs::remove_all(file.parent_path());
}

TEST(Comments, WhatCannotBeUsedIsSaidWithItsPlace) {
  const fs::path folder = small_folder("[k]\n\"One.\" = 1\n\"Two.\" = \"a\\nb\"\n\"Three.\" = \"三\"\n");
  const Comments read = read_comments(folder);
  ASSERT_EQ(read.problems.size(), 2u);
  EXPECT_EQ(read.problems[0].place.line, 2);
  EXPECT_EQ(read.of.at("zh").size(), 1u);
  fs::remove_all(folder);
}

// Of the gallery and of lessons.
TEST(Comments, EveryLineOfOursHasItsChineseOne) {
  std::set<fs::path> folders;
  for (const fs::path& root : {kernels_folder(), assets_folder() / "lessons"})
    for (const auto& entry : fs::recursive_directory_iterator(root))
      if (entry.path().extension() == ".cu" && entry.path().parent_path().filename() != "recorder")
        folders.insert(entry.path().parent_path());
  ASSERT_GT(folders.size(), 20u);
  for (const fs::path& folder : folders) {
    const Comments comments = read_comments(folder);
    for (const Error& problem : comments.problems) ADD_FAILURE() << problem.text();
    const auto chinese = comments.of.find("zh");
    std::set<std::string> used;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != ".cu") continue;
      const std::string text = *read_text(entry.path());
      for (const std::string& line : comment_lines(text)) {
        used.insert(line);
        const bool known = chinese != comments.of.end() && chinese->second.contains(line);
        EXPECT_TRUE(known) << entry.path() << " says without a Chinese line: " << line;
      }
      const std::string shown = comments_in("zh", text, entry.path());
      EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
      EXPECT_EQ(comments_in("en", shown, entry.path()), text) << entry.path();
    }
    if (chinese == comments.of.end()) continue;
    for (const auto& [line, other] : chinese->second)
      EXPECT_TRUE(used.contains(line)) << folder << " has a line for what nobody says: " << line;
  }
}

}  // namespace
}  // namespace warplens::model
