// Between functions that are not there, which know no declarations, and the rest.
#pragma once

namespace warplens::runtime {

// Says so; returns cudaErrorNotSupported.
int refuse(const char* function);
// The same of a library with numbers of its own.
int refuse(const char* function, int status);

}  // namespace warplens::runtime
