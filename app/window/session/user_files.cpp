#include "app/window/session/user_files.h"

#include <algorithm>
#include <tuple>

#include "app/model/run/kept_launch.h"

namespace warplens::window {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 2000;  // of a folder
constexpr double kBetweenLooks = 1.0;       // seconds

bool can_be_opened(const fs::path& file) {
  const std::string ending = file.extension().string();
  return ending == ".cu" || ending == ".cuh" || ending == ".ptx" || file.filename() == "launch.toml";
}

std::optional<fs::file_time_type> written(const std::string& file) {
  std::error_code failed;
  const fs::path text = model::is_kept_launch(file) && fs::is_directory(file, failed)
                            ? fs::path(file) / "launch.toml"
                            : fs::path(file);
  const auto time = fs::last_write_time(text, failed);
  return failed ? std::nullopt : std::optional(time);
}

}  // namespace

std::vector<FolderEntry> list_folder(const fs::path& folder) {
  std::vector<FolderEntry> out;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end && out.size() < kMostEntries;
       at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (name.empty() || name.front() == '.') continue;
    std::error_code unreadable;
    const bool is_folder = at->is_directory(unreadable);
    if (is_folder && !model::is_kept_launch(at->path()))
      out.push_back({name, true});
    else if (is_folder || can_be_opened(at->path()))
      out.push_back({name, false});
  }
  std::ranges::sort(out, [](const FolderEntry& a, const FolderEntry& b) {
    return std::tie(b.folder, a.name) < std::tie(a.folder, b.name);
  });
  return out;
}

void remember_file(std::vector<std::string>& recent, const std::string& file) {
  std::error_code failed;
  const fs::path absolute = fs::absolute(file, failed);
  const std::string name = failed ? file : absolute.lexically_normal().string();
  std::erase(recent, name);
  recent.insert(recent.begin(), name);
  if (recent.size() > kMostRecent) recent.resize(kMostRecent);
}

bool FileWatch::changed(const std::string& file, double now) {
  if (file != file_) {
    file_ = file;
    written_ = file.empty() ? std::nullopt : written(file);
    looked_ = now;
    return false;
  }
  if (file_.empty() || now - looked_ < kBetweenLooks) return false;
  looked_ = now;
  // An editor that writes a new file in place of the old leaves none for a moment.
  const auto time = written(file_);
  if (!time || time == written_) return false;
  written_ = time;
  return true;
}

}  // namespace warplens::window
