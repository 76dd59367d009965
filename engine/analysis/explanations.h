// Sentences about this very run, computed from its numbers and from the stored trace: why 8 sectors, which
// lanes collide on which bank, what limits occupancy. The words are in the message catalogue under
// "explain.".
#pragma once

#include <vector>

#include "engine/analysis/report.h"
#include "engine/trace/trace.h"

namespace warplens::analysis {

// About one access, as the cursor stands on it.
std::vector<Message> explain_access(const trace::Trace& trace, const trace::AccessView& access);
// About the whole launch, most costly finding first. `trace` may be empty.
std::vector<Message> explain_launch(const Report& report, const trace::Trace* trace);
// The same for who speaks of something else than the kernel does (Report::about): what is with that comes
// first, be it well or not. Without text and op it is the worst access of its memory, or the kernel's own
// where that is of this memory; op "branch" is how lanes part.
std::vector<Message> explain_launch(const Report& report, const trace::Trace* trace,
                                    const std::vector<About>& about);
std::vector<Message> explain_occupancy(const ComputeCapability& capability, const KernelResources& kernel,
                                       const Occupancy& occupancy);

}  // namespace warplens::analysis
