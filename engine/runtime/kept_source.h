// The file in which a kernel's own first line stands, copied into the folder of a launch that is kept.
#pragma once

#include <filesystem>
#include <string>

#include "engine/ptx/syntax/module.h"

namespace warplens::runtime {

// Its name there; empty: it cannot be read.
std::string keep_source(const ptx::Module& module, const ptx::Function& entry,
                        const std::filesystem::path& folder);

}  // namespace warplens::runtime
