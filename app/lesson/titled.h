// A title and what stands behind it: "Strided copy: stride 2", in Chinese with a colon of its own width.
#pragma once

#include <string>
#include <string_view>

namespace warplens::lesson {

inline std::string titled(std::string_view title, std::string_view text, std::string_view language) {
  return std::string(title) + (language == "zh" ? "：" : ": ") + std::string(text);
}

}  // namespace warplens::lesson
