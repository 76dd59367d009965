// A file that is written beside the one whose place it takes, so that a reader never sees half of it.
//
//   TemporaryFile part(file);             // "report.json.part4711-0"
//   std::ofstream(part.path()) << text;
//   part.take_its_place();
//
// None stays behind: not after an error (the destructor removes it), not after a request to terminate
// (remove_temporary_files_at_the_end()), and one that a killed process has left is removed by whoever writes
// the same file next.
#pragma once

#include <filesystem>
#include <system_error>

namespace warplens {

class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path file);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::error_code take_its_place();

 private:
  std::filesystem::path file_, path_;
  int slot_ = -1;  // in the table of those that a signal removes; -1: there was no room
};

// From now on what asks this process to end (Ctrl-C, SIGTERM, a terminal that goes away) removes its
// temporary files before it does. Signals that somebody ignores stay ignored. To be called once, at the
// program's start.
void remove_temporary_files_at_the_end();

}  // namespace warplens
