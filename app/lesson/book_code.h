// What the book prints of a kernel's file: all of a short one, else the kernel that is spoken about with what
// it uses.
#pragma once

#include <string>
#include <string_view>

namespace warplens::lesson {

// `source` itself where it is short, where the kernel is not found, or where it uses nearly all of it.
std::string code_of(const std::string& source, std::string_view kernel);

}  // namespace warplens::lesson
