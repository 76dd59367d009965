// What several parts do with a text.
#pragma once

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>
#include <string_view>

namespace warplens {

// Every occurrence of `what`, which is not empty. What is put in is not looked through again.
inline void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

// Whether it may stand in a name of C++ or PTX.
inline bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Whether any of these words, in small letters, is part of a name: "block" of "nBlocks".
inline bool contains_word(std::string name, std::initializer_list<std::string_view> words) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view w) { return name.find(w) != std::string::npos; });
}

}  // namespace warplens
