#include "engine/base/assets.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

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
    folder = fs::temp_directory_path() / "warplens";
  }
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  return folder;
}

Result<std::string> read_text(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    return Error{ErrorKind::Usage, "this is a folder; name a file", {file.string()}, {}};
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return Error{
        ErrorKind::Usage, "cannot read this file; check its name and permissions", {file.string()}, {}};
  // Whatever is named, also a device that never ends, is read within bounds.
  constexpr std::size_t kMostBytes = std::size_t{256} << 20, kPiece = std::size_t{1} << 20;
  std::string text;
  while (in && text.size() <= kMostBytes) {
    const std::size_t begin = text.size();
    text.resize(begin + kPiece);
    in.read(text.data() + begin, static_cast<std::streamsize>(kPiece));
    text.resize(begin + static_cast<std::size_t>(in.gcount()));
  }
  if (text.size() > kMostBytes)
    return Error{ErrorKind::Usage, "this is larger than 256 MiB; name a source file", {file.string()}, {}};
  return text;
}

Status write_text(const fs::path& file, std::string_view text) {
  std::error_code failed;
  if (!file.parent_path().empty()) fs::create_directories(file.parent_path(), failed);
  // A device or a pipe (/dev/null, /dev/stdout) is written to; renaming a file over it would replace it.
  const bool in_place = fs::exists(file, failed) && !fs::is_regular_file(file, failed);
  fs::path temporary = file;
  if (!in_place) temporary += ".part" + std::to_string(::getpid());
  {
    std::ofstream out(temporary, std::ios::binary);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!out.flush()) {
      out.close();
      if (!in_place) fs::remove(temporary, failed);
      return Error{ErrorKind::System,
                   "cannot write here; check the folder's permissions and free space",
                   {file.string()},
                   {}};
    }
  }
  if (in_place) return Done{};
  fs::rename(temporary, file, failed);
  if (failed) {
    fs::remove(temporary, failed);
    return Error{ErrorKind::System, "cannot replace this file; check its permissions", {file.string()}, {}};
  }
  return Done{};
}

}  // namespace warplens
