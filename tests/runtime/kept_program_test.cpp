// Programs that were built before are not built again, unless something that they are made of has changed.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/whole_program.h"

namespace warplens {
namespace {

using testing::HasSubstr;

// A variable of the environment, until the end of the test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name); before != nullptr) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class KeptProgram : public WholeProgram {
 protected:
  void SetUp() override {
    WholeProgram::SetUp();
    if (IsSkipped()) return;
    // An nvcc that writes down each program that it makes.
    const fs::path tools = in_folder("tools");
    for (const char* const name : {"tools", "near", "far"}) fs::create_directory(in_folder(name));
    std::ofstream(tools / "nvcc") << "#!/bin/sh\ncase \"$*\" in *warplens_program*) echo one >> '"
                                  << in_folder("made").string()
                                  << "';; esac\nPATH=\"$PATH:$CUDA_HOME/bin:/usr/local/cuda/bin\"\n"
                                     "PATH=\"${PATH#*:}\" exec nvcc \"$@\"\n";
    fs::permissions(tools / "nvcc", fs::perms::owner_all);
    path_.emplace("PATH", tools.string() + ":" + std::getenv("PATH"));
    cache_.emplace("WARPLENS_CACHE", in_folder("cache").string());
    write("near/main.cpp",
          "#include <cstdio>\n#include \"words.h\"\n#warning noted\n"
          "int main(int count, char**) { std::printf(\"%s %d\\n\", WORDS, count); }\n");
    write("far/words.h", "#define WORDS \"from afar\"\n");
  }
  void write(const char* name, const std::string& text) const { std::ofstream(in_folder(name)) << text; }
  std::size_t made() const {
    const std::string lines = read(in_folder("made"));
    return static_cast<std::size_t>(std::ranges::count(lines, '\n'));
  }
  Answer run_it(const std::vector<std::string>& arguments = {}) const {
    std::vector<std::string> words{"run", in_folder("near/main.cpp"), "-I", in_folder("far"), "--"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return ask(words);
  }
  fs::path kept() const {
    for (const auto& entry : fs::directory_iterator(in_folder("cache") / "programs"))
      if (entry.path().extension() != ".json") return entry.path();
    return {};
  }

 private:
  std::optional<Variable> path_, cache_;
};

TEST_F(KeptProgram, RunsAgainWithOtherArgumentsAndSaysItsWarningsAgain) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, std::vector<std::string>{"one", "two"}}) {
    const Answer answer = run_it(arguments);
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_EQ(answer.out, "from afar " + std::to_string(1 + arguments.size()) + "\n");
    EXPECT_THAT(answer.err, HasSubstr("noted"));
    EXPECT_EQ(made(), 1u);
  }
}

TEST_F(KeptProgram, TwoThatRunItAtTheSameTimeMakeItOnce) {
  const std::string said = in_folder("beside").string();
  const std::string command = tests::binary_dir() + "/warplens run '" + in_folder("near/main.cpp").string() +
                              "' -I '" + in_folder("far").string() + "' -- beside > '" + said +
                              "' 2> /dev/null";
  std::thread beside([&] { EXPECT_EQ(std::system(command.c_str()), 0); });
  const Answer one = run_it();
  beside.join();
  EXPECT_EQ(one.out, "from afar 1\n") << one.err;
  EXPECT_EQ(read(said), "from afar 2\n");
  EXPECT_EQ(made(), 1u);
}

TEST_F(KeptProgram, IsMadeAnewWhereSomethingHasChanged) {
  EXPECT_EQ(run_it().out, "from afar 1\n");
  write("far/words.h", "#define WORDS \"from very far\"\n");
  EXPECT_EQ(run_it().out, "from very far 1\n");
  EXPECT_EQ(made(), 2u);
  write("near/words.h", "#define WORDS \"from beside it\"\n");  // found before the other
  EXPECT_EQ(run_it().out, "from beside it 1\n");
  EXPECT_EQ(made(), 3u);
  const Variable added("CPLUS_INCLUDE_PATH", in_folder("far"));
  EXPECT_EQ(run_it().out, "from beside it 1\n");
  EXPECT_EQ(made(), 4u);
}

TEST_F(KeptProgram, IsMadeAnewWhereItsEntryIsDamagedOrItAsksForTheTime) {
  EXPECT_EQ(run_it().out, "from afar 1\n");
  ASSERT_FALSE(kept().empty());
  fs::resize_file(kept(), fs::file_size(kept()) / 2);
  EXPECT_EQ(run_it().out, "from afar 1\n");
  EXPECT_EQ(made(), 2u);
  write("far/words.h", "#define WORDS (__TIME__[0] == ' ' ? \"never\" : \"now\")\n");
  EXPECT_EQ(run_it().out, "now 1\n");
  EXPECT_EQ(run_it().out, "now 1\n");
  EXPECT_EQ(made(), 4u);
}

}  // namespace
}  // namespace warplens
