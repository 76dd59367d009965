#include "engine/source/cache_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "engine/source/cache.h"

namespace warplens::source {
namespace {

constexpr auto kBetweenAttempts = std::chrono::milliseconds(5);

// Who had the lock before has removed its name, or a cache that was full lost it: another may have made a
// new file of that name since, and its lock is the one that counts.
bool still_named(int file, const std::filesystem::path& name) {
  struct stat opened {
  }, named{};
  return ::fstat(file, &opened) == 0 && ::lstat(name.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

enum class Attempt { Held, Busy, Impossible };

Attempt try_lock(const std::filesystem::path& name, int& file) {
  file = ::open(name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return Attempt::Impossible;
  const bool locked = ::flock(file, LOCK_EX | LOCK_NB) == 0;
  const bool another_has_it = !locked && (errno == EWOULDBLOCK || errno == EINTR);
  if (locked && still_named(file, name)) return Attempt::Held;
  ::close(file);
  file = -1;
  return locked || another_has_it ? Attempt::Busy : Attempt::Impossible;
}

}  // namespace

CacheLock::CacheLock(const std::string& key, double seconds, const Progress* progress)
    : name_(made_cache_entries()) {
  if (name_.empty()) return;
  name_ /= key + ".lock";
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (try_lock(name_, file_) == Attempt::Busy) {
    if (std::chrono::steady_clock::now() >= end) return;
    if (progress != nullptr && progress->cancelled()) return;
    std::this_thread::sleep_for(kBetweenAttempts);
  }
}

// The name goes while the lock is held. A process that was started meanwhile may have a copy of the
// descriptor for a moment: the lock is let go by its name as well.
CacheLock::~CacheLock() {
  if (file_ < 0) return;
  std::error_code ignored;
  std::filesystem::remove(name_, ignored);
  ::flock(file_, LOCK_UN);
  ::close(file_);
}

}  // namespace warplens::source
