#include "engine/simt/shadow.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#include "engine/simt/race_report.h"
#include "engine/simt/worker.h"

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
      return Doing::Both;
    default:
      return Doing::Read;
  }
}

// Does nothing order the earlier access of this block before the one that goes on?
bool unordered_in_block(const Current& now, const Mark& earlier, std::uint32_t thread, std::uint32_t bytes) {
  if (!earlier.used() || earlier.epoch() != (now.epoch & 0x3fffff) || earlier.thread() == thread)
    return false;
  if ((earlier.bytes() & bytes) == 0) return false;
  const bool same_warp = earlier.thread() / kWarpSize == thread / kWarpSize;
  if (same_warp && earlier.warp_epoch() != (now.warp_epoch & 1023)) return false;
  if (!earlier.strong() || !now.strong) return true;
  return same_warp && now.space == trace::Space::Shared && is_volatile(now, now.op.instruction) &&
         is_volatile(now, earlier.instruction());
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

bool overlap(const Mark& earlier, std::uint32_t bytes, bool strong) {
  return earlier.used() && (earlier.bytes() & bytes) != 0 && !(earlier.strong() && strong);
}

// The block's own access to a word that other blocks of the cluster have touched since its last barrier.
void meet_foreign(const Current& now, unsigned lane, std::uint64_t offset, std::uint32_t bytes) {
  const auto found = now.block.foreign.find(offset / 4);
  if (found == now.block.foreign.end()) return;
  const auto meet = [&](const SharedShadow::Foreign& earlier, bool wrote) {
    if (earlier.phase == now.warp.cta->cluster_phase() && overlap(earlier.mark, bytes, now.strong))
      report_race(now, lane, offset, earlier.mark, block_of_rank(now, earlier.rank), wrote);
  };
  meet(found->second.write, true);
  if (now.what != Doing::Read) meet(found->second.read, false);
}

void touch_shared(const Current& now, unsigned lane, std::uint64_t offset, std::uint32_t bytes) {
  if (!now.block.foreign.empty()) meet_foreign(now, lane, offset, bytes);
  SharedShadow::Word& word = now.block.words[offset / 4];
  const std::uint32_t thread = now.warp.index * kWarpSize + lane;
  const Mark mark = Mark(now.epoch, thread, now.op.instruction, now.warp_epoch, now.strong).with_bytes(bytes);
  const std::uint64_t block = now.warp.cta->block();
  if (word.write.who() != mark.who() && unordered_in_block(now, word.write, thread, bytes)) {
    if (now.what == Doing::Write && kind_of(now.op) == trace::SiteKind::Store) {
      doubt(now, lane, word.write, block, offset,
            reinterpret_cast<std::uintptr_t>(now.warp.cta->shared() + offset / 4 * 4));
    } else {
      report_race(now, lane, offset, word.write, block, true);
    }
  }
  if (now.what != Doing::Read) {
    if (unordered_in_block(now, word.read, thread, bytes)) {
      report_race(now, lane, offset, word.read, block, false);
    } else if (unordered_in_block(now, word.other, thread, bytes)) {
      report_race(now, lane, offset, word.other, block, false);
    }
    word.write = mark;
    return;
  }
  if (word.read.who() == mark.who() || word.read.epoch() != mark.epoch() || !word.read.used()) {
    word.read = mark;
  } else {
    word.other = mark;
  }
}

bool unordered_globally(const Current& now, const GlobalShadow::Entry& earlier, std::uint32_t thread,
                        std::uint32_t bytes) {
  if (!earlier.mark.used()) return false;
  if (earlier.block == static_cast<std::uint32_t>(now.warp.cta->block())) {
    return unordered_in_block(now, earlier.mark, thread, bytes);
  }
  if ((earlier.mark.bytes() & bytes) == 0 || (earlier.mark.strong() && now.strong)) return false;
  // The block's next release after that access, if this block has seen it, orders the two.
  const auto& releases = now.warp.worker->state->shadow->releases;
  const auto found = releases.find(earlier.block);
  if (found == releases.end() || earlier.releases >= found->second.size()) return true;
  return found->second[earlier.releases] > now.block.acquired;
}

void touch_global(const Current& now, unsigned lane, std::uint64_t address, std::uint32_t bytes) {
  GlobalShadow& shadow = *now.warp.worker->state->shadow;
  GlobalShadow::Word& word = shadow.word(address);
  const std::uint32_t thread = now.warp.index * kWarpSize + lane;
  GlobalShadow::Entry entry;
  entry.mark = Mark(now.epoch, thread, now.op.instruction, now.warp_epoch, now.strong).with_bytes(bytes);
  entry.block = static_cast<std::uint32_t>(now.warp.cta->block());
  entry.releases = static_cast<std::uint32_t>(now.block.releases.size());
  if (unordered_globally(now, word.write, thread, bytes)) {
    if (now.what == Doing::Write && kind_of(now.op) == trace::SiteKind::Store) {
      const std::byte* host = now.warp.worker->state->memory->host(address / 4 * 4);
      doubt(now, lane, word.write.mark, word.write.block, address, reinterpret_cast<std::uintptr_t>(host));
    } else {
      report_race(now, lane, address, word.write.mark, word.write.block, true);
    }
  }
  if (now.what != Doing::Read) {
    if (unordered_globally(now, word.read, thread, bytes)) {
      report_race(now, lane, address, word.read.mark, word.read.block, false);
    } else if (unordered_globally(now, word.other, thread, bytes)) {
      report_race(now, lane, address, word.other.mark, word.other.block, false);
    }
    word.write = entry;
    return;
  }
  const bool same = word.read.block == entry.block && word.read.mark.who() == entry.mark.who();
  const bool stale = word.read.block == entry.block && word.read.mark.epoch() != entry.mark.epoch();
  if (same || stale || !word.read.mark.used()) {
    word.read = entry;
  } else {
    word.other = entry;
  }
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

// Flags between blocks: a write after a fence publishes, an atomic or volatile look takes over.
void publish(const Current& now, std::uint64_t address) {
  GlobalShadow& shadow = *now.warp.worker->state->shadow;
  const auto block = static_cast<std::uint32_t>(now.warp.cta->block());
  if (now.what != Doing::Write) {
    const auto found = shadow.flags.find(address);
    if (found != shadow.flags.end()) {
      now.block.acquired = std::max(now.block.acquired, found->second.stamp);
      if (found->second.block == block) now.warp.cta->next_epoch();
    }
  }
  if (now.what == Doing::Read) return;
  if (!now.block.fenced && (now.op.flags & memory_flags::kOrders) == 0) return;
  shadow.flags[address] = {++shadow.stamp, block};
  now.block.releases.push_back(shadow.stamp);
  shadow.releases[block].push_back(shadow.stamp);
}

// The careful way: one lane, any width and kind.
void touch_lane(Current& now, unsigned lane, const Prepared& p, unsigned width) {
  const std::uint64_t address = p.offset[lane];
  if (now.strong && p.space == trace::Space::Global) {
    publish(now, address);
    now.epoch = now.warp.cta->barrier_epoch() + 1;
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

// A word of another block's shared memory. Only the cluster's barrier orders the two blocks here; where
// mbarriers do, nothing is said.
void touch_foreign(const Current& now, unsigned lane, Cta& owner, std::uint64_t offset, std::uint32_t bytes) {
  SharedShadow& there = *owner.shadow();
  const std::uint32_t thread = now.warp.index * kWarpSize + lane;
  const std::uint32_t phase = now.warp.cta->cluster_phase(), rank = now.warp.cta->rank();
  const auto by_owner = [&](const Mark& earlier) {
    return earlier.epoch() > owner.cluster_epoch() && overlap(earlier, bytes, now.strong);
  };
  const SharedShadow::Word& word = there.words[offset / 4];
  if (by_owner(word.write)) report_race(now, lane, offset, word.write, owner.block(), true);
  if (now.what != Doing::Read && by_owner(word.read))
    report_race(now, lane, offset, word.read, owner.block(), false);
  SharedShadow::ForeignWord& others = there.foreign[offset / 4];
  const auto meet = [&](const SharedShadow::Foreign& earlier, bool wrote) {
    if (earlier.phase != phase || !overlap(earlier.mark, bytes, now.strong)) return;
    if (earlier.rank == rank && !unordered_in_block(now, earlier.mark, thread, bytes)) return;
    report_race(now, lane, offset, earlier.mark, block_of_rank(now, earlier.rank), wrote);
  };
  meet(others.write, true);
  if (now.what != Doing::Read) meet(others.read, false);
  const Mark mark = Mark(now.epoch, thread, now.op.instruction, now.warp_epoch, now.strong).with_bytes(bytes);
  (now.what == Doing::Read ? others.read : others.write) = {mark, rank, phase};
}

void touch_block(const Current& now, unsigned lane, const Prepared& p, unsigned width) {
  const std::uint64_t address = p.offset[lane];
  std::uint8_t* const written = p.block->shadow()->written.data() + address;
  const bool unwritten = std::any_of(written, written + width, [](std::uint8_t byte) { return byte == 0; });
  if (now.what != Doing::Write && unwritten) report_unwritten(now, lane, address);
  if (now.what != Doing::Read) std::memset(written, 1, width);
  if (now.warp.worker->program->cluster_messages) return;
  for (std::uint64_t at = address / 4 * 4; at < address + width; at += 4) {
    const std::uint64_t from = std::max(at, address), to = std::min(at + 4, address + width);
    touch_foreign(now, lane, *p.block, at, ((1u << (to - from)) - 1) << (from - at));
  }
}

constexpr unsigned kThreadShift = 32, kEpochShift = 42;

std::uint64_t bits_of(const Mark& mark) {
  return std::bit_cast<std::uint64_t>(mark);
}

// The quick way for whole words of shared memory: does nothing about lanes that might be part of a race or
// read what nobody wrote, and returns them. Marks are compared as numbers: epoch and thread are the top 32
// bits, and an unused mark is of epoch 0, which no access has.
template <bool kReads>
LaneMask touch_words(const Current& now, const Prepared& p, unsigned width, LaneMask lanes) {
  static_assert(sizeof(SharedShadow::Word) == 3 * sizeof(u64) &&
                std::is_trivially_copyable_v<SharedShadow::Word>);
  const u64 base = bits_of(
      Mark(now.epoch, now.warp.index * kWarpSize, now.op.instruction, now.warp_epoch, false).with_bytes(15));
  std::uint8_t* const written = now.block.written.data();
  SharedShadow::Word* const words = now.block.words.data();
  LaneMask careful = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const u64 mine = base + (u64{lane} << kThreadShift);
    const auto another = [mine](u64 mark) {
      return (mark ^ mine) >> kEpochShift == 0 && (mark ^ mine) >> kThreadShift != 0;
    };
    const u64 first = p.offset[lane], last = first + width;
    for (u64 at = first; at < last; at += 4) {
      SharedShadow::Word& word = words[at / 4];
      bool doubtful = another(bits_of(word.write));
      if constexpr (kReads) {
        u32 all = 0;
        std::memcpy(&all, written + at, 4);
        doubtful = doubtful || all != 0x01010101u;
      } else {
        doubtful = doubtful || another(bits_of(word.read)) || another(bits_of(word.other));
      }
      if (doubtful) {
        careful |= 1u << lane;
        break;
      }
      if constexpr (kReads) {
        Mark& place = another(bits_of(word.read)) ? word.other : word.read;
        place = std::bit_cast<Mark>(mine);
      } else {
        word.write = std::bit_cast<Mark>(mine);
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
bool harmless(const GlobalShadow::Entry& earlier, const GlobalShadow::Entry& now) {
  if (!earlier.mark.used()) return true;
  const std::uint64_t before = bits_of(earlier.mark), here = bits_of(now.mark);
  return earlier.block == now.block &&
         (before >> kEpochShift != here >> kEpochShift || before >> kThreadShift == here >> kThreadShift);
}

// Records a plain access to a word or a whole line. False: it might be part of a race, nothing is recorded.
bool record(GlobalShadow::Word& word, const GlobalShadow::Entry& entry, bool reads) {
  if (!harmless(word.write, entry)) return false;
  if (reads) {
    (harmless(word.read, entry) ? word.read : word.other) = entry;
    return true;
  }
  if (!harmless(word.read, entry) || !harmless(word.other, entry)) return false;
  word.write = entry;
  return true;
}

LaneMask touch_plain_global(const Current& now, const Prepared& p, unsigned width) {
  GlobalShadow& shadow = *now.warp.worker->state->shadow;
  if (!shadow.heap_written.empty()) return p.mask;
  const bool reads = now.what == Doing::Read;
  GlobalShadow::Entry entry;
  entry.mark =
      Mark(now.epoch, now.warp.index * kWarpSize, now.op.instruction, now.warp_epoch, false).with_bytes(15);
  entry.block = static_cast<std::uint32_t>(now.warp.cta->block());
  entry.releases = static_cast<std::uint32_t>(now.block.releases.size());
  if (p.pattern == Pattern::Contiguous && p.mask == kFullMask && width == 4 && p.offset[0] % 128 == 0 &&
      p.offset[31] - p.offset[0] == 124) {
    GlobalShadow::Line& line = shadow.line(p.offset[0]);
    if (line.detail == 0 && record(line.whole, entry, reads)) return 0;
  }
  const std::uint64_t base = bits_of(entry.mark);
  LaneMask careful = 0;
  for (LaneMask left = p.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    entry.mark = std::bit_cast<Mark>(base + (std::uint64_t{lane} << kThreadShift));
    for (std::uint64_t at = p.offset[lane]; at < p.offset[lane] + width; at += 4) {
      if (record(shadow.word(at), entry, reads)) continue;
      careful |= 1u << lane;
      break;
    }
  }
  return careful;
}

}  // namespace

SharedShadow::SharedShadow(std::uint32_t bytes, std::uint32_t warps)
    : words((bytes + 3) / 4 + 1), written(bytes + 4), warp_epochs(warps) {}

void SharedShadow::reset() {
  std::fill(words.begin(), words.end(), Word{});
  std::fill(written.begin(), written.end(), std::uint8_t{0});
  std::fill(warp_epochs.begin(), warp_epochs.end(), std::uint16_t{0});
  foreign.clear();
  fenced = false;
  releases.clear();
  acquired = 0;
}

void GlobalShadow::Free::operator()(Line* p) const {
  std::free(p);
}

GlobalShadow::GlobalShadow(std::uint64_t bytes, const GlobalMemory& memory, std::uint64_t)
    : heap_begin(memory.heap_begin()) {
  // Zero pages until they are touched: all bits zero is an unused mark.
  lines_.reset(static_cast<Line*>(std::calloc(bytes / (4 * kWordsOfLine) + 1, sizeof(Line))));
  if (lines_ == nullptr) throw std::bad_alloc();
  if (heap_begin != 0) heap_written.assign(GlobalMemory::kHeapBytes, 0);
}

GlobalShadow::Word& GlobalShadow::word(std::uint64_t address) {
  Line& at = line(address);
  if (at.detail == 0) {
    details_.emplace_back();
    at.detail = details_.size();
    const auto of_lane = [](Entry entry, std::uint64_t lane) {
      if (entry.mark.used()) {
        entry.mark = std::bit_cast<Mark>(bits_of(entry.mark) + (lane << kThreadShift));
      }
      return entry;
    };
    for (std::uint64_t l = 0; l < kWordsOfLine; ++l) {
      details_.back()[l] = {of_lane(at.whole.write, l), of_lane(at.whole.read, l),
                            of_lane(at.whole.other, l)};
    }
  }
  return details_[at.detail - 1][(address - kGlobalBase) / 4 % kWordsOfLine];
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
  if (kind == trace::SiteKind::Barrier) {
    for (LaneMask left = access.lanes; left != 0 && space == trace::Space::Shared; left &= left - 1)
      screen.written(access.addresses[std::countr_zero(left)], bytes_of(op));
    return;
  }
  access.what = doing(kind);
  access.global = space == trace::Space::Global;
  access.strong = (op.flags & memory_flags::kVolatile) != 0 &&
                  (access.global || (op.flags & memory_flags::kWeakVolatile) == 0);
  access.warp = warp.index;
  access.width = bytes_of(op);
  bool fine = true;
  if (access.global && access.region == kNoRegion && access.what != Doing::Read) {
    for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
      const std::uint64_t address = access.addresses[std::countr_zero(left)];
      const Interval* interval = warp.worker->state->memory->find(address);
      fine = fine && (interval == nullptr || screen.writes(interval->ordinal));
    }
  }
  if (!fine || !screen.accept(access)) throw StopBlock{StopBlock::Why::Suspicion};
}

void shadow_access(const Op& op, Warp& warp, const Prepared& p) {
  if (p.space != trace::Space::Shared && p.space != trace::Space::Global) return;
  const trace::SiteKind kind = kind_of(op);
  // The shared side of an asynchronous copy is written when it lands; mbarriers are made to be raced for.
  if (kind == trace::SiteKind::AsyncCopy && p.space == trace::Space::Shared) return;
  if (kind == trace::SiteKind::Barrier) {
    for (LaneMask left = p.mask; left != 0; left &= left - 1) {
      if (p.space == trace::Space::Shared && p.block == nullptr) {
        shadow_written(warp, p.offset[std::countr_zero(left)], bytes_of(op));
      }
    }
    return;
  }
  SharedShadow& block = *warp.cta->shadow();
  Current now{op, warp, block, Mark{}};
  now.epoch = warp.cta->barrier_epoch() + 1;  // 0 marks words that nobody touched
  now.warp_epoch = block.warp_epochs[warp.index];
  now.what = doing(kind);
  now.strong = (op.flags & memory_flags::kVolatile) != 0;
  now.space = p.space;
  const unsigned width = bytes_of(op);
  if (p.block != nullptr) {
    for (LaneMask lanes = p.mask; lanes != 0; lanes &= lanes - 1)
      touch_block(now, static_cast<unsigned>(std::countr_zero(lanes)), p, width);
    return;
  }
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
  Current now{op, warp, block, Mark{}};
  now.what = Doing::Write;
  now.space = space_of(op);
  std::vector<DoubtfulWrite> judged;
  judged.swap(doubtful);
  for (const DoubtfulWrite& write : judged) {
    const unsigned other = write.earlier.thread() % kWarpSize;
    const bool same =
        write.same_instruction ? equal(op, warp, write.lane, other) : peek<u32>(write.word) == write.before;
    if (same) {
      report_note(warp,
                  fmt::format("several threads write the same value to one place (line {}): harmless, but "
                              "nothing orders them",
                              warp.worker->program->instructions[op.instruction].line));
      continue;
    }
    now.space = write.address >= kGlobalBase ? trace::Space::Global : trace::Space::Shared;
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
    Current now{*copy.op, warp, block, Mark{}};
    now.epoch = warp.cta->barrier_epoch() + 1;
    now.warp_epoch = block.warp_epochs[warp.index];
    now.what = Doing::Write;
    for (std::uint32_t at = copy.destination; at < copy.destination + copy.bytes; at += 4)
      touch_shared(now, copy.lane, at, 15);
  }
  if (landed) shadow_written(warp, copy.destination, copy.bytes);
}

void shadow_warp_barrier(Warp& warp, LaneMask) {
  if (warp.worker->screen != nullptr) {
    warp.worker->screen->warp_barrier(warp.index);
    return;
  }
  ++warp.cta->shadow()->warp_epochs[warp.index];
}

void shadow_acquire(Warp& warp, LaneMask lanes) {
  if (lanes != 0) warp.cta->next_epoch();
}

void shadow_fence(Warp& warp) {
  if (warp.worker->screen != nullptr) return;  // it takes no order between blocks for granted
  warp.cta->shadow()->fenced = true;
}

}  // namespace warplens::simt
