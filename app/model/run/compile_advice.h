// What to tell a person whose file a compiler refuses with words that do not say what to do.
//
//   compile_advice(error, text)   // 'expected a ";"' where a brace is missing: "... one { more than }"
#pragma once

#include <optional>
#include <string_view>

#include "engine/base/message.h"
#include "engine/base/result.h"

namespace warplens::model {

// A key of messages/compile.toml for an error of compiling `text`; nothing where the compiler's own
// words are enough.
std::optional<Message> compile_advice(const Error& error, std::string_view text);

// How many more braces are opened than closed, outside comments and literals.
int open_braces(std::string_view text);

}  // namespace warplens::model
