// What the user's files are called in front of a compiler, and back.
//
// A compiler works in a private folder and sees the user's names only inside of files: in #line, so that its
// messages, the line table of the PTX and __FILE__ have them. A name that cannot stand there (quotes,
// backslashes, line breaks, broken UTF-8, something that reads like a place in a message) is replaced by a
// neutral one, and put back into messages and the line table.
//
//   text = line_directive("it's a \"b\".cu") + text;      // #line 1 "warplens_name_3f2a....cu"
//   SourceNames names({"it's a \"b\".cu"});
//   names.known("warplens_name_3f2a....cu")               // it's a "b".cu
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warplens::source {

std::string name_for_compilers(const std::string& file);
std::string line_directive(const std::string& file);

class SourceNames {
 public:
  explicit SourceNames(const std::vector<std::string>& files);

  // A name that begins with `seen` is one in `folder` (empty: the current one). The longest that fits counts;
  // the first that was added is where the compiler worked, and what is in there may be a link to another.
  void add_folder(const std::string& seen, const std::string& folder);
  std::string known(const std::string& seen) const;

  // Replaces the names in the .file directives of a PTX text. One that cannot stand there is left, and said
  // in a comment at the end of the text.
  void restore(std::string& ptx) const;

 private:
  std::vector<std::pair<std::string, std::string>> folders_, files_;  // seen, known
};

// What restore() has said in comments: a name as it is in the text, and as the user knows it.
std::vector<std::pair<std::string, std::string>> noted_names(std::string_view ptx);

}  // namespace warplens::source
