// The files of a user around the one that is open: what a folder holds that can be opened, which were open
// last, and whether the open one has been written meanwhile.
//
//   list_folder("/home/ada/course")   // {"exercises", folder}, {"saxpy.cu"}
//   remember_file(settings.recent, "/home/ada/course/saxpy.cu");
//   if (watch.changed(file, now)) ...  // somebody has saved it in another editor
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warplens::window {

inline constexpr std::size_t kMostRecent = 8;

struct FolderEntry {
  std::string name;
  bool folder = false;  // to look into; the folder of a kept launch is opened like a file
};
// Folders, then what can be opened (CUDA, PTX, kept launches), each by name; what is hidden is left out.
// Nothing for a folder that cannot be read.
std::vector<FolderEntry> list_folder(const std::filesystem::path& folder);

// To the front, each once, at most kMostRecent. Paths are made absolute.
void remember_file(std::vector<std::string>& recent, const std::string& file);

// Looks at most once a second.
class FileWatch {
 public:
  // True once for each time that the file was written since it was first asked for. Empty: nothing is
  // watched.
  bool changed(const std::string& file, double now);
  bool watches() const { return !file_.empty(); }

 private:
  std::string file_;
  std::optional<std::filesystem::file_time_type> written_;
  double looked_ = 0;
};

}  // namespace warplens::window
