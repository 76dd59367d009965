#include "engine/analysis/caches.h"

#include <algorithm>
#include <array>
#include <bit>
#include <list>
#include <unordered_map>

#include "engine/analysis/executed.h"

namespace warplens::analysis {
namespace {

using trace::SiteKind;
using trace::Space;

constexpr std::uint64_t kLineBytes = 128, kSectorBytes = 32;

// A sectored, set-associative cache with least-recently-used replacement.
class Cache {
 public:
  Cache(std::int64_t bytes, std::uint64_t sets, std::uint64_t ways)
      : sets_(std::max<std::uint64_t>(1, sets)),
        ways_(std::max<std::uint64_t>(1, ways)),
        empty_(bytes < static_cast<std::int64_t>(kLineBytes)),
        order_(empty_ ? 0 : sets_) {}

  // Whether the sector is present; brings it in when it is not. `change` marks it as to be written back.
  bool touch(std::uint64_t address, bool change) {
    if (empty_) return false;
    const std::uint64_t line = address / kLineBytes;
    const auto bit = static_cast<std::uint8_t>(1u << (address / kSectorBytes % 4));
    auto [at, fresh] = lines_.try_emplace(line);
    auto& order = order_[line % sets_];
    if (fresh) {
      order.push_front(line);
      at->second.place = order.begin();
      if (order.size() > ways_) evict(order);
    } else {
      order.splice(order.begin(), order, at->second.place);
    }
    Line& entry = lines_.find(line)->second;
    const bool hit = (entry.valid & bit) != 0;
    entry.valid |= bit;
    if (change) entry.changed |= bit;
    return hit;
  }
  bool holds(std::uint64_t address) const {
    const auto at = lines_.find(address / kLineBytes);
    return at != lines_.end() && (at->second.valid >> (address / kSectorBytes % 4) & 1u) != 0;
  }
  std::uint64_t written_back() const { return written_back_; }
  std::uint64_t still_changed() const {
    std::uint64_t sectors = 0;
    for (const auto& [line, entry] : lines_)
      sectors += static_cast<std::uint64_t>(std::popcount(entry.changed));
    return sectors;
  }

 private:
  struct Line {
    std::uint8_t valid = 0, changed = 0;  // a bit a sector
    std::list<std::uint64_t>::iterator place;
  };
  void evict(std::list<std::uint64_t>& order) {
    const auto victim = lines_.find(order.back());
    written_back_ += static_cast<std::uint64_t>(std::popcount(victim->second.changed));
    lines_.erase(victim);
    order.pop_back();
  }

  std::uint64_t sets_, ways_;
  bool empty_;
  std::vector<std::list<std::uint64_t>> order_;  // per set, most recent first
  std::unordered_map<std::uint64_t, Line> lines_;
  std::uint64_t written_back_ = 0;
};

// Loads that ask for L2's copy: .cg, .cv, .volatile, and those that order memory.
bool bypasses_l1(const trace::Site& site) {
  using enum ptx::Modifier;
  const ptx::Form form = ptx::make_form(site.op);
  return std::ranges::any_of(std::array{Cg, Cv, Volatile, Relaxed, Acquire},
                             [&](ptx::Modifier modifier) { return form.has(modifier); });
}

// Local memory has addresses of its own; they are laid out as the hardware interleaves them, in a region that
// global memory does not use, 16 MiB a warp (512 KiB a lane is the most there is).
std::uint64_t local_address(std::uint64_t offset, int lane, std::uint64_t block, std::uint32_t warp) {
  const std::uint64_t region = (std::uint64_t{1} << 63) + ((block * 64 + warp) << 24);
  return region + offset / 4 * kLineBytes + static_cast<std::uint64_t>(lane) * 4 + offset % 4;
}

class Walk {
 public:
  Walk(const trace::Trace& trace, const CacheSizes& sizes)
      : trace_(trace),
        sizes_(sizes),
        l2_(sizes.l2_bytes,
            static_cast<std::uint64_t>(std::max<std::int64_t>(0, sizes.l2_bytes)) / kLineBytes /
                static_cast<std::uint64_t>(std::max(1, sizes.l2_ways)),
            static_cast<std::uint64_t>(std::max(1, sizes.l2_ways))) {
    report_.sizes = sizes;
    report_.sites.resize(trace.sites.size());
    for (const trace::Site& site : trace.sites) bypasses_l1_.push_back(bypasses_l1(site));
  }

  CacheReport run(Progress* progress) {
    for (const trace::BlockSteps& block : trace_.blocks()) {
      const CacheLevel before = report_.l1;
      for (std::size_t step = block.first; step < block.last; ++step) {
        if (progress != nullptr && step % 4096 == 0) {
          if (progress->cancelled()) return finish();
          progress->report(static_cast<double>(step) / static_cast<double>(trace_.size()));
        }
        if (trace_.steps()[step].kind == trace::StepKind::Access) access(trace_.access(step), block.block);
      }
      report_.blocks.push_back({report_.l1.reads - before.reads, report_.l1.read_hits - before.read_hits,
                                report_.l1.writes - before.writes});
    }
    return finish();
  }

 private:
  CacheReport finish() {
    report_.dram_write_sectors = l2_.written_back() + l2_.still_changed();
    return std::move(report_);
  }

  Cache& l1_of(std::uint64_t block) {
    const std::uint64_t sm = block % static_cast<std::uint64_t>(std::max(1, sizes_.sms));
    const auto sets = static_cast<std::uint64_t>(std::max(1, sizes_.l1_sets));
    const auto lines = static_cast<std::uint64_t>(std::max<std::int64_t>(0, sizes_.l1_bytes)) / kLineBytes;
    return l1_.try_emplace(sm, sizes_.l1_bytes, sets, lines / sets).first->second;
  }

  void access(const trace::AccessView& a, std::uint64_t block) {
    if (a.space != Space::Global && a.space != Space::Local) return;
    if (a.site < trace_.sites.size() && trace_.sites[a.site].in_registers) return;
    const Executed as = executed(trace_, a);
    if (as.merged_away) return;
    for (const std::uint64_t sector : sectors_of(as.access, block)) {
      if (a.kind == SiteKind::Store)
        write(a, sector, block);
      else
        read(a, sector, block, is_atomic(a.kind));
    }
  }

  std::vector<std::uint64_t> sectors_of(const trace::AccessView& a, std::uint64_t block) const {
    std::vector<std::uint64_t> out;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((a.active >> lane & 1u) == 0) continue;
      const std::uint64_t first = a.addresses[static_cast<std::size_t>(lane)];
      for (int byte = 0; byte < std::max(1, a.bytes); byte += 4) {
        const std::uint64_t address = first + static_cast<std::uint64_t>(byte);
        const std::uint64_t place =
            a.space == Space::Local ? local_address(address, lane, block, a.warp) : address;
        out.push_back(place / kSectorBytes * kSectorBytes);
      }
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  CacheReport::Site* site_of(const trace::AccessView& a) {
    return a.site < report_.sites.size() ? &report_.sites[a.site] : nullptr;
  }

  void read(const trace::AccessView& a, std::uint64_t sector, std::uint64_t block, bool atomic) {
    CacheReport::Site* site = site_of(a);
    const bool l2_only = atomic || (site != nullptr && bypasses_l1_[a.site]);
    if (!l2_only) {
      const bool hit = l1_of(block).touch(sector, false);
      count_read(report_.l1, hit);
      if (site != nullptr) count_read(site->l1, hit);
      if (hit) return;
    }
    const bool hit = l2_.touch(sector, atomic);
    count_read(report_.l2, hit);
    if (site != nullptr) count_read(site->l2, hit);
    report_.dram_read_sectors += hit ? 0 : 1;
    if (site != nullptr) site->dram_read_sectors += hit ? 0 : 1;
  }

  void write(const trace::AccessView& a, std::uint64_t sector, std::uint64_t block) {
    CacheReport::Site* site = site_of(a);
    report_.l1.writes += 1;
    report_.l2.writes += 1;
    if (site != nullptr) site->l1.writes += 1, site->l2.writes += 1;
    // A store keeps a copy in L1 up to date but does not bring one in.
    Cache& l1 = l1_of(block);
    if (l1.holds(sector)) l1.touch(sector, false);
    l2_.touch(sector, true);
  }

  static void count_read(CacheLevel& level, bool hit) {
    level.reads += 1;
    level.read_hits += hit ? 1 : 0;
  }

  const trace::Trace& trace_;
  CacheSizes sizes_;
  Cache l2_;
  std::unordered_map<std::uint64_t, Cache> l1_;
  std::vector<bool> bypasses_l1_;  // of each site
  CacheReport report_;
};

}  // namespace

CacheSizes cache_sizes(const Device& device, const ComputeCapability& capability,
                       const Occupancy& occupancy) {
  CacheSizes out;
  out.sms = std::max(1, device.sms);
  out.l2_bytes = static_cast<std::int64_t>(device.l2_mb * 1048576.0);
  // The driver reserves the smallest share that holds all blocks of an SM.
  const std::int64_t needed = occupancy.allocated_shared_per_block * occupancy.blocks_per_sm;
  std::int64_t carveout = capability.shared_per_sm;
  for (auto c = capability.carveouts.rbegin(); c != capability.carveouts.rend(); ++c)
    if (*c >= needed) carveout = *c;
  out.l1_bytes = static_cast<std::int64_t>(device.unified_l1_kb * 1024.0) - carveout;
  return out;
}

CacheReport model_caches(const trace::Trace& trace, const CacheSizes& sizes, Progress* progress) {
  return Walk(trace, sizes).run(progress);
}

}  // namespace warplens::analysis
