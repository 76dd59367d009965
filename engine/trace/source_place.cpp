#include "engine/trace/source_place.h"

#include <unordered_map>

namespace warplens::trace {

// The function's own file is that which most of its instructions, followed out to the frame that is not
// inlined, come from.
SourcePlaces::SourcePlaces(const ptx::Function& function) : function_(function) {
  std::unordered_map<int, int> seen;
  for (const ptx::SourceLine& line : function.source_lines)
    if (line.inlined_at == ptx::kNone && line.file != 0) ++seen[line.file];
  int most = 0;
  for (const auto& [file, count] : seen)
    if (count > most || (count == most && file < file_)) file_ = file, most = count;
}

const ptx::SourceLine* SourcePlaces::of(const ptx::Instruction& instruction) const {
  const ptx::SourceLine* frame = nullptr;
  std::uint32_t source = instruction.source;
  // The step count bounds the walk should a hand-edited chain loop.
  for (std::size_t steps = 0; source < function_.source_lines.size() && steps < 256; ++steps) {
    frame = &function_.source_lines[source];
    if (frame->file == file_ || frame->inlined_at == ptx::kNone) break;
    source = frame->inlined_at;
  }
  return frame;
}

}  // namespace warplens::trace
