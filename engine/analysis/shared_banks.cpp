#include "engine/analysis/shared_banks.h"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/analysis/patterns.h"

namespace warplens::analysis {
namespace {

using trace::SiteKind;

// How a kind of instruction meets the banks.
struct Rule {
  bool merges = false;   // S3: wide loads whose neighbours agree share phases
  bool by_lane = false;  // lanes on one word are served one by one (A1, M3), not together
  bool doubled = false;  // A2: compare-and-swap passes twice
  bool matrix = false;   // M1: a phase is an 8x8 matrix, and so is the ideal
};

Rule rule_of(SiteKind kind) {
  switch (kind) {
    case SiteKind::Load:
      return {.merges = true};
    case SiteKind::Atomic:
    case SiteKind::Reduction:
    case SiteKind::AsyncCopy:
      return {.by_lane = true};
    case SiteKind::CompareAndSwap:
      return {.by_lane = true, .doubled = true};
    case SiteKind::MatrixLoad:
    case SiteKind::MatrixStore:
      return {.matrix = true};
    default:
      return {};
  }
}

struct Phases {
  std::array<LaneMask, 4> lanes{};  // active lanes of each active phase
  int count = 0;
  bool merged = false;
  void add(LaneMask mask) {
    if (mask != 0) lanes[static_cast<std::size_t>(count++)] = mask;
  }
};

// S1: 32 lanes of up to 4 bytes, 16 of 8, 8 of 16 are served at a time.
int lanes_per_phase(int bytes) {
  return bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
}

Phases split(int bytes, LaneMask active, bool merged) {
  Phases out;
  out.merged = merged;
  // Merged phases double: one of 32 lanes for 8 bytes, two of 16 for 16.
  const int width = lanes_per_phase(bytes) * (merged ? 2 : 1);
  const LaneMask first = width >= 32 ? kFullMask : (LaneMask{1} << width) - 1;
  for (int lane = 0; lane < kWarpSize; lane += width) out.add(active & (first << lane));
  return out;
}

// Whether every active lane's partner (lane ^ distance) is inactive or has the same address.
bool partners_agree(LaneMask active, const std::uint64_t* offsets, int distance) {
  const LaneMask low = distance == 1 ? 0x55555555u : 0x33333333u;
  for (LaneMask left = active & (active >> distance) & low; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (offsets[lane] != offsets[lane + distance]) return false;
  }
  return true;
}

Phases phases_of(const Rule& rule, int bytes, LaneMask active, const std::uint64_t* offsets) {
  const bool merged =
      rule.merges && bytes > 4 && (partners_agree(active, offsets, 1) || partners_agree(active, offsets, 2));
  return split(bytes, active, merged);
}

// Calls use(word) for each 32-bit word that a lane touches.
template <typename Use>
void for_each_word(std::uint64_t offset, int bytes, Use use) {
  const std::uint64_t last = (offset + static_cast<std::uint64_t>(bytes) - 1) >> 2;
  for (std::uint64_t word = offset >> 2; word <= last; ++word) use(word);
}

int most_lanes_in_a_bank(LaneMask lanes, int bytes, const std::uint64_t* offsets) {
  std::array<int, 32> in_bank{};
  for (LaneMask left = lanes; left != 0; left &= left - 1)
    for_each_word(offsets[std::countr_zero(left)], bytes, [&](std::uint64_t word) { ++in_bank[word & 31u]; });
  return *std::max_element(in_bank.begin(), in_bank.end());
}

// Distinct words a bank, for the rare phase whose words lie more than 64 rows of 128 bytes apart.
int most_words_far_apart(LaneMask lanes, int bytes, const std::uint64_t* offsets) {
  std::array<std::uint64_t, 32 * 8> words;  // 16 bytes touch 5 words at most
  std::size_t count = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1)
    for_each_word(offsets[std::countr_zero(left)], bytes, [&](std::uint64_t word) {
      if (count < words.size()) words[count++] = word;
    });
  std::array<int, 32> in_bank{};
  if (count <= kWarpSize) {
    // Shared offsets fit 32 bits by far; what a hostile trace holds beyond is cut off like an address would
    // be.
    LaneValues values;
    for (std::size_t i = 0; i < count; ++i)
      values.set(static_cast<int>(i), static_cast<std::uint32_t>(words[i]) & 0x7fffffffu);
    for (LaneMask left = first_occurrences(values, 0); left != 0; left &= left - 1)
      ++in_bank[words[static_cast<std::size_t>(std::countr_zero(left))] & 31u];
    return *std::max_element(in_bank.begin(), in_bank.end());
  }
  std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < count; ++i)
    if (i == 0 || words[i] != words[i - 1]) ++in_bank[words[i] & 31u];
  return *std::max_element(in_bank.begin(), in_bank.end());
}

// A bit for each row of 128 bytes in each bank, for words within 64 rows of each other.
int most_words_in_a_bank(LaneMask lanes, int bytes, const std::uint64_t* offsets) {
  std::array<std::uint64_t, 32> rows{};
  const std::uint64_t origin = (offsets[std::countr_zero(lanes)] >> 7) - 32;
  std::uint64_t farthest = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1)
    for_each_word(offsets[std::countr_zero(left)], bytes, [&](std::uint64_t word) {
      const std::uint64_t row = (word >> 5) - origin;
      farthest |= row;
      rows[word & 31u] |= std::uint64_t{1} << (row & 63u);
    });
  if (farthest > 63) return most_words_far_apart(lanes, bytes, offsets);
  int most = 0;
  for (const std::uint64_t bits : rows) most = std::max(most, std::popcount(bits));
  return most;
}

int degree_of(const Rule& rule, LaneMask lanes, int bytes, const std::uint64_t* offsets) {
  return rule.by_lane ? most_lanes_in_a_bank(lanes, bytes, offsets)
                      : most_words_in_a_bank(lanes, bytes, offsets);
}

// From the sum of degrees over the active phases to the counters.
SharedCounts finish(const Rule& rule, int bytes, int lanes, std::uint64_t passes, int phases) {
  const std::uint64_t factor = rule.doubled ? 2 : 1;
  const auto packed = static_cast<std::uint64_t>((lanes * bytes + 127) / 128);
  SharedCounts out;
  out.requests = 1;
  out.wavefronts = factor * passes;
  out.bank_conflicts = passes - static_cast<std::uint64_t>(phases);
  out.wavefronts_ideal =
      rule.matrix ? static_cast<std::uint64_t>(phases) : std::min(out.wavefronts, factor * packed);
  return out;
}

// A4: each round loads the words of the remaining lanes; then, phase by phase, the lowest lane of each bank
// tries to swap, and fails when an earlier phase of the round has changed its word.
// Calls on_round(remaining lanes) and on_phase(phase index, lanes that try).
template <typename OnRound, typename OnPhase>
void run_floating_loop(int bytes, LaneMask active, const std::uint64_t* offsets, OnRound on_round,
                       OnPhase on_phase) {
  for (LaneMask remaining = active; remaining != 0;) {
    on_round(remaining);
    const Phases phases = split(bytes, remaining, false);
    std::array<std::uint64_t, kWarpSize> changed;
    int changes = 0;
    LaneMask done = 0;
    for (int p = 0; p < phases.count; ++p) {
      std::uint32_t taken_banks = 0;
      LaneMask tries = 0;
      for (LaneMask left = phases.lanes[static_cast<std::size_t>(p)]; left != 0; left &= left - 1) {
        const int lane = std::countr_zero(left);
        const std::uint32_t bank = 1u << (offsets[lane] >> 2 & 31u);
        if ((taken_banks & bank) != 0) continue;
        taken_banks |= bank;
        tries |= LaneMask{1} << lane;
      }
      on_phase(p, tries);
      const int before = changes;
      for (LaneMask left = tries; left != 0; left &= left - 1) {
        const int lane = std::countr_zero(left);
        const std::uint64_t word = offsets[lane] >> 2;
        if (std::find(changed.begin(), changed.begin() + before, word) != changed.begin() + before) continue;
        changed[static_cast<std::size_t>(changes++)] = word;
        done |= LaneMask{1} << lane;
      }
    }
    remaining &= ~done;
  }
}

SharedCounts count_floating(int bytes, LaneMask active, const std::uint64_t* offsets,
                            SharedCounts* loop_loads) {
  SharedCounts out;
  run_floating_loop(
      bytes, active, offsets,
      [&](LaneMask remaining) {
        out.requests += 1;
        if (loop_loads != nullptr) *loop_loads += count_shared(SiteKind::Load, bytes, remaining, offsets);
      },
      [&](int, LaneMask) { out.wavefronts += 2; });
  out.wavefronts_ideal = out.wavefronts;
  return out;
}

// The passes of one phase: pass p of a bank serves its p-th word (or, by lane, its p-th lane).
void add_passes(const Rule& rule, int phase, LaneMask lanes, int bytes, const std::uint64_t* offsets,
                std::vector<BankPass>& out) {
  std::array<std::vector<std::uint64_t>, 32> served;  // per bank: the word (or lane) of each pass
  const std::size_t first = out.size();
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for_each_word(offsets[lane], bytes, [&](std::uint64_t word) {
      auto& queue = served[word & 31u];
      const std::uint64_t key = rule.by_lane ? static_cast<std::uint64_t>(lane) : word;
      const auto place = std::find(queue.begin(), queue.end(), key);
      const auto pass = first + static_cast<std::size_t>(place - queue.begin());
      if (place == queue.end()) queue.push_back(key);
      if (pass >= out.size()) out.resize(pass + 1, BankPass{phase, {}});
      out[pass].hits.push_back({lane, static_cast<int>(word & 31u), word, false});
    });
  }
  for (std::size_t p = first; p < out.size(); ++p)
    for (BankHit& hit : out[p].hits)
      for (const BankHit& other : out[p].hits)
        hit.broadcast = hit.broadcast || (other.lane != hit.lane && other.word == hit.word);
}

BankDetail explain_floating(int bytes, LaneMask active, const std::uint64_t* offsets) {
  BankDetail out;
  out.counts = count_floating(bytes, active, offsets, nullptr);
  const Phases phases = split(bytes, active, false);
  out.phases.assign(phases.lanes.begin(), phases.lanes.begin() + phases.count);
  for (const LaneMask lanes : out.phases)
    out.degree = std::max(out.degree, most_lanes_in_a_bank(lanes, bytes, offsets));
  const auto on_phase = [&](int phase, LaneMask tries) {
    BankPass pass{phase, {}};
    for (LaneMask left = tries; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      for_each_word(offsets[lane], bytes, [&](std::uint64_t word) {
        pass.hits.push_back({lane, static_cast<int>(word & 31u), word, false});
      });
    }
    out.passes.push_back(pass);  // compares
    out.passes.push_back(pass);  // and swaps
  };
  run_floating_loop(
      bytes, active, offsets, [](LaneMask) {}, on_phase);
  return out;
}

}  // namespace

SharedCounts& SharedCounts::operator+=(const SharedCounts& other) {
  requests += other.requests;
  wavefronts += other.wavefronts;
  wavefronts_ideal += other.wavefronts_ideal;
  bank_conflicts += other.bank_conflicts;
  return *this;
}

SharedCounts count_shared(SiteKind kind, int bytes, LaneMask active, const std::uint64_t* offsets,
                          bool floating, SharedCounts* loop_loads) {
  if (active == 0 || bytes <= 0) return {};
  if (floating) return count_floating(bytes, active, offsets, loop_loads);
  const Rule rule = rule_of(kind);
  const Phases phases = phases_of(rule, bytes, active, offsets);
  std::uint64_t passes = 0;
  for (int p = 0; p < phases.count; ++p)
    passes += static_cast<std::uint64_t>(
        degree_of(rule, phases.lanes[static_cast<std::size_t>(p)], bytes, offsets));
  return finish(rule, bytes, active_lanes(active), passes, phases.count);
}

bool count_shared_affine(SiteKind kind, int bytes, LaneMask active, std::uint64_t base, std::int64_t stride,
                         SharedCounts& out) {
  const bool known_width = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
  if (!is_run(active) || !known_width) return false;
  const Rule rule = rule_of(kind);
  const std::uint64_t step =
      stride < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(stride) : static_cast<std::uint64_t>(stride);
  const auto width = static_cast<std::uint64_t>(bytes);
  if (((base | step) & (width - 1)) != 0) return false;
  if (rule.by_lane && (step == 0 || bytes < 4)) return false;
  const int lanes = active_lanes(active);
  const bool one = step == 0 || lanes == 1;
  const bool merged =
      rule.merges && bytes > 4 &&
      (one || (active & (active >> 1) & 0x55555555u) == 0 || (active & (active >> 2) & 0x33333333u) == 0);
  const Phases phases = split(bytes, active, merged);
  // Lanes that take `unit` bytes each meet the same banks again after `period` lanes.
  const std::uint64_t unit = std::max<std::uint64_t>(4, width);
  if (!one && step > 4 && step % unit != 0) return false;
  // Powers of two throughout, so that the hot path has no division: groups / gcd(step / unit, groups).
  const int unit_bits = std::countr_zero(unit), group_bits = 7 - unit_bits;
  const int period_bits =
      one || step < unit ? 5 : group_bits - std::min(group_bits, std::countr_zero(step >> unit_bits));
  const std::uint64_t period = std::uint64_t{1} << period_bits;
  std::uint64_t passes = 0;
  for (int p = 0; p < phases.count; ++p) {
    const auto in_phase = static_cast<std::uint64_t>(active_lanes(phases.lanes[static_cast<std::size_t>(p)]));
    passes += (in_phase + period - 1) >> period_bits;
  }
  out = finish(rule, bytes, lanes, passes, phases.count);
  return true;
}

BankDetail explain_shared(SiteKind kind, int bytes, LaneMask active, const std::uint64_t* offsets,
                          bool floating) {
  BankDetail out;
  if (active == 0 || bytes <= 0) return out;
  if (floating) return explain_floating(bytes, active, offsets);
  const Rule rule = rule_of(kind);
  const Phases phases = phases_of(rule, bytes, active, offsets);
  out.counts = count_shared(kind, bytes, active, offsets);
  out.pair_merged = phases.merged;
  for (int p = 0; p < phases.count; ++p) {
    const LaneMask lanes = phases.lanes[static_cast<std::size_t>(p)];
    out.phases.push_back(lanes);
    out.degree = std::max(out.degree, degree_of(rule, lanes, bytes, offsets));
    add_passes(rule, p, lanes, bytes, offsets, out.passes);
  }
  return out;
}

}  // namespace warplens::analysis
