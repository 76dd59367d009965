#include "engine/ptx/syntax/module.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>

#include "engine/base/message.h"
#include "engine/ptx/syntax/kernel_names.h"

namespace warplens::ptx {
namespace {

// A mangled name may stand for one that is exponentially longer (each reference can double it), so names with
// very many references keep their mangled form.
bool is_safe_to_demangle(std::string_view mangled) {
  if (mangled.size() > 4096) return false;
  std::size_t references = 0;
  for (std::size_t i = 0; i + 1 < mangled.size(); ++i) {
    const char next = mangled[i + 1];
    const bool numbered = next == '_' || (next >= '0' && next <= '9') || (next >= 'A' && next <= 'Z');
    references += (mangled[i] == 'S' || mangled[i] == 'T') && numbered;
  }
  return references <= 32;
}

// Of a name that the C++ library does not demangle (it gives up above 1,024 characters): what a person calls
// it, "ns::fill<...>". Empty: it does not begin like one.
std::string start_of(std::string_view mangled) {
  mangled.remove_prefix(2);
  const bool nested = mangled.starts_with('N');
  if (nested) mangled.remove_prefix(1);
  std::string out;
  while (!mangled.empty() && mangled[0] >= '0' && mangled[0] <= '9') {
    std::size_t length = 0;
    const auto [rest, failed] = std::from_chars(mangled.data(), mangled.data() + mangled.size(), length);
    mangled.remove_prefix(static_cast<std::size_t>(rest - mangled.data()));
    if (failed != std::errc{} || length > mangled.size()) return {};
    const std::string_view part = mangled.substr(0, length);
    out += out.empty() ? "" : "::";
    out += part.starts_with("_GLOBAL__N_") ? "(anonymous namespace)" : part;
    mangled.remove_prefix(length);
    if (!nested) break;
  }
  return !out.empty() && mangled.starts_with('I') ? out + "<...>" : out;
}

// Cuts at the first `stop` that stands outside <>, () and [].
std::string_view before_outer(std::string_view text, char stop) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && c == stop) return text.substr(0, i);
    if (c == '<' || c == '(' || c == '[') ++depth;
    if ((c == '>' && (i == 0 || text[i - 1] != '-')) || c == ')' || c == ']') --depth;
  }
  return text;
}

// "void ns::scale<float, 4>(float*)" -> "ns::scale<float, 4>"
std::string_view without_signature(std::string_view text) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  std::size_t start = 0;
  // The return type of a template instance stands before the last blank outside of brackets.
  int depth = 0;
  std::size_t end = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
      continue;
    }
    const char c = text[i];
    if (depth == 0 && c == '(') {
      end = i;
      break;
    }
    if (depth == 0 && c == ' ') start = i + 1;
    if (c == '<') ++depth;
    if (c == '>') --depth;
  }
  return text.substr(start, end - start);
}

// Spelling differences that mean nothing: blanks, "4u" and "(short)4" for 4, "unsigned int" for unsigned.
std::string normalised(std::string_view given) {
  const std::string text = as_written(given);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool after_digit = !out.empty() && out.back() >= '0' && out.back() <= '9';
    if (c == ' ' || c == '\t') continue;
    const bool suffix = c == 'u' || c == 'U' || c == 'l' || c == 'L';
    if (suffix && after_digit) {
      std::size_t first = out.size();
      while (first > 0 && out[first - 1] >= '0' && out[first - 1] <= '9') --first;
      const char before = first == 0 ? ' ' : out[first - 1];
      if (before == '<' || before == ',' || before == '-' || before == ')') continue;
    }
    if (c == '(' && !out.empty() && (out.back() == '<' || out.back() == ',')) {  // a cast before a number
      const std::size_t close = text.find(')', i);
      const char next = close == std::string::npos || close + 1 >= text.size() ? ' ' : text[close + 1];
      if ((next >= '0' && next <= '9') || next == '-') {
        i = close;
        continue;
      }
    }
    out += c;
  }
  const auto replace = [&](std::string_view from, std::string_view to) {
    for (std::size_t at = out.find(from); at != std::string::npos; at = out.find(from, at + to.size())) {
      out.replace(at, from.size(), to);
    }
  };
  replace("unsignedint", "unsigned");
  replace("longint", "long");
  replace("shortint", "short");
  return out;
}

// "ns::scale<ns::T>" -> "scale<ns::T>"
std::string_view without_namespace(std::string_view text) {
  const std::string_view base = before_outer(text, '<');
  const std::size_t colons = base.rfind("::");
  return colons == std::string_view::npos ? text : text.substr(colons + 2);
}

// How well a wanted name fits: 0 not at all, larger is better.
int fit(const Function& function, std::string_view wanted) {
  if (function.name == wanted) return 5;
  const std::string_view full = without_signature(function.demangled);
  const std::string goal = normalised(wanted);
  if (normalised(function.demangled) == goal) return 4;
  if (normalised(full) == goal) return 3;
  if (normalised(without_namespace(full)) == goal) return 2;
  const std::string_view plain = before_outer(full, '<');
  return normalised(plain) == goal || normalised(without_namespace(plain)) == goal ? 1 : 0;
}

Error no_entry(std::string key, std::string_view wanted, const std::vector<const Function*>& entries) {
  std::string names;
  for (std::size_t i = 0; i < entries.size() && i < 20; ++i) {
    // Overloads differ in their parameters alone.
    const std::string_view name = without_signature(entries[i]->demangled);
    const bool twice = std::count_if(entries.begin(), entries.end(), [&](const Function* other) {
                         return without_signature(other->demangled) == name;
                       }) > 1;
    names += fmt::format("{}{}", i == 0 ? "" : ", ", as_written(twice ? entries[i]->demangled : name));
  }
  Message message{std::move(key), {{"name", value_of(std::string(wanted))}, {"names", value_of(names)}}};
  if (entries.size() > 20) {
    message.key += "_of_many";
    message.values.emplace_back("more", value_of(entries.size() - 20));
  }
  return told(ErrorKind::Usage, std::move(message));
}

}  // namespace

std::string demangle(std::string_view mangled) {
  const std::string name(mangled);
  if (!mangled.starts_with("_Z") || !is_safe_to_demangle(mangled)) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || text == nullptr) {
    const std::string start = start_of(mangled);
    return start.empty() ? name : start;
  }
  std::string_view readable = text.get();
  if (readable.starts_with("void ")) readable.remove_prefix(5);
  return std::string(readable);
}

const Function* Module::find_function(std::string_view name) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == name; });
  if (found != functions.end()) return &*found;
  const auto alias = aliases.find(std::string(name));
  if (alias == aliases.end() || alias->second == name) return nullptr;
  const auto aliased = std::find_if(functions.begin(), functions.end(),
                                    [&](const Function& f) { return f.name == alias->second; });
  return aliased == functions.end() ? nullptr : &*aliased;
}

const Variable* Module::find_variable(std::string_view name) const {
  const auto found =
      std::find_if(variables.begin(), variables.end(), [&](const Variable& v) { return v.name == name; });
  return found == variables.end() ? nullptr : &*found;
}

Result<const Function*> Module::find_entry(std::string_view name) const {
  std::vector<const Function*> entries, matches;
  int best = 1;
  for (const Function& function : functions) {
    if (!function.is_entry || function.is_extern) continue;
    entries.push_back(&function);
    const int quality = fit(function, name);
    if (quality < best) continue;
    if (quality > best) matches.clear();
    best = quality;
    matches.push_back(&function);
  }
  if (matches.size() == 1) return matches[0];
  if (entries.empty()) return told(ErrorKind::Usage, {"ptx.no_kernels", {}});
  if (matches.empty()) return no_entry("ptx.no_kernel", name, entries);
  return no_entry("ptx.many_kernels", name, matches);
}

}  // namespace warplens::ptx
