// A kernel file together with the files it includes by name, ready for a compiler that must not see host
// code.
//
//   SourceTree tree = read_source_tree(file, text, include_paths);
//   tree.included  -> every file of the user's own that was reached, for the cache key
//   tree.device(rules) -> the device part; user headers are renamed so that no search path is needed
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warplens::source {

struct UserHeader {
  std::string path;  // as found on disk
  std::string text;
  std::string new_name;  // unique, without folders
};

struct DeviceSource {
  std::string text;
  std::vector<std::pair<std::string, std::string>> headers;  // new_name -> device part
  bool changed = false;
  std::vector<std::string> dropped;  // includes that were set aside, as written
};

// A text as compilers take it: editors that mark one as UTF-8 put three bytes in front that are none of it.
std::string without_byte_order_mark(std::string text);

struct SourceTree {
  std::string file, text;
  std::vector<std::string> search;  // folder of the file first
  std::vector<UserHeader> headers;  // in the order they are first reached

  // `provided` are system headers that the compiler has ("cuda_fp16.h", all of "cub/"); others are dropped.
  DeviceSource device(const std::set<std::string>& provided) const;
  // What `#include target` in the file `from` means; null for headers that are not the user's.
  const UserHeader* header(const std::string& target, const std::string& from) const;
};

SourceTree read_source_tree(const std::string& file, const std::string& text,
                            const std::vector<std::string>& include_paths);

}  // namespace warplens::source
