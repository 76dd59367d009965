// Ctrl-C and a request to terminate: the launch that runs is cancelled, so that the report says how far it
// came, and then the program ends as it would have. Between launches they end it at once.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/progress.h"

namespace warplens::runtime {

// From now on, unless the program handles these signals itself.
void watch_for_interruption();

// While a launch runs; `shown`: says in the terminal which one, and how far it is, once that takes a while.
class InLaunch {
 public:
  InLaunch(std::uint64_t index, const std::string& kernel, bool shown);
  ~InLaunch();  // ends the program when it was interrupted
  InLaunch(const InLaunch&) = delete;
  InLaunch& operator=(const InLaunch&) = delete;
  Progress& progress();
};

}  // namespace warplens::runtime
