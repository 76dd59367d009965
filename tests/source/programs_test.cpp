// Programs as people write them (programs/*.cu), each with its true launches written at its top:
//
//   //= KERNEL grid X Y Z | block X Y Z | shared BYTES | ARGUMENT | ...
//   //! instances NAME, NAME      //+ further launches follow
//
// An argument is a number, bytes of a buffer (4096B), struct:..., or ? for what only running it can tell.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "engine/base/assets.h"
#include "engine/source/launches.h"
#include "tests/support/places.h"

namespace warplens::source {
namespace {

namespace fs = std::filesystem;

struct Counts {
  int right = 0, said = 0, wrong = 0;
  std::string mistakes;
  void count(bool known, bool equal, bool is_said, const std::string& what) {
    if (known && equal) {
      ++right;
    } else if (is_said) {
      ++said;
    } else {
      ++wrong;
      mistakes += what + "\n";
    }
  }
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) {
    const auto first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
    parts.push_back(first == std::string::npos ? "" : part.substr(first, last - first + 1));
  }
  return parts;
}

struct Truth {
  std::string kernel;
  std::optional<Dim3> grid, block;
  std::optional<std::uint32_t> shared;
  std::vector<std::string> arguments;
};

std::optional<Dim3> extents(const std::string& text) {
  std::stringstream stream(text);
  std::string what;
  Dim3 d;
  if (stream >> what >> d.x >> d.y >> d.z) return d;
  return std::nullopt;
}

Truth truth_of(const std::string& line) {
  const auto parts = split(line, '|');
  Truth truth;
  const auto space = parts[0].find(' ');
  truth.kernel = parts[0].substr(0, space);
  truth.grid = extents(parts[0].substr(space + 1));
  truth.block = extents(parts[1]);
  truth.shared = static_cast<std::uint32_t>(std::stoul(parts[2].substr(7)));
  truth.arguments.assign(parts.begin() + 3, parts.end());
  return truth;
}

bool is_said(const std::optional<Doubt>& doubt) {
  return doubt && !doubt->name.empty() && doubt->line > 0;
}

void compare(const Truth& truth, const HostLaunch& found, const std::string& where, Counts& launches,
             Counts& arguments) {
  const auto extent = [&](const std::optional<Dim3>& true_one, const std::optional<Dim3>& ours,
                          const std::optional<Doubt>& doubt) {
    const bool unsure = !true_one && (!ours || (doubt && doubt->assumed)) && is_said(doubt);
    return true_one && ours && *true_one == *ours ? 1 : unsure ? 0 : -1;
  };
  const int grid = extent(truth.grid, found.grid, found.grid_doubt),
            block = extent(truth.block, found.block, found.block_doubt),
            shared = found.shared_bytes == truth.shared ? 1 : -1;
  const int worst = std::min({grid, block, shared});
  launches.count(worst == 1, true, worst == 0, where + " grid, block or shared");
  ASSERT_EQ(found.arguments.size(), truth.arguments.size()) << where;
  for (std::size_t i = 0; i < truth.arguments.size(); ++i) {
    const std::string& wanted = truth.arguments[i];
    const LaunchArgument& got = found.arguments[i];
    const bool unsure = (!got.value && !got.bytes) || (got.doubt && got.doubt->assumed);
    bool equal = false;
    if (wanted.back() == 'B')
      equal = got.bytes == std::stoull(wanted);
    else if (wanted.starts_with("struct:"))
      equal = got.structure == wanted;
    else if (wanted != "?")
      equal = got.value && *got.value == std::stod(wanted);
    arguments.count(wanted != "?", equal, wanted == "?" && unsure && is_said(got.doubt),
                    where + " argument " + std::to_string(i));
  }
}

TEST(Programs, LaunchesAsTheyAreOrSaidToBeUnknown) {
  Counts launches, arguments;
  int programs = 0;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(tests::source_dir()) / "tests/source/programs"))
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    ++programs;
    const auto text = read_text(file);
    ASSERT_TRUE(text);
    const HostReading reading = read_host({.file = file.string(), .text = *text});
    std::vector<Truth> truths;
    std::vector<std::string> instances;
    bool more = false;
    for (const std::string& line : split(*text, '\n')) {
      if (line.starts_with("//= ")) truths.push_back(truth_of(line.substr(4)));
      if (line.starts_with("//! instances ")) instances = split(line.substr(14), ',');
      more |= line.starts_with("//+");
    }
    const std::string name = file.filename().string();
    ASSERT_FALSE(truths.empty()) << name;
    if (!more) {
      EXPECT_EQ(reading.launches.size(), truths.size()) << name;
    }
    for (const std::string& instance : instances)
      EXPECT_NE(std::find(reading.instances.begin(), reading.instances.end(), instance),
                reading.instances.end())
          << name << ": " << instance;
    ASSERT_GE(reading.launches.size(), truths.size()) << name;
    for (std::size_t i = 0; i < truths.size(); ++i) {
      const std::string& kernel = reading.launches[i].kernel;
      EXPECT_TRUE(truths[i].kernel == kernel || truths[i].kernel.ends_with("::" + kernel)) << name << kernel;
      compare(truths[i], reading.launches[i], name, launches, arguments);
    }
  }
  std::printf(
      "%d programs: %d launches right, %d said to be unknown or ours, %d wrong; "
      "%d arguments right, %d said, %d wrong\n",
      programs, launches.right, launches.said, launches.wrong, arguments.right, arguments.said,
      arguments.wrong);
  EXPECT_GE(programs, 40);
  EXPECT_EQ(launches.wrong, 0) << launches.mistakes;
  EXPECT_EQ(arguments.wrong, 0) << arguments.mistakes;
  EXPECT_GE(launches.right, 45);
  EXPECT_GE(launches.said, 8);
}

}  // namespace
}  // namespace warplens::source
