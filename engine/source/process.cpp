#include "engine/source/process.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "engine/source/workroom.h"

namespace warplens::source {

Result<ProcessResult> run_process(const std::vector<std::string>& command, const ProcessOptions& options) {
  const auto room = Workroom::open();
  if (!room) return room.error();
  return (*room)->run(command, options);
}

void limit_memory_of_this_process(std::uint64_t bytes) {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::uint64_t most = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + bytes;
  rlimit memory{};
  if (::getrlimit(RLIMIT_AS, &memory) != 0) return;
  memory.rlim_cur = std::min<rlim_t>(most, memory.rlim_max);
  ::setrlimit(RLIMIT_AS, &memory);
}

Error took_too_long(const std::string& compiler, const std::string& file, const CompileLimits& limits) {
  return {ErrorKind::Compile,
          fmt::format("{} took longer than {:g} seconds and was stopped: look for templates or macros that "
                      "expand without end, or give it more time (--compile-seconds)",
                      compiler, limits.seconds),
          {file, 0, 0},
          {}};
}

Error took_too_much(const std::string& compiler, const std::string& file, const CompileLimits& limits) {
  return {ErrorKind::Compile,
          fmt::format("{} ended without an answer: it crashed on this file, or needed more than {} MiB of "
                      "memory; look for templates, macros or tables that grow without end, or give it more "
                      "(--compile-memory)",
                      compiler, limits.memory_mib),
          {file, 0, 0},
          {}};
}

}  // namespace warplens::source
