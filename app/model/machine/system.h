// What this machine offers Warplens, found part by part: for `warplens doctor` and the window's device panel.
#pragma once

#include <string>
#include <vector>

namespace warplens::model {

struct Finding {
  std::string part;  // "NVIDIA GPU", "NVRTC", "Chinese font"
  bool found = false;
  std::string detail;  // version and place when found; the reason when not
  std::string gives;   // what it is for, and how to get it when it is missing
};

std::vector<Finding> examine_system();

}  // namespace warplens::model
