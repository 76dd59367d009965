// What is kept in every language (title = { en = "...", zh = "..." }), in the reader's. English stands in for
// a language that is missing, and anything that is there for English.
//
//   in_language(kernel.title, "zh", kernel.id)     // "跨步拷贝"
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace warplens::model {

// Null: there is nothing in any language.
template <typename T>
const T* find_in_language(const std::map<std::string, T>& all, std::string_view language) {
  for (const std::string_view wanted : {language, std::string_view("en")})
    if (const auto found = all.find(std::string(wanted)); found != all.end()) return &found->second;
  return all.empty() ? nullptr : &all.begin()->second;
}

inline std::string in_language(const std::map<std::string, std::string>& texts, std::string_view language,
                               std::string_view otherwise = {}) {
  const std::string* const text = find_in_language(texts, language);
  return text == nullptr ? std::string(otherwise) : *text;
}

}  // namespace warplens::model
