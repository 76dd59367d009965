// With every check, in memory that outlives launches: which of its bytes anybody has written since it was
// allocated - the host by a copy or a fill (engine/runtime), a kernel by a store. A mark a byte, 1 where it
// was written, LastingMemory::written apart; nothing where nobody keeps them.
//
// Looked at before each access and exact, on all workers: a read of unwritten bytes makes a screened run
// suspicious, so that the run on one worker tells it. What has been told counts as written: it is told once.
#pragma once

#include <cstdint>

#include "engine/base/lanes.h"

namespace warplens::simt {

class LastingMemory;

// The lanes that read a byte which nobody has written.
LaneMask find_unwritten(const LastingMemory& memory, const std::uint64_t* addresses, LaneMask lanes,
                        unsigned width);
void mark_written(const LastingMemory& memory, const std::uint64_t* addresses, LaneMask lanes,
                  unsigned width);
void mark_written(const LastingMemory& memory, std::uint64_t address, std::uint64_t bytes);

}  // namespace warplens::simt
