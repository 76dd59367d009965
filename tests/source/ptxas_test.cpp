// What ptxas says, read whatever it says: a program of the same name that answers as it is told.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "engine/base/assets.h"
#include "engine/source/compile.h"
#include "engine/source/register_bounds.h"

namespace warplens::source {
namespace {

namespace fs = std::filesystem;

class FakePtxas : public testing::Test {
 protected:
  FakePtxas() : folder_(fs::temp_directory_path() / ("warplens_ptxas_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_ / "cache");
    old_path_ = std::getenv("PATH");
    ::setenv("PATH", (folder_.string() + ":" + old_path_).c_str(), 1);
    if (const char* cache = std::getenv("WARPLENS_CACHE")) old_cache_ = cache;
    ::setenv("WARPLENS_CACHE", (folder_ / "cache").c_str(), 1);
  }
  ~FakePtxas() override {
    ::setenv("PATH", old_path_.c_str(), 1);
    old_cache_.empty() ? ::unsetenv("WARPLENS_CACHE") : ::setenv("WARPLENS_CACHE", old_cache_.c_str(), 1);
    fs::remove_all(folder_);
  }
  // What it prints for any PTX.
  Result<Assembled> told(const std::string& report) {
    const fs::path program = folder_ / "ptxas", answer = folder_ / "answer";
    EXPECT_TRUE(write_text(answer, report));
    EXPECT_TRUE(
        write_text(program, "#!/bin/sh\ncase \"$1\" in --version) echo 'release 13.0, V13.0.48';; *) cat '" +
                                answer.string() + "' >&2;; esac\n"));
    fs::permissions(program, fs::perms::owner_all);
    return assemble(".version 8.0\n// " + std::to_string(++asked_) + "\n", "sm_80");
  }

  fs::path folder_;
  std::string old_path_, old_cache_;
  int asked_ = 0;
};

TEST_F(FakePtxas, AReportIsRead) {
  const auto said = told(
      "ptxas info    : Compiling entry function '_Z1fPf' for 'sm_80'\n"
      "ptxas info    : Function properties for _Z1fPf\n"
      "    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n"
      "ptxas info    : Used 10 registers, used 1 barriers, 4096 bytes smem, 360 bytes cmem[0]\n");
  ASSERT_TRUE(said) << said.error().text();
  ASSERT_EQ(said->kernels.size(), 1u);
  const PtxasInfo& kernel = said->kernels[0];
  EXPECT_EQ(kernel.kernel, "_Z1fPf");
  EXPECT_EQ(kernel.registers, 10);
  EXPECT_EQ(kernel.static_shared, 4096);
  EXPECT_EQ(kernel.stack, 16);
  EXPECT_EQ(kernel.spill_stores, 8);
  EXPECT_EQ(kernel.spill_loads, 4);
}

TEST_F(FakePtxas, NamesAndNumbersOfAnyLengthAreRead) {
  const std::string name(100000, 'k');
  const auto said = told("ptxas info    : Compiling entry function '" + name +
                         "' for 'sm_80'\nptxas info    : Used 99999999999999999999 registers, " +
                         "4294967295 bytes smem\n");
  ASSERT_TRUE(said) << said.error().text();
  ASSERT_EQ(said->kernels.size(), 1u);
  EXPECT_EQ(said->kernels[0].kernel, name);
  EXPECT_EQ(said->kernels[0].registers, 0);  // unknown: estimated
  EXPECT_EQ(said->kernels[0].static_shared, 0);
}

TEST_F(FakePtxas, NonsenseIsNoReport) {
  for (const char* report : {"", "\n\n", "Used registers", "Compiling entry function '",
                             "Compiling entry function 'k'\nUsed x registers, bytes smem\n registers\n",
                             "Compiling entry function 'k'\nUsed -5 registers"}) {
    const auto said = told(report);
    ASSERT_TRUE(said) << said.error().text();
    EXPECT_LE(said->kernels.size(), 1u) << report;
  }
}

constexpr const char* kBounded =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry scales(.param .u64 a)\n{\nret;\n}\n"
    ".visible .entry scale(\n\t.param .u64 a\n)\n.maxntid 256, 1, 1\n.minnctapersm 2\n{\nret;\n}\n";

TEST(LaunchBounds, TakeThePlaceOfThoseThatStandThere) {
  const std::string bounded = with_launch_bounds(kBounded, "scale", 128, 8);
  EXPECT_NE(bounded.find(")\n.maxntid 128\n.minnctapersm 8\n{"), std::string::npos) << bounded;
  EXPECT_EQ(bounded.find("256"), std::string::npos) << bounded;
  EXPECT_NE(bounded.find("scales(.param .u64 a)\n{"), std::string::npos) << "another kernel keeps its own";
  const std::string free = with_launch_bounds(kBounded, "scale", 0, 0);
  EXPECT_EQ(free.find(".minnctapersm"), std::string::npos) << free;
  EXPECT_EQ(free.find(".maxntid"), std::string::npos) << free;
  EXPECT_EQ(with_launch_bounds(kBounded, "other", 128, 8), "");
}

TEST(LaunchBounds, ABlockOfAFixedSizeKeepsIt) {
  std::string fixed = kBounded;
  fixed.replace(fixed.find(".maxntid 256, 1, 1"), 18, ".reqntid 256, 1, 1");
  const std::string bounded = with_launch_bounds(fixed, "scale", 128, 8);
  EXPECT_NE(bounded.find(".reqntid 256, 1, 1\n.minnctapersm 8"), std::string::npos) << bounded;
  EXPECT_EQ(bounded.find(".maxntid"), std::string::npos);
}

// The bound is handed to ptxas, and stands in the key of what is kept.
TEST_F(FakePtxas, IsToldTheMostRegisters) {
  const fs::path program = folder_ / "ptxas";
  ASSERT_TRUE(
      write_text(program,
                 "#!/bin/sh\ncase \"$1\" in --version) echo 'release 13.0, V13.0.48';; *)\n"
                 "n=64; for w in \"$@\"; do case $w in --maxrregcount=*) n=${w#*=};; esac; done\n"
                 "echo \"Compiling entry function 'k'\" >&2; echo \"Used $n registers\" >&2;; esac\n"));
  fs::permissions(program, fs::perms::owner_all);
  const std::string ptx = ".version 8.0\n";
  for (const int most : {0, 32, 24}) {
    const auto said = assemble_under(ptx, "sm_80", most);
    ASSERT_TRUE(said) << said.error().text();
    ASSERT_EQ(said->size(), 1u);
    EXPECT_EQ(said->front().registers, most == 0 ? 64 : most);
  }
}

}  // namespace
}  // namespace warplens::source
