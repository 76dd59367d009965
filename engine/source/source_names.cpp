#include "engine/source/source_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "engine/source/cache.h"

namespace warplens::source {
namespace {

namespace fs = std::filesystem;

// How many bytes of a character of UTF-8 begin here; 0 when none does.
std::size_t character_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  return length;
}

bool is_plain_text(std::string_view name) {
  while (!name.empty()) {
    const auto c = static_cast<unsigned char>(name[0]);
    const std::size_t length = character_length(name);
    if (length == 0 || c < 0x20 || c == 0x7f || c == '"' || c == '\\') return false;
    name.remove_prefix(length);
  }
  return true;
}

// "a(3): b" or "a:3: b" would end a compiler's place early; "<stdin>" is a name of the compilers' own.
bool reads_like_a_place(std::string_view name) {
  if (name.find("): ") != std::string_view::npos || name.starts_with('<')) return true;
  for (std::size_t at = name.find(':'); at != std::string_view::npos; at = name.find(':', at + 1)) {
    std::size_t end = at + 1;
    while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0) ++end;
    if (end > at + 1 && (end == name.size() || name[end] == ':')) return true;
  }
  return false;
}

constexpr std::string_view kNote = "// file ", kIs = " is ";

// %0A for a line break: what may stand in a comment is kept.
std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f && c != '%')
      text += c;
    else
      text += fmt::format("%{:02X}", byte);
  }
  return text;
}

std::string unescaped(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ec == std::errc())
      i += 2;
    else
      byte = static_cast<unsigned char>(text[i]);
    name += static_cast<char>(byte);
  }
  return name;
}

}  // namespace

std::string name_for_compilers(const std::string& file) {
  if (is_plain_text(file) && !reads_like_a_place(file)) return file;
  return "warplens_name_" + Hash().add(file).text() + ".cu";
}

std::string line_directive(const std::string& file) {
  return "#line 1 \"" + name_for_compilers(file) + "\"\n";
}

SourceNames::SourceNames(const std::vector<std::string>& files) {
  for (const std::string& file : files)
    if (std::string neutral = name_for_compilers(file); neutral != file)
      files_.emplace_back(std::move(neutral), file);
}

void SourceNames::add_folder(const std::string& seen, const std::string& folder) {
  folders_.emplace_back(seen.ends_with('/') ? seen : seen + "/", folder);
}

std::string SourceNames::known(const std::string& seen) const {
  std::string name = seen;
  if (!folders_.empty() && name.starts_with(folders_[0].first)) name = name.substr(folders_[0].first.size());
  const std::pair<std::string, std::string>* in = nullptr;
  for (const auto& folder : folders_)
    if (name.starts_with(folder.first) && (in == nullptr || folder.first.size() > in->first.size()))
      in = &folder;
  if (in != nullptr)
    name = (fs::path(in->second) / name.substr(in->first.size())).lexically_normal().string();
  // Whichever folder the compiler has put a neutral name into.
  const std::string last = fs::path(name).filename().string();
  const auto file = std::ranges::find(files_, last, &std::pair<std::string, std::string>::first);
  return file == files_.end() ? name : file->second;
}

void SourceNames::restore(std::string& ptx) const {
  constexpr std::string_view kDirective = "\t.file\t";
  std::string made, notes;
  std::size_t copied = 0;
  for (std::size_t at = ptx.find(kDirective); at != std::string::npos; at = ptx.find(kDirective, at + 1)) {
    if (at > 0 && ptx[at - 1] != '\n') continue;
    const std::size_t line_end = std::min(ptx.find('\n', at), ptx.size());
    const std::size_t open = ptx.find('"', at);
    if (open >= line_end) continue;
    const std::size_t close = ptx.find('"', open + 1);
    if (close >= line_end) continue;
    const std::string seen = ptx.substr(open + 1, close - open - 1);
    std::string name = known(seen);
    if (!is_plain_text(name)) {
      // The neutral name alone: the folder of the compiler is another every time.
      std::string neutral = name_for_compilers(name);
      notes += fmt::format("{}{}{}{}\n", kNote, neutral, kIs, escaped(name));
      name = std::move(neutral);
    }
    made.append(ptx, copied, open + 1 - copied).append(name);
    copied = close;
  }
  ptx = made.append(ptx, copied, std::string::npos);
  if (!notes.empty() && !ptx.ends_with('\n')) ptx += '\n';
  ptx += notes;
}

std::vector<std::pair<std::string, std::string>> noted_names(std::string_view ptx) {
  std::vector<std::pair<std::string, std::string>> names;
  while (ptx.ends_with('\n')) {
    ptx.remove_suffix(1);
    const std::string_view line = ptx.substr(ptx.rfind('\n') + 1);
    const std::size_t is = line.find(kIs);
    if (!line.starts_with(kNote) || is == std::string_view::npos) break;
    names.emplace_back(line.substr(kNote.size(), is - kNote.size()), unescaped(line.substr(is + kIs.size())));
    ptx.remove_suffix(line.size());
  }
  return names;
}

}  // namespace warplens::source
