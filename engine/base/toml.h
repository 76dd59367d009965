// TOML of users and of our own assets, within bounds: the library follows dotted keys and nested values by
// recursion, which a text can drive as deep as it likes.
//
//   const Result<toml::table> table = parse_toml(text, "settings.toml");
//
// Fails with ErrorKind::Usage: what is wrong, in which file, line and column.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace warplens {

Result<toml::table> parse_toml(std::string_view text, const std::string& file);
Result<toml::table> read_toml(const std::filesystem::path& file);

}  // namespace warplens
