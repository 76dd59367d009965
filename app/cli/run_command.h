// What `run` and `cc` need before the command line is read.
#pragma once

#include <optional>
#include <vector>

#include "app/cli/command.h"

namespace warplens::cli {

void add_run(CLI::App& app, Context& context);
void add_cc(CLI::App& app);
void add_take(CLI::App& app, Context& context);
// Takes off the command line what is not ours to read: the words behind "--" of `run`, and all of `cc`, whose
// exit code it returns. `kept`: what is left to read.
std::optional<int> run_early(int argc, char** argv, std::vector<char*>& kept);

}  // namespace warplens::cli
