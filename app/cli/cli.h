// The command line: one binary, subcommands; nothing but the answer on standard output, messages on standard
// error. Exit codes: 0 done, 2 usage or unreadable input, 3 does not compile or unsupported, 4 kernel
// faulted, 5 instruction budget used up.
#pragma once

namespace warplens::cli {

int run(int argc, char** argv);

}  // namespace warplens::cli
