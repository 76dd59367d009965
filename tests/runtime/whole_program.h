// A program of tests/runtime/programs, or any, run with the warplens that was built.
#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/places.h"

namespace warplens {

namespace fs = std::filesystem;
using nlohmann::json;

struct Answer {
  int code = 0;
  std::string out, err;
};

inline std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline bool has_nvcc() {
  const char* home = std::getenv("CUDA_HOME");
  return std::system("command -v nvcc > /dev/null 2>&1") == 0 || fs::exists("/usr/local/cuda/bin/nvcc") ||
         (home != nullptr && fs::exists(fs::path(home) / "bin/nvcc"));
}

class WholeProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_nvcc()) GTEST_SKIP() << "there is no nvcc to compile whole programs with";
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string program(const std::string& name) {
    return tests::source_dir() + "/tests/runtime/programs/" + name;
  }
  fs::path in_folder(const std::string& name) const { return folder_ / name; }

  // As anybody's nvcc builds it, with the vendor's runtime as a library ("shared") or in it ("static").
  std::string build(const std::string& runtime, const std::string& file, const std::string& options) const {
    std::string to = in_folder(runtime + std::to_string(options.size()));
    const std::string command = "PATH=$PATH:/usr/local/cuda/bin:$CUDA_HOME/bin nvcc -cudart " + runtime +
                                " " + program(file) + " " + options + " -o '" + to + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return to;
  }

  Answer ask(std::vector<std::string> words) const {
    words.insert(words.begin(), tests::binary_dir() + "/warplens");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const std::string out = in_folder("out"), err = in_folder("err");
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
      ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(out), read(err)};
  }
  // Its own check passes, and it says so.
  void expect_passes(const std::string& name, const std::string& said,
                     std::vector<std::string> options = {}) const {
    options.insert(options.begin(), "run");
    options.push_back(program(name));
    const Answer answer = ask(options);
    EXPECT_EQ(answer.code, 0) << answer.out << answer.err;
    EXPECT_THAT(answer.out, testing::HasSubstr(said)) << answer.err;
  }
  json run_json(const std::string& name, std::vector<std::string> arguments = {},
                std::vector<std::string> options = {}) const {
    std::vector<std::string> words{"run", program(name), "--json", in_folder("run.json")};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back("--");
    words.insert(words.end(), arguments.begin(), arguments.end());
    ask(words);
    return json::parse(read(in_folder("run.json")), nullptr, false);
  }

 private:
  const fs::path folder_ = fs::temp_directory_path() / ("warplens_runtime_" + std::to_string(::getpid()));
};

}  // namespace warplens
