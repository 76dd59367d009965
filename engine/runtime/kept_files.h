// The files of launches that are kept (keep.h), as both who emulates and who watches a GPU write them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace warplens::runtime {

// "\"text\"", as TOML takes it.
std::string toml_text(std::string_view text);
std::string hexadecimal(std::span<const std::uint8_t> bytes);

// Puts contents into FOLDER/memory, once for equal ones: their file's name as a launch's folder beside it
// knows it, "../memory/HASH.bin"; empty: they are zeros.
Result<std::string> keep_contents(const std::filesystem::path& folder, std::span<const std::uint8_t> bytes);
// The same in FOLDER/modules, for a text of PTX.
Result<std::string> keep_module(const std::filesystem::path& folder, std::string_view ptx);

// Does "scale" mean the kernel that is shown as "a::scale<int>(float*)"? Plain name, name with its scope,
// "name<int>", as shown, mangled; "*": every kernel.
bool is_called(std::string_view shown, std::string_view mangled, std::string_view asked);

}  // namespace warplens::runtime
