// Every cp.async that was measured on an H200 (tests/analysis/data/h200_copies.txt) against the counting
// rules.
#include <gmock/gmock.h>

#include <array>
#include <fstream>
#include <set>
#include <sstream>

#include "engine/analysis/async_copies.h"
#include "tests/support/places.h"

namespace warplens::analysis {
namespace {

LaneMask read_lanes(std::istream& in, std::array<std::uint64_t, 32>& lanes) {
  LaneMask active = 0;
  std::string word;
  in >> word;  // '|'
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    in >> word;
    if (word == "-") continue;
    active |= LaneMask{1} << lane;
    lanes[lane] = std::stoull(word);
  }
  return active;
}

std::uint64_t counted(const CopyCounts& counts, const std::string& name) {
  if (name == "requests") return counts.global.requests;
  if (name == "sectors") return counts.global.sectors;
  if (name == "lines") return counts.global.lines;
  if (name == "ideal") return counts.global.sectors_ideal;
  if (name == "wavefronts") return counts.shared.wavefronts;
  if (name == "conflicts") return counts.shared.bank_conflicts;
  EXPECT_EQ(name, "wavefronts_ideal");
  return counts.shared.wavefronts_ideal;
}

TEST(AsyncCopies, AgreeWithEveryMeasuredPattern) {
  std::ifstream file(tests::source_dir() + "/tests/analysis/data/h200_copies.txt");
  int compared = 0, unexplained = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream in(line);
    std::string id, instruction, word;
    int bytes = 0;
    in >> id >> instruction >> bytes;
    std::array<std::uint64_t, 32> from{}, to{};
    const LaneMask active = read_lanes(in, from);
    EXPECT_EQ(read_lanes(in, to), active) << id;
    const CopyCounts counts = count_copy(instruction == "cp.async.cg", bytes, active, from.data(), to.data());
    std::vector<std::pair<std::string, std::uint64_t>> measured;
    in >> word;
    while (in >> word && word != "|")
      measured.emplace_back(word.substr(0, word.find('=')), std::stoull(word.substr(word.find('=') + 1)));
    std::set<std::string> left_open;
    while (in >> word) left_open.insert(word);
    EXPECT_EQ(measured.size(), 7u) << id;
    for (const auto& [name, value] : measured) {
      ++compared;
      // What a rule comes to explain leaves the list.
      const bool open = left_open.contains(name);
      unexplained += open ? 1 : 0;
      EXPECT_EQ(counted(counts, name) == value, !open)
          << id << " " << name << ": " << counted(counts, name) << ", measured " << value;
    }
  }
  EXPECT_EQ(compared, 703 * 7);
  EXPECT_LT(unexplained, 140);
}

TEST(AsyncCopies, OfRowsToPaddedRowsTakeALineForEachRowTheyTouch) {
  std::array<std::uint64_t, 32> from{}, to{};
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    from[lane] = 16 * lane;
    to[lane] = 80 * lane;
  }
  const CopyCounts past = count_copy(true, 16, kFullMask, from.data(), to.data());
  EXPECT_EQ(past.global.lines, 20u);
  EXPECT_EQ(past.global.sectors, 32u);
  const CopyCounts through = count_copy(false, 16, kFullMask, from.data(), to.data());
  EXPECT_EQ(through.global.lines, 4u);
  EXPECT_EQ(through.global.sectors, 16u);
  EXPECT_EQ(through.shared.wavefronts, 4u);
}

TEST(AsyncCopies, OfNoLaneCountNothing) {
  const std::array<std::uint64_t, 32> nowhere{};
  EXPECT_EQ(count_copy(true, 16, 0, nowhere.data(), nowhere.data()).global, GlobalCounts{});
}

}  // namespace
}  // namespace warplens::analysis
