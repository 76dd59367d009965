// Texts of tests/models/golden that were read on a GPU, line by line.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/places.h"

namespace warplens::tests {

// Without comments.
inline std::vector<std::string> golden_lines(const std::string& name) {
  std::vector<std::string> out;
  std::ifstream in(source_dir() + "/tests/models/golden/" + name);
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with('#')) out.push_back(line);
  return out;
}

// Numbers by name behind the last semicolon, by what stands in front of the first of `until`: a warp's
// cycles, or shares of them, by reason.
inline std::map<std::string, std::map<std::string, double>> waits_of(const std::string& name,
                                                                     const std::string& until = ": ") {
  std::map<std::string, std::map<std::string, double>> out;
  for (const std::string& line : golden_lines(name)) {
    const std::size_t end = line.find(until), reasons = line.rfind("; ");
    if (end == std::string::npos || reasons == std::string::npos) continue;
    std::istringstream words(line.substr(reasons + 2));
    double number = 0;
    for (std::string reason; words >> reason >> number; words.ignore(2))
      out[line.substr(0, end)][reason] = number;
  }
  return out;
}

}  // namespace warplens::tests
