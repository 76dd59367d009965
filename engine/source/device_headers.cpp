#include "engine/source/device_headers.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <mutex>
#include <set>

#include "engine/base/assets.h"
#include "engine/base/text.h"
#include "engine/source/cache.h"

namespace warplens::source {
namespace {

std::string_view without_indent(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

// The first name of a text, and what stands behind it.
std::pair<std::string_view, std::string_view> first_name(std::string_view text) {
  text = without_indent(text);
  const auto end = std::ranges::find_if_not(text, is_name_character);
  const auto length = static_cast<std::size_t>(end - text.begin());
  return {text.substr(0, length), text.substr(length)};
}

// Calls use(word, rest) for each preprocessor line.
template <typename Use>
void for_each_directive(std::string_view text, Use use) {
  while (!text.empty()) {
    const std::string_view line = without_indent(text.substr(0, text.find('\n')));
    if (line.starts_with('#')) {
      const auto [word, rest] = first_name(line.substr(1));
      use(word, rest);
    }
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
}

// Names that decide what our headers hold: a user who defines one means it.
const std::set<std::string_view>& names_in_conditions() {
  static const std::set<std::string_view> names = [] {
    std::set<std::string_view> found;
    for (const auto& [name, text] : device_headers())
      for_each_directive(text, [&](std::string_view word, std::string_view rest) {
        if (word != "ifdef" && word != "ifndef") return;
        found.insert(first_name(rest).first);
      });
    return found;
  }();
  return names;
}

// With a name by which a message can say where it was given.
std::string directive(const std::pair<std::string, std::string>& define) {
  const auto& [name, value] = define;
  return "#line 1 \"--define " + name + "\"\n#define " + name + " " + value + "\n";
}

}  // namespace

void add_defined_macros(std::string_view text, std::vector<std::string>& macros) {
  for_each_directive(text, [&](std::string_view word, std::string_view rest) {
    const std::string_view name = first_name(rest).first;
    if (word == "define" && !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0)
      macros.emplace_back(name);
  });
}

std::string front_text(std::string_view header, const Defines& defines) {
  std::string before, after;
  for (const auto& define : defines)
    (names_in_conditions().contains(define.first) ? before : after) += directive(define);
  return before + std::string(header) + "\n" + after;
}

std::string sheltered(std::string_view text, const Defines& defines) {
  std::string before, after;
  for (const auto& define : defines) {
    if (names_in_conditions().contains(define.first)) continue;
    before += "#undef " + define.first + "\n";
    after += directive(define);
  }
  return before + std::string(text) + "\n" + after;
}

std::string sheltered(std::string_view text, const std::vector<std::string>& macros) {
  std::string before, after;
  for (const std::string& macro : std::set<std::string>(macros.begin(), macros.end())) {
    if (names_in_conditions().contains(macro)) continue;
    before += "#pragma push_macro(\"" + macro + "\")\n#undef " + macro + "\n";
    after += "#pragma pop_macro(\"" + macro + "\")\n";
  }
  return before + std::string(text) + "\n" + after;
}

const std::vector<std::pair<std::string_view, std::string_view>>& device_headers() {
  static const std::vector<std::pair<std::string_view, std::string_view>> headers = {
#include "device_headers.inc"
#include "engine/base/message.h"
  };
  return headers;
}

std::string_view device_header(std::string_view name) {
  for (const auto& [header, text] : device_headers())
    if (header == name) return text;
  return {};
}

Result<std::string> device_header_folder() {
  // Two threads that start together must not both write; two processes may, and write the same bytes.
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  Hash hash;
  for (const auto& [name, text] : device_headers()) hash.add(name).add(text);
  const std::filesystem::path cache = cache_folder();
  if (cache.empty()) return told(ErrorKind::System, {"compile.no_cache", {}});
  const std::filesystem::path folder = cache / ("device_headers_" + hash.text());
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const auto& [name, text] : device_headers()) {
    const std::filesystem::path file = folder / name;
    if (std::filesystem::exists(file, error)) continue;
    if (auto written = write_text(file, text); !written) return written.error();
  }
  return std::filesystem::absolute(folder, error).string();  // compilers run elsewhere
}

}  // namespace warplens::source
