#include "engine/source/toolchain.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/source/cache.h"
#include "engine/source/nvrtc.h"
#include "engine/source/private_folder.h"
#include "engine/source/process.h"

namespace warplens::source {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const char* text, char separator) {
  std::vector<std::string> parts;
  if (text == nullptr) return parts;
  std::string part;
  for (const char* c = text;; ++c) {
    if (*c == separator || *c == '\0') {
      if (!part.empty()) parts.push_back(part);
      part.clear();
      if (*c == '\0') return parts;
    } else {
      part += *c;
    }
  }
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// Asking a program for its version costs a process, and a window that starts asks three: remembered by path
// and time of change, in memory and in the cache folder.
std::string version_output(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  std::error_code ignored;
  const auto changed = fs::last_write_time(path, ignored).time_since_epoch().count();
  const std::string key = Hash().add(path).add(std::to_string(changed)).text();
  const std::scoped_lock lock(mutex);
  std::string& entry = known[key];
  if (!entry.empty()) return entry;
  const fs::path cache = cache_folder(), file = cache / ("version_" + key);
  if (const auto kept = read_text(file); !cache.empty() && kept && !kept->empty()) return entry = *kept;
  const auto result = run_process({path, "--version"}, {.limits = {.seconds = 20}});
  entry = result && result->status == 0 ? result->out : "unusable";
  if (!cache.empty() && entry != "unusable") static_cast<void>(write_text(file, entry));
  return entry;
}

// "release 13.0, V13.0.48": "13.0" behind "release "; empty where there is no such number.
std::string version_behind(const std::string& text, std::string_view words) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t at = text.find(words);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + words.size(), point = text.find_first_not_of(kDigits, begin);
  if (point == begin || point >= text.size() || text[point] != '.') return {};
  const std::size_t end = std::min(text.find_first_not_of(kDigits, point + 1), text.size());
  return end == point + 1 ? std::string() : text.substr(begin, end - begin);
}

std::shared_ptr<const Nvrtc> open_nvrtc(const SearchPlaces& places, Tool& tool) {
  std::vector<std::string> candidates = places.nvrtc_library_names;
  for (const std::string& toolkit : places.toolkits)
    for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
      for (const char* name : {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"}) {
        const fs::path file = fs::path(toolkit) / folder / name;
        if (is_there(file)) candidates.push_back(file.string());
      }
  // Opened once a process: the same library serves every later search that would find it.
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Nvrtc>> opened;
  const std::scoped_lock lock(mutex);
  for (const std::string& candidate : candidates) {
    auto& entry = opened[candidate];
    if (!entry)
      if (auto nvrtc = Nvrtc::open(candidate)) entry = *nvrtc;
    if (!entry) continue;
    tool.path = entry->path();
    tool.version = "NVRTC " + std::to_string(entry->major()) + "." + std::to_string(entry->minor());
    return entry;
  }
  tool.reason = told(ErrorKind::System, {"compile.tool.no_nvrtc", {}});
  return nullptr;
}

// nvcc finds its other parts beside itself, beyond a link if it is one.
bool has_plain_name(const std::string& program) {
  std::error_code failed;
  const bool link = fs::is_symlink(program, failed);
  return is_plain_word(program) && (!link || is_plain_word(fs::canonical(program, failed).native()));
}

Tool find_cuda_tool(const SearchPlaces& places, const std::string& program) {
  Tool tool;
  std::vector<std::string> folders = places.program_folders;
  for (const std::string& toolkit : places.toolkits) folders.push_back(toolkit + "/bin");
  tool.path = find_program(program, folders);
  if (tool.path.empty()) {
    tool.reason = told(ErrorKind::System, {"compile.tool.none", {{"program", value_of(program)}}});
    return tool;
  }
  if (program == "nvcc" && !has_plain_name(tool.path)) {
    tool.reason = told(ErrorKind::System, {"compile.tool.no_plain_name", {{"path", value_of(tool.path)}}});
    tool.path.clear();
    return tool;
  }
  const std::string release = version_behind(version_output(tool.path), "release ");
  if (release.empty()) {
    tool.reason = told(ErrorKind::System, {"compile.tool.no_version", {{"path", value_of(tool.path)}}});
    tool.path.clear();
    return tool;
  }
  tool.version = program + " " + release;
  return tool;
}

Tool find_clang(const SearchPlaces& places, int& major) {
  Tool tool;
  constexpr int kOldest = 14, kNewest = 22;
  tool.path = find_program("clang", places.program_folders);
  for (int version = kNewest; tool.path.empty() && version >= kOldest; --version)
    tool.path = find_program("clang-" + std::to_string(version), places.program_folders);
  if (tool.path.empty()) {
    tool.reason = told(ErrorKind::System, {"compile.tool.no_clang", {}});
    return tool;
  }
  const std::string version = version_behind(version_output(tool.path), "clang version ");
  major = version.empty() ? 0 : std::atoi(version.c_str());
  if (major < kOldest) {
    tool.reason = told(ErrorKind::System, {"compile.tool.old_clang", {{"path", value_of(tool.path)}}});
    tool.path.clear();
    return tool;
  }
  tool.version = "clang " + version;
  return tool;
}

}  // namespace

SearchPlaces SearchPlaces::from_environment() {
  SearchPlaces places;
  places.program_folders = split(std::getenv("PATH"), ':');
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0')
      places.toolkits.emplace_back(value);
  for (const char* folder : {"/usr/local/cuda", "/opt/cuda"})
    if (is_there(folder)) places.toolkits.emplace_back(folder);
  places.nvrtc_library_names = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"};
  return places;
}

std::string find_program(const std::string& name, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    std::error_code ignored;
    const std::string path = fs::absolute(fs::path(folder) / name, ignored).string();
    if (fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

Toolchain find_toolchain(const SearchPlaces& places) {
  Toolchain tools;
  tools.nvrtc = open_nvrtc(places, tools.nvrtc_tool);
  tools.nvcc = find_cuda_tool(places, "nvcc");
  tools.ptxas = find_cuda_tool(places, "ptxas");
  tools.clang = find_clang(places, tools.clang_major);
  std::vector<std::string> includes;
  for (const std::string& toolkit : places.toolkits) includes.push_back(toolkit + "/include");
  if (tools.nvrtc)
    for (const char* relative : {"../include", "../../include", "../../../include"})
      includes.push_back(
          (fs::path(tools.nvrtc->path()).parent_path() / relative).lexically_normal().string());
  const auto found = std::find_if(includes.begin(), includes.end(), [](const std::string& folder) {
    return is_there(fs::path(folder) / "cuda_runtime.h");
  });
  if (found != includes.end()) tools.toolkit_include = *found;
  return tools;
}

std::vector<CompilerInfo> find_compilers() {
  const Toolchain tools = find_toolchain(SearchPlaces::from_environment());
  const auto info = [](Compiler compiler, const Tool& tool) {
    return CompilerInfo{compiler, !tool.path.empty(), tool.version, tool.path, tool.reason.message};
  };
  return {info(Compiler::Nvrtc, tools.nvrtc_tool), info(Compiler::Nvcc, tools.nvcc),
          info(Compiler::Clang, tools.clang)};
}

}  // namespace warplens::source
