// Programs that were written for a toolkit before CUDA 13, or that came without the headers of the toolkit's
// samples and of books: nvcc says what it misses, and what we have of that (assets/headers) is put back.
//
//   PutBack back;
//   while (!compiles(options_of(back), &log) && back.add(log)) {}
#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/model/run/stand_in_headers.h"
#include "engine/base/message.h"

namespace warplens::model {

struct PutBack {
  bool declarations = false;      // before_cuda_13.h: cudaDeviceProp::clockRate, __shfl(), ...
  bool textures = false;          // texture_references.h
  bool surfaces = false;          // surface_references.h
  bool relocatable = false;       // -rdc=true, which kernels that launch kernels need
  bool openmp = false;            // the host's threads, which a Makefile would have asked for
  bool as_cuda = false;           // C++ files that launch kernels, for which it would have said -x cu
  std::set<std::string> headers;  // "helper_cuda.h": stand-ins that were missed, as they are written

  // Adds what nvcc's log shows to be missing and could be put back. False: nothing that is not there already.
  bool add(const std::string& log);
  bool any() const {
    return declarations || textures || surfaces || relocatable || openmp || as_cuda || !headers.empty();
  }
  // For nvcc, and for its host compiler's preprocessor; `folder` leads to assets/headers and is a plain word.
  std::vector<std::string> options(const std::string& folder) const;
  std::vector<std::string> preprocessor(const std::string& folder) const;
  // What was done, for whoever compiles.
  std::vector<Message> notes() const;
};

}  // namespace warplens::model
