#include "app/lesson/book_code.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "engine/base/text.h"

namespace warplens::lesson {
namespace {

constexpr std::size_t kShort = 45;  // so many lines stand on half a sheet

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_name_character(text[end])) ++end;
    if (end > at) out.emplace_back(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return out;
}

// Without what stands behind slashes and between quotation marks.
std::string bare(std::string_view line) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!quoted && line.substr(i, 2) == "//") break;
    if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) quoted = !quoted;
    if (!quoted) out += line[i];
  }
  return out;
}

// What stands between two blank lines outside of all braces: a function, a structure, a few constants; with
// the comment before it.
struct Piece {
  std::string text, code;  // code: without comments
  std::size_t lines = 0;
  std::set<std::string> defines;
  bool kernel = false, kept = false;
};

// The names that others can use it by: of a function, of structures and constants.
void find_names(Piece& piece) {
  const std::vector<std::string> words = words_of(piece.code);
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "define" || words[i] == "struct" || words[i] == "ifndef")
      piece.defines.insert(words[i + 1]);
  // Outside of braces: `constexpr int kSize = 4;`, `__constant__ float table[32];`, `float half(float x) {`.
  int depth = 0;
  for (std::size_t i = 0; i < piece.code.size(); ++i) {
    const char c = piece.code[i];
    const bool outside = depth == 0;
    depth += c == '{' || c == '(' ? 1 : c == '}' || c == ')' ? -1 : 0;
    if (!outside || (c != '=' && c != '[' && c != ';' && c != '(')) continue;
    std::size_t end = i;
    while (end > 0 && piece.code[end - 1] == ' ') --end;
    std::size_t begin = end;
    while (begin > 0 && is_name_character(piece.code[begin - 1])) --begin;
    if (end > begin && !piece.code.substr(begin, end - begin).starts_with("__"))
      piece.defines.insert(piece.code.substr(begin, end - begin));
  }
}

std::vector<Piece> pieces_of(const std::string& source) {
  std::vector<Piece> out;
  Piece now;
  int depth = 0;
  const auto close = [&] {
    // A comment between blank lines belongs to what follows.
    if (now.code.find_first_not_of(" \n") == std::string::npos) return;
    find_names(now);
    out.push_back(std::move(now));
    now = {};
  };
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    const std::string line = source.substr(at, end - at), code = bare(line);
    at = end + 1;
    if (depth == 0 && code.empty() && line.empty()) close();
    now.text += line + "\n";
    now.code += code + "\n";
    ++now.lines;
    now.kernel = now.kernel || code.find("__global__") != std::string::npos;
    for (const char c : code) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
  }
  close();
  return out;
}

// The kernel, then whatever that which is kept uses. False where there is no such kernel.
bool keep_used(std::vector<Piece>& pieces, const std::string& kernel) {
  std::set<std::string> used;
  const auto keep = [&](Piece& piece) {
    piece.kept = true;
    for (std::string& word : words_of(piece.code)) used.insert(std::move(word));
  };
  const auto found = std::find_if(pieces.begin(), pieces.end(), [&](const Piece& piece) {
    return piece.kernel && piece.defines.contains(kernel);
  });
  if (found == pieces.end()) return false;
  keep(*found);
  for (bool more = true; more;) {
    more = false;
    for (Piece& piece : pieces) {
      const bool uses = std::any_of(piece.defines.begin(), piece.defines.end(),
                                    [&](const std::string& name) { return used.contains(name); });
      if (piece.kept || (!uses && !piece.defines.empty())) continue;
      keep(piece);
      more = true;
    }
  }
  return true;
}

}  // namespace

std::string code_of(const std::string& source, std::string_view kernel) {
  std::vector<Piece> pieces = pieces_of(source);
  std::size_t all = 0, kept = 0;
  for (const Piece& piece : pieces) all += piece.lines;
  if (all <= kShort || !keep_used(pieces, std::string(kernel.substr(0, kernel.find('<'))))) return source;
  std::string out;
  for (const Piece& piece : pieces) {
    if (!piece.kept) continue;
    kept += piece.lines;
    out += piece.text;
  }
  out.erase(0, out.find_first_not_of('\n'));
  return kept * 5 > all * 4 ? source : out;
}

}  // namespace warplens::lesson
