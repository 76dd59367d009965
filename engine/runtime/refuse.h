// Between functions that are not there, which know no declarations, and the rest.
#pragma once

namespace warplens::runtime {

// Says so; returns cudaErrorNotSupported.
int refuse(const char* function);
// The same of a library with numbers of its own.
int refuse(const char* function, int status);

}  // namespace warplens::runtime

// A function that is not there: WARPLENS_MISSING(cudaArrayGetPlane), with the status of its library behind
// the name where it has numbers of its own.
#define WARPLENS_MISSING(function, ...)                                     \
  extern "C" __attribute__((visibility("default"))) int function() {        \
    return warplens::runtime::refuse(#function __VA_OPT__(, ) __VA_ARGS__); \
  }
