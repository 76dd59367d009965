// What is wrong with a command line, as a message: CLI11 says it in English only.
#pragma once

#include <CLI/CLI.hpp>

#include "engine/base/message.h"

namespace warplens::cli {

// `app`: the whole program's, as it was parsed so far.
Message what_is_wrong(const CLI::App& app, const CLI::Error& error);

// The language that the words ask for (--language zh, wherever it stands); English when they ask for none.
std::string language_asked_for(int argc, const char* const* argv);

}  // namespace warplens::cli
