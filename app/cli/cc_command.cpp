// warplens cc: nvcc, in a Makefile or a CMake project, for programs that warplens run can run.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "app/cli/run_command.h"
#include "app/model/program/whole_program.h"
#include "engine/source/toolchain.h"

namespace warplens::cli {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

int cannot_start(const std::string& program) {
  return fail({ErrorKind::System, "cannot start " + program, {}, {}});
}

// nvcc's exit code; what it says on standard error comes back in `log`, as soon as it has ended.
int run_nvcc(std::vector<std::string> command, std::string& log) {
  const File said(std::tmpfile(), &std::fclose);
  if (!said) return cannot_start(command.front());
  const std::vector<char*> pointers = pointers_to(command);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::fileno(said.get()), STDERR_FILENO);
    ::execv(pointers.front(), pointers.data());
    ::_exit(127);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return cannot_start(command.front());
  std::rewind(said.get());
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, said.get())) log.append(buffer, n);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// What it writes goes to standard output, where a second try would write it again.
bool writes_to_output(const std::vector<std::string>& words) {
  constexpr std::string_view kStages[] = {"-E", "--preprocess", "-M", "-MM", "--generate-dependencies"};
  return std::ranges::any_of(
      words, [&](const std::string& word) { return std::ranges::find(kStages, word) != std::end(kStages); });
}

// Of what programs miss: neither how device code is linked nor what the host's files are is for us to say
// here, a Makefile does.
model::PutBack headers_only(model::PutBack back) {
  back.relocatable = back.openmp = back.as_cuda = false;
  return back;
}

void tell(const std::vector<Message>& notes) {
  const auto text = Catalogue::load("en");
  if (!text) return;
  for (const Message& note : notes) fmt::print(stderr, "warplens: {}\n", text->text(note));
}

}  // namespace

int compile_as_nvcc(const std::vector<std::string>& words) {
  const source::Toolchain tools = source::find_toolchain(source::SearchPlaces::from_environment());
  if (tools.nvcc.path.empty()) return fail(tools.nvcc.reason);
  const auto libraries = model::runtime_libraries();
  if (!libraries) return fail(libraries.error());
  const auto command_with = [&](const model::PutBack& back) {
    std::vector<std::string> command = model::compiler_options(words, *libraries, back);
    command.insert(command.begin(), tools.nvcc.path);
    return command;
  };
  if (writes_to_output(words)) {
    std::vector<std::string> command = command_with({});
    ::execv(tools.nvcc.path.c_str(), pointers_to(command).data());
    return cannot_start(tools.nvcc.path);
  }
  model::PutBack back;
  std::string first_log;
  for (;;) {
    std::string log;
    const int status = run_nvcc(command_with(back), log);
    if (status == 0) {
      tell(back.notes());
      std::fputs(log.c_str(), stderr);
      return status;
    }
    // A header that nobody finds hides all that is behind it; anything else is said as nvcc said it first.
    if (first_log.empty() || !back.declarations) first_log = log;
    const model::PutBack before = back;
    back.add(log);
    back = headers_only(back);
    if (before.options("") == back.options("") && before.preprocessor("") == back.preprocessor("")) {
      std::fputs(first_log.c_str(), stderr);
      return status;
    }
  }
}

void add_cc(CLI::App& app) {
  app.add_subcommand("cc", "nvcc, for programs that warplens run -- ./program can run; takes nvcc's options");
}

}  // namespace warplens::cli
