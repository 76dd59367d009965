#include "engine/gpu/decode.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>

#include "engine/base/message.h"
#include "engine/gpu/fragment_code.h"
#include "engine/gpu/instrument.h"
#include "engine/trace/matrix_rows.h"

namespace warplens::gpu {
namespace {

struct Located {
  std::uint64_t block, clock;
  std::size_t offset;
};

RecordHead head_at(std::span<const std::uint8_t> records, std::size_t offset) {
  RecordHead head;
  std::memcpy(&head, records.data() + offset, sizeof head);
  return head;
}

std::uint64_t block_of(const RecordHead& head) {
  return head.block_low | std::uint64_t{head.block_high} << 32;
}

// An access says in which space it was; of a branch the same word holds lanes.
bool has_space(const trace::Site& site) {
  return site.kind != trace::SiteKind::Branch && site.kind != trace::SiteKind::Barrier;
}

bool is_sound(const RecordHead& head, const std::vector<trace::Site>& sites) {
  return head.site < sites.size() && head.addresses <= 64 &&
         (!has_space(sites[head.site]) || head.detail <= static_cast<std::uint32_t>(trace::Space::Texture));
}

// Every record, block after block, in the order of the SM's clock. A chunk that no longer fitted was left out
// whole, so the used part ends where a chunk's head says nothing.
Result<std::vector<Located>> locate(std::span<const std::uint8_t> records,
                                    const std::vector<trace::Site>& sites) {
  const Error damaged = told(ErrorKind::System, {"gpu.damaged_records", {}});
  std::vector<Located> out;
  std::size_t chunk = 0;
  while (chunk + sizeof(ChunkHead) <= records.size()) {
    ChunkHead chunk_head;
    std::memcpy(&chunk_head, records.data() + chunk, sizeof chunk_head);
    if (chunk_head.bytes == 0) break;
    const std::size_t end = chunk + chunk_head.bytes;
    if (chunk_head.bytes % 16 != 0 || end > records.size()) return damaged;
    for (std::size_t offset = chunk + sizeof chunk_head; offset + sizeof(RecordHead) <= end;) {
      const RecordHead head = head_at(records, offset);
      if (head.active == 0) break;
      if (!is_sound(head, sites) || offset + head.bytes() > end) return damaged;
      out.push_back({block_of(head), head.clock, offset});
      offset += head.bytes();
    }
    chunk = end;
  }
  std::stable_sort(out.begin(), out.end(), [](const Located& a, const Located& b) {
    return std::tie(a.block, a.clock) < std::tie(b.block, b.clock);
  });
  return out;
}

class Emitter {
 public:
  Emitter(const std::vector<trace::Site>& sites, std::span<trace::Listener* const> listeners)
      : sites_(sites), listeners_(listeners), wanted_(listeners.size(), false) {
    for (const trace::Site& site : sites) {
      const auto fragment = fragment_of(site);
      bytes_.push_back(static_cast<std::uint8_t>(fragment ? fragment->bytes() : site.bytes));
      naming_.push_back(trace::naming_lanes(site));
    }
    for (const trace::Listener* listener : listeners) wants_.push_back(listener->wants());
  }

  void begin(std::uint64_t block) {
    for (std::size_t i = 0; i < listeners_.size(); ++i) {
      wanted_[i] = listeners_[i]->wants_block(block);
      if (wanted_[i]) listeners_[i]->on_block_begin(block);
    }
  }
  void end(std::uint64_t block) {
    for (std::size_t i = 0; i < listeners_.size(); ++i)
      if (wanted_[i]) listeners_[i]->on_block_end(block);
  }

  void emit(const RecordHead& head, const std::uint8_t* addresses) {
    const trace::Site& site = sites_[head.site];
    if (site.kind == trace::SiteKind::Branch) {
      trace::Branch branch;
      branch.site = head.site;
      branch.warp = {block_of(head), head.warp};
      branch.active = head.active;
      branch.taken = head.detail;
      each(&trace::Listener::Wants::branches, [&](trace::Listener& l) { l.on_branch(branch); });
    } else if (site.kind == trace::SiteKind::Barrier) {
      trace::Barrier barrier;
      barrier.site = head.site;
      barrier.warp = {block_of(head), head.warp};
      barrier.lanes = head.active;
      each(&trace::Listener::Wants::barriers, [&](trace::Listener& l) { l.on_barrier(barrier); });
    } else {
      access(site, head, addresses);
    }
  }

 private:
  template <typename F>
  void each(bool trace::Listener::Wants::*which, const F& f) {
    for (std::size_t i = 0; i < listeners_.size(); ++i)
      if (wanted_[i] && wants_[i].*which) f(*listeners_[i]);
  }

  void access(const trace::Site& site, const RecordHead& head, const std::uint8_t* addresses) {
    trace::Access access;
    access.site = head.site;
    access.warp = {block_of(head), head.warp};
    access.kind = site.kind;
    access.space = static_cast<trace::Space>(head.detail);
    access.bytes = bytes_[head.site];
    access.active = head.active & naming_[head.site];
    std::array<std::uint64_t, kWarpSize> first{}, second{};
    const auto lanes = static_cast<std::size_t>(active_lanes(head.active));
    if (head.addresses < lanes) return;  // damaged: never read into the next record
    spread(head.active, addresses, first);
    access.addresses = first.data();
    if (head.addresses >= 2 * lanes) {
      spread(head.active, addresses + 8 * lanes, second);
      access.shared_addresses = second.data();
    }
    if (access.active == 0) return;
    find_stride(access);
    each(&trace::Listener::Wants::accesses, [&](trace::Listener& l) { l.on_access(access); });
  }

  static void spread(LaneMask active, const std::uint8_t* packed,
                     std::array<std::uint64_t, kWarpSize>& lanes) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if ((active >> lane & 1u) == 0) continue;
      std::memcpy(&lanes[lane], packed, 8);
      packed += 8;
    }
  }

  static void find_stride(trace::Access& access) {
    if (access.active == 0) return;
    const int first = std::countr_zero(access.active);
    const LaneMask rest = access.active & (access.active - 1);
    const std::uint64_t base = access.addresses[first];
    if (rest != 0) {
      const int second = std::countr_zero(rest);
      const auto distance = static_cast<std::int64_t>(access.addresses[second] - base);
      if (distance % (second - first) != 0) return;
      access.stride = distance / (second - first);
    }
    for (int lane = first; lane < kWarpSize; ++lane)
      if ((access.active >> lane & 1u) != 0 &&
          access.addresses[lane] !=
              base + static_cast<std::uint64_t>(access.stride) * static_cast<std::uint64_t>(lane - first))
        return;
    access.affine = true;
  }

  const std::vector<trace::Site>& sites_;
  std::span<trace::Listener* const> listeners_;
  std::vector<bool> wanted_;
  std::vector<trace::Listener::Wants> wants_;
  std::vector<std::uint8_t> bytes_;  // a lane moves, and the lanes whose addresses count, by site
  std::vector<LaneMask> naming_;
};

}  // namespace

Result<DecodeResult> decode(std::span<const std::uint8_t> records, const std::vector<trace::Site>& sites,
                            std::span<trace::Listener* const> listeners) {
  const auto located = locate(records, sites);
  if (!located) return located.error();
  Emitter emitter(sites, listeners);
  DecodeResult out;
  for (std::size_t i = 0; i < located->size(); ++i) {
    const auto [block, clock, offset] = (*located)[i];
    const bool first = i == 0 || (*located)[i - 1].block != block;
    const bool last = i + 1 == located->size() || (*located)[i + 1].block != block;
    if (first) {
      emitter.begin(block);
      ++out.blocks;
    }
    const RecordHead head = head_at(records, offset);
    emitter.emit(head, records.data() + offset + sizeof head);
    if (last) emitter.end(block);
  }
  out.records = located->size();
  return out;
}

}  // namespace warplens::gpu
