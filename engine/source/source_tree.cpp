#include "engine/source/source_tree.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>

#include "engine/base/assets.h"
#include "engine/source/host_code.h"
#include "engine/source/lexer.h"
#include "engine/source/source_names.h"

namespace warplens::source {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostHeaders = 500;

// "x.h" or <x.h> of an #include line; empty when it is written in another way.
std::string include_target(const Token& token) {
  if (token.kind != TokenKind::Directive) return {};
  const auto [word, rest] = split_directive(token.text);
  if (word != "include" || rest.size() < 3) return {};
  const char close = rest[0] == '<' ? '>' : rest[0] == '"' ? '"' : '\0';
  const std::size_t end = close == '\0' ? std::string_view::npos : rest.find(close, 1);
  return end == std::string_view::npos ? std::string{} : std::string(rest.substr(0, end + 1));
}

std::string bare(const std::string& target) {
  return target.size() < 2 ? target : target.substr(1, target.size() - 2);
}

std::optional<std::string> resolve(const std::string& target, const std::string& from,
                                   const std::vector<std::string>& search) {
  std::vector<fs::path> folders;
  if (target[0] == '"') folders.push_back(fs::path(from).parent_path());
  for (std::size_t i = target[0] == '"' ? 0 : 1; i < search.size(); ++i) folders.emplace_back(search[i]);
  for (const fs::path& folder : folders) {
    const fs::path path = (folder / bare(target)).lexically_normal();
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path.string();
  }
  return std::nullopt;
}

// Host headers that people include with quotes: dropped like <iostream>, not missed.
bool is_known_host_header(const std::string& name) {
  static const std::set<std::string> kNames = {"cuda_runtime.h",
                                               "cuda_runtime_api.h",
                                               "cuda.h",
                                               "device_launch_parameters.h",
                                               "stdio.h",
                                               "stdlib.h",
                                               "math.h",
                                               "string.h",
                                               "time.h",
                                               "assert.h",
                                               "device_functions.h",
                                               "cublas_v2.h",
                                               "driver_types.h",
                                               "vector_types.h",
                                               "device_atomic_functions.h"};
  const std::string stem = fs::path(name).filename().string();
  return kNames.contains(stem) || stem.rfind("helper_", 0) == 0;
}

// A name that ends with a slash stands for a folder of headers.
bool is_provided(const std::string& name, const std::set<std::string>& provided) {
  const std::size_t slash = name.find('/');
  return provided.contains(name) ||
         (slash != std::string::npos && provided.contains(name.substr(0, slash + 1)));
}

std::string new_name(std::size_t number, const std::string& path) {
  std::string name = "user_" + std::to_string(number) + "_";
  for (const char c : fs::path(path).filename().string())
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' ? c : '_';
  return name;
}

}  // namespace

std::string without_byte_order_mark(std::string text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (text.starts_with(kMark)) text.erase(0, kMark.size());
  return text;
}

SourceTree read_source_tree(const std::string& file, const std::string& text,
                            const std::vector<std::string>& include_paths) {
  SourceTree tree;
  tree.file = file;
  tree.text = text;
  tree.search.push_back(fs::path(file).parent_path().string());
  tree.search.insert(tree.search.end(), include_paths.begin(), include_paths.end());

  std::set<std::string> seen;
  const auto scan = [&](const std::string& from, const std::string& content) {
    for (const Token& token : tokenize(content)) {
      const std::string target = include_target(token);
      if (target.empty()) continue;
      const auto path = resolve(target, from, tree.search);
      if (!path || !seen.insert(*path).second || tree.headers.size() >= kMostHeaders) continue;
      auto found = read_text(*path);
      if (!found) continue;
      tree.headers.push_back(
          {*path, without_byte_order_mark(std::move(*found)), new_name(tree.headers.size(), *path)});
    }
  };
  scan(file, text);
  for (std::size_t i = 0; i < tree.headers.size(); ++i) {
    const UserHeader header = tree.headers[i];  // a copy: the vector grows
    scan(header.path, header.text);
  }
  return tree;
}

const UserHeader* SourceTree::header(const std::string& target, const std::string& from) const {
  if (target.size() < 3 || (target[0] != '"' && target[0] != '<')) return nullptr;
  const std::size_t end = target.find(target[0] == '"' ? '"' : '>', 1);
  if (end == std::string::npos) return nullptr;
  const auto path = resolve(target.substr(0, end + 1), from, search);
  if (!path) return nullptr;
  const auto found =
      std::find_if(headers.begin(), headers.end(), [&](const UserHeader& h) { return h.path == *path; });
  return found == headers.end() ? nullptr : &*found;
}

DeviceSource SourceTree::device(const std::set<std::string>& provided) const {
  DeviceSource source;
  std::string context;
  for (const UserHeader& header : headers) context += header.text + "\n";

  const auto strip = [&](const std::string& from, const std::string& content) {
    const IncludeRule rule = [&](const std::string& target, const std::string& directive) -> std::string {
      if (const auto path = resolve(target, from, search)) {
        const auto header = std::find_if(headers.begin(), headers.end(),
                                         [&](const UserHeader& h) { return h.path == *path; });
        return header == headers.end() ? directive : "#include \"" + header->new_name + "\"";
      }
      const std::string name = bare(target);
      if (is_provided(name, provided)) return directive;
      // A header of the user's own that is not there is the user's error, and the compiler says so.
      if (target[0] == '"' && !is_known_host_header(name)) return directive;
      source.dropped.push_back(name);
      return "";
    };
    DevicePart part = device_part(content, rule, context);
    source.changed |= part.changed;
    return std::move(part.text);
  };
  source.text = strip(file, text);
  for (const UserHeader& header : headers)
    source.headers.emplace_back(header.new_name,
                                line_directive(header.path) + strip(header.path, header.text));
  return source;
}

}  // namespace warplens::source
