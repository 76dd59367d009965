// Where the tests find what they read and where they write. One file knows (places.cpp), so that every other
// object is the same in every clone and a compiler cache serves them all.
#pragma once

#include <string>

namespace warplens::tests {

std::string source_dir();  // of the repository
std::string binary_dir();  // of the build
std::string program();     // warplens itself, as built

}  // namespace warplens::tests
