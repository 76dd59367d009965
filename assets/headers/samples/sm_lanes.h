// What helper_cuda.h and helper_cuda_drvapi.h both say.
#pragma once

// Lanes of single precision in a multiprocessor.
static inline int _ConvertSMVer2Cores(int major, int minor) {
  switch (major) {
    case 3:
      return 192;
    case 6:
      return minor == 0 ? 64 : 128;
    case 7:
      return 64;
    case 8:
      return minor == 0 ? 64 : 128;
    default:
      return 128;
  }
}
