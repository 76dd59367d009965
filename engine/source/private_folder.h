// Folders in which compilers work: of this user only, under a name that may stand in any command line, and
// locked for as long as their keeper lives, so that those of dead ones can be told and removed.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace warplens::source {

// Whether a shell, and nvcc's own splitting of its options, leave a text as it is: letters of any language,
// digits and _ . / + - @ = only, and no dash in front.
bool is_plain_word(std::string_view text);

class PrivateFolder {
 public:
  // In $TMPDIR if its name is a plain word, else in /tmp or /var/tmp; nothing when none of them will do.
  static std::optional<PrivateFolder> make();
  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder();  // removes it with all that is in it

  const std::filesystem::path& path() const { return path_; }

 private:
  PrivateFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::filesystem::path path_;
  int lock_;
};

// Removes the folders of this user whose keepers are dead (a power cut, kill -9).
void remove_abandoned_folders();

}  // namespace warplens::source
