// One function a compiler: a prepared source in, PTX and the compiler's log out.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/source/source_tree.h"
#include "engine/source/toolchain.h"

namespace warplens::source {

struct BackendResult {
  bool ok = false;
  std::string ptx, log;
  // How the compiler calls a folder, and how the user does; the one that it worked in comes first.
  std::vector<std::pair<std::string, std::string>> folders;
};

// An Error is trouble with the compiler itself (or a cancel); a kernel that does not compile is a result.
Result<BackendResult> compile_with_nvrtc(const CompileOptions& options, const SourceTree& tree,
                                         const Toolchain& tools);
Result<BackendResult> compile_with_nvcc(const CompileOptions& options, const SourceTree& tree,
                                        const Toolchain& tools);
Result<BackendResult> compile_with_clang(const CompileOptions& options, const SourceTree& tree,
                                         const Toolchain& tools);

}  // namespace warplens::source
