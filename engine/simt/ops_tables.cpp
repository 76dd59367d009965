#include "engine/simt/ops.h"

namespace warplens::simt {

std::span<const std::span<const OpcodeEntry>> arithmetic_tables() {
  return {};
}

}  // namespace warplens::simt
