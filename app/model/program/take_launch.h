// A kept launch as a folder of its own, to keep, to edit and to send: kernel.ptx, the program's source,
// launch.toml and memory/*.bin, with no path that leads out of it.
#pragma once

#include <filesystem>

#include "engine/base/result.h"

namespace warplens::model {

struct Taken {
  std::string kernel;       // "scale(float*, int)"
  std::uint64_t bytes = 0;  // of memory
  int files = 0;            // that hold it: zeros need none
};
// `launch`: its folder. Errors: it is no kept launch, or `to` is there already and holds something else.
Result<Taken> take_launch(const std::filesystem::path& launch, const std::filesystem::path& to);

}  // namespace warplens::model
