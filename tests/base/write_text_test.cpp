#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/assets.h"

namespace warplens {
namespace {

namespace fs = std::filesystem;

TEST(WriteText, AFileIsReplacedWhole) {
  const fs::path file = fs::temp_directory_path() / ("warplens_write_" + std::to_string(::getpid()));
  ASSERT_TRUE(write_text(file, "first, and longer").has_value());
  ASSERT_TRUE(write_text(file, "second").has_value());
  EXPECT_EQ(*read_text(file), "second");
  fs::remove(file);
}

// Renaming a file over a pipe or a device would take it away: /dev/null, for one.
TEST(WriteText, APipeStaysAPipe) {
  const fs::path pipe = fs::temp_directory_path() / ("warplens_pipe_" + std::to_string(::getpid()));
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(write_text(pipe, "through").has_value());
  EXPECT_TRUE(fs::is_fifo(pipe));
  char text[16] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 7);
  EXPECT_STREQ(text, "through");
  ::close(reader);
  fs::remove(pipe);
}

// As on a full disk: the old file survives, and nothing else stays.
TEST(WriteText, WhatCannotBeWrittenLeavesNoPart) {
  const fs::path folder = fs::temp_directory_path() / ("warplens_full_" + std::to_string(::getpid()));
  const fs::path file = folder / "report.json";
  ASSERT_TRUE(write_text(file, "old").has_value());
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit little{1024, before.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &little);
  const Status written = write_text(file, std::string(100000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT_FALSE(written.has_value());
  EXPECT_EQ(*read_text(file), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
  fs::remove_all(folder);
}

TEST(WriteText, AFolderIsAnError) {
  EXPECT_FALSE(write_text(fs::temp_directory_path(), "x").has_value());
}

}  // namespace
}  // namespace warplens
