// The compilers' messages as data.
//
//   "k.cu(8): error: identifier \"x\" is undefined"   nvcc, NVRTC
//   "k.cu:8:13: error: use of undeclared identifier"  clang, and g++ behind nvcc
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/source/compile.h"
#include "engine/source/source_names.h"

namespace warplens::source {

// The text of a file by the name that the user knows it by; null when it is none of the user's.
using TextOf = std::function<const std::string*(const std::string& file)>;

// With the text, columns of nvcc and NVRTC are read off their caret line; without, they may be short by the
// indentation.
std::vector<Diagnostic> parse_diagnostics(const std::string& log, const SourceNames& names,
                                          const TextOf& text_of);
// All of one file.
std::vector<Diagnostic> parse_diagnostics(const std::string& log, const std::string& source_text);

// Errors first, those in the user's files before others; each is followed by its notes. Warnings and remarks
// about files that are not the user's are left out.
void order_diagnostics(std::vector<Diagnostic>& diagnostics,
                       const std::function<bool(const Place&)>& is_users);

// A line by its number, from 1; empty beyond the end.
std::string_view line_of(std::string_view text, int line);

// The Error that a failed compilation is.
Error compile_error(const std::string& compiler, const std::string& file, const std::string& log,
                    const std::vector<Diagnostic>& diagnostics);

// Adds to what a compiler says of this line that it holds characters which look like others: the full-width
// ones that an input method for Chinese types, typographic quotes, a no-break space.
void name_lookalikes(Error& error, std::string_view line);

std::string text(const Diagnostic& diagnostic);

}  // namespace warplens::source
