// Every pattern measured on an H200 (tests/analysis/data/h200_patterns.txt) against the counting rules.

#include "engine/analysis/patterns.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "engine/analysis/coalescing.h"
#include "engine/analysis/shared_banks.h"
#include "tests/support/places.h"

namespace warplens::analysis {
namespace {

using trace::SiteKind;

struct Row {
  std::string id, instruction;
  int bytes = 0;
  LaneMask active = 0;
  std::array<std::uint64_t, 32> offsets{};
  std::map<std::string, double> counters;
  std::set<std::string> unexplained;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::string part;
  std::istringstream in(text);
  while (std::getline(in, part, separator)) out.push_back(part);
  return out;
}

Row parse_row(const std::string& line) {
  const auto fields = split(line, '|');
  Row row;
  row.id = fields.at(0);
  row.instruction = fields.at(1);
  row.bytes = std::stoi(fields.at(2));
  const auto offsets = split(fields.at(3), ' ');
  if (offsets.size() == 1) {
    long long first = 0, step = 0;
    EXPECT_EQ(std::sscanf(offsets[0].c_str(), "%lld%lld", &first, &step), 2) << line;
    row.active = kFullMask;
    for (long long lane = 0; lane < 32; ++lane)
      row.offsets[static_cast<std::size_t>(lane)] = static_cast<std::uint64_t>(first + lane * step);
  } else {
    EXPECT_EQ(offsets.size(), 32u) << line;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      if (offsets[lane] == "-") continue;
      row.active |= LaneMask{1} << lane;
      row.offsets[lane] = std::stoull(offsets[lane]);
    }
  }
  for (const std::string& counter : split(fields.at(4), ' ')) {
    const auto pair = split(counter, '=');
    row.counters[pair.at(0)] = std::stod(pair.at(1));
  }
  if (fields.size() > 5)
    for (const std::string& counter : split(fields[5], ' ')) row.unexplained.insert(counter);
  return row;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> out;
    std::ifstream in(tests::source_dir() + "/tests/analysis/data/h200_patterns.txt");
    for (std::string line; std::getline(in, line);)
      if (!line.empty() && line[0] != '#') out.push_back(parse_row(line));
    return out;
  }();
  return all;
}

SiteKind kind_of(const std::string& instruction) {
  const auto starts = [&](const char* text) { return instruction.rfind(text, 0) == 0; };
  if (instruction.find(".cas.") != instruction.npos) return SiteKind::CompareAndSwap;
  if (starts("ldmatrix")) return SiteKind::MatrixLoad;
  if (starts("stmatrix")) return SiteKind::MatrixStore;
  if (starts("cp.async")) return SiteKind::AsyncCopy;
  if (starts("atom")) return SiteKind::Atomic;
  if (starts("red")) return SiteKind::Reduction;
  if (starts("st")) return SiteKind::Store;
  return SiteKind::Load;
}

// Compares one counter of a row; counts what it compared.
class Comparison {
 public:
  void check(const Row& row, const char* counter, std::uint64_t value) {
    const auto found = row.counters.find(counter);
    if (found == row.counters.end()) return;
    // Listed as not explained by whoever measured; only the profiler's own model of wide loads still is not.
    if (row.unexplained.count(counter) != 0 && std::string_view(counter) == "src_wavefronts") {
      ++unexplained_;
      return;
    }
    ++compared_;
    EXPECT_EQ(static_cast<double>(value), found->second)
        << row.id << " " << row.instruction << ": " << counter;
  }
  int compared() const { return compared_; }
  int unexplained() const { return unexplained_; }

 private:
  int compared_ = 0, unexplained_ = 0;
};

bool is_shared(const Row& row) {
  return row.counters.count("wavefronts") != 0;
}
bool has_space(const Row& row, const char* space) {
  return row.instruction.find(space) != row.instruction.npos;
}

void check_shared(const Row& row, Comparison& comparison) {
  const SiteKind kind = kind_of(row.instruction);
  const bool floating = has_space(row, "add.f32") || has_space(row, "add.f64");
  SharedCounts loads;
  const SharedCounts counts = count_shared(kind, row.bytes, row.active, row.offsets.data(), floating, &loads);
  comparison.check(row, "wavefronts", counts.wavefronts);
  comparison.check(row, "conflicts", counts.bank_conflicts);
  comparison.check(row, "atom_inst", counts.requests);
  comparison.check(row, "ld_inst", loads.requests);
  comparison.check(row, "ld_wavefronts", loads.wavefronts);
  comparison.check(row, "ld_conflicts", loads.bank_conflicts);
  // The profiler's own wavefront model differs from the hardware for wide loads, and its ideal follows its
  // model; where both agree the ideal must be ours.
  const auto model = row.counters.find("src_wavefronts");
  const auto ours = static_cast<double>(counts.wavefronts + loads.wavefronts);
  if (model != row.counters.end() && model->second == ours && !floating)
    comparison.check(row, "src_ideal", counts.wavefronts_ideal);
  const BankDetail detail = explain_shared(kind, row.bytes, row.active, row.offsets.data(), floating);
  EXPECT_EQ(detail.counts, counts) << row.id;
  const std::uint64_t factor = kind == SiteKind::CompareAndSwap ? 2 : 1;
  EXPECT_EQ(detail.passes.size() * factor, counts.wavefronts) << row.id;
  if (kind == SiteKind::Load) comparison.check(row, "writeback", detail.phases.size());
  // The events of one address per lane: nothing is served twice, nothing is left out.
  LaneMask served = 0;
  for (const BankPass& pass : detail.passes)
    for (const BankHit& hit : pass.hits) served |= LaneMask{1} << hit.lane;
  EXPECT_EQ(served, row.active) << row.id;
}

void check_global(const Row& row, Comparison& comparison) {
  const SiteKind kind = kind_of(row.instruction);
  const GlobalCounts counts = count_global(kind, row.bytes, row.active, row.offsets.data());
  comparison.check(row, "requests", counts.requests);
  comparison.check(row, "sectors", counts.sectors);
  comparison.check(row, "tags", counts.lines);
  comparison.check(row, "l2_requests", counts.lines);
  comparison.check(row, "l2_sectors", counts.sectors);
  comparison.check(row, "src_ideal", counts.sectors_ideal);
  comparison.check(row, "data_bytes", counts.bytes_unique);
  const CoalescingDetail detail = explain_global(kind, row.bytes, row.active, row.offsets.data());
  comparison.check(row, "src_sectors", detail.sectors.size());
  comparison.check(row, "src_tags", detail.lines.size());
  if (kind != SiteKind::Load && kind != SiteKind::Store) {
    const AtomicVisits visits = visit_atomics(kind, row.bytes, row.active, row.offsets.data());
    comparison.check(row, "sectors", visits.sectors);
    comparison.check(row, "tags", visits.lines);
    comparison.check(row, "t_wavefronts", static_cast<std::uint64_t>(visits.wavefronts));
  } else
    comparison.check(row, "t_wavefronts",
                     static_cast<std::uint64_t>(tag_wavefronts(row.bytes, row.active, row.offsets.data())));
}

void check_local(const Row& row, Comparison& comparison) {
  const GlobalCounts counts = count_local(row.bytes, row.active, row.offsets.data());
  comparison.check(row, "requests", counts.requests);
  comparison.check(row, "sectors", counts.sectors);
  comparison.check(row, "src_sectors", counts.sectors);
  comparison.check(row, "tags", counts.lines);
}

void check_constant(const Row& row, Comparison& comparison) {
  const auto loads = has_space(row, ".v2") ? 2u : 1u;
  const auto distinct = static_cast<std::uint64_t>(distinct_addresses(row.active, row.offsets.data()));
  comparison.check(row, "idc_requests", loads * distinct);
}

TEST(H200Patterns, EveryCounterIsReproduced) {
  ASSERT_EQ(rows().size(), 915u);
  Comparison comparison;
  for (const Row& row : rows()) {
    if (is_shared(row))
      check_shared(row, comparison);
    else if (has_space(row, ".local"))
      check_local(row, comparison);
    else if (has_space(row, ".const"))
      check_constant(row, comparison);
    else
      check_global(row, comparison);
  }
  EXPECT_GE(comparison.compared(), 3900);
  EXPECT_EQ(comparison.unexplained(), 0);
  RecordProperty("compared", comparison.compared());
}

// The closed forms must equal the general counting wherever they answer.
TEST(ClosedForms, EqualTheGeneralCounting) {
  const std::array<SiteKind, 6> kinds{SiteKind::Load,           SiteKind::Store,     SiteKind::Atomic,
                                      SiteKind::CompareAndSwap, SiteKind::AsyncCopy, SiteKind::MatrixLoad};
  const std::array<LaneMask, 9> masks{kFullMask, 1u,          0x80000000u, 0xffffu,    0xffff0000u,
                                      0x00ff0u,  0x7fffffffu, 0x18000u,    0x55555555u};
  int answered = 0;
  for (const SiteKind kind : kinds)
    for (const int bytes : {1, 2, 4, 8, 16})
      for (const LaneMask active : masks)
        for (std::int64_t stride = -264; stride <= 264; ++stride)
          for (const std::uint64_t start : {65536u, 65540u, 65664u, 65552u, 65537u}) {
            std::array<std::uint64_t, 32> addresses{};
            std::int64_t step = 0;
            for (LaneMask left = active; left != 0; left &= left - 1) {
              const int lane = std::countr_zero(left);
              step = lane - std::countr_zero(active);
              addresses[static_cast<std::size_t>(lane)] = start + static_cast<std::uint64_t>(step * stride);
            }
            GlobalCounts global;
            if (count_global_affine(kind, bytes, active, start, stride, global)) {
              ++answered;
              ASSERT_EQ(global, count_global(kind, bytes, active, addresses.data()))
                  << bytes << " " << stride << " " << active << " " << start;
            }
            SharedCounts shared;
            if (count_shared_affine(kind, bytes, active, start, stride, shared)) {
              ++answered;
              ASSERT_EQ(shared, count_shared(kind, bytes, active, addresses.data()))
                  << name(kind) << " " << bytes << " " << stride << " " << active << " " << start;
            }
          }
  EXPECT_GT(answered, 100000);
}

TEST(Coalescing, WorkedCases) {
  std::array<std::uint64_t, 32> a{};
  const auto fill = [&](std::uint64_t start, std::int64_t step) {
    for (std::size_t i = 0; i < 32; ++i)
      a[i] = start + static_cast<std::uint64_t>(step * static_cast<std::int64_t>(i));
  };
  const auto triple = [&](int bytes, LaneMask active = kFullMask) {
    const GlobalCounts c = count_global(SiteKind::Load, bytes, active, a.data());
    return std::array<std::uint64_t, 3>{c.requests, c.sectors, c.lines};
  };
  using Three = std::array<std::uint64_t, 3>;
  fill(1024, 4);
  EXPECT_EQ(triple(4), (Three{1, 4, 1}));
  EXPECT_EQ(triple(4, 0x55555555u), (Three{1, 4, 1}));
  EXPECT_EQ(triple(4, 0xffffu), (Three{1, 2, 1}));
  EXPECT_EQ(triple(4, 0), (Three{0, 0, 0}));
  fill(1028, 4);
  EXPECT_EQ(triple(4), (Three{1, 5, 2}));
  fill(1024, 8);
  EXPECT_EQ(triple(4), (Three{1, 8, 2}));
  fill(1024, 12);
  EXPECT_EQ(triple(4), (Three{1, 12, 3}));
  fill(1024, 32);
  EXPECT_EQ(triple(4), (Three{1, 32, 8}));
  fill(1024, 128);
  EXPECT_EQ(triple(4), (Three{1, 32, 32}));
  fill(1024, 16);
  EXPECT_EQ(triple(16), (Three{1, 16, 4}));
  fill(1024, 0);
  EXPECT_EQ(triple(4), (Three{1, 1, 1}));
  fill(1024 + 31 * 4, -4);
  EXPECT_EQ(triple(4), (Three{1, 4, 1}));
}

TEST(Coalescing, DetailNamesLanesAndUsedBytes) {
  std::array<std::uint64_t, 32> a{};
  for (std::size_t i = 0; i < 32; ++i) a[i] = 4096 + 8 * i;
  const CoalescingDetail detail = explain_global(SiteKind::Load, 4, kFullMask, a.data());
  ASSERT_EQ(detail.sectors.size(), 8u);
  EXPECT_EQ(detail.sectors[1].address, 4128u);
  EXPECT_EQ(detail.sectors[1].lanes, 0xf0u);
  EXPECT_EQ(detail.sectors[1].used, 0x0f0f0f0fu);
  EXPECT_THAT(detail.lines, testing::ElementsAre(4096u, 4224u));
}

TEST(Coalescing, MisalignedAddressesOfAHostileTraceAreCountedByBytes) {
  std::array<std::uint64_t, 32> a{};
  a[0] = 30;  // four bytes over the border of two sectors
  a[1] = 32;  // overlaps the first in two bytes
  const GlobalCounts counts = count_global(SiteKind::Load, 4, 3u, a.data());
  EXPECT_EQ(counts.sectors, 2u);
  EXPECT_EQ(counts.bytes_unique, 6u);
}

TEST(SharedBanks, DetailShowsWhatEachPassServes) {
  std::array<std::uint64_t, 32> a{};
  for (std::size_t i = 0; i < 32; ++i) a[i] = 8 * i;  // stride 2 words: lanes i and i + 16 share a bank
  const BankDetail detail = explain_shared(SiteKind::Load, 4, kFullMask, a.data());
  EXPECT_EQ(detail.degree, 2);
  ASSERT_EQ(detail.passes.size(), 2u);
  ASSERT_EQ(detail.passes[0].hits.size(), 16u);
  EXPECT_EQ(detail.passes[0].hits[0].lane, 0);
  EXPECT_EQ(detail.passes[1].hits[0].lane, 16);
  EXPECT_EQ(detail.passes[1].hits[0].bank, 0);
  EXPECT_EQ(detail.passes[1].hits[0].word, 32u);
  EXPECT_FALSE(detail.passes[0].hits[0].broadcast);
  a.fill(64);
  const BankDetail uniform = explain_shared(SiteKind::Load, 8, kFullMask, a.data());
  EXPECT_TRUE(uniform.pair_merged);
  ASSERT_EQ(uniform.passes.size(), 1u);
  EXPECT_TRUE(uniform.passes[0].hits[0].broadcast);
}

}  // namespace
}  // namespace warplens::analysis
