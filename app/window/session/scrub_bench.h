// How smoothly a long trace scrubs: frames drawn while the time cursor runs over it, on this machine, now.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/model/run/pipeline.h"

namespace warplens::window {

// A run whose trace holds so many accesses, without a compiler and an emulator: strided, scattered and
// partial accesses to global and shared memory, with branches between, over many warps and blocks.
std::shared_ptr<const model::Run> long_run(std::size_t accesses);

struct ScrubResult {
  std::size_t accesses = 0;
  std::vector<std::string> views;
  int width = 0, height = 0;
  std::vector<double> frame_ms;  // wall clock, in order
  double cpu_ms = 0;             // of the whole process, a frame on average: what remains on a busy machine
};

double percentile_of(std::vector<double> values, double share);
std::string to_json(const ScrubResult& result);

}  // namespace warplens::window
