#include "engine/simt/checks/shadow.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#include "engine/simt/checks/race_report.h"
#include "engine/simt/checks/shadow_order.h"
#include "engine/simt/checks/written_marks.h"
#include "engine/simt/lasting_memory.h"
#include "engine/simt/launch/worker.h"

namespace warplens::simt {

namespace {

using Doing = ScreenedAccess::Doing;

Doing doing(trace::SiteKind kind) {
  switch (kind) {
    case trace::SiteKind::Store:
    case trace::SiteKind::MatrixStore:
      return Doing::Write;
    case trace::SiteKind::Atomic:
    case trace::SiteKind::Reduction:
    case trace::SiteKind::CompareAndSwap:
    case trace::SiteKind::Barrier:
      return Doing::Both;
    default:
      return Doing::Read;
  }
}

constexpr unsigned kMarkThread = Mark::kThreadShift, kMarkTime = Mark::kTimeShift;

std::uint64_t bits_of(const Mark& mark) {
  return std::bit_cast<std::uint64_t>(mark);
}

// How far two accesses are apart: by the same thread (or one of them before the block's last barrier), by
// threads of one warp, of one block, of different blocks. A thread's plain write stays beside its atomic
// ones.
unsigned distance(const Mark& a, const Mark& b, std::uint32_t barrier) {
  if (!a.used() || a.time() < barrier || b.time() < barrier) return 0;
  if (a.thread() == b.thread()) return !a.strong() && b.strong() ? 1 : 0;
  return warp_of(a) == warp_of(b) ? 1 : 2;
}
unsigned distance(const GlobalShadow::Entry& a, const GlobalShadow::Entry& b, std::uint32_t barrier) {
  if (!a.mark.used() || !b.mark.used()) return 0;
  if (a.block != b.block) return 3;
  // Behind a barrier, too, a plain write stays beside the block's atomic ones: other blocks' atomics race
  // with it alone.
  return std::max(distance(a.mark, b.mark, barrier), !a.mark.strong() && b.mark.strong() ? 1u : 0u);
}

template <typename Access>
void remember(LastTwo<Access>& two, const Access& now, std::uint32_t barrier) {
  const unsigned apart = distance(two.last, now, barrier);
  (apart == 0 || apart < distance(two.last, two.other, barrier) ? two.last : two.other) = now;
}

const Mark& mark_of(const Mark& mark) {
  return mark;
}
const Mark& mark_of(const GlobalShadow::Entry& entry) {
  return entry.mark;
}
const Mark& mark_of(const SharedShadow::Foreign& access) {
  return access.mark;
}

// An atomic sees the atomics that wrote its place before it: what is ordered behind it is ordered behind
// them, and needs no comparison with them any more. Unless nobody asks what it saw: the order in which such
// atomics came is chance.
template <typename Access>
void supersede(const Current& now, Access& write, std::uint32_t bytes) {
  const Mark& earlier = mark_of(write);
  if (now.asked_for && earlier.strong() && (earlier.bytes() & ~bytes) == 0) write = {};
}
template <typename Access>
void supersede(const Current& now, LastTwo<Access>& writes, std::uint32_t bytes) {
  supersede(now, writes.last, bytes);
  supersede(now, writes.other, bytes);
}

void doubt(const Current& now, unsigned lane, const Mark& earlier, std::uint64_t earlier_block,
           std::uint64_t address, std::uintptr_t host) {
  DoubtfulWrite write;
  write.lane = lane;
  write.earlier = earlier;
  write.earlier_block = static_cast<std::uint32_t>(earlier_block);
  write.word = host;
  write.before = peek<u32>(host);
  write.address = address;
  write.same_instruction = earlier_block == now.warp.cta->block() &&
                           earlier.thread() / kWarpSize == now.warp.index &&
                           earlier.instruction() == now.op.instruction;
  now.warp.worker->doubtful.push_back(write);
}

std::uint64_t block_of_rank(const Current& now, std::uint32_t rank) {
  const ClusterShape& clusters = now.warp.worker->state->clusters;
  return clusters.block(clusters.cluster_of(now.warp.cta->block()), rank);
}

// The block's own access to a word that other blocks of the cluster have touched since its last barrier.
void meet_foreign(const Current& now, unsigned lane, std::uint64_t offset, std::uint32_t bytes) {
  const auto found = now.block.foreign.find(offset / 4);
  if (found == now.block.foreign.end()) return;
  const auto meet = [&](const SharedShadow::Foreign& earlier, bool wrote) {
    if (earlier.phase == now.warp.cta->cluster_phase() && clash(now, earlier.mark, bytes) &&
        !clocks_order(now.warp, earlier.rank, earlier.mark))
      report_race(now, lane, offset, earlier.mark, block_of_rank(now, earlier.rank), wrote);
  };
  meet(found->second.write, true);
  if (now.what == Doing::Read) return;
  meet(found->second.read, false);
  supersede(now, found->second.write, bytes);
}

// The one of the two that nothing orders before the access that goes on; nullptr: none.
template <typename Access, typename Unordered>
const Access* unordered(const LastTwo<Access>& two, Unordered is) {
  return is(two.last) ? &two.last : is(two.other) ? &two.other : nullptr;
}

void touch_shared(const Current& now, unsigned lane, std::uint64_t offset, std::uint32_t bytes) {
  if (!now.block.foreign.empty()) meet_foreign(now, lane, offset, bytes);
  SharedShadow::Word& word = now.block.words[offset / 4];
  const std::uint32_t thread = now.warp.index * kWarpSize + lane;
  const Mark mark = Mark(now.time, thread, now.op.instruction, now.strong).with_bytes(bytes);
  const std::uint64_t block = now.warp.cta->block();
  // How a library orders its own accesses to reserved memory is its own affair.
  const LaunchState& state = *now.warp.worker->state;
  const bool reserved = state.reserves_shared && offset >= state.shared_bytes - kReservedShared;
  const auto is = [&](const Mark& earlier) {
    return !reserved && unordered_in_block(now, earlier, thread, bytes);
  };
  if (const Mark* earlier = unordered(word.write, is)) {
    if (now.what == Doing::Write && kind_of(now.op) == trace::SiteKind::Store) {
      doubt(now, lane, *earlier, block, offset,
            reinterpret_cast<std::uintptr_t>(now.warp.cta->shared() + offset / 4 * 4));
    } else {
      report_race(now, lane, offset, *earlier, block, true);
    }
  }
  if (now.what == Doing::Read) return remember(word.read, mark, now.block.barrier);
  if (const Mark* earlier = unordered(word.read, is)) report_race(now, lane, offset, *earlier, block, false);
  supersede(now, word.write, bytes);
  remember(word.write, mark, now.block.barrier);
}

void touch_global(const Current& now, unsigned lane, std::uint64_t address, std::uint32_t bytes) {
  GlobalShadow& shadow = *now.warp.worker->state->shadow;
  GlobalShadow::Word& word = shadow.word(address);
  const std::uint32_t thread = now.warp.index * kWarpSize + lane;
  GlobalShadow::Entry entry;
  entry.mark = Mark(now.time, thread, now.op.instruction, now.strong).with_bytes(bytes);
  entry.block = static_cast<std::uint32_t>(now.warp.cta->block());
  entry.releases = now.block.releases;
  const auto is = [&](const GlobalShadow::Entry& earlier) {
    return unordered_globally(now, earlier, thread, bytes);
  };
  if (const GlobalShadow::Entry* earlier = unordered(word.write, is)) {
    if (now.what == Doing::Write && kind_of(now.op) == trace::SiteKind::Store) {
      const std::byte* host = now.warp.worker->state->memory->host(address / 4 * 4);
      doubt(now, lane, earlier->mark, earlier->block, address, reinterpret_cast<std::uintptr_t>(host));
    } else {
      report_race(now, lane, address, earlier->mark, earlier->block, true);
    }
  }
  if (now.what == Doing::Read) return remember(word.read, entry, now.block.barrier);
  if (const GlobalShadow::Entry* earlier = unordered(word.read, is))
    report_race(now, lane, address, earlier->mark, earlier->block, false);
  supersede(now, word.write, bytes);
  remember(word.write, entry, now.block.barrier);
}

// Bytes of the access: a read of unwritten ones is reported, a write makes them written.
void touch_written(const Current& now, unsigned lane, std::uint64_t address, unsigned width) {
  std::uint8_t* written = nullptr;
  if (now.space == trace::Space::Shared) {
    written = now.block.written.data() + address;
  } else {
    GlobalShadow& shadow = *now.warp.worker->state->shadow;
    if (shadow.heap_written.empty() || address < shadow.heap_begin ||
        address - shadow.heap_begin + width > shadow.heap_written.size()) {
      return;
    }
    written = shadow.heap_written.data() + (address - shadow.heap_begin);
  }
  if (now.what != Doing::Write) {
    for (unsigned i = 0; i < width; ++i) {
      if (written[i] != 0) continue;
      report_unwritten(now, lane, address + i);
      break;
    }
  }
  if (now.what != Doing::Read) std::memset(written, 1, width);
}

// The careful way: one lane, any width and kind.
void touch_lane(Current& now, unsigned lane, const Prepared& p, unsigned width) {
  const std::uint64_t address = p.offset[lane];
  if (now.strong && kind_of(now.op) != trace::SiteKind::Barrier) {
    if (p.space == trace::Space::Global) {
      publish(now, lane, address);
    } else {
      publish_shared(now, now.block, lane, address);
    }
    now.time = now.block.now;
  }
  touch_written(now, lane, address, width);
  for (std::uint64_t at = address / 4 * 4; at < address + width; at += 4) {
    const std::uint64_t from = std::max(at, address), to = std::min(at + 4, address + width);
    const std::uint32_t bytes = ((1u << (to - from)) - 1) << (from - at);
    if (p.space == trace::Space::Shared) {
      touch_shared(now, lane, at, bytes);
    } else {
      touch_global(now, lane, at, bytes);
    }
  }
}

// A word of another block's shared memory: the cluster's barrier orders the two blocks, and what the clocks
// know.
void touch_foreign(const Current& now, unsigned lane, Cta& owner, std::uint64_t offset, std::uint32_t bytes) {
  SharedShadow& there = *owner.shadow();
  const std::uint32_t thread = now.warp.index * kWarpSize + lane;
  const std::uint32_t phase = now.warp.cta->cluster_phase(), rank = now.warp.cta->rank();
  const auto by_owner = [&](const Mark& earlier) {
    return earlier.time() >= there.cluster_barrier && clash(now, earlier, bytes) &&
           !clocks_order(now.warp, owner.rank(), earlier);
  };
  SharedShadow::Word& word = there.words[offset / 4];
  if (const Mark* earlier = unordered(word.write, by_owner))
    report_race(now, lane, offset, *earlier, owner.block(), true);
  if (now.what != Doing::Read) {
    if (const Mark* earlier = unordered(word.read, by_owner))
      report_race(now, lane, offset, *earlier, owner.block(), false);
    supersede(now, word.write, bytes);
  }
  SharedShadow::ForeignWord& others = there.foreign[offset / 4];
  const auto meet = [&](const SharedShadow::Foreign& earlier, bool wrote) {
    if (earlier.phase != phase) return;
    const bool races = earlier.rank == rank ? unordered_in_block(now, earlier.mark, thread, bytes)
                                            : clash(now, earlier.mark, bytes) &&
                                                  !clocks_order(now.warp, earlier.rank, earlier.mark);
    if (races) report_race(now, lane, offset, earlier.mark, block_of_rank(now, earlier.rank), wrote);
  };
  meet(others.write, true);
  if (now.what != Doing::Read) meet(others.read, false);
  const Mark mark = Mark(now.time, thread, now.op.instruction, now.strong).with_bytes(bytes);
  (now.what == Doing::Read ? others.read : others.write) = {mark, rank, phase};
}

void touch_block(const Current& now, unsigned lane, const Prepared& p, unsigned width) {
  const std::uint64_t address = p.offset[lane];
  const bool flag = now.strong && kind_of(now.op) != trace::SiteKind::Barrier;
  if (flag) publish_shared(now, *p.block->shadow(), lane, address);
  std::uint8_t* const written = p.block->shadow()->written.data() + address;
  const bool unwritten = std::any_of(written, written + width, [](std::uint8_t byte) { return byte == 0; });
  if (now.what != Doing::Write && unwritten) report_unwritten(now, lane, address);
  if (now.what != Doing::Read) std::memset(written, 1, width);
  if (kind_of(now.op) == trace::SiteKind::Barrier) return;  // what waits there is in the clocks
  for (std::uint64_t at = address / 4 * 4; at < address + width; at += 4) {
    const std::uint64_t from = std::max(at, address), to = std::min(at + 4, address + width);
    touch_foreign(now, lane, *p.block, at, ((1u << (to - from)) - 1) << (from - at));
  }
}

// The quick way for whole words of shared memory: does nothing about lanes that might be part of a race or
// read what nobody wrote, and returns them. Marks are compared as numbers: the time comes first, and an
// unused mark is of time 0, before any barrier.
template <bool kReads>
LaneMask touch_words(const Current& now, const Prepared& p, unsigned width, LaneMask lanes) {
  static_assert(sizeof(SharedShadow::Word) == 4 * sizeof(u64) &&
                std::is_trivially_copyable_v<SharedShadow::Word>);
  const u64 base =
      bits_of(Mark(now.time, now.warp.index * kWarpSize, now.op.instruction, false).with_bytes(15));
  const u64 since = u64{now.block.barrier} << kMarkTime;
  std::uint8_t* const written = now.block.written.data();
  SharedShadow::Word* const words = now.block.words.data();
  LaneMask careful = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const u64 mine = base + (u64{lane} << kMarkThread);
    const auto another = [mine, since](u64 mark) {
      return mark >= since && ((mark ^ mine) >> kMarkThread & 1023) != 0;
    };
    const u64 first = p.offset[lane], last = first + width;
    for (u64 at = first; at < last; at += 4) {
      SharedShadow::Word& word = words[at / 4];
      bool doubtful = another(bits_of(word.write.last)) || another(bits_of(word.write.other));
      if constexpr (kReads) {
        u32 all = 0;
        std::memcpy(&all, written + at, 4);
        doubtful = doubtful || all != 0x01010101u;
      } else {
        doubtful = doubtful || another(bits_of(word.read.last)) || another(bits_of(word.read.other));
      }
      if (doubtful) {
        careful |= 1u << lane;
        break;
      }
      if constexpr (kReads) {
        remember(word.read, std::bit_cast<Mark>(mine), now.block.barrier);
      } else {
        word.write.last = std::bit_cast<Mark>(mine);
        std::memset(written + at, 1, 4);
      }
    }
  }
  return careful;
}

LaneMask touch_plain_shared(const Current& now, const Prepared& p, unsigned width) {
  if (!now.block.foreign.empty()) return p.mask;
  if (now.what != Doing::Read) return touch_words<false>(now, p, width, p.mask);
  // Of the lanes of a half that read one word the first and the last are enough to remember.
  constexpr LaneMask kEnds = 0x80018001u;
  const bool halves = p.pattern == Pattern::Uniform && p.mask == kFullMask;
  return touch_words<true>(now, p, width, halves ? kEnds : p.mask);
}

// Anything of another block, and of another thread since the last barrier, deserves a closer look.
bool harmless(const GlobalShadow::Entry& earlier, const GlobalShadow::Entry& now, std::uint32_t barrier) {
  if (!earlier.mark.used()) return true;
  return earlier.block == now.block &&
         (earlier.mark.time() < barrier || earlier.mark.thread() == now.mark.thread());
}

// Records a plain access to a word or a whole line. False: it might be part of a race, nothing is recorded.
bool record(GlobalShadow::Word& word, const GlobalShadow::Entry& entry, std::uint32_t barrier, bool reads) {
  const auto doubtful = [&](const GlobalShadow::Entry& earlier) {
    return !harmless(earlier, entry, barrier);
  };
  if (unordered(word.write, doubtful) != nullptr) return false;
  if (!reads && unordered(word.read, doubtful) != nullptr) return false;
  remember(reads ? word.read : word.write, entry, barrier);
  return true;
}

LaneMask touch_plain_global(const Current& now, const Prepared& p, unsigned width) {
  GlobalShadow& shadow = *now.warp.worker->state->shadow;
  if (!shadow.heap_written.empty()) return p.mask;
  const bool reads = now.what == Doing::Read;
  GlobalShadow::Entry entry;
  entry.mark = Mark(now.time, now.warp.index * kWarpSize, now.op.instruction, false).with_bytes(15);
  entry.block = static_cast<std::uint32_t>(now.warp.cta->block());
  entry.releases = now.block.releases;
  if (p.pattern == Pattern::Contiguous && p.mask == kFullMask && width == 4 && p.offset[0] % 128 == 0 &&
      p.offset[31] - p.offset[0] == 124) {
    GlobalShadow::Line& line = shadow.line(p.offset[0]);
    if (line.detail == 0 && record(line.whole, entry, now.block.barrier, reads)) return 0;
  }
  const std::uint64_t base = bits_of(entry.mark);
  LaneMask careful = 0;
  for (LaneMask left = p.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    entry.mark = std::bit_cast<Mark>(base + (std::uint64_t{lane} << kMarkThread));
    for (std::uint64_t at = p.offset[lane]; at < p.offset[lane] + width; at += 4) {
      if (record(shadow.word(at), entry, now.block.barrier, reads)) continue;
      careful |= 1u << lane;
      break;
    }
  }
  return careful;
}

// The lanes whose places are watched.
LaneMask watched(const GlobalMemory& memory, const std::uint64_t* addresses, LaneMask lanes) {
  LaneMask here = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (!memory.is_elsewhere(addresses[lane])) here |= LaneMask{1} << lane;
  }
  return here;
}

// What a launch finds in memory that was there before it.
void touch_lasting(const Current& now, const Prepared& p, unsigned width) {
  const LastingMemory* const lasting = now.warp.worker->state->memory->lasting();
  if (lasting == nullptr) return;
  const LaneMask unwritten = now.what == Doing::Write ? 0 : find_unwritten(*lasting, p.offset, p.mask, width);
  if (unwritten != 0) report_unwritten(now, unwritten, p.offset);
  mark_written(*lasting, p.offset, now.what == Doing::Read ? unwritten : p.mask, width);
}

}  // namespace

SharedShadow::SharedShadow(std::uint32_t bytes, std::uint32_t warp_count)
    : words((bytes + 3) / 4 + 1), written(bytes + 4), warps(warp_count) {}

void SharedShadow::reset(std::uint32_t rank, std::uint32_t blocks) {
  std::fill(words.begin(), words.end(), Word{});
  std::fill(written.begin(), written.end(), std::uint8_t{0});
  now = barrier = cluster_barrier = 1;
  std::fill(warps.begin(), warps.end(), Warp{});
  clocks.reset(static_cast<std::uint32_t>(warps.size()), rank, blocks);
  foreign.clear();
  fence = wide_fence = 0;
  releases = 0;
  told.clear();
  looked.clear();
  told_others = nullptr;
  acquired = 0;
}

void GlobalShadow::Free::operator()(Line* p) const {
  std::free(p);
}

GlobalShadow::GlobalShadow(std::uint64_t bytes, const GlobalMemory& memory)
    : origin(memory.origin()), heap_begin(memory.heap_begin()) {
  // Zero pages until they are touched: all bits zero is an unused mark.
  lines_.reset(static_cast<Line*>(std::calloc(bytes / (4 * kWordsOfLine) + 1, sizeof(Line))));
  if (lines_ == nullptr) throw std::bad_alloc();
  if (heap_begin == 0) return;
  heap_written.assign(GlobalMemory::kHeapBytes, 0);
  const LastingMemory* const lasting = memory.lasting();
  if (lasting == nullptr) return;
  // What earlier launches were handed out they may have written.
  heap_written.resize(lasting->heap.end() - heap_begin);
  for (const auto& [address, size] : lasting->heap.blocks())
    std::memset(heap_written.data() + (address - heap_begin), 1, size);
}

GlobalShadow::Word& GlobalShadow::word(std::uint64_t address) {
  Line& at = line(address);
  if (at.detail == 0) {
    details_.emplace_back();
    at.detail = details_.size();
    const auto of_lane = [](Entry entry, std::uint64_t lane) {
      if (entry.mark.used()) {
        entry.mark = std::bit_cast<Mark>(bits_of(entry.mark) + (lane << kMarkThread));
      }
      return entry;
    };
    for (std::uint64_t l = 0; l < kWordsOfLine; ++l) {
      const auto of_both = [&](const LastTwo<Entry>& two) {
        return LastTwo<Entry>{of_lane(two.last, l), of_lane(two.other, l)};
      };
      details_.back()[l] = {of_both(at.whole.write), of_both(at.whole.read)};
    }
  }
  return details_[at.detail - 1][(address - origin) / 4 % kWordsOfLine];
}

void GlobalShadow::forget(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t at = address / 4 * 4; at < address + bytes; at += 4) word(at) = Word{};
  if (address >= heap_begin && address - heap_begin + bytes <= heap_written.size()) {
    std::memset(heap_written.data() + (address - heap_begin), 0, bytes);
  }
}

void screen_access(const Op& op, Warp& warp, trace::Space space, ScreenedAccess& access) {
  if (space != trace::Space::Shared && space != trace::Space::Global) return;
  const trace::SiteKind kind = kind_of(op);
  if (kind == trace::SiteKind::AsyncCopy && space == trace::Space::Shared) return;
  RaceScreen& screen = *warp.worker->screen;
  access.what = doing(kind);
  access.global = space == trace::Space::Global;
  const std::uint32_t narrow = access.global ? memory_flags::kBlockScope : memory_flags::kWeakVolatile;
  access.strong = (op.flags & memory_flags::kVolatile) != 0 && (op.flags & narrow) == 0;
  access.warp = warp.index;
  access.width = bytes_of(op);
  const GlobalMemory& memory = *warp.worker->state->memory;
  if (access.global && memory.has_elsewhere()) {
    const LaneMask here = watched(memory, access.addresses, access.lanes);
    if (here == 0) return;
    if (here != access.lanes) throw StopBlock{StopBlock::Why::Suspicion};  // to be looked at lane by lane
  }
  bool fine = true;
  if (access.global && access.region == kNoRegion && access.what != Doing::Read) {
    for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
      const std::uint64_t address = access.addresses[std::countr_zero(left)];
      const Interval* interval = memory.find(address);
      fine = fine && (interval == nullptr || screen.writes(interval->ordinal));
    }
  }
  const LastingMemory* const lasting = access.global ? memory.lasting() : nullptr;
  if (lasting != nullptr && access.what != Doing::Write)
    fine = fine && find_unwritten(*lasting, access.addresses, access.lanes, access.width) == 0;
  if (!fine || !screen.accept(access)) throw StopBlock{StopBlock::Why::Suspicion};
  if (lasting != nullptr && access.what != Doing::Read)
    mark_written(*lasting, access.addresses, access.lanes, access.width);
}

void shadow_access(const Op& op, Warp& warp, const Prepared& p) {
  if (p.space != trace::Space::Shared && p.space != trace::Space::Global) return;
  const trace::SiteKind kind = kind_of(op);
  // The shared side of an asynchronous copy is written when it lands.
  if (kind == trace::SiteKind::AsyncCopy && p.space == trace::Space::Shared) return;
  SharedShadow& block = *warp.cta->shadow();
  if (block.now == SharedShadow::kLastTime) {
    return report_note(warp, "note.no_more_races");
  }
  Current now{op, warp, block};
  now.time = block.now;
  now.strong = (op.flags & memory_flags::kVolatile) != 0;
  now.what = kind == trace::SiteKind::Barrier && !now.strong ? Doing::Write : doing(kind);
  now.space = p.space;
  if (now.strong) find_use(now);
  const unsigned width = bytes_of(op);
  if (p.block != nullptr) {
    for (LaneMask lanes = p.mask; lanes != 0; lanes &= lanes - 1)
      touch_block(now, static_cast<unsigned>(std::countr_zero(lanes)), p, width);
    return;
  }
  const GlobalMemory& memory = *warp.worker->state->memory;
  if (p.space == trace::Space::Global && memory.has_elsewhere()) {
    const LaneMask here = watched(memory, p.offset, p.mask);
    if (here != p.mask) {
      // A flag may lie there all the same, behind which data is handed over.
      for (LaneMask lanes = p.mask & ~here; now.strong && lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
        publish(now, lane, p.offset[lane]);
      }
      if (here == 0) return;
      Prepared those = p;
      those.mask = here;
      those.pattern = Pattern::General;
      return shadow_access(op, warp, those);
    }
  }
  if (p.space == trace::Space::Global) touch_lasting(now, p, width);
  LaneMask left = p.mask;
  if (width % 4 == 0 && now.what != Doing::Both && !now.strong) {
    left = p.space == trace::Space::Shared ? touch_plain_shared(now, p, width)
                                           : touch_plain_global(now, p, width);
  }
  for (; left != 0; left &= left - 1) {
    touch_lane(now, static_cast<unsigned>(std::countr_zero(left)), p, width);
  }
}

void shadow_settle(const Op& op, Warp& warp, bool (*equal)(const Op&, Warp&, unsigned, unsigned)) {
  std::vector<DoubtfulWrite>& doubtful = warp.worker->doubtful;
  SharedShadow& block = *warp.cta->shadow();
  Current now{op, warp, block};
  now.what = Doing::Write;
  now.space = space_of(op);
  std::vector<DoubtfulWrite> judged;
  judged.swap(doubtful);
  for (const DoubtfulWrite& write : judged) {
    const unsigned other = write.earlier.thread() % kWarpSize;
    const bool same =
        write.same_instruction ? equal(op, warp, write.lane, other) : peek<u32>(write.word) == write.before;
    if (same) {
      report_note(warp, "note.same_value", warp.worker->program->instructions[op.instruction].line);
      continue;
    }
    now.space =
        write.address >= warp.worker->state->memory->origin() ? trace::Space::Global : trace::Space::Shared;
    report_race(now, write.lane, write.address, write.earlier, write.earlier_block, true);
  }
}

void shadow_written(Warp& warp, std::uint64_t offset, std::uint64_t bytes) {
  if (warp.worker->screen != nullptr) {
    if (offset + bytes <= warp.cta->shared_bytes()) warp.worker->screen->written(offset, bytes);
    return;
  }
  Cta* const owner = warp.cta->block_of(offset);
  if (owner == nullptr) return;
  std::vector<std::uint8_t>& written = owner->shadow()->written;
  offset &= kOffsetMask;
  if (offset > written.size() || bytes > written.size() - offset) return;
  std::memset(written.data() + offset, 1, bytes);
}

void shadow_copy(Warp& warp, const AsyncCopy& copy, bool landed) {
  if (warp.judged) {
    SharedShadow& block = *warp.cta->shadow();
    Current now{*copy.op, warp, block};
    now.time = block.now;
    now.what = Doing::Write;
    for (std::uint32_t at = copy.destination; at < copy.destination + copy.bytes; at += 4)
      touch_shared(now, copy.lane, at, 15);
  }
  if (landed) shadow_written(warp, copy.destination, copy.bytes);
}

}  // namespace warplens::simt
