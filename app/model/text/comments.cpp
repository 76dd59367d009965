#include "app/model/text/comments.h"

#include <functional>
#include <mutex>

#include "app/model/text/toml_reader.h"
#include "engine/base/toml.h"

namespace warplens::model {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "comments.";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

// The text with what `other` makes of each comment; nothing: it stays.
using Other = std::function<const std::string*(std::string_view)>;
std::string replaced(std::string_view text, const Other& other) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    // Two slashes within a string are no comment; what follows them then is no line that is known.
    const std::string* instead = nullptr;
    std::size_t at = 0, starts = 0;
    while (instead == nullptr && (at = line.find("//", at)) != std::string_view::npos) {
      at += 2;
      const std::string_view comment = trimmed(line.substr(at));
      if (comment.empty()) break;
      instead = other(comment);
      starts = static_cast<std::size_t>(comment.data() - line.data());
    }
    if (instead != nullptr) {
      out += line.substr(0, starts);
      out += *instead;
      if (line.ends_with('\r')) out += '\r';
    } else {
      out += line;
    }
    if (end < text.size()) out += '\n';
    begin = end + 1;
  }
  return out;
}

const std::string* in(const Comments::Lines& lines, std::string_view line) {
  const auto found = lines.find(line);
  return found == lines.end() ? nullptr : &found->second;
}

void add(Comments& comments, const std::string& language, const fs::path& file) {
  const Result<toml::table> table = read_toml(file);
  if (!table) {
    comments.problems.push_back(table.error());
    return;
  }
  TomlReader reader(file);
  for (const auto& [kernel, node] : *table) {
    const toml::table* lines = node.as_table();
    if (lines == nullptr) {
      reader.fail(&node, {"toml.comments.no_table", {{"kernel", value_of(std::string(kernel.str()))}}});
      continue;
    }
    for (const auto& [english, other] : *lines) {
      const auto text = other.value_exact<std::string>();
      if (!text || text->empty() || text->find('\n') != std::string::npos) {
        reader.fail(&other, {"toml.comments.no_line", {{"line", value_of(std::string(english.str()))}}});
        continue;
      }
      comments.of[language][std::string(english.str())] = *text;
      comments.english[*text] = std::string(english.str());
    }
  }
  const std::vector<Error>& problems = reader.problems();
  comments.problems.insert(comments.problems.end(), problems.begin(), problems.end());
}

}  // namespace

Comments read_comments(const fs::path& folder) {
  Comments out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() == ".toml" && stem.starts_with(kPrefix))
      add(out, stem.substr(kPrefix.size()), entry.path());
  }
  return out;
}

std::string comments_in(std::string_view language, std::string_view text, const fs::path& file) {
  static std::mutex mutex;
  static std::map<fs::path, Comments> known;
  const Comments* comments = nullptr;
  {
    const std::lock_guard lock(mutex);
    const auto [found, fresh] = known.try_emplace(file.parent_path());
    if (fresh) found->second = read_comments(found->first);
    comments = &found->second;  // nodes of a map stay where they are
  }
  const auto lines = comments->of.find(language);
  return replaced(text, [&](std::string_view line) -> const std::string* {
    const std::string* english = in(comments->english, line);
    if (lines == comments->of.end()) return english;
    return in(lines->second, english != nullptr ? std::string_view(*english) : line);
  });
}

std::vector<std::string> comment_lines(std::string_view text) {
  std::vector<std::string> out;
  replaced(text, [&](std::string_view line) -> const std::string* {
    out.emplace_back(line);
    static const std::string kAnything;
    return &kAnything;  // one a line
  });
  return out;
}

}  // namespace warplens::model
