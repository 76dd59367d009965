// A private folder and the compilers that run in it, without a shell, kept by a process that ends and removes
// everything when this object or this program ends, in whatever way.
//
//   auto room = Workroom::open();
//   write_text((*room)->folder() / "in.cu", text);
//   Result<ProcessResult> r = (*room)->run({"/usr/bin/clang", "-S", "in.cu"}, {});
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/source/process.h"

namespace warplens::source {

class Workroom {
 public:
  static Result<std::unique_ptr<Workroom>> open();
  ~Workroom();  // returns when all is gone
  Workroom(const Workroom&) = delete;
  Workroom& operator=(const Workroom&) = delete;

  // Where commands run, also their $TMPDIR. Its name is a plain word (private_folder.h).
  const std::filesystem::path& folder() const { return folder_; }

  // As run_process(). Whatever the program has started ends with it. After an Error of another kind than
  // System the room is closed: open a new one.
  Result<ProcessResult> run(const std::vector<std::string>& command, const ProcessOptions& options);

 private:
  Workroom(pid_t keeper, int socket, int output, int errors)
      : keeper_(keeper), socket_(socket), output_(output), errors_(errors) {}
  void close();

  pid_t keeper_;
  int socket_, output_, errors_;
  std::filesystem::path folder_;
};

}  // namespace warplens::source
