// Where the program's data files are: $WARPLENS_ASSETS, else beside the executable (../share/warplens or
// assets/), else the source tree that this binary was built from.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace warplens {

std::filesystem::path assets_folder();   // holds messages/, devices/, lessons/, recordings/
std::filesystem::path kernels_folder();  // holds one folder a topic
std::filesystem::path
cache_folder();  // $WARPLENS_CACHE, $XDG_CACHE_HOME/warplens, ~/.cache/warplens; made on demand

// What stands where a file was named and is none: a pipe, a terminal, a device.
enum class Streams {
  Refuse,  // opening one may wait for ever
  Wait,    // read to its end, as long as something comes: `warplens trace <(generator)`
};
// Fails with ErrorKind::Usage; with ErrorKind::Cancelled when a signal ends the waiting.
Result<std::string> read_text(const std::filesystem::path& file, Streams streams = Streams::Refuse);
// The file's folder must be there. Writes to a temporary beside the file and renames, so that a reader never
// sees half a file.
Status write_text(const std::filesystem::path& file, std::string_view text);

}  // namespace warplens
