// The fast counting against the rules written down plainly with sets, on random accesses.

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "engine/analysis/access_log.h"
#include "engine/analysis/coalescing.h"
#include "engine/analysis/patterns.h"
#include "engine/analysis/shared_banks.h"

namespace warplens::analysis {
namespace {

using trace::SiteKind;

struct Sample {
  int bytes = 4;
  LaneMask active = 0;
  std::array<std::uint64_t, 32> addresses{};
};

// Patterns of many kinds: near and far, few and many different addresses, any mask, misaligned now and then.
Sample draw(std::mt19937_64& random) {
  Sample s;
  s.bytes = 1 << random() % 5;
  s.active = random() % 3 == 0 ? kFullMask : static_cast<LaneMask>(random() | random());
  const std::uint64_t base = 4096 * (random() % 1000);
  const std::uint64_t range = std::uint64_t{1} << (3 + random() % (random() % 8 == 0 ? 40 : 14));
  const bool misaligned = random() % 16 == 0;
  const std::uint64_t step = random() % 40, few = 1 + random() % 32;
  const bool regular = random() % 4 == 0;
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    const std::uint64_t offset =
        regular ? (lane % few) * step * static_cast<std::uint64_t>(s.bytes) : random() % range;
    s.addresses[lane] = base + (misaligned ? offset : offset / s.bytes * s.bytes);
  }
  return s;
}

template <typename Use>
void for_lanes(const Sample& s, Use use) {
  for (std::size_t lane = 0; lane < 32; ++lane)
    if ((s.active >> lane & 1u) != 0) use(s.addresses[lane]);
}

TEST(CountGlobal, EqualsCountingWithSets) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    const Sample s = draw(random);
    std::set<std::uint64_t> sectors, lines, bytes;
    for_lanes(s, [&](std::uint64_t address) {
      for (int byte = 0; byte < s.bytes; ++byte) bytes.insert(address + byte);
    });
    for (const std::uint64_t byte : bytes) sectors.insert(byte / 32), lines.insert(byte / 128);
    const GlobalCounts c = count_global(SiteKind::Load, s.bytes, s.active, s.addresses.data());
    ASSERT_EQ(c.sectors, sectors.size()) << i;
    ASSERT_EQ(c.lines, lines.size()) << i;
    ASSERT_EQ(c.bytes_unique, bytes.size()) << i;
    ASSERT_EQ(c.bytes_requested, static_cast<std::uint64_t>(active_lanes(s.active) * s.bytes));
  }
}

// The rule of patterns.h written the slow way: explicit slots with owners, one pass at a time.
// Compute capability 10: a sector for each lane.
TEST(CountGlobal, ThirtyTwoBytesALane) {
  std::array<std::uint64_t, 32> addresses{};
  for (std::size_t lane = 0; lane < 32; ++lane) addresses[lane] = 4096 + 32 * lane;
  for (const SiteKind kind : {SiteKind::Load, SiteKind::Store}) {
    const GlobalCounts counts = count_global(kind, 32, kFullMask, addresses.data());
    EXPECT_EQ(counts.requests, 1u);
    EXPECT_EQ(counts.sectors, 32u);
    EXPECT_EQ(counts.lines, 8u);
  }
}

TEST(CountGlobal, AtomicsEqualTheirPasses) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 5000; ++i) {
    Sample s = draw(random);
    s.bytes = 4;
    for (std::uint64_t& address : s.addresses) address = address / 4 * 4;
    std::map<int, std::vector<std::uint64_t>> banks;
    for_lanes(s, [&](std::uint64_t address) { banks[tag_bank(address / 128)].push_back(address); });
    std::uint64_t sector_visits = 0, line_visits = 0;
    for (auto& [bank, waiting] : banks)
      for (; !waiting.empty(); ++line_visits) {
        const std::uint64_t line = waiting.front() / 128;
        std::map<std::uint64_t, std::size_t> owner;  // slot -> place in the queue
        for (std::size_t k = 0; k < waiting.size(); ++k) owner.try_emplace(waiting[k] / 4 % 32, k);
        std::set<std::uint64_t> sectors;
        std::vector<std::uint64_t> left;
        for (std::size_t k = 0; k < waiting.size(); ++k) {
          const bool served = waiting[k] / 128 == line && owner[waiting[k] / 4 % 32] == k;
          if (served)
            sectors.insert(waiting[k] / 32);
          else
            left.push_back(waiting[k]);
        }
        sector_visits += sectors.size();
        waiting = left;
      }
    const GlobalCounts c = count_global(SiteKind::Reduction, 4, s.active, s.addresses.data());
    ASSERT_EQ(c.sectors, sector_visits) << i;
    ASSERT_EQ(c.lines, line_visits) << i;
  }
}

TEST(CountShared, StoresEqualDistinctWordsABank) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20000; ++i) {
    Sample s = draw(random);
    for (std::uint64_t& address : s.addresses) address %= 228 * 1024;
    const int lanes = s.bytes <= 4 ? 32 : s.bytes == 8 ? 16 : 8;
    std::uint64_t wavefronts = 0, phases = 0;
    for (int first = 0; first < 32; first += lanes) {
      std::array<std::set<std::uint64_t>, 32> banks;
      for (int lane = first; lane < first + lanes; ++lane)
        for (int byte = 0; (s.active >> lane & 1u) != 0 && byte < s.bytes; ++byte) {
          const std::uint64_t word = (s.addresses[static_cast<std::size_t>(lane)] + byte) / 4;
          banks[word % 32].insert(word);
        }
      std::size_t degree = 0;
      for (const auto& words : banks) degree = std::max(degree, words.size());
      wavefronts += degree;
      phases += degree != 0 ? 1 : 0;
    }
    const SharedCounts c = count_shared(SiteKind::Store, s.bytes, s.active, s.addresses.data());
    ASSERT_EQ(c.wavefronts, wavefronts) << i;
    ASSERT_EQ(c.bank_conflicts, wavefronts - phases) << i;
  }
}

TEST(CountLocal, EqualsTheInterleavedLayout) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 5000; ++i) {
    Sample s = draw(random);
    for (std::uint64_t& address : s.addresses) address = address % 65536 / s.bytes * s.bytes;
    std::size_t sectors = 0;
    const int words = std::max(1, s.bytes / 4);
    for (int word = 0; word < words; ++word) {
      std::set<std::pair<std::uint64_t, std::size_t>> touched;
      for (std::size_t lane = 0; lane < 32; ++lane)
        if ((s.active >> lane & 1u) != 0) touched.insert({s.addresses[lane] / 4 + word, lane / 8});
      sectors += touched.size();
    }
    const GlobalCounts c = count_local(s.bytes, s.active, s.addresses.data());
    ASSERT_EQ(c.sectors, sectors) << i;
    ASSERT_EQ(c.requests, s.active == 0 ? 0u : static_cast<std::uint64_t>(words));
  }
}

// Half of the samples are lanes in a row, from where a sector begins or not: the log has a way of its own for
// these.
TEST(CountingProperty, TheLogHasTheSectorsAndWordsThatLanesTouch) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 4000; ++i) {
    Sample s = draw(random);
    if (i % 2 == 0) {
      const std::uint64_t base = 1 << 20 | (random() % 64) * (i % 4 == 0 ? 32 : s.bytes);
      std::uint64_t nth = 0;
      for (std::uint64_t lane = 0; lane < 32; ++lane)
        s.addresses[lane] =
            base + static_cast<std::uint64_t>(s.bytes) * ((s.active >> lane & 1u) != 0 ? nth++ : 7);
    }
    if (s.active == 0) continue;
    const bool store = random() % 2 == 0;
    trace::Site site;
    site.kind = store ? SiteKind::Store : SiteKind::Load;
    site.space = trace::Space::Global;
    AccessLogger logger({site});
    logger.on_block_begin(0);
    trace::Access access;
    access.kind = site.kind;
    access.space = site.space;
    access.bytes = static_cast<std::uint8_t>(s.bytes);
    access.active = s.active;
    access.addresses = s.addresses.data();
    logger.on_access(access);

    std::map<std::uint64_t, std::array<bool, 128>> touched;  // by line, its bytes
    for (std::size_t lane = 0; lane < 32; ++lane)
      for (int byte = 0; (s.active >> lane & 1u) != 0 && byte < s.bytes; ++byte) {
        const std::uint64_t at = s.addresses[lane] + static_cast<std::uint64_t>(byte);
        touched[at / 128][at % 128] = true;
      }
    const AccessLog log = logger.take();
    std::size_t next = 0;
    const LoggedAccess logged = AccessLog::read(log.blocks.front(), 0, next);
    ASSERT_EQ(logged.lines.size(), touched.size()) << i;
    std::size_t at = 0;
    for (const auto& [line, bytes] : touched) {
      std::uint32_t sectors = 0, words = 0;
      for (unsigned word = 0; word < 32; ++word) {
        const auto first = bytes.begin() + 4 * word;
        if (store ? std::all_of(first, first + 4, std::identity())
                  : std::any_of(first, first + 4, std::identity()))
          words |= 1u << word;
        if (std::any_of(first, first + 4, std::identity())) sectors |= 1u << word / 8;
      }
      ASSERT_EQ(logged.lines[at], line << 4 | sectors) << i;
      ASSERT_EQ(logged.words_of(at), words) << i;
      ++at;
    }
  }
}

}  // namespace
}  // namespace warplens::analysis
