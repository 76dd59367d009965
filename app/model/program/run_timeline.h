// The time line of a run as HTML: a row a stream, with its launches above and its copies and fills below, and
// a row in which the host waits. Host time of the
// emulation, or a GPU's.
#pragma once

#include <string>
#include <vector>

#include "app/model/program/run_events.h"
#include "engine/base/message.h"

namespace warplens::model {

std::string seconds_text(double seconds);          // "12.3 ms"
std::string precise_seconds_text(double seconds);  // "1.89 µs": of what a GPU's clock has measured

// From when to when, in seconds since the program's start.
struct TimelineRange {
  double begin = 0, end = 0;
};
// That in which a GPU did something: little of a program's time, which would be a line at the end of it.
TimelineRange active_range(const RunEvents& events);
// The first five `kernels` have colours of their own, the others share one.
std::string timeline_html(const RunEvents& events, const std::vector<std::string>& kernels,
                          const TimelineRange& range, const Catalogue& text);

}  // namespace warplens::model
