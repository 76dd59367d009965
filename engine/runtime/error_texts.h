// The names of errors and what is said of them.
//
//   error_text(700)->name   // "cudaErrorIllegalAddress"
#pragma once

namespace warplens::runtime {

struct ErrorText {
  int code;
  const char *name, *text;
};
// Nothing for a number that is no error of CUDA 13.
const ErrorText* error_text(int code);
// "CUDA_ERROR_ILLEGAL_ADDRESS"; nothing for a number that the driver does not know.
const char* driver_error_name(int code);

}  // namespace warplens::runtime
