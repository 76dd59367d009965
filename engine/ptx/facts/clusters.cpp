#include "engine/ptx/facts/clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/base/message.h"

namespace warplens::ptx {

namespace {

constexpr std::string_view kSize = ".reqnctapercluster";

// Whether the word at `at` stands by itself and in no comment of its line.
bool is_directive(const std::string& text, std::size_t at, std::size_t length) {
  const auto is_space = [&](std::size_t i) {
    return std::string_view(" \t\r\n").find(text[i]) != std::string::npos;
  };
  const std::size_t line = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
  return (at == 0 || is_space(at - 1)) && at + length < text.size() && is_space(at + length) &&
         text.substr(line, at - line).find("//") == std::string::npos;
}

}  // namespace

Dim3 cluster_of(const Function& entry) {
  std::uint32_t sizes[3] = {1, 1, 1};
  for (const std::string& directive : entry.directives) {
    if (!directive.starts_with(kSize)) continue;
    const char* at = directive.data() + kSize.size();
    const char* const end = directive.data() + directive.size();
    for (std::size_t count = 0; at < end && count < 3;) {
      std::uint32_t value = 0;
      const auto [next, error] = std::from_chars(at, end, value);
      if (error == std::errc()) sizes[count++] = std::clamp(value, 1u, 1024u);
      at = error == std::errc() ? next : at + 1;
    }
  }
  return {sizes[0], sizes[1], sizes[2]};
}

std::string with_clusters(const std::string& text, Dim3 cluster) {
  constexpr std::string_view kEntry = ".entry";
  const std::string added =
      fmt::format(" .explicitcluster {} {}, {}, {} ", kSize, cluster.x, cluster.y, cluster.z);
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = text.find(kEntry); at != std::string::npos; at = text.find(kEntry, at + 1)) {
    if (!is_directive(text, at, kEntry.size())) continue;
    const std::size_t body = text.find_first_of("{;", at);
    if (body == std::string::npos || text[body] == ';') continue;  // declared only
    if (std::string_view(text).substr(at, body - at).find(kSize) != std::string::npos) continue;
    out.append(text, copied, body - copied);
    out += added;
    copied = body;
  }
  return out.append(text, copied, std::string::npos);
}

}  // namespace warplens::ptx
