#include "engine/base/assets.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include "engine/base/message.h"
#include "engine/base/temporary_file.h"

namespace warplens {
namespace fs = std::filesystem;
namespace {

fs::path data_folder(const char* variable, const char* name) {
  if (const char* set = std::getenv(variable); set != nullptr && *set != '\0') return set;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (!program.empty()) {
    const fs::path bin = program.parent_path();
    for (const fs::path& candidate : {bin / ".." / "share" / "warplens" / name, bin / name})
      if (fs::is_directory(candidate, ignored)) return candidate;
  }
  return fs::path(WARPLENS_SOURCE_DIR) / name;
}

// Of a folder that everybody may write to: only what is ours, and nobody else can enter, is used: what
// stands in a cache is trusted by the next run. Else the answer is empty, and nothing is kept.
fs::path private_folder(const fs::path& folder) {
  ::mkdir(folder.c_str(), S_IRWXU);
  struct stat there {};
  const bool ours = ::lstat(folder.c_str(), &there) == 0 && S_ISDIR(there.st_mode) &&
                    there.st_uid == ::geteuid() &&
                    ((there.st_mode & (S_IRWXG | S_IRWXO)) == 0 || ::chmod(folder.c_str(), S_IRWXU) == 0);
  return ours ? folder : fs::path();
}

}  // namespace

fs::path assets_folder() {
  return data_folder("WARPLENS_ASSETS", "assets");
}
fs::path kernels_folder() {
  return data_folder("WARPLENS_KERNELS", "kernels");
}

fs::path cache_folder() {
  fs::path folder;
  if (const char* own = std::getenv("WARPLENS_CACHE"); own != nullptr && *own != '\0') {
    folder = own;
  } else if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg != '\0') {
    folder = fs::path(xdg) / "warplens";
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    folder = fs::path(home) / ".cache" / "warplens";
  } else {
    return private_folder(fs::temp_directory_path() / ("warplens-" + std::to_string(::geteuid())));
  }
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  return folder;
}

namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20, kPiece = std::size_t{1} << 20;
// A stream through which nothing comes for so long is given up; altogether it has so much time.
constexpr int kPatienceMs = 5000;
constexpr std::chrono::seconds kMostTime{60};

// `why`: a key of [file].
Error unreadable(const fs::path& file, const char* why) {
  return told(ErrorKind::Usage, {std::string("file.") + why, {}}, {file.string()});
}

// Whether there is something to read now, or the end.
Status wait_for(int descriptor, const fs::path& file) {
  pollfd waiting{descriptor, POLLIN, 0};
  const int ready = ::poll(&waiting, 1, kPatienceMs);
  if (ready > 0) return Done{};
  if (ready < 0) return told(ErrorKind::Cancelled, {"file.stopped", {}}, {file.string()});
  return unreadable(file, "silent_pipe");
}

// `expected`: so many bytes the system says there are; a file may have grown since.
Result<std::string> read_all(int descriptor, std::size_t expected, bool waits, const fs::path& file) {
  const auto end = std::chrono::steady_clock::now() + kMostTime;
  std::string text;
  std::size_t used = 0;
  // Whatever is named, also a device that never ends, is read within bounds. Small files are many (the
  // gallery, catalogues): nothing but what they hold is made room for, and one byte, which says that they end
  // here.
  text.resize(std::min(expected, kMostBytes) + 1);
  while (used <= kMostBytes) {
    if (waits) {
      if (const Status ready = wait_for(descriptor, file); !ready) return ready.error();
      if (std::chrono::steady_clock::now() > end) return unreadable(file, "endless_pipe");
    }
    if (used == text.size()) text.resize(used + kPiece);
    const ssize_t got = ::read(descriptor, text.data() + used, text.size() - used);
    used += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    if (got == 0) return text.resize(used), text;
    if (got < 0 && errno != EINTR && errno != EAGAIN) return unreadable(file, "broken_off");
  }
  return unreadable(file, "too_large");
}

}  // namespace

Result<std::string> read_text(const fs::path& file, Streams streams) {
  // O_NONBLOCK: opening a pipe does not wait for whoever writes to it.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return unreadable(file, "not_readable");
  struct stat facts {};
  const bool known = ::fstat(descriptor, &facts) == 0;
  const bool regular = known && S_ISREG(facts.st_mode);
  const std::size_t expected = regular ? static_cast<std::size_t>(facts.st_size) : 0;
  Result<std::string> text = known && S_ISDIR(facts.st_mode) ? unreadable(file, "folder")
                             : !regular && streams == Streams::Refuse
                                 ? unreadable(file, "pipe")
                                 : read_all(descriptor, expected, !regular, file);
  ::close(descriptor);
  return text;
}

namespace {

bool write_all(const fs::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  return static_cast<bool>(out.flush());
}

}  // namespace

Status write_text(const fs::path& file, std::string_view text) {
  std::error_code failed;
  if (const fs::path folder = file.parent_path(); !folder.empty() && !fs::is_directory(folder, failed))
    return told(ErrorKind::Usage, {"file.no_folder", {}}, {file.string()});
  // A device or a pipe (/dev/null, /dev/stdout) is written to; renaming a file over it would replace it.
  if (fs::exists(file, failed) && !fs::is_regular_file(file, failed))
    return write_all(file, text) ? Status(Done{})
                                 : told(ErrorKind::System, {"file.not_written", {}}, {file.string()});
  TemporaryFile part(file);
  if (!write_all(part.path(), text))
    return told(ErrorKind::System, {"file.not_written", {}}, {file.string()});
  if (part.take_its_place()) return told(ErrorKind::System, {"file.not_replaced", {}}, {file.string()});
  return Done{};
}

}  // namespace warplens
