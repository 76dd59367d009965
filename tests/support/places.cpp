#include "tests/support/places.h"

namespace warplens::tests {

std::string source_dir() {
  return WARPLENS_SOURCE_DIR;
}

std::string binary_dir() {
  return WARPLENS_BINARY_DIR;
}

std::string program() {
  return WARPLENS_BINARY_DIR "/warplens";
}

}  // namespace warplens::tests
