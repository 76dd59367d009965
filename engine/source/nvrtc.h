// NVIDIA's run-time compiler, opened as a library while the program runs: no CUDA header is needed to build
// this, and no toolkit to start.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"

namespace warplens::source {

struct NvrtcRequest {
  std::string name;  // of the file, for diagnostics and .loc
  std::string text;
  std::vector<std::string> options;
  std::vector<std::pair<std::string, std::string>> headers;  // name as included -> text
  std::vector<std::string> instances;                        // name expressions
  Progress* progress = nullptr;
};

struct NvrtcResult {
  bool ok = false;
  std::string ptx;
  std::string log;
};

class Nvrtc {
 public:
  // Opens the library at a path, or by a soname that the loader resolves.
  static Result<std::shared_ptr<const Nvrtc>> open(const std::string& library);
  ~Nvrtc();

  int major() const { return major_; }
  int minor() const { return minor_; }
  const std::string& path() const { return path_; }
  // A kernel that does not compile is a result whose log says why; an Error is trouble with NVRTC itself.
  Result<NvrtcResult> compile(const NvrtcRequest& request) const;

 private:
  struct Api;
  Nvrtc() = default;
  std::unique_ptr<Api> api_;
  std::string path_;
  int major_ = 0, minor_ = 0;
};

}  // namespace warplens::source
