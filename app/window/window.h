// The window: opened by `warplens` without arguments and by `warplens app`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/model/gallery/gallery.h"
#include "engine/base/result.h"

namespace warplens::window {

struct AppOptions {
  std::string lesson;                      // lesson or gallery kernel to start with; empty: the last one
  std::string file;                        // a CUDA file to open instead
  std::string kernel;                      // of that file; empty: the first that its host code launches
  std::vector<std::string> include_paths;  // for its compiler
  std::vector<std::pair<std::string, std::string>> defines;
  std::map<std::string, std::int64_t> set;  // slider values
  std::vector<std::string> views;  // one: alone on the stage; two: both; empty: what suits the kernel
  std::string compare_kernel;      // pinned as side A of a comparison; empty with values: the same
  std::map<std::string, std::int64_t> compare;
  std::string theme;                        // "dark", "light", empty: remembered
  std::string language;                     // "en", "zh", empty: remembered, else the system's
  int width = 0, height = 0;                // 0: remembered, else fits the monitor
  double scale = 0;                         // 0: the monitor's
  std::string screenshot;                   // write a PNG and leave
  int after_frames = 0;                     // frames to draw before the screenshot
  std::string script;                       // actions to play (script.h), then leave
  int scrub_frames = 0;                     // measure scrubbing over so many frames, and leave
  std::size_t scrub_accesses = 10'000'000;  // of the trace that is scrubbed
  bool forget = false;                      // neither read nor write settings (tests)
};

// The language that the window would have: of these options, else as remembered, else the system's.
std::string language_of(const AppOptions& options);

// Returns the process exit code. Errors before the window exists (no display, no OpenGL 3.3) are values, in
// the window's language.
Result<int> open(const AppOptions& options);

}  // namespace warplens::window
