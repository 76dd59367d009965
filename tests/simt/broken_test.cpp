// Kernels with the mistakes that people make, each beside a corrected twin. broken/*.cu say in comments how a
// kernel is launched and what must be found:
//
//   //! run 4 256 buf:f32:1000:iota i32:1000     grid, block, bytes of dynamic shared memory if any,
//   arguments
//   //! expect race "__syncthreads"              of the runs above: the kind of the first fault, and what its
//                                                message says; runs without it must raise no alarm at all.
//                                                budget: it never ends; refused: the launch is no launch
//   tile[t] = x;          //! there              the lines that the fault must name: a race one of each, or
//   y = tile[t + 1];      //! here               two of one when there is only one sort
//
// broken/ptx holds what nvcc made of them (see broken/update).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/simt/core_machine.h"
#include "tests/support/places.h"
#include "tests/told.h"

namespace warplens::simt::broken {

struct Trial {
  Dim3 grid, block;
  std::uint32_t shared = 0;
  std::vector<std::string> arguments;
  std::string kind, text;  // of the fault; empty: there must be none
};

struct Case {
  std::string file, kernel;
  std::vector<Trial> runs;
  std::set<int> here, there;
};

void PrintTo(const Case& broken, std::ostream* out) {
  *out << broken.file << " " << broken.kernel;
}

namespace {

const std::filesystem::path kFolder = std::filesystem::path(tests::source_dir()) / "tests/simt/broken";

Dim3 extent(const std::string& text) {
  Dim3 size{1, 1, 1};
  std::istringstream in(text);
  char by = 0;
  in >> size.x >> by >> size.y >> by >> size.z;
  size.y = std::max(size.y, 1u);
  size.z = std::max(size.z, 1u);
  return size;
}

Trial run_of(const std::string& line) {
  std::istringstream in(line);
  std::string grid, block, word;
  in >> grid >> block;
  Trial run{extent(grid), extent(block), 0, {}, {}, {}};
  while (in >> word) {
    if (word.find(':') == std::string::npos) {
      run.shared = static_cast<std::uint32_t>(std::stoul(word));
    } else {
      run.arguments.push_back(word);
    }
  }
  return run;
}

void expect_of(const std::string& line, std::vector<Trial>& runs) {
  const std::size_t quote = line.find('"');
  std::istringstream in(line);
  std::string kind;
  in >> kind;
  const std::string text =
      quote == std::string::npos ? "" : line.substr(quote + 1, line.rfind('"') - quote - 1);
  for (Trial& run : runs) {
    if (!run.kind.empty()) continue;
    run.kind = kind;
    run.text = text;
  }
}

std::vector<Case> cases_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::vector<Case> cases;
  std::vector<Trial> runs;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.find("//!") == std::string::npos && line.find("__global__") == std::string::npos) continue;
    const auto behind = [&](const std::string& mark) {
      const std::size_t at = line.find(mark);
      return at == std::string::npos ? std::string() : line.substr(at + mark.size());
    };
    std::string kernel = behind("__global__ void ");
    if (kernel.starts_with("__cluster_dims__")) kernel.erase(0, kernel.find(") ") + 2);
    if (const std::string text = behind("//! run "); !text.empty()) runs.push_back(run_of(text));
    if (const std::string text = behind("//! expect "); !text.empty()) expect_of(text, runs);
    if (!kernel.empty()) {
      cases.push_back({path.stem().string(), kernel.substr(0, kernel.find('(')), std::move(runs), {}, {}});
      runs.clear();
    }
    if (line.ends_with("//! here")) cases.back().here.insert(number);
    if (line.ends_with("//! there")) cases.back().there.insert(number);
  }
  return cases;
}

std::vector<Case> all_cases() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Case> cases;
  for (const auto& file : files)
    for (Case& found : cases_of(file)) cases.push_back(std::move(found));
  return cases;
}

std::shared_ptr<const ptx::Module> broken_module(const std::string& file) {
  static std::map<std::string, std::shared_ptr<const ptx::Module>> modules;
  auto& module = modules[file];
  if (module) return module;
  std::ifstream in(kFolder / "ptx" / (file + ".ptx"));
  std::stringstream text;
  text << in.rdbuf();
  auto parsed = ptx::parse(text.str(), {.file = file + ".ptx"});
  EXPECT_TRUE(parsed) << parsed.error().text();
  if (parsed) module = std::make_shared<ptx::Module>(std::move(*parsed));
  return module;
}

// No sentence stays English: names, code and single words may.
bool is_chinese(const std::string& text) {
  static const std::regex sentence("[a-z]+ [a-z]+ [a-z]+");
  return !std::regex_search(text, sentence) && text.find("。") != std::string::npos;
}

std::string list_of(const std::vector<trace::Fault>& faults) {
  std::string text;
  for (const trace::Fault& fault : faults)
    text += std::string(trace::name(fault.kind)) + ": " + told(fault) + "\n";
  return text;
}

bool names_its_lines(const Case& broken, const trace::Fault& fault) {
  const auto marked = [&](int line) { return broken.here.contains(line) || broken.there.contains(line); };
  if (broken.here.empty() && broken.there.empty()) return true;
  if (!marked(fault.line)) return false;
  if (fault.kind != trace::FaultKind::Race) return true;
  const bool both_sorts = !broken.here.empty() && !broken.there.empty();
  return marked(fault.other_line) &&
         (!both_sorts || broken.here.contains(fault.line) != broken.here.contains(fault.other_line));
}

void check(const Case& broken, const Trial& run, const Options& options) {
  const core::Finished finished = core::run_module(broken_module(broken.file), broken.kernel, run.grid,
                                                   run.block, run.arguments, options, run.shared);
  if (run.kind == "refused") {
    EXPECT_THAT(finished.error, ::testing::HasSubstr(run.text));
    EXPECT_NE(finished.error, "");
    return;
  }
  ASSERT_EQ(finished.error, "");
  const std::vector<trace::Fault>& faults = finished.outcome.faults;
  if (run.kind == "budget") {
    EXPECT_TRUE(faults.empty()) << list_of(faults);
    EXPECT_EQ(finished.outcome.ending, Ending::Budget);
    return;
  }
  if (run.kind.empty()) {
    EXPECT_TRUE(faults.empty()) << list_of(faults);
    EXPECT_EQ(finished.outcome.ending, Ending::Completed);
    return;
  }
  ASSERT_FALSE(faults.empty()) << "nothing found, " << run.kind << " expected";
  EXPECT_EQ(trace::name(faults[0].kind), run.kind) << list_of(faults);
  EXPECT_TRUE(names_its_lines(broken, faults[0])) << list_of(faults);
  EXPECT_THAT(told(faults[0]), ::testing::HasSubstr(run.text));
  for (const trace::Fault& fault : faults) EXPECT_TRUE(is_chinese(told(fault, "zh"))) << told(fault, "zh");
}

class Broken : public ::testing::TestWithParam<Case> {};

TEST_P(Broken, IsFoundAndItsTwinRaisesNoAlarm) {
  const Case& broken = GetParam();
  ASSERT_FALSE(broken.runs.empty());
  ASSERT_TRUE(broken_module(broken.file));
  for (const Trial& run : broken.runs) {
    for (const int threads : {1, 3}) {
      Options options = core::all_checks();
      options.threads = threads;
      options.budget = run.kind == "budget" ? 2'000'000 : 100'000'000;
      check(broken, run, options);
      options.schedule = Options::Schedule::Reversed;
      check(broken, run, options);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cuda, Broken, ::testing::ValuesIn(all_cases()),
                         [](const auto& tested) { return tested.param.file + "_" + tested.param.kernel; });

}  // namespace
}  // namespace warplens::simt::broken
