// warplens cc: nvcc, in a Makefile or a CMake project, for programs that warplens run can run.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "app/cli/run_command.h"
#include "app/model/program/whole_program.h"
#include "engine/source/process.h"
#include "engine/source/toolchain.h"

namespace warplens::cli {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

int cannot_start(const std::string& program) {
  return fail(told(ErrorKind::System, {"cli.cannot_start", {{"program", value_of(program)}}}));
}

// What nvcc says on standard error, passed on line by line as it comes, up to its first error: that may be
// one that another try does away with. `shown`: how much of `log` the user has seen.
struct Said {
  std::string log;
  std::size_t shown = 0;

  // What an earlier try has said already, as far as this one says the same, is not said again.
  void pass_on(const Said& earlier, bool ended);

 private:
  bool held_ = false;
};

// "In file included from a.h:3," and "a.cpp: In function \u2018int main()\u2019:" belong to what follows.
bool leads_to_next_line(std::string_view line) {
  return line.starts_with("In file included from") || line.find(" from ") != std::string_view::npos ||
         line.ends_with(':');
}

void Said::pass_on(const Said& earlier, bool ended) {
  for (std::size_t begin = shown; !held_;) {
    const std::size_t end = log.find('\n', begin);
    if (end == std::string::npos) break;
    const std::string_view line = std::string_view(log).substr(begin, end - begin);
    held_ = line.find("error") != std::string_view::npos || line.find("fatal") != std::string_view::npos;
    begin = end + 1;
    if (held_ || leads_to_next_line(line)) continue;
    const bool known = begin <= earlier.shown && earlier.log.compare(0, begin, log, 0, begin) == 0;
    if (!known) std::fwrite(log.data() + shown, 1, begin - shown, stderr);
    shown = begin;
  }
  if (ended && !held_) {
    std::fwrite(log.data() + shown, 1, log.size() - shown, stderr);
    shown = log.size();
  }
}

// nvcc's exit code.
int run_nvcc(std::vector<std::string> command, const Said& earlier, Said& said) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return cannot_start(command.front());
  const std::vector<char*> pointers = pointers_to(command);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::execv(pointers.front(), pointers.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  char buffer[4096];
  for (ssize_t n = 0;
       child > 0 && ((n = ::read(ends[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR));) {
    if (n < 0) continue;
    said.log.append(buffer, static_cast<std::size_t>(n));
    said.pass_on(earlier, false);
  }
  ::close(ends[0]);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return cannot_start(command.front());
  said.pass_on(earlier, true);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void say_rest(const Said& said) {
  std::fwrite(said.log.data() + said.shown, 1, said.log.size() - said.shown, stderr);
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

// --language is ours; nvcc has no such option.
std::vector<std::string> without_language(std::vector<std::string> words) {
  for (auto word = words.begin(); word != words.end();) {
    const bool with_value = *word == "--language" && word + 1 != words.end();
    if (with_value || word->starts_with("--language="))
      word = words.erase(word, word + (with_value ? 2 : 1));
    else
      ++word;
  }
  return words;
}

}  // namespace

int compile_as_nvcc(const std::vector<std::string>& given) {
  const std::vector<std::string> words = without_language(given);
  source::give_compilers_huge_pages();
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
  Said first, latest;
  for (;;) {
    Said said;
    const int status = run_nvcc(command_with(back), latest, said);
    latest = said;
    if (status == 0) {
      for (const Message& note : back.notes()) say(note);
      say_rest(said);
      return status;
    }
    // A header that nobody finds hides all that is behind it; anything else is said as nvcc said it first.
    if (first.log.empty() || !back.declarations) first = said;
    const model::PutBack before = back;
    back.add(said.log);
    back = headers_only(back);
    if (before.options("") == back.options("") && before.preprocessor("") == back.preprocessor("")) {
      say_rest(first);
      return status;
    }
  }
}

void add_cc(CLI::App& app) {
  app.add_subcommand("cc", "nvcc, for programs that warplens run -- ./program can run; takes nvcc's options");
}

}  // namespace warplens::cli
