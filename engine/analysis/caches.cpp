#include "engine/analysis/caches.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "engine/analysis/cache_memory.h"
#include "engine/analysis/cached_blocks.h"
#include "engine/analysis/dram_rows.h"
#include "engine/analysis/l2_asks.h"

namespace warplens::analysis {
namespace {

using Op = LoggedAccess::Op;

// What one SM has of its own.
struct Sm {
  Sm(const CacheSizes& sizes)
      : l1(static_cast<std::size_t>(std::max<std::int64_t>(0, sizes.l1_bytes) / CacheSizes::kLine)) {}
  LineCache l1;
  // Lines that were stored to just now, in a ring.
  struct Told {
    std::uint64_t line = 0;
    std::uint64_t row = 0;  // of stores in a row by the same lanes of a warp
    std::uint32_t sectors = 0;
  };
  std::vector<Told> told;
  std::size_t oldest = 0;
  OnTheWay coming{10};  // lines, to L1
  // Until when its schedulers, L1, L2's share and DRAM's have something to do for it.
  double issue = 0, lines = 0, l2 = 0, dram = 0;
};

class Walk {
 public:
  Walk(const AccessLog& log, std::size_t sites, const CacheSizes& sizes,
       std::span<const std::uint64_t> wanted)
      : log_(log),
        sizes_(sizes),
        wanted_(wanted),
        l2_(static_cast<std::size_t>(std::max<std::int64_t>(0, sizes.l2_bytes) / CacheSizes::kLine),
            static_cast<std::size_t>(std::max(1, sizes.l2_ways)), static_cast<std::size_t>(sizes.part_lines)),
        rows_read_(sizes.dram_row_bytes),
        rows_written_(sizes.dram_row_bytes),
        slices_(static_cast<std::size_t>(std::max(1, sizes.slices.count))) {
    report_.sizes = sizes;
    report_.sites.resize(sites);
    report_.blocks_run = log.blocks_run;
    report_.textures = log.textures;
    std::size_t accesses = 0;
    for (const AccessLog::Block& block : log.blocks) accesses += AccessLog::accesses_of(block);
    const auto blocks = static_cast<double>(log.blocks.size());
    const double each =
        sizes.instructions_a_block * blocks / static_cast<double>(std::max<std::size_t>(1, accesses));
    sm_pace_ = each / kSchedulers;
    warp_pace_ = std::max(kIssue, each * kOfAWarp);
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
    on_the_way_ = OnTheWay();
    rows_read_ = rows_written_ = DramRows(sizes_.dram_row_bytes);
    launch(progress);
    report_.dram_read_cost = rows_read_.cost();
    report_.dram_changed_cost = rows_written_.cost();
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
    const double active = static_cast<double>(sms_.size()) / static_cast<double>(sms);
    dram_cycles_ = std::max(sizes_.dram_cycles * active, sizes_.l2_cycles);
    now_ = 0;
    report_.served.reserve(wanted_.size());  // what points into it stays
    std::size_t next = 0;
    // One to each SM, then the next to each: a block's number, not its place in the log, says which.
    for (int row = 0; row < std::max(1, sizes_.blocks_per_sm); ++row)
      for (std::size_t sm = 0; sm < sms_.size() && next < log_.blocks.size(); ++sm)
        resident_[sm].push_back(
            begin(log_.blocks[next++], place(sm, static_cast<std::size_t>(row)), sizes_.fill_cycles * row));
    report_.blocks_modelled = log_.blocks.size();
    for (double soonest = 0; soonest < kNever; ++turn_) {
      if (progress != nullptr && turn_ % 64 == 0) {
        if (progress->cancelled()) return false;
        progress->report(static_cast<double>(next) / static_cast<double>(log_.blocks.size()));
      }
      now_ = std::max(now_, soonest);
      while (const auto left = l2_.complete(now_ - kPartsStay)) leave(*left);
      soonest = kNever;
      refill(next);
      for (std::size_t sm = 0; sm < sms_.size(); ++sm) {
        for (Resident& block : resident_[sm])
          if (block.block != nullptr && block.due <= now_ + kAtATime) one_turn(sm, block);
        ask_l2();
        for (Resident& block : resident_[sm]) {
          if (block.block == nullptr) continue;
          if (block.due <= now_ + kAtATime) wait(block);
          soonest = std::min(soonest, block.due);
        }
      }
    }
    while (const auto left = l2_.complete(kNever)) leave(*left);
    return true;
  }

  std::size_t place(std::size_t sm, std::size_t row) const { return row * sms_.size() + sm; }

  Resident begin(const AccessLog::Block& block, std::size_t at, double at_cycle) {
    Resident out = begin_block(block, at, at_cycle);
    out.row = at / sms_.size();
    if (report_.served.size() < wanted_.size() && std::ranges::binary_search(wanted_, block.block)) {
      out.served = &report_.served.emplace_back(ServedBlock{block.block, {}});
      out.served->warps.resize(block.warps);
    }
    return out;
  }

  static bool done(const Resident& block) {
    for (std::size_t w = 0; w < block.next.size(); ++w)
      if (block.next[w] < block.first[w + 1]) return false;
    return true;
  }

  // Blocks that ended make room: the next one goes where one ended first.
  void refill(std::size_t& next) {
    ended_.clear();
    for (std::size_t sm = 0; sm < resident_.size(); ++sm)
      for (std::size_t row = 0; row < resident_[sm].size(); ++row) {
        const Resident& block = resident_[sm][row];
        if (block.block != nullptr && block.due <= now_ + kAtATime && done(block))
          ended_.push_back({block.due, row, sm});
      }
    std::ranges::sort(ended_);
    for (const Ended& place : ended_) {
      Resident& block = resident_[place.sm][place.row];
      do {
        block = {};
        if (next < log_.blocks.size())
          block = begin(log_.blocks[next++], this->place(place.sm, place.row), place.at);
      } while (block.block != nullptr && done(block));  // it accesses nothing
    }
  }

  // The next access of each of the block's warps that is ready for it.
  void one_turn(std::size_t sm, Resident& block) {
    for (std::size_t w = 0; w < block.next.size(); ++w) {
      if (block.next[w] >= block.first[w + 1] || block.ready[w] > now_ + kAtATime) continue;
      stored_.clear();
      do take_next(sm, block, w);
      while (goes_on_storing(sm, block, w));
    }
  }
  void take_next(std::size_t sm, Resident& block, std::size_t w) {
    std::size_t behind = 0;
    const LoggedAccess a = AccessLog::read(*block.block, block.at[block.next[w]++], behind);
    served_ = block.served == nullptr ? &nobody_ : &block.served->warps[w].emplace_back();
    if (a.op != Op::Store || !a.same_lanes) block.row_of_stores[w] = ++rows_;
    row_ = block.row_of_stores[w];
    if (is_load(a)) block.loading[w].push_back(a.site);
    sms_[sm].issue = std::max(sms_[sm].issue, block.ready[w]) + sm_pace_;
    asked_at_ = std::max({block.ready[w], sms_[sm].lines, sms_[sm].issue});
    warp_ = &block.latest[w];
    *warp_ = std::max(*warp_, asked_at_);
    access(sm, a, block);
    sms_[sm].lines = asked_at_ + static_cast<double>(a.lines.size());
    block.ready[w] = asked_at_ + warp_pace_;
    stored_.clear();
    if (a.op == Op::Store)
      for (const std::uint64_t entry : a.lines) stored_.push_back(entry >> 4);
  }
  // Lines that the warp has stored to just before are stored to again, and all of both fill the buffer: L1
  // loses them (read on an H200: tools/golden/l1_written.cu).
  bool fills_again(const LoggedAccess& a) const {
    const auto others =
        std::ranges::count_if(a.lines, [&](std::uint64_t entry) { return !was_stored(entry); });
    return !stored_.empty() && stored_.size() + static_cast<std::size_t>(others) >= kFills;
  }
  bool was_stored(std::uint64_t entry) const { return std::ranges::binary_search(stored_, entry >> 4); }
  // Where each scheduler has one warp, its stores in a row are not parted by those of others.
  bool goes_on_storing(std::size_t sm, const Resident& block, std::size_t w) const {
    if (stored_.empty() || block.next[w] >= block.first[w + 1]) return false;
    std::size_t warps = 0, behind = 0;
    for (const Resident& other : resident_[sm]) warps += other.next.size();
    if (warps > std::size_t{kSchedulers}) return false;
    const LoggedAccess then = AccessLog::read(*block.block, block.at[block.next[w]], behind);
    return then.op == Op::Store && then.same_lanes && !then.waits;
  }
  // When the block will go on, once what it asked for has been asked of L2: several loads are under way at
  // once, until something is stored, a loop comes to one of them again or the code needs what they bring.
  void wait(Resident& block) {
    block.due = kNever;
    for (std::size_t w = 0; w < block.next.size(); ++w) {
      if (block.next[w] >= block.first[w + 1]) continue;
      std::size_t behind = 0;
      const LoggedAccess then = AccessLog::read(*block.block, block.at[block.next[w]], behind);
      auto& loading = block.loading[w];
      if (!is_load(then) || then.waits || loading.size() >= kMostLoading ||
          std::ranges::find(loading, then.site) != loading.end()) {
        block.ready[w] = std::max(block.ready[w], block.latest[w]);
        loading.clear();
      }
      block.due = std::min(block.due, block.ready[w]);
    }
    if (block.due == kNever) block.due = block.latest.empty() ? now_ : std::ranges::max(block.latest);
  }
  static bool is_load(const LoggedAccess& a) {
    return a.op == Op::Load || a.op == Op::LoadPastL1 || a.op == Op::Copy;
  }

  // A line of local memory as L1's sets see it: that of a block's place on its SM, where warps follow each
  // other.
  std::uint64_t in_l1(std::uint64_t line, const LoggedAccess& a, const Resident& block) const {
    if (!a.local) return line;
    return std::uint64_t{1} << 58 |
           ((block.row * block.next.size() + a.warp) * log_.local_lines + (line & 0x1ffffu));
  }

  void access(std::size_t sm, const LoggedAccess& a, const Resident& block) {
    const std::uint64_t further = a.local ? block.local_lines : 0;
    site_ = a.site < report_.sites.size() ? &report_.sites[a.site] : nullptr;
    if (a.op == Op::Store || a.op == Op::Atomic || a.op == Op::Reduction) ask_l2();  // before it is changed
    if (a.op == Op::Atomic || a.op == Op::Reduction) return atomic(sms_[sm], a);
    const bool fills = a.op == Op::Store && fills_again(a);
    constexpr std::size_t kAhead = 4;  // lines whose places are fetched before they are needed
    for (std::size_t i = 0; i < a.lines.size(); ++i) {
      if (i + kAhead < a.lines.size())
        sms_[sm].l1.expect(in_l1((a.lines[i + kAhead] >> 4) + further, a, block));
      const std::uint64_t line = (a.lines[i] >> 4) + further, near = in_l1(line, a, block);
      const auto sectors = static_cast<std::uint32_t>(a.lines[i] & 15u);
      if (a.op == Op::Store) {
        if (fills && was_stored(a.lines[i]))
          sms_[sm].l1.forget(near);
        else
          sms_[sm].l1.store(near, a.words_of(i));
        store(sms_[sm], line, sectors, a.words_of(i), a);
      } else {
        std::uint32_t hits = 0;
        if (a.op == Op::LoadPastL1)
          sms_[sm].l1.forget(near);
        else
          hits = sms_[sm].l1.load(near, sectors, a.words_of(i));
        load(sm, line, sectors, hits, a);
      }
    }
  }

  static void count(CacheLevel& level, std::uint32_t asked, std::uint32_t hits) {
    level.reads += static_cast<std::uint64_t>(std::popcount(asked));
    level.read_hits += static_cast<std::uint64_t>(std::popcount(hits));
  }

  void load(std::size_t sm, std::uint64_t line, std::uint32_t sectors, std::uint32_t hits,
            const LoggedAccess& a) {
    const std::uint32_t missing = sectors & ~hits;
    if (a.op == Op::Load) {
      count(a.local ? report_.local : report_.l1, sectors, hits);
      if (site_ != nullptr) count(site_->l1, sectors, hits);
    }
    // What L1 has of a line that is still on its way to it is waited for.
    if (hits != 0) *warp_ = std::max(*warp_, sms_[sm].coming.until(line));
    if (missing == 0) {
      if (hits != 0 && reading_.line == line && reading_.sm == sm)
        reading_.of.push_back({site_, served_, 0, warp_});  // it is about to be asked for
      return;
    }
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
    read.of.push_back({site_, served_, missing, warp_});
  }

  // What warps of an SM miss of a line one right after the other is one request.
  void ask_l2() {
    Read& read = reading_;
    if (read.of.empty()) return;
    const std::uint32_t group = group_of_[read.sm];
    double answered = read.at;
    const bool joins = sizes_.sms_a_group > 1;
    Sm& its = sms_[read.sm];
    const auto sectors = static_cast<double>(std::popcount(read.sectors));
    its.l2 = std::max(its.l2, read.at) + sectors * sizes_.l2_cycles;
    const std::uint64_t from_dram = report_.dram_read_sectors;
    Joined::Ask& ask = joined_.of(read.line, group);
    const bool open = joins && ask.is_open(read.line, group, read.at);
    const bool joined = open && ask.sectors == read.sectors && ask.askers < sizes_.sms_a_group;
    for (const Read::Part& part : read.of) {
      if (part.sectors == 0) continue;
      if (const double until = on_the_way_.until(read.line); until > read.at)
        part.served->coming =
            std::max(part.served->coming, static_cast<std::uint16_t>(std::ceil(until + kAway - read.at)));
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
    its.dram = std::max(its.dram, read.at) +
               static_cast<double>(report_.dram_read_sectors - from_dram) * dram_cycles_;
    answered =
        std::max({answered, its.l2 + kAway, from_dram == report_.dram_read_sectors ? 0 : its.dram + kMiss});
    for (const Read::Part& part : read.of) *part.latest = std::max(*part.latest, answered);
    its.coming.begin(read.line, answered);
    read.of.clear();
    read.sectors = 0;
    read.line = ~std::uint64_t{0};
  }
  // 0 to 1, by chance but always the same: DRAM's rows and L2's slices are near or far.
  static double spread(std::uint64_t key) { return static_cast<double>(place_of(key + 1, 10)) / 1024; }

  static std::uint32_t whole_pieces(std::uint32_t sectors) {
    return (sectors & 3u ? 3u : 0u) | (sectors & 12u ? 12u : 0u);
  }
  void read_dram(std::uint64_t line, int sectors) {
    if (sectors == 0) return;
    report_.dram_read_sectors += static_cast<std::uint64_t>(sectors);
    rows_read_.add(line, 32.0 * sectors);
  }
  // What L2 changed of a line, and lines that had to leave for it.
  void changed(std::uint64_t line, const SetCache::Result& r) {
    report_.changed_sectors += static_cast<std::uint64_t>(r.changed);
    if (r.changed > 0) rows_written_.add(line, 32.0 * r.changed);
    leave(r.left);
  }
  void leave(const SetCache::Left& left) {
    report_.dram_write_sectors += static_cast<std::uint64_t>(left.written_back);
    report_.dram_fill_sectors += static_cast<std::uint64_t>(left.filled);
    read_dram(left.line, left.filled);
  }

  // DRAM gives both sectors of a piece of 64 bytes, unless L2 has one of them.
  void read_l2(std::uint64_t line, std::uint32_t sectors, bool change, double at, CacheReport::Site* site,
               ServedAccess& served) {
    // Of what atomics change it gives the sector alone half of the time.
    const bool alone = change && spread(line) < 0.5;
    const std::uint32_t pieces = alone ? sectors : whole_pieces(sectors);
    const SetCache::Result r = l2_.touch(line, sectors, pieces, change);
    if (!change) count(report_.l2, sectors, r.hits);
    const std::uint32_t absent = sectors & ~r.hits;
    add(served.from_dram, absent);
    if (absent != 0) on_the_way_.begin(line, at + kMiss + kMissSpread * spread(line));
    const std::uint32_t brought = (alone ? absent : whole_pieces(absent)) & ~r.present;
    read_dram(line, std::popcount(brought));
    changed(line, r);
    if (site == nullptr) return;
    count(site->l2, sectors, r.hits);
    site->dram_read_sectors += static_cast<std::uint64_t>(std::popcount(brought));
  }

  void store(Sm& sm, std::uint64_t line, std::uint32_t sectors, std::uint32_t words, const LoggedAccess& a) {
    const auto all = static_cast<std::uint64_t>(std::popcount(sectors));
    report_.l1.writes += all;
    if (site_ != nullptr) site_->l1.writes += all;
    const auto passed = static_cast<std::uint64_t>(std::popcount(told(sm, line, sectors)));
    report_.l2.writes += passed;
    served_->stored = static_cast<std::uint16_t>(served_->stored + passed);
    if (site_ != nullptr) site_->l2.writes += passed;
    const SetCache::Result r = l2_.store(line, sectors, words, now_);
    changed(line, r);
    if (passed > 0) {
      Slice& slice = slices_[slice_of(line)];
      const CacheSizes::Slices& cost = sizes_.slices;
      const bool whole = (words & words_of_sectors(sectors)) == words_of_sectors(sectors);
      const double apart =
          cost.stored_line + static_cast<double>(passed) * (whole ? cost.stored_sector : cost.stored_part);
      slice.stores += slice.last == line ? cost.same_line : slice.before == line ? cost.other_line : apart;
      if (slice.last != line) slice.before = std::exchange(slice.last, line);
      report_.store_cycles = std::max(report_.store_cycles, slice.stores);
      if (r.merged) report_.merge_cycles += apart / static_cast<double>(slices_.size());
    }
    if (a.local) report_.local_changed_sectors += static_cast<std::uint64_t>(r.changed);
    served_->changed = static_cast<std::uint16_t>(served_->changed + r.changed);
  }

  // The sectors that do not stand in the buffer yet.
  std::uint32_t told(Sm& sm, std::uint64_t line, std::uint32_t sectors) const {
    if (sizes_.combined_lines == 0) return sectors;
    for (Sm::Told& before : sm.told)
      if (before.line == line && before.row == row_) {
        const std::uint32_t out = sectors & ~before.sectors;
        before.sectors |= sectors;
        return out;
      }
    if (sm.told.size() < static_cast<std::size_t>(sizes_.combined_lines)) {
      sm.told.push_back({line, row_, sectors});
    } else {
      sm.told[sm.oldest] = {line, row_, sectors};
      sm.oldest = (sm.oldest + 1) % sm.told.size();
    }
    return sectors;
  }

  // A slice does the lanes on one address one after the other and those on several at once, the more of a
  // line the longer, and integers like floats (read on an H200: tools/golden/scattered.cu); but a float that
  // is added to what the instruction before has changed waits for its sum. Values of 64 bits take twice as
  // long where they fill their sectors.
  void atomic(Sm& sm, const LoggedAccess& a) {
    report_.l2_atomic_sectors += a.sectors;
    std::uint32_t touched = 0;
    for (const std::uint64_t entry : a.lines)
      touched += static_cast<std::uint32_t>(std::popcount(entry & 15u));
    const CacheSizes::Slices& cost = sizes_.slices;
    const double rounds = static_cast<double>(a.sectors) / std::max(1u, touched);
    const double words = static_cast<double>(a.lanes) / std::max(1u, a.sectors);  // of a sector
    const double width = a.wide ? std::clamp(1 + (words - 1) / 3, 1.0, 2.0) : 1;
    for (const std::uint64_t entry : a.lines) {
      const double sectors = std::popcount(entry & 15u);
      sm.l1.forget(entry >> 4);
      Slice& slice = slices_[slice_of(entry >> 4)];
      const bool again = std::exchange(slice.added, entry) == entry;
      const double doublings = std::log2(std::max(1.0, words * sectors));
      const double one =
          rounds * std::max(cost.address + kDoubling * doublings, sectors * cost.sector * width);
      slice.atomics += a.is_float && again ? std::max(one, rounds * cost.float_address) : one;
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
  std::span<const std::uint64_t> wanted_;
  SetCache l2_;
  DramRows rows_read_, rows_written_;
  std::vector<Sm> sms_;
  std::vector<std::vector<Resident>> resident_;
  struct Ended {  // a block: when, and where
    double at = 0;
    std::size_t row = 0, sm = 0;
    auto operator<=>(const Ended&) const = default;
  };
  std::vector<Ended> ended_;  // in this turn
  SameTurn any_sm_;
  Joined joined_;
  std::vector<std::uint32_t> group_of_;  // by SM
  double asked_at_ = 0;
  // Cycles that an SM and a warp execute something else between two accesses, as if all were as far apart:
  // a scheduler issues one a cycle, a warp that waits for nobody one in three (read on an H200:
  // tools/golden/throttled.cu).
  double sm_pace_ = 0, warp_pace_ = 0;
  static constexpr double kOfAWarp = 3;
  // Of a slice, more for twice as many lanes of a line (the same: tools/golden/scattered.cu).
  static constexpr double kDoubling = 0.6;
  struct Read {  // what L2 will be asked for next
    struct Part {
      CacheReport::Site* site = nullptr;
      ServedAccess* served = nullptr;
      std::uint32_t sectors = 0;
      double* latest = nullptr;  // of the warp that waits for it
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
  // Accesses within so many cycles are taken in the order of SMs and blocks; until a warp's next one.
  static constexpr double kAtATime = 64, kIssue = 4, kNever = 1e300;
  // As many lines as may have sectors that were stored in part L2 is not given sooner: the warps here store
  // as soon as they come to it.
  static constexpr double kPartsStay = 3000;
  static constexpr int kSchedulers = 4;            // of an SM
  static constexpr std::size_t kFills = 29;        // lines
  std::vector<std::uint64_t> stored_;              // by the access that was taken last, if its warp goes on
  double now_ = 0;                                 // cycle
  double dram_cycles_ = 0;                         // of an SM, of those that have something to do
  static constexpr std::size_t kMostLoading = 64;  // loads of a warp under way: it has registers for no more
  OnTheWay on_the_way_;
  struct Slice {  // of L2: cycles that it has had
    double atomics = 0, stores = 0;
    std::uint64_t last = ~std::uint64_t{0}, before = last;  // lines that were stored to
    std::uint64_t added = last;                             // of the last atomic: its line and sectors
  };
  std::vector<Slice> slices_;
  std::uint64_t turn_ = 0, rows_ = 0, row_ = 0;
  CacheReport report_;
  CacheReport::Site* site_ = nullptr;
  ServedAccess* served_ = nullptr;
  ServedAccess nobody_;     // of blocks whose answers are not wanted
  double* warp_ = nullptr;  // when all of its loads are answered
};

}  // namespace

double CacheReport::l2_hit_rate() const {
  const std::uint64_t asked = l2.reads + l2.writes;
  return asked == 0 ? 0 : static_cast<double>(l2.read_hits + l2.writes) / static_cast<double>(asked);
}

CacheReport model_caches(const AccessLog& log, std::size_t sites, const CacheSizes& sizes, Progress* progress,
                         std::span<const std::uint64_t> wanted) {
  return Walk(log, sites, sizes, wanted).run(progress);
}

CacheReport model_caches(const trace::Trace& trace, const CacheSizes& sizes, Progress* progress) {
  return model_caches(log_of(trace), trace.sites.size(), sizes, progress);
}

}  // namespace warplens::analysis
