// What the programs have in common: every call's result is looked at, as people do it.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                               \
  do {                                                                            \
    const cudaError_t result = (call);                                            \
    if (result != cudaSuccess) {                                                  \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(result)); \
      std::exit(1);                                                               \
    }                                                                             \
  } while (0)
#define EXPECT(what)                                                 \
  do {                                                               \
    if (!(what)) {                                                   \
      std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
      std::exit(1);                                                  \
    }                                                                \
  } while (0)
