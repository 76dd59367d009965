// Keeps a launch as it is before it runs: the PTX of its module, its arguments, and all memory of the device,
// in a folder from which it can be run again (app/model/run/kept_launch.h reads it).
//
//   FOLDER/launch_0003/launch.toml   sizes, arguments, what lay where
//   FOLDER/launch_0003/main.cu       the kernel's source, where that can be read
//   FOLDER/memory/HASH.bin           contents of an allocation; equal contents are kept once
//   FOLDER/modules/HASH.ptx
#pragma once

#include "engine/runtime/launcher.h"

namespace warplens::runtime {

// Did somebody ask for this launch of the kernel? Launches of a kernel count from 0.
bool is_chosen(const Settings& settings, Function& function, std::uint64_t number);

// Returns the folder's name, "launch_0003". Errors: the program has registered memory of its own, which may
// lie anywhere (Unsupported); more memory than Settings::most_kept, or a disk that is full (System).
Result<std::string> keep_launch(Context& all, const KernelLaunch& launch, const Loaded& loaded,
                                std::uint64_t index);

}  // namespace warplens::runtime
