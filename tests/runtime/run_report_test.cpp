// What `warplens run` tells of a program: launches that it keeps and that run again as they ran, its page, a
// budget, an interruption, what was not freed.
#include <signal.h>

#include <map>

#include "tests/runtime/whole_program.h"
#include "tests/support/places.h"

namespace warplens {
namespace {

using testing::HasSubstr;
using testing::Not;

class RunReport : public WholeProgram {
 protected:
  // Runs it and keeps every kernel's launches from `first` to `last`.
  json keep(const std::string& name, const std::string& which = "*:0-3", std::vector<std::string> more = {},
            std::vector<std::string> arguments = {}) {
    std::vector<std::string> options{"--trace", which, "--out", in_folder("kept")};
    options.insert(options.end(), more.begin(), more.end());
    return run_json(name, std::move(arguments), options);
  }
  json trace(const fs::path& launch, std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"trace", launch.string(), "--json", in_folder("trace.json")});
    last_ = ask(options);
    return json::parse(read(in_folder("trace.json")), nullptr, false);
  }
  // Every kept launch counts the same when it runs again.
  void expect_same_again(const std::string& name, std::vector<std::string> more = {}) {
    const json report = keep(name, "*:0-3", std::move(more));
    int kept = 0;
    for (const json& launch : report["launches"]) {
      if (!launch.contains("kept")) continue;
      ++kept;
      const std::string what = launch["kernel"].get<std::string>() + " #" + launch["index"].dump();
      const json again = trace(in_folder("kept") / launch["kept"].get<std::string>());
      ASSERT_TRUE(again.is_object()) << what << ": " << last_.err;
      EXPECT_EQ(again["launch"]["grid"], launch["grid"]) << what;
      EXPECT_EQ(again["execution"]["thread_instructions"], launch["thread_instructions"]) << what;
      for (const char* kind : {"load", "store", "atomic", "reduction"})
        for (const char* count : {"requests", "sectors", "sectors_ideal"})
          EXPECT_EQ(again["global"][kind][count], launch["global"][kind][count])
              << what << " " << kind << " " << count;
      for (const char* kind : {"load", "store", "atomic"})
        EXPECT_EQ(again["shared"][kind]["bank_conflicts"], launch["shared"][kind]["bank_conflicts"]) << what;
      EXPECT_EQ(again["faults"].size(), launch["faults"].size()) << what << last_.err;
    }
    EXPECT_GT(kept, 0);
  }
  mutable Answer last_;
};

TEST_F(RunReport, KeptLaunchesRunAgainAsTheyRan) {
  expect_same_again("reductions.cu");
}
TEST_F(RunReport, AlsoThoseThatUseVariablesAndFunctionPointers) {
  expect_same_again("symbols.cu");
}
TEST_F(RunReport, AlsoThoseThatFollowPointersInMemory) {
  expect_same_again("pointers.cu");
}
TEST_F(RunReport, AlsoThoseThatReadTextures) {
  expect_same_again("textures.cu");
}
TEST_F(RunReport, AlsoThoseInClusters) {
  expect_same_again("cooperative.cu", {"--std", "c++17"});
}

TEST_F(RunReport, AKeptLaunchHasItsOwnDataAndNames) {
  keep("vector_add.cu", "add", {}, {"1024"});
  const fs::path launch = in_folder("kept") / "launch_0000";
  const json report = trace(launch);
  ASSERT_TRUE(report.is_object()) << last_.err;
  EXPECT_EQ(report["kernel"], "add");
  ASSERT_EQ(report["buffers"].size(), 3u);
  EXPECT_EQ(report["buffers"][2]["name"], "c");
  EXPECT_EQ(report["buffers"][2]["type"], "f32");
  // c = a + b, of the program's data and not of any fill of ours.
  EXPECT_NEAR(report["buffers"][2]["checksum"].get<double>(),
              report["buffers"][0]["checksum"].get<double>() + report["buffers"][1]["checksum"].get<double>(),
              1);
  EXPECT_NE(report["buffers"][2]["checksum"].get<double>(), 0);
  EXPECT_TRUE(report["assumed"].empty());
  // Half of the grid does half of the work.
  const json half = trace(launch, {"--grid", "2"});
  EXPECT_EQ(half["global"]["load"]["requests"].get<int>() * 2,
            report["global"]["load"]["requests"].get<int>());
  // A buffer that does not fit in the place of the program's is refused.
  trace(launch, {"--arg", "c=buf:f32:100000000:zero"});
  EXPECT_EQ(last_.code, 2);
}

TEST_F(RunReport, ATakenLaunchStandsAlone) {
  keep("symbols.cu", "use:1");
  const std::string kept = (in_folder("kept") / "launch_0001").string();
  const json before = trace(kept);
  const fs::path taken = in_folder("taken");
  ASSERT_EQ(ask({"take", kept, "--out", taken}).code, 0);
  fs::remove_all(in_folder("kept"));
  const json after = trace(taken);
  ASSERT_TRUE(after.is_object()) << last_.err;
  EXPECT_EQ(after["buffers"], before["buffers"]);
  EXPECT_TRUE(fs::exists(taken / "symbols.cu"));
  const Answer drawn = ask({"render", taken, "--view", "address-map", "--out", in_folder("taken.svg")});
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_GT(fs::file_size(in_folder("taken.svg")), 1000u);
}

TEST_F(RunReport, ALaunchThatWasTamperedWithIsRefused) {
  keep("vector_add.cu", "add");
  const fs::path file = in_folder("kept") / "launch_0000" / "launch.toml";
  const std::string text = read(file);
  const auto damaged = [&](const std::string& what, const std::string& with) {
    std::string other = text;
    const auto at = other.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    other.replace(at, what.size(), with);
    std::ofstream(file) << other;
    trace(file);
    return last_.code;
  };
  EXPECT_EQ(damaged("warplens.launch/1", "warplens.launch/9"), 2);
  EXPECT_EQ(damaged("\naddress = ", "\naddress = 9"), 2);         // outside of the device's memory
  EXPECT_EQ(damaged("../memory/", "../../memory/"), 2);           // no such file
  EXPECT_EQ(damaged("arguments = [\"", "arguments = [\"zz"), 2);  // no bytes
  EXPECT_EQ(damaged("schema", "schema"), 0);
}

TEST_F(RunReport, WhichLaunchesAreKept) {
  const json report = keep("symbols.cu", "use:1-2");
  std::vector<int> kept;
  for (const json& launch : report["launches"])
    if (launch.contains("kept")) kept.push_back(launch["number"]);
  EXPECT_THAT(kept, testing::ElementsAre(1, 2));
  EXPECT_EQ(ask({"run", program("symbols.cu"), "--trace", "use:2-1"}).code, 2);
}

TEST_F(RunReport, WhereLaunchesAreKeptIsSaidAndSoIsThatNoneWas) {
  const std::string program =
      (fs::path(tests::source_dir()) / "tests/runtime/programs/vector_add.cu").string();
  const auto run_keeping = [&](const std::string& which) {
    return ask({"run", program, "--trace", which, "--out", in_folder("kept"), "--", "1024"});
  };
  EXPECT_THAT(run_keeping("add").err, HasSubstr("kept: launch 0 of add"));
  const Answer none = run_keeping("subtract");
  EXPECT_THAT(none.err, HasSubstr("nothing was kept"));
  EXPECT_THAT(none.err, HasSubstr("add"));
  // One that was chosen and could not be kept is no launch that was not made.
  const std::string pointers =
      (fs::path(tests::source_dir()) / "tests/runtime/programs/pointers.cu").string();
  const Answer refused = ask({"run", pointers, "--trace", "scale:1", "--out", in_folder("kept")});
  EXPECT_THAT(refused.err, Not(HasSubstr("nothing was kept")));
  EXPECT_THAT(refused.err, HasSubstr("cudaHostRegister"));
}

TEST_F(RunReport, SamplingAndKernelsAreInTheReport) {
  const json report = run_json("graphs_and_pools.cu", {}, {"--every", "2"});
  EXPECT_EQ(report["sampling"]["every"], 2);
  EXPECT_GT(report["sampling"]["skipped"], 0);
  std::uint64_t launches = 0;
  for (const json& kernel : report["kernels"]) launches += kernel["launches"].get<std::uint64_t>();
  EXPECT_EQ(launches, report["launches"].size());
  EXPECT_FALSE(report["transfers"].empty());
}

TEST_F(RunReport, WhatWasNotFreedIsSaidWithEveryCheck) {
  std::ofstream(in_folder("leak.cu"))
      << "#include <cstdio>\n"
         "__global__ void k(int* p) { p[threadIdx.x] = 1; }\n"
         "int main() { int *a, *b; cudaMalloc(&a, 4096); cudaMalloc(&b, 128);\n"
         "  k<<<1, 32>>>(b); cudaFree(b); return 0; }\n";
  const Answer answer =
      ask({"run", in_folder("leak.cu"), "--checks", "all", "--json", in_folder("leak.json")});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.err, HasSubstr("1 allocation with 4,096 bytes was not freed"));
  const json report = json::parse(read(in_folder("leak.json")));
  ASSERT_EQ(report["leaks"].size(), 1u);
  EXPECT_EQ(report["leaks"][0]["bytes"], 4096);
}

TEST_F(RunReport, ABudgetEndsTheProgram) {
  const Answer answer =
      ask({"run", program("reductions.cu"), "--budget", "20000", "--json", in_folder("budget.json")});
  EXPECT_EQ(answer.code, 5) << answer.err;
  const json report = json::parse(read(in_folder("budget.json")));
  EXPECT_EQ(report["ending"], "budget");
  ASSERT_FALSE(report["launches"].empty());
  EXPECT_EQ(report["launches"].back()["ending"], "budget");
}

TEST_F(RunReport, AnInterruptedLaunchIsInTheReport) {
  std::ofstream(in_folder("long.cu"))
      << "__global__ void k(int* p) {  // no loop without an end, which would be told: a long one\n"
         "  for (unsigned i = 1; i != 0; i = i * 1664525 + 1013904223) atomicAdd(p, i);\n}\n"
         "int main() { int* a; cudaMalloc(&a, 4); k<<<1, 1>>>(a);\n"
         "  return cudaDeviceSynchronize(); }\n";
  const std::string built = in_folder("long");
  ASSERT_EQ(ask({"cc", in_folder("long.cu"), "-o", built}).code, 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string warplens = tests::binary_dir() + "/warplens", report = in_folder("long.json");
    ::execl(warplens.c_str(), "warplens", "run", "--json", report.c_str(), "--", built.c_str(), nullptr);
    ::_exit(127);
  }
  ::usleep(1500000);
  ::kill(child, SIGTERM);  // run hands it on
  int status = 0;
  ::waitpid(child, &status, 0);
  const json report = json::parse(read(in_folder("long.json")), nullptr, false);
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report["ending"], "interrupted");
  ASSERT_EQ(report["launches"].size(), 1u);
  EXPECT_EQ(report["launches"][0]["ending"], "cancelled");
}

TEST_F(RunReport, ThePageStandsAlone) {
  for (const char* language : {"en", "zh"}) {
    const Answer answer = ask({"run", program("matrix_and_transpose.cu"), "--trace", "*", "--out",
                               in_folder("kept"), "--language", language, "--html", in_folder("page.html")});
    EXPECT_EQ(answer.code, 0) << answer.err;
    const std::string page = read(in_folder("page.html"));
    EXPECT_THAT(page, HasSubstr("</html>"));
    EXPECT_THAT(page, HasSubstr("data:image/svg+xml,"));
    EXPECT_THAT(page, HasSubstr("<rect class=\"k0\""));
    EXPECT_THAT(page, HasSubstr("<rect class=\"copy\""));
    // Nothing of another place is asked for, and no message lacks its text.
    EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
    EXPECT_THAT(page, Not(HasSubstr("run.page.")));
  }
}

}  // namespace
}  // namespace warplens
