// Names of files and folders, include paths and defines that would be commands in a shell. A program called
// warplens-canary stands first on the PATH; nobody may ever start it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "engine/base/assets.h"
#include "engine/source/compile.h"
#include "engine/source/source_names.h"
#include "engine/source/toolchain.h"

namespace warplens::source {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class StrangeNames : public testing::TestWithParam<Compiler> {
 protected:
  void SetUp() override {
    for (const CompilerInfo& info : find_compilers())
      if (info.compiler == GetParam() && !info.available) GTEST_SKIP() << info.reason;
    root_ = fs::temp_directory_path() / ("warplens_strange_names_" + std::to_string(::getpid()));
    path_ = std::getenv("PATH");
    const fs::path bin = root_ / "bin", canary = bin / "warplens-canary";
    fs::create_directories(bin);
    static_cast<void>(write_text(canary, "#!/bin/sh\necho \"$*\" >> '" + sang().string() + "'\n"));
    fs::permissions(canary, fs::perms::owner_all);
    ::setenv("PATH", (bin.string() + ":" + path_).c_str(), 1);
    ::setenv("WARPLENS_CACHE", (root_ / "cache").c_str(), 1);
  }
  void TearDown() override {
    if (root_.empty()) return;
    EXPECT_FALSE(fs::exists(sang())) << *read_text(sang());
    ::setenv("PATH", path_.c_str(), 1);
    ::unsetenv("TMPDIR");
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  fs::path sang() const { return root_ / "sang"; }

  // A file with a header beside it and another one in a folder named by -I, which includes its neighbour's.
  void check(const fs::path& folder, const std::string& name, const fs::path& searched) {
    SCOPED_TRACE(folder.string() + " / " + name + " / " + searched.string());
    fs::create_directories(folder / "parts");
    fs::create_directories(searched);
    put(folder / "beside.h", "#include \"parts/nested.h\"\n");
    put(folder / "parts" / "nested.h", "#include \"../last.h\"\n");
    put(folder / "last.h", "__device__ inline int last(int x) {\n  return x + 3;\n}\n");
    put(searched / "searched.h",
        "#pragma once\n__device__ inline int searched(int x) {\n  return x * 5;\n}\n");
    CompileOptions options;
    options.file = (folder / name).string();
    options.compiler = GetParam();
    options.include_paths = {searched.string()};
    options.text =
        "#include \"beside.h\"\n#include <searched.h>\n__global__ void k(int* p) {\n"
        "  p[0] = last(searched(p[1]));\n}\n";
    put(options.file, options.text);
    const auto ptx = compile(options);
    ASSERT_TRUE(ptx) << ptx.error().text() << testing::PrintToString(ptx.error().notes);
    EXPECT_TRUE(names_file(*ptx, options.file)) << ptx->text;
    EXPECT_THAT(ptx->text, Not(HasSubstr("warplens-compile-")));

    put(folder / "last.h", "__device__ inline int last(int x) {\n  return x + missing;\n}\n");
    const auto failed = compile(options);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().place.file, (folder / "last.h").lexically_normal().string());
    EXPECT_EQ(failed.error().place.line, 2);
    EXPECT_EQ(failed.error().place.column, 14);
    put(folder / "last.h", "__device__ inline int last(int x) { return x; }\n");
    options.text += "__global__ void bad() {\n\n  missing = 2;\n}\n";
    const auto wrong = compile(options);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().place, (Place{options.file, 8, 3})) << wrong.error().text();
  }

  static bool names_file(const Ptx& ptx, const std::string& file) {
    if (ptx.text.find("\"" + file + "\"") != std::string::npos) return true;
    for (const auto& [in_text, known] : noted_names(ptx.text))
      if (known == file && ptx.text.find("\"" + in_text + "\"") != std::string::npos) return true;
    return false;
  }
  static void put(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    ASSERT_TRUE(write_text(file, text)) << file;
  }

  fs::path root_;
  std::string path_;
};

INSTANTIATE_TEST_SUITE_P(, StrangeNames,
                         testing::Values(Compiler::Nvrtc, Compiler::Nvcc, Compiler::Clang,
                                         Compiler::Automatic),
                         [](const auto& one) { return std::string(name(one.param)); });

TEST_P(StrangeNames, CommandsInFolders) {
  check(root_ / "lab `warplens-canary 1`" / "it's", "k.cu", root_ / "$(warplens-canary 2)" / "a,b");
  check(root_ / "x;warplens-canary 3;" / "-o", "-k 'y.cu", root_ / "& warplens-canary 4 &" / "new\nline");
}

TEST_P(StrangeNames, QuotesAndBreaks) {
  check(root_ / "say \"hi\" \\" / "tab\tand\nbreak", "a(1): error: b.cu",
        root_ / "'\"`warplens-canary 5`\"'");
}

// Pieces put together anew each time the number changes, the same every time.
TEST_P(StrangeNames, AtRandom) {
  const std::vector<std::string> pieces = {"`warplens-canary`",
                                           "$(warplens-canary)",
                                           "|warplens-canary",
                                           ";warplens-canary;",
                                           "\nwarplens-canary\n",
                                           ">warplens-sang",
                                           "'",
                                           "\"",
                                           "\\",
                                           ",",
                                           " ",
                                           "-",
                                           "@",
                                           "%s",
                                           "*",
                                           "${IFS}",
                                           "#",
                                           "\xe4\xb8\xad\xe6\x96\x87",
                                           "\xff",
                                           ":3:",
                                           "(8): error: ",
                                           "~",
                                           "!",
                                           "&&warplens-canary",
                                           "<stdin>",
                                           "=",
                                           "{a,b}",
                                           "\t",
                                           "plain",
                                           "[0]"};
  std::mt19937 random(20240117);
  const auto word = [&](const char* ending) {
    std::string text;
    for (unsigned n = 2 + random() % 4; n > 0; --n) text += pieces[random() % pieces.size()];
    return text + "x" + ending;
  };
  for (int round = 0; round < 4; ++round) check(root_ / word("") / word(""), word(".cu"), root_ / word(""));
}

TEST_P(StrangeNames, DefinesReachThePreprocessorAsTheyAre) {
  CompileOptions options;
  options.file = (root_ / "k.cu").string();
  options.compiler = GetParam();
  options.defines = {{"A", "$(warplens-canary)"},
                     {"B", "`warplens-canary`"},
                     {"C", "\"; warplens-canary; \""},
                     {"D", "' ; warplens-canary ; '"},
                     {"VALUE", "(40 + 2)"},
                     {"LETTER", "'\\\\'"},
                     {"TEXT", "\"two $HOME words, \\\"quoted\\\"\""},
                     {"EMPTY", ""},
                     {"AND", "&& warplens-canary"},
                     {"AT", "@warplens-canary"}};
  options.text =
      "__global__ void k(int* p) {\n"
      "  static_assert(VALUE == 42 && LETTER == 92 && sizeof(TEXT) == 26 EMPTY, \"\");\n"
      "  p[0] = VALUE;\n}\n";
  const auto ptx = compile(options);
  ASSERT_TRUE(ptx) << ptx.error().text() << testing::PrintToString(ptx.error().notes);
}

TEST_P(StrangeNames, DefinesThatReachBeyondTheirLineAreRefused) {
  for (const char* value : {"1\n#include \"/etc/hostname\"", "1\r2", "1\\"}) {
    CompileOptions options;
    options.compiler = GetParam();
    options.text = "__global__ void k(int* p) { p[0] = 1; }\n";
    options.defines = {{"A", value}};
    const auto ptx = compile(options);
    ASSERT_FALSE(ptx);
    EXPECT_EQ(ptx.error().kind, ErrorKind::Usage);
    EXPECT_THAT(ptx.error().message, HasSubstr("'A' cannot be defined"));
  }
}

TEST_P(StrangeNames, TheFolderForTemporaryFilesIsNoCommandEither) {
  const fs::path temporary = root_ / "`warplens-canary`";
  fs::create_directories(temporary);
  ::setenv("TMPDIR", temporary.c_str(), 1);
  CompileOptions options;
  options.compiler = GetParam();
  options.text = "__global__ void k(int* p) { p[0] = 7; }\n";
  const auto ptx = compile(options);
  ASSERT_TRUE(ptx) << ptx.error().text();
}

TEST_P(StrangeNames, AByteOrderMarkIsNoText) {
  const std::string mark = "\xef\xbb\xbf";
  put(root_ / "marked.h", mark + "__device__ int f(int x) { return x; }\n");
  CompileOptions options;
  options.compiler = GetParam();
  options.file = (root_ / "k.cu").string();
  options.text = mark + "#include \"marked.h\"\n__global__ void k(int* p) { p[0] = f(p[1]); }\n";
  const auto ptx = compile(options);
  ASSERT_TRUE(ptx) << ptx.error().text();
  options.text = mark + "__global__ void k(int* p) { p[0] = missing; }\n";
  const auto failed = compile(options);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().place, (Place{options.file, 1, 36}));
}

// Our headers have nothing to say, and an error stands before what the compiler says of other lines.
TEST_P(StrangeNames, ErrorsComeFirstAndOurHeadersAreSilent) {
  CompileOptions options;
  options.compiler = GetParam();
  options.file = (root_ / "k.cu").string();
  options.text =
      "#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n#include <cuda_pipeline.h>\n#include "
      "<cmath>\n"
      "__global__ void k(float* p) {\n  int unused;\n  p[0] = sqrtf(p[1]);\n}\n";
  const auto ptx = compile(options);
  ASSERT_TRUE(ptx) << ptx.error().text();
  options.text += "__global__ void bad() {\n  missing = 1;\n}\n";
  const auto failed = compile(options);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().place, (Place{options.file, 10, 3}));
  for (const std::string& note : failed.error().notes) EXPECT_THAT(note, testing::StartsWith(options.file));
}

// Names of our own headers, and of those that nvcc includes by itself, are no reason for a user not to use
// them.
TEST_P(StrangeNames, MacrosDoNotReachIntoOurHeaders) {
  CompileOptions options;
  options.compiler = GetParam();
  for (const char* macro : {"A", "B", "T", "N", "V", "a", "n", "v", "value", "lane", "mask"})
    options.defines.emplace_back(macro, "1 +");
  // NVIDIA's cooperative groups, which NVRTC may take, are as open to macros as they are with nvcc.
  options.text = GetParam() != Compiler::Clang ? ""
                                               : "#define group nothing of yours\n#define tile nothing\n"
                                                 "#include <cooperative_groups.h>\n";
  options.text += "__global__ void k(int* p) { p[0] = __shfl_down_sync(~0u, p[1], 1) + (int)sqrtf(p[2]); }\n";
  const auto ptx = compile(options);
  ASSERT_TRUE(ptx) << ptx.error().text() << testing::PrintToString(ptx.error().notes);
}

}  // namespace
}  // namespace warplens::source
