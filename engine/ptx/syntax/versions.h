// Which PTX version first had what: for printing a module so that the oldest possible driver takes it.
#pragma once

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

struct PtxVersion {
  int major = 0, minor = 0;
  auto operator<=>(const PtxVersion&) const = default;
};

// The lowest version that holds everything the module uses, never above the module's own; its own when it
// uses an opcode that the table does not know. `source_lines`: .loc with inlining is printed.
PtxVersion lowest_version(const Module& module, bool source_lines);

}  // namespace warplens::ptx
