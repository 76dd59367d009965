// What is wrong with an argument of a launch, for those who read its text and those who fill its bytes.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/base/message.h"

namespace warplens::trace {

// Buffers of more elements cannot be meant; so count * size does not overflow.
inline constexpr std::uint64_t kMostElements = std::uint64_t{1} << 48;

// argument_error("buf:f32", {"argument.no_buffer", {...}})
Error argument_error(std::string_view argument, Message why);

}  // namespace warplens::trace
