// A CUDA file as the host compiler's parser would see it: macros replaced, the branches of #if chosen, the
// user's own headers in place. System headers are left out.
//
//   #define CHECK(call) do { cudaError_t e = (call); if (e) exit(1); } while (0)
//   CHECK(cudaMalloc(&p, N * 4));    ->   do { cudaError_t e = (cudaMalloc(&p, 1024 * 4)); ...
//
// Never fails: what cannot be understood stays as it is.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "engine/source/lexer.h"
#include "engine/source/source_tree.h"

namespace warplens::source {

struct Preprocessed {
  // Without directives. What a macro made stands on the line of its use.
  std::vector<Token> tokens;
  std::vector<bool> in_main_file;  // one a token: its line is one of the main file
  // Texts that tokens point into beside those of the tree, which must outlive this.
  std::deque<std::string> made;
};

// `defines` are those of the command line.
Preprocessed preprocess(const SourceTree& tree,
                        const std::vector<std::pair<std::string, std::string>>& defines);

}  // namespace warplens::source
