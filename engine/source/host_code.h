// Sets the host part of a CUDA file aside: what NVRTC and clang (without the CUDA headers) are given is the
// device part alone, every line and column where it was.
//
//   float* d_x;                          ->  (blank)
//   __global__ void f(float* x) { ... }  ->  kept
//   int main() { f<<<1, 32>>>(d_x); }    ->  (blank)
//
// Not a C++ parser: a declaration is judged by its tokens, and what is not understood is kept, so that the
// compiler gives the verdict.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace warplens::source {

struct DevicePart {
  std::string text;      // as long as the original, or longer where an #include was rewritten
  bool changed = false;  // something was blanked or rewritten
  std::vector<std::string> kernels;
};

// What becomes of an #include: the text of the new directive, an empty string to drop it, or `directive`
// itself to keep it. `target` comes with its quotes or angle brackets.
using IncludeRule = std::function<std::string(const std::string& target, const std::string& directive)>;

// `context` is the text of the headers that `text` includes: their macros may be what marks device code.
DevicePart device_part(const std::string& text, const IncludeRule& include, const std::string& context = {});

// Does it define a main function: is it a program, or only kernels?
bool has_main(const std::string& text);

}  // namespace warplens::source
