// What `run` and `cc` need before the command line is read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/command.h"

namespace warplens::cli {

void add_run(CLI::App& app, Context& context);
void add_cc(CLI::App& app);
void add_take(CLI::App& app, Context& context);
// `warplens cc` with nvcc's words; its exit code is nvcc's.
int compile_as_nvcc(const std::vector<std::string>& words);
// Takes off the command line what is not ours to read: the words behind "--" of `run`, and all of `cc`, whose
// exit code it returns. `kept`: what is left to read.
std::optional<int> run_early(int argc, char** argv, std::vector<char*>& kept);

}  // namespace warplens::cli
