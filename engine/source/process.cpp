#include "engine/source/process.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "engine/base/message.h"
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

void give_compilers_huge_pages() {
  ::setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0);  // who has set it has reasons
}

Error took_too_long(const std::string& compiler, const std::string& file, const CompileLimits& limits) {
  return told(
      ErrorKind::Compile,
      {"compile.took_too_long", {{"compiler", value_of(compiler)}, {"seconds", value_of(limits.seconds)}}},
      {file, 0, 0});
}

Error took_too_much(const std::string& compiler, const std::string& file, const CompileLimits& limits) {
  return told(ErrorKind::Compile,
              {"compile.took_too_much",
               {{"compiler", value_of(compiler)}, {"mebibytes", value_of(limits.memory_mib)}}},
              {file, 0, 0});
}

}  // namespace warplens::source
