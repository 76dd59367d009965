#include "engine/source/private_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

namespace warplens::source {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "warplens-compile-";

std::vector<fs::path> possible_places() {
  std::vector<fs::path> places;
  for (const char* candidate : {static_cast<const char*>(::getenv("TMPDIR")), "/tmp", "/var/tmp"}) {
    if (candidate == nullptr) continue;
    std::error_code error;
    // What a link leads to is what a compiler sees.
    const fs::path place = fs::canonical(candidate, error);
    if (!error && is_plain_word(place.native()) && std::ranges::find(places, place) == places.end())
      places.push_back(place);
  }
  return places;
}

// A descriptor of the folder with its lock; -1 when another process has the lock or it is no folder of ours.
int lock(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat opened {};
  if (file >= 0 && ::fstat(file, &opened) == 0 && opened.st_uid == ::geteuid() &&
      ::flock(file, LOCK_EX | LOCK_NB) == 0)
    return file;
  if (file >= 0) ::close(file);
  return -1;
}

// Whether the folder is still the one that was opened: somebody who took it for abandoned may have removed it
// before it was locked.
bool is_in_place(int file, const fs::path& folder) {
  struct stat opened {
  }, named{};
  return ::fstat(file, &opened) == 0 && ::lstat(folder.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

bool is_plain_word(std::string_view text) {
  return !text.empty() && text[0] != '-' && std::ranges::all_of(text, [](unsigned char c) {
    return c >= 0x80 || std::isalnum(c) != 0 ||
           std::string_view("_./+-@=").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::optional<PrivateFolder> PrivateFolder::make() {
  constexpr int kAttempts = 100;
  for (const fs::path& place : possible_places())
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      std::string name = (place / (std::string(kPrefix) + "XXXXXX")).string();
      if (::mkdtemp(name.data()) == nullptr) break;
      const int file = lock(name);
      if (file >= 0 && is_in_place(file, name)) return PrivateFolder(name, file);
      if (file >= 0) ::close(file);
      ::rmdir(name.c_str());
    }
  return std::nullopt;
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

void remove_abandoned_folders() {
  for (const fs::path& place : possible_places()) {
    std::error_code error;
    for (fs::directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error)) {
      const fs::path folder = entry->path();
      if (!folder.filename().native().starts_with(kPrefix)) continue;
      const int file = lock(folder);
      if (file < 0) continue;
      std::error_code ignored;
      if (is_in_place(file, folder)) fs::remove_all(folder, ignored);
      ::close(file);
    }
  }
}

}  // namespace warplens::source
