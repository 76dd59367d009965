// Every occurrence of a text in another.
#pragma once

#include <string>

namespace warplens::model {

// `what` is not empty. What is put in is not looked through again.
inline void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

}  // namespace warplens::model
