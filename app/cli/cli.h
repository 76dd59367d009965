// The command line: one binary, subcommands; nothing but the answer on standard output, messages on standard
// error. Exit codes: 0 done, 2 usage or unreadable input, 3 does not compile or unsupported, 4 kernel
// faulted, 5 instruction budget used up, 130 interrupted.
#pragma once

#include <string>

#include "app/window/window.h"
#include "engine/base/result.h"

namespace warplens::cli {

inline constexpr int kDone = 0;
inline constexpr int kUsage = 2;
inline constexpr int kNotCompiled = 3;
inline constexpr int kFaulted = 4;
inline constexpr int kBudget = 5;
inline constexpr int kInterrupted = 130;

// The window, when this binary has one. The command line itself is built without it.
struct Window {
  Result<int> (*open)(const window::AppOptions& options) = nullptr;
  std::string (*language)(const window::AppOptions& options) = nullptr;
};

int run(int argc, char** argv, const Window& window = {});

}  // namespace warplens::cli
