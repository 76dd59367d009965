// What L1 holds, beside an H200 that was asked line by line (tests/models/golden/l1_lines_h200.txt, made by
// tools/golden/l1_lines.cu).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "engine/analysis/cache_memory.h"
#include "tests/support/places.h"

namespace warplens::analysis {
namespace {

constexpr std::uint32_t kSector = 1, kWord = 1;  // what a step asks for
constexpr std::size_t kKeptFree = 64;            // of L1's lines, as the documents say

std::vector<std::string> golden(const std::string& beginning) {
  std::ifstream in(tests::source_dir() + "/tests/models/golden/l1_lines_h200.txt");
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(beginning)) out.push_back(line);
  return out;
}
std::vector<std::uint64_t> numbers(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::uint64_t> out;
  for (std::uint64_t n = 0; in >> n;) out.push_back(n);
  return out;
}
std::string behind(const std::string& text, const std::string& what) {
  const std::size_t at = text.find(what);
  return at == std::string::npos ? std::string() : text.substr(at + what.size());
}
// The line where the memory began whose lines are told.
const std::uint64_t kFirst =
    std::stoull(behind(golden("the first line's address: ").at(0), "address: "), nullptr, 16) / 128;

// Four lines of a set throw a fifth out, and no other lines do.
TEST(L1Lines, ASetHasTheLinesThatThrowEachOtherOut) {
  std::size_t told = 0;
  for (const std::string& line : golden("leaves: ")) {
    if (line.ends_with("too many to tell")) continue;
    const std::uint64_t thrown = numbers(behind(line, "leaves: ")).at(0);
    std::vector<std::uint64_t> others = numbers(behind(line, ": " + std::to_string(thrown) + " by 4:"));
    ASSERT_EQ(others.size(), 4u);
    const auto leaves = [&] {
      LineCache l1(1984);
      l1.load(kFirst + thrown, kSector, kWord);
      for (const std::uint64_t other : others) l1.load(kFirst + other, kSector, kWord);
      return l1.load(kFirst + thrown, kSector, kWord) == 0;
    };
    EXPECT_TRUE(leaves());
    const auto last = numbers(behind(line, "as the last:"));
    EXPECT_GE(last.size(), 10u);
    for (const std::uint64_t other : last) {
      others.back() = other;
      EXPECT_TRUE(leaves()) << other;
      ++told;
    }
    others.back() += 1;
    EXPECT_FALSE(leaves());
  }
  EXPECT_GE(told, 40u);
}

// Lines in a row, again and again: all are there up to what L1 holds, and beyond it what a GPU has.
TEST(L1Lines, ARowThatIsTooLongIsThereInPart) {
  std::size_t holds = 0, rows = 0, near = 0;
  double off = 0;
  for (const std::string& line : golden("")) {
    if (line.starts_with("shared memory")) holds = numbers(behind(line, "whole up to ")).at(0);
    if (!line.starts_with("in a row, ")) continue;
    const std::uint64_t lines = numbers(behind(line, "in a row, ")).at(0);
    const auto hardware = numbers(behind(line, " lines:"));
    LineCache l1(holds + kKeptFree);
    std::vector<std::uint64_t> found;
    for (std::size_t time = 0; time <= hardware.size(); ++time) {
      found.push_back(0);
      for (std::uint64_t i = 0; i < lines; ++i) found.back() += l1.load(kFirst + i, kSector, kWord);
    }
    // A GPU takes a few times until it is the same each time.
    const auto ours = static_cast<double>(found.back()), its = static_cast<double>(hardware.back());
    off += std::fabs(ours - its) / static_cast<double>(lines);
    ++rows;
    near += std::fabs(ours - its) <= 0.06 * static_cast<double>(lines) ? 1 : 0;
    LineCache whole(holds + kKeptFree);
    std::uint64_t there = 0;
    for (int time = 0; time < 2; ++time)
      for (std::uint64_t i = 0; i < holds; ++i) there += whole.load(kFirst + i, kSector, kWord);
    EXPECT_EQ(there, holds);
  }
  EXPECT_EQ(rows, 49u);
  // A few rows are the same for long and then others, of which a GPU comes to one and we to the other.
  EXPECT_GE(near, 36u);
  EXPECT_LE(off / static_cast<double>(rows), 0.07);
}

// Of loads by chance, how many are still there behind so many lines that were brought, behind a load that
// brought them and behind one that found them: who comes again is kept longer where sets have several lines.
TEST(L1Lines, LinesThatSomebodyCameToAgainAreKeptLonger) {
  std::size_t holds = 0, points = 0;
  double off = 0;
  for (const std::string& text : golden("by chance, ")) {
    holds = numbers(behind(text, "by chance, ")).at(0);
    const std::uint64_t pool = numbers(behind(text, " of ")).at(0);
    const bool found_it = text.find("behind one that found it") != std::string::npos;
    const auto percent = numbers(behind(text, found_it ? "found it:" : "brought it:"));
    std::mt19937 chance(7);
    LineCache l1(holds + kKeptFree);
    struct Last {
      std::uint64_t brought = 0;
      bool known = false, found = false;
    };
    std::vector<Last> last(pool);
    std::vector<double> tried(20), had(20);
    std::uint64_t brought = 0;
    for (int i = 0; i < 60000; ++i) {
      const std::uint64_t line = chance() % pool;
      const bool found = l1.load(kFirst + line, kSector, kWord) != 0;
      Last& before = last[line];
      if (before.known && before.found == found_it && i > 4000) {
        const std::size_t tenth = std::min<std::size_t>(19, (brought - before.brought) * 10 / holds);
        ++tried[tenth];
        had[tenth] += found ? 100 : 0;
      }
      if (!found) ++brought;
      before = {brought, true, found};
    }
    for (std::size_t tenth = 0; tenth < 12; ++tenth) {
      if (tried[tenth] < 100) continue;
      off += std::fabs(had[tenth] / tried[tenth] - static_cast<double>(percent.at(tenth)));
      ++points;
    }
  }
  EXPECT_GE(points, 120u);
  EXPECT_LE(off / static_cast<double>(points), 8) << "points of 100";
}

// What one thread's accesses leave behind, one after the other.
TEST(L1Lines, StoresCanBeReadAndOthersTakeTheLineOut) {
  constexpr std::uint64_t kFound = 300;  // cycles of a load that L1 had
  std::size_t loads = 0;
  for (const std::string& line : golden("accesses ")) {
    if (line.find("membar") != std::string::npos) continue;  // the log of accesses has no fences
    const auto cycles = numbers(behind(line, ": "));
    std::istringstream all(behind(line, "accesses "));
    LineCache l1(1984);
    std::size_t i = 0;
    for (std::string one; all >> one; ++i) {
      const std::string op = one.substr(0, one.find('+'));
      const auto byte = static_cast<unsigned>(std::stoul(one.substr(one.find('+') + 1)));
      const std::uint32_t sector = 1u << byte / 32, word = 1u << byte / 4;
      if (op == "ld" || op == "cp.async.ca") {
        const bool found = l1.load(kFirst, sector, word) != 0;
        if (op != "ld") continue;
        EXPECT_EQ(found, cycles.at(i) < kFound) << line << ", access " << i;
        ++loads;
      } else if (op == "st") {
        l1.store(kFirst, word);
      } else if (op == "st.v4") {
        l1.store(kFirst, 15u << byte / 4);
      } else if (op == "st.u8") {
        l1.store(kFirst, 0);  // no whole word
      } else if (op != "bar") {
        l1.forget(kFirst);
      }
      if (one.ends_with(':')) break;
    }
  }
  EXPECT_GE(loads, 45u);
}

}  // namespace
}  // namespace warplens::analysis
