#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "engine/base/assets.h"
#include "engine/base/temporary_file.h"

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
  fs::create_directories(folder);
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

// A process of its own that writes half a file, and is ended by a signal.
void end_while_writing(const fs::path& file, int signal) {
  const pid_t child = ::fork();
  if (child == 0) {
    remove_temporary_files_at_the_end();
    const TemporaryFile part(file);
    std::ofstream(part.path()) << "half";
    ::raise(signal);
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), signal);
}

TEST(WriteText, WhatASignalEndsLeavesNoPart) {
  const fs::path folder = fs::temp_directory_path() / ("warplens_ended_" + std::to_string(::getpid()));
  const fs::path file = folder / "settings.toml";
  fs::create_directories(folder);
  ASSERT_TRUE(write_text(file, "old"));
  const auto files = [&] { return std::distance(fs::directory_iterator(folder), {}); };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    end_while_writing(file, signal);
    EXPECT_EQ(files(), 1) << signal;
  }
  // Nobody hears of this one: who writes the file next clears up, and touches nobody's who still writes.
  end_while_writing(file, SIGKILL);
  EXPECT_EQ(files(), 2);
  const TemporaryFile other(file);
  std::ofstream(other.path()) << "a thread's, that writes at the same time";
  ASSERT_TRUE(write_text(file, "new"));
  EXPECT_EQ(files(), 2);
  EXPECT_TRUE(fs::exists(other.path()));
  EXPECT_EQ(*read_text(file), "new");
  fs::remove_all(folder);
}

// A typing mistake in a path makes no folders.
TEST(WriteText, AFolderThatIsNotThereIsAnError) {
  const fs::path folder = fs::temp_directory_path() / ("warplens_typo_" + std::to_string(::getpid()));
  const Status written = write_text(folder / "deep" / "x.json", "{}");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::Usage);
  EXPECT_FALSE(fs::exists(folder));
}

class Pipe {
 public:
  Pipe() : file(fs::temp_directory_path() / ("warplens_fifo_" + std::to_string(::getpid()))) {
    fs::remove(file);
    EXPECT_EQ(::mkfifo(file.c_str(), 0600), 0);
  }
  ~Pipe() { fs::remove(file); }
  const fs::path file;
};

TEST(ReadText, APipeIsNotWaitedFor) {
  const Pipe pipe;
  const auto text = read_text(pipe.file);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, ErrorKind::Usage);
  EXPECT_NE(text.error().message.find("pipe"), std::string::npos);
  EXPECT_FALSE(read_text("/dev/zero"));
  EXPECT_FALSE(read_text("/"));
}

TEST(ReadText, WhereAPipeIsWelcomeItIsReadToItsEnd) {
  const Pipe pipe;
  std::thread writer([&] {
    std::ofstream out(pipe.file);
    for (int i = 0; i < 3; ++i) {
      out << std::string(100000, 'x') << std::flush;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  const auto text = read_text(pipe.file, Streams::Wait);
  writer.join();
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_EQ(text->size(), 300000u);
}

TEST(ReadText, APipeThatNobodyWritesToIsGivenUp) {
  const Pipe pipe;
  const auto text = read_text(pipe.file, Streams::Wait);
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("nothing came"), std::string::npos);
}

TEST(WriteText, AFolderIsAnError) {
  EXPECT_FALSE(write_text(fs::temp_directory_path(), "x").has_value());
}

}  // namespace
}  // namespace warplens
