// A launch that the witness of a GPU's run has copied (engine/witness), as a folder of the form that
// engine/runtime/keep.h describes, so that it opens wherever an emulated run's does.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/model/program/program_ptx.h"
#include "engine/base/result.h"

namespace warplens::model {

struct WitnessedLaunch {
  std::string kernel;  // mangled
  std::uint64_t index = 0;
  nlohmann::ordered_json launch, kept;  // the lines "asked" and "kept"
  std::string measured;                 // on which GPU, when, and how long it took
};
// The folder's name in `folder`, "launch_0003". Errors say why the emulator could not run it again.
Result<std::string> write_kept(const WitnessedLaunch& launch, const ProgramPtx& ptx,
                               const std::filesystem::path& folder);
// Removes the files of FOLDER/memory that these lines ("kept", "not_kept") name and no launch there has.
void remove_unused(const std::filesystem::path& folder, const std::vector<nlohmann::ordered_json>& copied);

}  // namespace warplens::model
