#include "engine/analysis/caches.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "engine/analysis/cache_memory.h"

namespace warplens::analysis {
namespace {

using Op = LoggedAccess::Op;

constexpr std::int64_t kCacheLine = 128;

// What one SM has of its own.
struct Sm {
  Sm(const CacheSizes& sizes)
      : l1(static_cast<std::size_t>(std::max<std::int64_t>(0, sizes.l1_bytes) / kCacheLine),
           static_cast<std::size_t>(std::max(1, sizes.l1_sets))) {}
  LineCache l1;
};

// A block while it runs: where each of its warps stands.
struct Resident {
  const AccessLog::Block* block = nullptr;
  ServedBlock* served = nullptr;     // where its answers are wanted
  std::vector<std::uint32_t> at;     // places of its accesses, those of a warp together
  std::vector<std::uint32_t> first;  // by warp: where its own begin in `at`; one more: their end
  // By warp: lines that it stored to just now, one store after the other, with the sectors that L2 was told
  // of.
  std::vector<std::vector<std::pair<std::uint64_t, std::uint32_t>>> told;
  std::vector<double> ready;                        // by warp: from when it makes its next access, in cycles
  std::vector<double> latest;                       // by warp: when all of its loads are answered
  std::vector<std::vector<trace::SiteId>> loading;  // by warp: sites of loads that it does not wait for yet
  std::size_t turn = 0, longest = 0;
  std::uint64_t local_lines = 0;  // from a line of the block's local memory to that of its place on the SM
};

// Local memory belongs to a place on an SM: the next block there has the same. `place` counts them over all
// SMs.
Resident begin_block(const AccessLog::Block& block, std::size_t place, double at_cycle) {
  Resident out;
  out.block = &block;
  out.ready.assign(block.warps, at_cycle);
  out.latest.assign(block.warps, at_cycle);
  out.loading.resize(block.warps);
  out.local_lines = (place - block.block) * AccessLog::kLocalLinesOfBlock;
  out.told.resize(block.warps);
  const auto each = [&](const auto& use) {
    for (std::size_t at = 0, next = 0; at < block.words.size(); at = next)
      use(AccessLog::read(block, at, next).warp, static_cast<std::uint32_t>(at));
  };
  std::vector<std::uint32_t> counts(block.warps);
  each([&](std::uint32_t warp, std::uint32_t) { ++counts[warp]; });
  out.first.assign(1, 0);
  for (const std::uint32_t count : counts) out.first.push_back(out.first.back() + count);
  out.longest = counts.empty() ? 0 : std::ranges::max(counts);
  out.at.resize(out.first.back());
  std::vector<std::uint32_t> next(out.first.begin(), out.first.end() - 1);
  each([&](std::uint32_t warp, std::uint32_t at) { out.at[next[warp]++] = at; });
  return out;
}

// Where a table of so many bits keeps what belongs to a key: what comes to the same place takes it.
std::size_t place_of(std::uint64_t key, int bits) {
  return key * 0x9e3779b97f4a7c15u >> (64 - bits);
}

// Sectors that a group of SMs asked L2 for in this turn.
class SameTurn {
 public:
  // Those of `sectors` that nobody of the group asked for yet.
  std::uint32_t fresh(std::uint64_t line, std::uint32_t group, std::uint64_t turn, std::uint32_t sectors) {
    Entry& entry = entries_[place_of(line * 64 + group % 64, kBits)];
    if (entry.line != line || entry.group != group || entry.turn != turn) entry = {line, turn, group, 0};
    const std::uint32_t out = sectors & ~entry.asked;
    entry.asked |= sectors;
    return out;
  }

 private:
  static constexpr int kBits = 14;
  struct Entry {
    std::uint64_t line = ~std::uint64_t{0}, turn = 0;
    std::uint32_t group = 0, asked = 0;
  };
  std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << kBits);
};

// What SMs of a group have asked L2 for, an ask a line: whoever asks for exactly the same sectors until the
// answer is there gets it together with the first. Who asks for others of them is not remembered, and ends
// what was (tools/golden/together.cu, lines.cu).
class Joined {
 public:
  struct Ask {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint32_t sectors = 0, group = 0;
    int askers = 0;
    double from = 0, until = 0;
    bool is_open(std::uint64_t its_line, std::uint32_t its_group, double at) const {
      return line == its_line && group == its_group && std::fabs(at - from) < until - from;
    }
  };
  Ask& of(std::uint64_t line, std::uint32_t group) {
    return entries_[place_of(line * 16 + group % 16, kBits)];
  }

 private:
  static constexpr int kBits = 16;
  std::vector<Ask> entries_ = std::vector<Ask>(std::size_t{1} << kBits);
};

// Lines that DRAM was asked for just now: who asks again within the same turn waits for it as well.
class OnTheWay {
 public:
  void begin(std::uint64_t line, std::uint64_t turn, double until) { entry(line) = {line, turn, until}; }
  bool of(std::uint64_t line, std::uint64_t turn) {
    const Entry& known = entry(line);
    return known.line == line && turn == known.turn;
  }
  // The cycle in which DRAM will have brought it, 0 if it was not asked.
  double until(std::uint64_t line) {
    const Entry& known = entry(line);
    return known.line == line ? known.until : 0;
  }

 private:
  static constexpr int kBits = 14;
  struct Entry {
    std::uint64_t line = ~std::uint64_t{0}, turn = 0;
    double until = 0;
  };
  Entry& entry(std::uint64_t line) { return entries_[place_of(line, kBits)]; }
  std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << kBits);
};

class Walk {
 public:
  Walk(const AccessLog& log, std::size_t sites, const CacheSizes& sizes,
       std::span<const trace::BlockSteps> wanted)
      : log_(log),
        sizes_(sizes),
        wanted_(wanted),
        l2_(static_cast<std::size_t>(std::max<std::int64_t>(0, sizes.l2_bytes) / kCacheLine),
            static_cast<std::size_t>(std::max(1, sizes.l2_ways))),
        slices_(static_cast<std::size_t>(std::max(1, sizes.slices.count))) {
    report_.sizes = sizes;
    report_.sites.resize(sites);
    report_.blocks_run = log.blocks_run;
    report_.textures = log.textures;
  }

  CacheReport run(Progress* progress) {
    if (sizes_.warm && !launch(progress)) return std::move(report_);
    if (sizes_.warm) leave_the_rests_part();
    const CacheReport begun = [&] {
      CacheReport fresh;
      fresh.sizes = report_.sizes;
      fresh.sites.resize(report_.sites.size());
      fresh.blocks_run = report_.blocks_run;
      fresh.textures = report_.textures;
      return fresh;
    }();
    report_ = begun;
    std::ranges::fill(slices_, Slice{});
    joined_ = {};
    on_the_way_ = {};
    launch(progress);
    return std::move(report_);
  }

 private:
  // Behind a launch of the log's blocks alone. Where L2 could not hold all of the launch, it holds of these
  // what was used last, and no more than their part.
  void leave_the_rests_part() {
    const auto l2 = static_cast<double>(sizes_.l2_bytes);
    if (sizes_.launch_bytes > l2) l2_.keep_newest(l2 / sizes_.launch_bytes);
  }

  // Blocks of the log over the SMs until none is left; false on a cancel.
  bool launch(Progress* progress) {
    const auto sms = static_cast<std::size_t>(std::max(1, sizes_.sms));
    sms_.assign(std::min(sms, log_.blocks.size()), Sm(sizes_));
    resident_.assign(sms_.size(), {});
    group_of_.clear();
    for (std::size_t sm = 0; sm < sms_.size(); ++sm) group_of_.push_back(sizes_.group_of(sm, sms_.size()));
    report_.served.reserve(wanted_.size());  // what points into it stays
    std::size_t next = 0;
    // One to each SM, then the next to each: a block's number, not its place in the log, says which.
    for (int row = 0; row < std::max(1, sizes_.blocks_per_sm); ++row)
      for (std::size_t sm = 0; sm < sms_.size() && next < log_.blocks.size(); ++sm)
        resident_[sm].push_back(begin(log_.blocks[next++], place(sm, static_cast<std::size_t>(row)), 0));
    report_.blocks_modelled = log_.blocks.size();
    bool busy = !log_.blocks.empty();
    for (; busy; ++turn_) {
      if (progress != nullptr && turn_ % 64 == 0) {
        if (progress->cancelled()) return false;
        progress->report(static_cast<double>(next) / static_cast<double>(log_.blocks.size()));
      }
      busy = false;
      refill(next);
      for (std::size_t sm = 0; sm < sms_.size(); ++sm) {
        behind_ = 0;
        for (Resident& block : resident_[sm]) {
          if (block.block == nullptr) continue;
          busy = true;
          one_turn(sm, block);
        }
        ask_l2();
      }
    }
    return true;
  }

  std::size_t place(std::size_t sm, std::size_t row) const { return row * sms_.size() + sm; }

  Resident begin(const AccessLog::Block& block, std::size_t at, double at_cycle) {
    Resident out = begin_block(block, at, at_cycle);
    if (report_.served.size() < wanted_.size() &&
        std::ranges::find(wanted_, block.block, &trace::BlockSteps::block) != wanted_.end()) {
      out.served = &report_.served.emplace_back(ServedBlock{block.block, {}});
      out.served->warps.resize(block.warps);
    }
    return out;
  }

  // Blocks that ended make room, over the SMs in turn.
  void refill(std::size_t& next) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(std::max(1, sizes_.blocks_per_sm)); ++row)
      for (std::size_t sm = 0; sm < resident_.size(); ++sm) {
        if (row >= resident_[sm].size()) continue;
        Resident& block = resident_[sm][row];
        while (block.block != nullptr && block.turn >= block.longest) {
          const double ended = block.latest.empty() ? 0 : std::ranges::max(block.latest);
          block = {};
          if (next < log_.blocks.size()) block = begin(log_.blocks[next++], place(sm, row), ended);
        }
      }
  }

  void one_turn(std::size_t sm, Resident& block) {
    const std::size_t warps = block.ready.size();
    for (std::size_t w = 0; w < warps; ++w) {
      if (block.turn >= block.first[w + 1] - block.first[w]) continue;
      std::size_t next = 0;
      const LoggedAccess a = AccessLog::read(*block.block, block.at[block.first[w] + block.turn], next);
      told_ = &block.told[w];
      served_ = block.served == nullptr ? &nobody_ : &block.served->warps[w].emplace_back();
      if (a.op != Op::Store || !a.same_lanes) told_->clear();
      // Several loads are under way at once, until something is stored or a loop comes to one of them again.
      const bool load = a.op == Op::Load || a.op == Op::LoadPastL1 || a.op == Op::Copy;
      auto& loading = block.loading[w];
      if (!load || loading.size() >= kMostLoading || std::ranges::find(loading, a.site) != loading.end()) {
        block.ready[w] = std::max(block.ready[w], block.latest[w]);
        loading.clear();
      }
      if (load) loading.push_back(a.site);
      asked_at_ = block.ready[w] + behind_;
      warp_ = &block.latest[w];
      *warp_ = std::max(*warp_, block.ready[w]);
      access(sm, a, a.local ? block.local_lines : 0);
      behind_ += static_cast<double>(a.lines.size());
      block.ready[w] += static_cast<double>(a.lines.size() * warps);
    }
    ++block.turn;
  }

  void access(std::size_t sm, const LoggedAccess& a, std::uint64_t further) {
    site_ = a.site < report_.sites.size() ? &report_.sites[a.site] : nullptr;
    if (a.op == Op::Store || a.op == Op::Atomic || a.op == Op::Reduction) ask_l2();  // before it is changed
    if (a.op == Op::Atomic || a.op == Op::Reduction) return atomic(a);
    constexpr std::size_t kAhead = 4;  // lines whose places are fetched before they are needed
    for (std::size_t i = 0; i < a.lines.size(); ++i) {
      if (i + kAhead < a.lines.size()) sms_[sm].l1.expect((a.lines[i + kAhead] >> 4) + further);
      const std::uint64_t entry = a.lines[i];
      const std::uint64_t line = (entry >> 4) + further;
      const auto sectors = static_cast<std::uint32_t>(entry & 15u);
      if (a.op == Op::Store)
        store(sms_[sm], line, sectors, a);
      else
        load(sm, line, sectors, a);
    }
  }

  static void count(CacheLevel& level, std::uint32_t asked, std::uint32_t hits) {
    level.reads += static_cast<std::uint64_t>(std::popcount(asked));
    level.read_hits += static_cast<std::uint64_t>(std::popcount(hits));
  }

  void load(std::size_t sm, std::uint64_t line, std::uint32_t sectors, const LoggedAccess& a) {
    std::uint32_t missing = sectors;
    if (a.op != Op::LoadPastL1) {
      const std::uint32_t hits = sms_[sm].l1.touch(line, sectors);
      missing &= ~hits;
      if (a.op == Op::Load) {
        count(a.local ? report_.local : report_.l1, sectors, hits);
        if (site_ != nullptr) count(site_->l1, sectors, hits);
      }
    }
    if (missing == 0) return;
    add(served_->from_l2, missing);
    report_.l2_reads_alone += static_cast<std::uint64_t>(std::popcount(missing));
    report_.l2_reads_together +=
        static_cast<std::uint64_t>(std::popcount(any_sm_.fresh(line, 0, turn_, missing)));
    Read& read = reading_;
    if (read.line != line) {
      l2_.expect(line);
      ask_l2();
      read.line = line;
      read.sm = sm;
      read.at = asked_at_;
    }
    read.sectors |= missing;
    read.of.push_back({site_, served_, missing, warp_, behind_});
  }

  // What warps of an SM miss of a line one right after the other is one request.
  void ask_l2() {
    Read& read = reading_;
    if (read.of.empty()) return;
    const std::uint32_t group = group_of_[read.sm];
    double answered = read.at;
    const bool joins = sizes_.sms_a_group > 1;
    Joined::Ask& ask = joined_.of(read.line, group);
    const bool open = joins && ask.is_open(read.line, group, read.at);
    const bool joined = open && ask.sectors == read.sectors && ask.askers < sizes_.sms_a_group;
    for (const Read::Part& part : read.of) {
      if (on_the_way_.of(read.line, turn_)) part.served->on_the_way = true;
      if (!joined) read_l2(read.line, part.sectors, false, read.at, part.site, *part.served);
    }
    if (joined) {
      ++ask.askers;
      answered = std::max(answered, ask.until + kAway);
    } else if (joins) {
      const double until = std::max(read.at + kHit + kHitSpread * spread(read.line * 16 + group),
                                    on_the_way_.until(read.line));
      answered = std::max(answered, until + kAway);
      const bool ends = open && ask.sectors != read.sectors;
      ask = ends ? Joined::Ask{} : Joined::Ask{read.line, read.sectors, group, 1, read.at, until};
    }
    for (const Read::Part& part : read.of) *part.latest = std::max(*part.latest, answered - part.behind);
    read.of.clear();
    read.sectors = 0;
    read.line = ~std::uint64_t{0};
  }
  // 0 to 1, by chance but always the same: DRAM's rows and L2's slices are near or far.
  static double spread(std::uint64_t key) { return static_cast<double>(place_of(key + 1, 10)) / 1024; }

  // DRAM gives both sectors of a piece of 64 bytes, unless L2 has one of them.
  void read_l2(std::uint64_t line, std::uint32_t sectors, bool change, double at, CacheReport::Site* site,
               ServedAccess& served) {
    const std::uint32_t pieces = (sectors & 3u ? 3u : 0u) | (sectors & 12u ? 12u : 0u);
    const SetCache::Result r = l2_.touch(line, sectors, pieces, change);
    if (!change) count(report_.l2, sectors, r.hits);
    const std::uint32_t absent = sectors & ~r.hits;
    add(served.from_dram, absent);
    if (absent != 0) on_the_way_.begin(line, turn_, at + kMiss + kMissSpread * spread(line));
    const std::uint32_t brought = ((absent & 3u ? 3u : 0u) | (absent & 12u ? 12u : 0u)) & ~r.present;
    report_.dram_read_sectors += static_cast<std::uint64_t>(std::popcount(brought));
    report_.dram_write_sectors += static_cast<std::uint64_t>(r.written_back);
    report_.changed_sectors += static_cast<std::uint64_t>(r.changed);
    if (site == nullptr) return;
    count(site->l2, sectors, r.hits);
    site->dram_read_sectors += static_cast<std::uint64_t>(std::popcount(brought));
  }

  void store(Sm& sm, std::uint64_t line, std::uint32_t sectors, const LoggedAccess& a) {
    const auto all = static_cast<std::uint64_t>(std::popcount(sectors));
    report_.l1.writes += all;
    if (site_ != nullptr) site_->l1.writes += all;
    // A store keeps a copy in L1 up to date; only a thread's own memory is brought in by it, by whole words
    // (private_table<unsigned char> on two GPUs: of 29,451 sectors that it reads again L1 has 107).
    const bool brings = a.local && !a.narrow;
    if (brings || sm.l1.holds(line) != 0) sm.l1.touch(line, brings ? sectors : sm.l1.holds(line) & sectors);
    const auto passed = static_cast<std::uint64_t>(std::popcount(told(line, sectors)));
    report_.l2.writes += passed;
    served_->stored = static_cast<std::uint16_t>(served_->stored + passed);
    if (passed > 0) {
      Slice& slice = slices_[slice_of(line)];
      slice.stores += slice.last == line ? sizes_.slices.same_line : sizes_.slices.other_line;
      slice.last = line;
      report_.store_cycles = std::max(report_.store_cycles, slice.stores);
    }
    if (site_ != nullptr) site_->l2.writes += passed;
    const SetCache::Result r = l2_.touch(line, sectors, 0, true);
    report_.dram_write_sectors += static_cast<std::uint64_t>(r.written_back);
    report_.changed_sectors += static_cast<std::uint64_t>(r.changed);
    if (a.local) report_.local_changed_sectors += static_cast<std::uint64_t>(r.changed);
    served_->changed = static_cast<std::uint16_t>(served_->changed + r.changed);
  }

  // The sectors that L2 has not been told of by the stores just before.
  std::uint32_t told(std::uint64_t line, std::uint32_t sectors) {
    if (sizes_.combined_lines == 0) return sectors;
    for (auto& [known, before] : *told_)
      if (known == line) {
        const std::uint32_t out = sectors & ~before;
        before |= sectors;
        return out;
      }
    if (told_->size() < static_cast<std::size_t>(sizes_.combined_lines)) told_->emplace_back(line, sectors);
    return sectors;
  }

  // A slice does the lanes on one address one after the other and those on several at once, sector by
  // sector.
  void atomic(const LoggedAccess& a) {
    report_.l2_atomic_sectors += a.sectors;
    std::uint32_t touched = 0;
    for (const std::uint64_t entry : a.lines)
      touched += static_cast<std::uint32_t>(std::popcount(entry & 15u));
    const CacheSizes::Slices& cost = sizes_.slices;
    const double rounds = static_cast<double>(a.sectors) / std::max(1u, touched);
    const double address = a.is_float ? cost.float_address : cost.address;
    for (const std::uint64_t entry : a.lines) {
      const double sectors = std::popcount(entry & 15u);
      Slice& slice = slices_[slice_of(entry >> 4)];
      slice.atomics += rounds * std::max(address, sectors * cost.sector * (a.wide ? 2 : 1));
      report_.atomic_cycles = std::max(report_.atomic_cycles, slice.atomics);
      add(served_->from_l2, static_cast<std::uint32_t>(entry & 15u));
      read_l2(entry >> 4, static_cast<std::uint32_t>(entry & 15u), true, asked_at_, site_, *served_);
    }
  }

  // Neighbours are spread evenly over half of the slices, which half is as good as random.
  std::size_t slice_of(std::uint64_t line) const {
    const std::uint64_t piece = line / static_cast<std::uint64_t>(std::max(1, sizes_.slices.lines));
    const std::size_t half = std::max<std::size_t>(1, slices_.size() / 2);
    const std::uint64_t far = piece / half;
    const std::size_t within = (piece + place_of(far + 1, 16)) % half;
    return (within + (place_of(far + 1, 1) != 0 ? half : 0)) % slices_.size();
  }

  static void add(std::uint16_t& to, std::uint32_t sectors) {
    to = static_cast<std::uint16_t>(to + std::popcount(sectors));
  }

  const AccessLog& log_;
  CacheSizes sizes_;
  std::span<const trace::BlockSteps> wanted_;
  SetCache l2_;
  std::vector<Sm> sms_;
  std::vector<std::vector<Resident>> resident_;
  SameTurn any_sm_;
  Joined joined_;
  std::vector<std::uint32_t> group_of_;  // by SM
  double asked_at_ = 0, behind_ = 0;
  struct Read {  // what L2 will be asked for next
    struct Part {
      CacheReport::Site* site = nullptr;
      ServedAccess* served = nullptr;
      std::uint32_t sectors = 0;
      double* latest = nullptr;  // of the warp that waits for it, in its own time: `behind` later here
      double behind = 0;
    };
    std::uint64_t line = ~std::uint64_t{0};
    std::uint32_t sectors = 0;
    std::size_t sm = 0;
    double at = 0;
    std::vector<Part> of;
  } reading_;
  // Cycles from a request until whoever asks for the same comes too late: of what L2 holds, of what DRAM has
  // to bring, each at least and how much more; and until an SM has its answer (read on an H100:
  // tools/golden/together.cu).
  static constexpr double kHit = 40, kHitSpread = 60, kMiss = 300, kMissSpread = 350, kAway = 200;
  static constexpr std::size_t kMostLoading = 64;  // loads of a warp under way: it has registers for no more
  OnTheWay on_the_way_;
  struct Slice {  // of L2: cycles that it has had
    double atomics = 0, stores = 0;
    std::uint64_t last = ~std::uint64_t{0};  // line that was stored to
  };
  std::vector<Slice> slices_;
  std::uint64_t turn_ = 0;
  CacheReport report_;
  CacheReport::Site* site_ = nullptr;
  std::vector<std::pair<std::uint64_t, std::uint32_t>>* told_ = nullptr;  // of the warp whose turn it is
  ServedAccess* served_ = nullptr;
  ServedAccess nobody_;     // of blocks whose answers are not wanted
  double* warp_ = nullptr;  // when all of its loads are answered
};

}  // namespace

std::uint32_t CacheSizes::group_of(std::size_t sm, std::size_t active) const {
  const auto first = static_cast<std::size_t>(std::max(0, first_sms));
  const auto groups = static_cast<std::size_t>(std::max(1, sm_groups));
  if (sm < first || active <= first) return 0;
  return static_cast<std::uint32_t>(1 + (sm - first) * groups / (active - first));
}

double CacheReport::l2_hit_rate() const {
  const std::uint64_t asked = l2.reads + l2.writes;
  return asked == 0 ? 0 : static_cast<double>(l2.read_hits + l2.writes) / static_cast<double>(asked);
}

CacheSizes cache_sizes(const Device& device, const ComputeCapability& capability, const Occupancy& occupancy,
                       const ModelConstants& constants) {
  CacheSizes out;
  out.sms = std::max(1, device.sms);
  out.blocks_per_sm = std::max(1, occupancy.blocks_per_sm);
  out.l2_bytes = static_cast<std::int64_t>(device.l2_mb * 1048576.0 * constants.l2_usable);
  out.sms_a_group = static_cast<int>(constants.sms_a_group);
  out.sm_groups = static_cast<int>(constants.sm_groups);
  out.first_sms = static_cast<int>(constants.first_sms);
  out.combined_lines = static_cast<int>(constants.combined_lines);
  out.slices = {static_cast<int>(constants.l2_slices),
                static_cast<int>(constants.slice_lines),
                constants.atomic_cycles,
                constants.address_cycles,
                constants.float_cycles,
                constants.address_cycles,
                constants.store_cycles};
  // The driver reserves the smallest share that holds all blocks of an SM.
  const std::int64_t needed = occupancy.allocated_shared_per_block * occupancy.blocks_per_sm;
  std::int64_t carveout = capability.shared_per_sm;
  for (auto c = capability.carveouts.rbegin(); c != capability.carveouts.rend(); ++c)
    if (*c >= needed) carveout = *c;
  out.l1_bytes = static_cast<std::int64_t>(device.unified_l1_kb * 1024.0) - carveout;
  return out;
}

CacheReport model_caches(const AccessLog& log, std::size_t sites, const CacheSizes& sizes, Progress* progress,
                         std::span<const trace::BlockSteps> wanted) {
  return Walk(log, sites, sizes, wanted).run(progress);
}

CacheReport model_caches(const trace::Trace& trace, const CacheSizes& sizes, Progress* progress) {
  return model_caches(log_of(trace), trace.sites.size(), sizes, progress);
}

}  // namespace warplens::analysis
