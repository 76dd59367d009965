// How much longer a launch takes because its blocks differ: an SM that is given long ones ends late, and
// where there is a block for each place the longest decides.
//
//   const LaunchLength l = launch_length(*work, {.sms = 132, .resident = 8, .at_once = 3.5});
//   l.as_they_are / l.even;
#pragma once

#include "engine/trace/block_work.h"

namespace warplens::analysis {

struct BlockPlaces {
  int sms = 1;
  int resident = 1;  // blocks that an SM has at the same time
  // So many that only execute take no longer than one alone; more share what the SM can do.
  double at_once = 1;
  // What a block takes besides what it executes, as so many instructions of it. Others do not feel that.
  double besides = 0;
};

// Whether blocks differ so much that it is worth asking.
bool is_uneven(const trace::BlockWork& work, const BlockPlaces& places);

// In instructions of one block alone: from the first block's beginning to the last one's end, and the same of
// as many blocks that all execute the mean.
struct LaunchLength {
  double as_they_are = 0, even = 0;
};

// A block takes as long as what it executes and what it takes besides; the next one begins where one ended
// first. Blocks that did not run stand for the mean of the others. Zeros where nothing ran.
LaunchLength launch_length(const trace::BlockWork& work, const BlockPlaces& places);

}  // namespace warplens::analysis
