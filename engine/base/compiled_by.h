// Who made the PTX of a kernel, and what is to be said of how.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/message.h"

namespace warplens {

struct CompiledBy {
  enum class Origin : std::uint8_t {
    Nvcc,
    OtherCompiler,
    GivenPtx,    // a file of PTX was opened
    ProgramPtx,  // a whole program brought it
  } origin = Origin::OtherCompiler;
  std::string version;           // of a compiler, in its own words: "nvcc 13.0.88"
  std::vector<Message> remarks;  // nvcc refused the file; headers of ours stood in
  bool is_compiled() const { return origin == Origin::Nvcc || origin == Origin::OtherCompiler; }
};

// "nvcc 13.0.88; headers of Warplens's own stand in for helper_cuda.h"; "none (PTX given)".
std::string in_words(const CompiledBy& by, const Catalogue& text);

}  // namespace warplens
