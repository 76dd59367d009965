// A product of matrices that the vendor's library is timed for, and what it took.
#pragma once

#include <string>
#include <vector>

namespace warplens::gpu {

// C = A * B in FP32 without TF32 (the library's default math), row-major: A has m rows and k columns, B has k
// and n.
struct ProductSize {
  int m = 0, n = 0, k = 0;
  bool operator==(const ProductSize&) const = default;
};

struct LibraryTimes {
  std::vector<double> milliseconds;  // one a run, L2 as the run before left it
  std::string version;               // "cuBLAS 13.0.2"
};

}  // namespace warplens::gpu
