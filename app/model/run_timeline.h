// The time line of a run as HTML: a row a stream, with its launches above and its copies and fills below, and
// a row in which the host waits. Host time of the emulation.
#pragma once

#include <string>
#include <vector>

#include "app/model/run_events.h"
#include "engine/base/message.h"

namespace warplens::model {

// "12,345", with thin spaces between groups.
std::string grouped(std::uint64_t number);
std::string bytes_text(std::uint64_t bytes);  // "1.5 MiB"
std::string seconds_text(double seconds);     // "12.3 ms"

// The first five `kernels` have colours of their own, the others share one.
std::string timeline_html(const RunEvents& events, const std::vector<std::string>& kernels, double seconds,
                          const Catalogue& text);

}  // namespace warplens::model
