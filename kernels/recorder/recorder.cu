// The GPU recorder: what an instrumented kernel calls to count its own accesses, with the same rules as
// engine/analysis (measured on an H200, restated in docs/VERIFICATION.md). Every function is called by all
// lanes that execute an instruction together; none touches anything but the counters it is given.
//
//   ld.global.f32 %f1, [%rd4];   gets in front of it   warplens_count_global(slot, %rd4, rule)
//   -> one lane group adds  executions 1, lanes 32, requests 1, sectors 4, ... to the eight counters of `slot`
//
// `rule` says what the instruction is: the bytes a lane moves, and the flags below (the same numbers stand in
// engine/gpu/recorder_module.h). `measure` functions return what one execution counts, packed in 64 bits;
// they let a loop keep the last result and count repetitions of it.
//
// recorder.ptx is this file as PTX, made by tools/gpu/make-recorder; it is embedded in the program.

typedef unsigned int u32;
typedef unsigned long long u64;

// Flags of `rule`, above the bytes a lane.
#define RULE_BYTES 0xffu
#define RULE_ATOMIC 0x100u        // global: lanes on one address take turns
#define RULE_SWAP 0x200u          // compare-and-swap: half lines; shared: passes twice
#define RULE_BY_LANE 0x400u       // shared: lanes on one word are served one by one
#define RULE_MERGES 0x800u        // shared: a load, whose wide phases may merge
#define RULE_MATRIX 0x1000u       // shared: ldmatrix, stmatrix
#define RULE_LOOP 0x2000u         // shared: an atomic that the machine runs as a loop
#define RULE_LOOP_LOADS 0x4000u   // shared: the loads of that loop
#define RULE_ONE_LANE 0x8000u     // one lane does it for the warp
#define RULE_ONE_IF_FULL 0x10000u // one lane when all 32 are active
#define RULE_8_LANES 0x20000u     // only the first 8 lanes' addresses are used
#define RULE_16_LANES 0x40000u    // only the first 16
#define RULE_NARROW 0x80000u      // packed as four fields of 16 bits, not as 8 8 8 8 16 16
#define RULE_LOADS_SHIFT 24       // constant: how many instructions the load is

// Into `lanes` those that are here and have the same answer as this one. Where the lanes stand is known to the
// machine, which a vote of the lanes of a mask would first have to check. `lanes` must hold something before:
// what is only written under predicates would else keep a register of its own all through the kernel.
__device__ __forceinline__ void find_same(u32& lanes, bool answer) {
  asm volatile("{\n\t.reg .pred %%yes;\n\tsetp.ne.u32 %%yes, %1, 0;\n\t@%%yes activemask.b32 %0;\n\t"
               "@!%%yes activemask.b32 %0;\n\t}" : "+r"(lanes) : "r"((u32)answer));
}
__device__ __forceinline__ u32 with_same(bool answer) {
  u32 lanes = 0;
  find_same(lanes, answer);
  return lanes;
}

// One execution by the lanes of `active`, of which `lanes` move bytes.
struct Warp {
  u32 active, lanes, lane;
  __device__ bool in() const { return lanes >> lane & 1u; }
  __device__ u32 below() const { return (1u << lane) - 1u; }
  __device__ u32 ballot(bool p) const {
    const u32 same = with_same(p);
    return p ? same : active & ~same;
  }
  __device__ bool all(bool p) const { return p & (with_same(p) == active); }
  __device__ bool any(bool p) const { return p | (with_same(p) != active); }
  __device__ u32 value_of(u32 value, int from) const { return __shfl_sync(active, value, from); }
  __device__ u64 value_of(u64 value, int from) const { return __shfl_sync(active, value, from); }
  __device__ int first() const { return __ffs((int)active) - 1; }
  __device__ int first_lane() const { return __ffs((int)lanes) - 1; }
  // Lanes that stand with this one after they were divided by the lowest `bits` of their keys. The machine's
  // MATCH would take its time for every different key.
  template <int bits>
  __device__ u32 divide(u32 peers, u32 key) const {
    u32 same = 0;
#pragma unroll
    for (int bit = 0; bit < bits; ++bit) {
      find_same(same, key & 1u << bit);
      peers &= same;
    }
    return peers;
  }
  __device__ bool alone(u32 peers) const { return all(!in() | ((peers & lanes) == 1u << lane)); }
  // Of `peers`, those with the same key.
  template <typename Key>
  __device__ u32 same(u32 peers, Key key) const {
    while (!all(key == value_of(key, first()))) {
      peers = divide<5>(peers, (u32)key);
      if (alone(peers)) break;
      key >>= 5;
    }
    return peers;
  }
  // How many groups of peers there are.
  __device__ u32 groups(u32 peers) const { return __popc(ballot(in() & ((peers & lanes & below()) == 0))); }
};

__device__ __forceinline__ Warp warp_of(u32 active, u32 rule) {
  Warp w{active, active, __lane_id()};
  if ((rule & RULE_ONE_LANE) || ((rule & RULE_ONE_IF_FULL) && active == 0xffffffffu)) w.lanes = active & (0u - active);
  if (rule & RULE_8_LANES) w.lanes &= 0xffu;
  if (rule & RULE_16_LANES) w.lanes &= 0xffffu;
  return w;
}

__device__ __forceinline__ int log2_of(u32 bytes) { return 31 - __clz((int)bytes); }
__device__ __forceinline__ u32 smaller(u32 a, u32 b) { return a < b ? a : b; }

// Sum of small values (below 64) over the lanes that have one.
__device__ __forceinline__ u32 sum(const Warp& w, bool has, u32 value) {
  u32 total = 0;
  for (int bit = 0; bit < 6; ++bit) total += (u32)__popc(w.ballot(has & (value >> bit & 1u))) << bit;
  return total;
}

// Addresses that never fall, or never rise, from one active lane to the next: different ones are counted by
// comparing neighbours.
struct Neighbours {
  bool monotone;
  bool first;    // this lane has no active lane below it
  u64 previous;  // address of the next active lane below
};
__device__ __forceinline__ Neighbours neighbours_of(const Warp& w, u64 address) {
  const u32 lower = w.lanes & w.below();
  const bool first = lower == 0;
  const u64 previous = w.value_of(address, first ? (int)w.lane : 31 - __clz((int)lower));
  const bool rises = w.all(!w.in() || address >= previous);
  return {rises || w.all(!w.in() || address <= previous), first, previous};
}

// --- Global memory (G1 to G4, R1 to R3) ---

// 8 bits: requests, sectors, ideal sectors, lines; 16 bits: distinct bytes, bytes of all lanes.
__device__ __forceinline__ u64 pack_global(u32 requests, u32 sectors, u32 lines, u32 distinct, u32 asked) {
  const u32 ideal = smaller(sectors, (asked + 31u) / 32u);
  return requests | sectors << 8 | ideal << 16 | lines << 24 | (u64)distinct << 32 | (u64)asked << 48;
}

// The tag bank of a 128-byte line (G7).
__device__ __forceinline__ u32 tag_bank(u64 line) {
  const u32 number = (u32)line & 16383u;
  return (__popc(number & 0x15DAu) & 1u) + 2u * (__popc(number & 0x0F6Fu) & 1u);
}

// Lines wait at four tag banks; in each pass a bank takes the line of its lowest waiting lane, and of that
// line the lanes that hold their word's slot, each slot being held by the lowest waiting lane that wants it.
__device__ __forceinline__ void visit_atomics(const Warp& w, u64 address, u32 same_sector, u32 rule, u32& sectors,
                                              u32& lines) {
  const u32 bytes = rule & RULE_BYTES;
  const int unit = rule & RULE_SWAP ? 6 : 7;
  const u32 slot = (u32)address % 128u >> (bytes > 4u ? log2_of(bytes) : 2);
  const u32 same_bank = w.divide<2>(w.lanes, tag_bank(address >> 7));
  const u32 same_slot = w.divide<5>(same_bank, slot);
  sectors = lines = 0;
  for (u32 waiting = w.lanes; waiting != 0;) {
    const bool waits = waiting >> w.lane & 1u;
    const u32 queue = same_bank & waiting;
    const int head = waits ? __ffs((int)queue) - 1 : (int)w.lane;
    const u64 visited = w.value_of(address >> unit, head);
    const bool served = waits && address >> unit == visited && (same_slot & waiting & w.below()) == 0;
    const u32 done = w.ballot(served);
    sectors += __popc(w.ballot(served && (same_sector & done & w.below()) == 0));
    lines += __popc(w.ballot(waits && (int)w.lane == head));
    waiting &= ~done;
  }
}

// `rule`: its bytes alone (plain loads and stores), or any.
template <bool plain>
__device__ __forceinline__ u64 measure_accesses(u64 address, u32 rule, u32 active) {
  const Warp w = plain ? Warp{active, active, __lane_id()} : warp_of(active, rule);
  if (!plain && w.lanes == 0) return 0;
  const u32 bytes = rule & RULE_BYTES, n = __popc(w.lanes), asked = n * bytes;
  const int line_shift = !plain && (rule & RULE_SWAP) ? 6 : 7;
  const Neighbours next = neighbours_of(w, address);
  u32 sectors, lines, distinct, same_sector = 0;
  if (next.monotone) {
    const u64 change = address ^ next.previous;
    sectors = __popc(w.ballot(w.in() && (next.first || change >> 5 != 0)));
    lines = __popc(w.ballot(w.in() && (next.first || change >> line_shift != 0)));
    distinct = __popc(w.ballot(w.in() && (next.first || change != 0)));
    if (!plain && (rule & RULE_ATOMIC) && distinct != 1 && distinct != n) same_sector = w.same(w.lanes, address >> 5);
  } else {
    const u32 same_line = w.same(w.lanes, address >> line_shift);
    sectors = lines = distinct = n;
    same_sector = same_line;
    if (!w.alone(same_line)) {
      lines = w.groups(same_line);
      same_sector = w.divide<2>(same_line, (u32)address >> 5);
      sectors = w.groups(same_sector);
      distinct = w.alone(same_sector) ? n : w.groups(w.divide<5>(same_sector, (u32)address));
    }
  }
  const u64 packed = pack_global(1, sectors, lines, distinct * bytes, asked);
  // Lanes in the order of their addresses, each on its own, are never in each other's way.
  if (plain || !(rule & RULE_ATOMIC) || (next.monotone && distinct == n)) return packed;
  if (distinct == 1) {
    sectors = lines = n;
  } else {
    visit_atomics(w, address, same_sector, rule, sectors, lines);
  }
  // R3: the ideal ignores how often a sector is visited.
  return (packed & ~0xff00ff00ull) | sectors << 8 | (u64)lines << 24;
}

__device__ __forceinline__ u64 measure_global(u64 address, u32 rule, u32 active) {
  return measure_accesses<true>(address, rule, active);
}
__device__ __forceinline__ u64 measure_atomic(u64 address, u32 rule, u32 active) {
  return measure_accesses<false>(address, rule, active);
}

// --- Local memory (L1): a word of the thread is a line of the warp, eight lanes share a sector of it ---

__device__ __forceinline__ u64 measure_local(u64 offset, u32 rule, u32 active) {
  const Warp w = warp_of(active, rule);
  const u32 bytes = rule & RULE_BYTES, words = bytes < 8u ? 1u : bytes / 4u, asked = __popc(w.lanes) * bytes;
  const u64 word = offset >> 2;
  u32 lines = 1, sectors;
  if (w.all(word == w.value_of(word, w.first_lane()))) {
    sectors = ((w.lanes & 0xffu) != 0) + ((w.lanes & 0xff00u) != 0) + ((w.lanes & 0xff0000u) != 0) + (w.lanes >> 24 != 0);
  } else {
    const u32 same_word = w.same(w.lanes, word);
    lines = w.groups(same_word);
    sectors = w.groups(same_word & 0xffu << (w.lane & 24u));
  }
  return pack_global(words, words * sectors, words * lines, asked, asked);
}

// --- Shared memory (S1 to S5, M1 to M4, A1 to A4) ---

__device__ __forceinline__ u64 pack_shared(u32 requests, u32 wavefronts, u32 ideal, u32 conflicts) {
  return requests | wavefronts << 16 | (u64)ideal << 32 | (u64)conflicts << 48;
}

// Whether every active lane's partner is inactive or has the same address (S3).
__device__ __forceinline__ bool partners_agree(const Warp& w, u32 offset, int distance) {
  const u32 partner = w.lane ^ (u32)distance;
  const bool there = w.lanes >> partner & 1u;
  const u32 other = __shfl_sync(w.active, offset, there ? (int)partner : (int)w.lane);
  return w.all(!w.in() || !there || other == offset);
}

// How many accesses of its phase the bank of this lane serves one after the other. `members`: lanes of the phase.
__device__ __forceinline__ u32 degree_of(const Warp& w, u32 offset, u32 bank, u32 members, bool by_lane) {
  // Inside one row of the banks lanes that share a bank share the word.
  const u32 row = offset >> 7;
  if (!by_lane && w.all(!w.in() | (row == w.value_of(row, w.first_lane())))) return 1;
  const u32 in_bank = w.divide<5>(members, bank);
  if (by_lane || w.alone(in_bank)) return __popc(in_bank);
  const u32 in_word = w.same(in_bank, row);
  return __popc(w.ballot(w.in() & ((in_word & w.below()) == 0)) & in_bank);
}

// Passes (sum of the phases' largest degrees) and active phases of one access without the loop of A4.
__device__ __forceinline__ void bank_passes(const Warp& w, u32 offset, u32 rule, u32& passes, u32& phases) {
  const u32 bytes = rule & RULE_BYTES;
  u32 width = bytes <= 4u ? 32u : bytes <= 8u ? 16u : 8u;
  if ((rule & RULE_MERGES) && bytes > 4u) {
    const bool next = partners_agree(w, offset, 1), second = partners_agree(w, offset, 2);
    if (next | second) width *= 2u;
  }
  const u32 phase = w.lane / width;
  const u32 members = (width >= 32u ? 0xffffffffu : ((1u << width) - 1u) << (phase * width)) & w.lanes;
  const bool leads = w.in() & ((members & w.below()) == 0);
  phases = __popc(w.ballot(leads));
  // Naturally aligned accesses of 8 and 16 bytes take whole pairs and fours of banks.
  const int shift = bytes <= 4u ? 2 : log2_of(bytes);
  const u32 bank = offset >> shift & ((128u >> shift) - 1u);
  const u32 degree = degree_of(w, offset, bank, members, rule & RULE_BY_LANE), first = w.value_of(degree, w.first_lane());
  passes = phases * first;
  if (w.all(!w.in() | (degree == first))) return;
  // The largest degree of each phase, bit by bit.
  u32 candidates = members, most = 0;
  for (int bit = 5; bit >= 0; --bit) {
    const u32 with = w.ballot(w.in() & (degree >> bit & 1u)) & candidates;
    if (with == 0) continue;
    candidates = with;
    most |= 1u << bit;
  }
  passes = sum(w, leads, most);
}

// Loads, stores and atomics of up to four bytes: one phase, and never more bytes than one wavefront holds.
__device__ __forceinline__ u64 measure_words(u64 address, u32 rule, u32 active) {
  const Warp w{active, active, __lane_id()};
  const u32 degree = degree_of(w, (u32)address, (u32)address >> 2, active, rule & RULE_BY_LANE);
  u32 most = w.value_of(degree, w.first_lane());
  while (w.any(degree > most)) ++most;
  return pack_shared(1, most, 1, most - 1u);
}

__device__ __forceinline__ u64 measure_banks(const Warp& w, u32 offset, u32 rule) {
  u32 passes, phases;
  bank_passes(w, offset, rule, passes, phases);
  const u32 factor = rule & RULE_SWAP ? 2u : 1u;
  const u32 packed = ((u32)__popc(w.lanes) * (rule & RULE_BYTES) + 127u) / 128u;
  const u32 ideal = rule & RULE_MATRIX ? phases : smaller(factor * passes, factor * packed);
  return pack_shared(1, factor * passes, ideal, passes - phases);
}

// A4: each round loads the words of the remaining lanes; then, phase by phase, the lowest lane of each bank
// tries to swap, and fails when an earlier phase of the round has changed its word.
__device__ __forceinline__ u64 measure_loop(const Warp& all, u32 offset, u32 rule) {
  const u32 width = (rule & RULE_BYTES) <= 4u ? 32u : 16u, phase = all.lane / width;
  const u32 of_phase = width == 32u ? 0xffffffffu : 0xffffu << (16u * phase);
  const u32 bank_peers = all.divide<5>(all.lanes & of_phase, offset >> 2), word_peers = all.same(all.lanes, offset >> 2);
  u64 loads = 0;
  u32 rounds = 0, wavefronts = 0;
  Warp w = all;
  while (w.lanes != 0) {
    rounds += 1;
    if (rule & RULE_LOOP_LOADS) loads += measure_banks(w, offset, (rule & RULE_BYTES) | RULE_MERGES);
    const bool tries = w.in() && (bank_peers & w.lanes & w.below()) == 0;
    const u32 trying = w.ballot(tries);
    wavefronts += 2u * (((w.lanes & (width == 32u ? 0xffffffffu : 0xffffu)) != 0) + (width == 16u && w.lanes >> 16 != 0));
    const u32 earlier = phase == 0 ? 0u : 0xffffu;
    const u32 same_word = word_peers & trying & earlier;
    w.lanes &= ~w.ballot(tries && same_word == 0);
  }
  return rule & RULE_LOOP_LOADS ? loads : pack_shared(rounds, wavefronts, wavefronts, 0);
}

__device__ __forceinline__ u64 measure_shared(u64 address, u32 rule, u32 active) {
  const Warp w = warp_of(active, rule);
  return w.lanes == 0 ? 0 : measure_banks(w, (u32)address, rule);
}
__device__ __forceinline__ u64 measure_rounds(u64 address, u32 rule, u32 active) {
  return measure_loop(warp_of(active, rule), (u32)address, rule);
}

// --- Constants (C1), branches (B1) ---

__device__ __forceinline__ u64 measure_constant(u64 address, u32 rule, u32 active) {
  const Warp w = warp_of(active, rule);
  const u32 loads = rule >> RULE_LOADS_SHIFT;
  const bool uniform = w.all(address == w.value_of(address, w.first_lane()));
  return pack_shared(loads, loads * (uniform ? 1u : w.groups(w.same(w.lanes, address))), 0, 0);
}

// `way` is where a lane goes: 1 when it jumps, or the index of an indirect branch.
__device__ __forceinline__ u64 measure_branch(u64 way, u32 rule, u32 active) {
  const Warp w = warp_of(active, rule);
  return w.all(way == w.value_of(way, w.first_lane())) ? 0 : 1;
}

// --- Adding up ---

__device__ __forceinline__ void add(u64* counter, u64 value) {
  asm volatile("red.global.add.u64 [%0], %1;" ::"l"(counter), "l"(value) : "memory");
}

__device__ __forceinline__ u64 field(u64 packed, u32 k, u32 rule) {
  if (rule & RULE_NARROW) return k < 4u ? packed >> (16u * k) & 0xffffu : 0;
  return k < 4u ? packed >> (8u * k) & 0xffu : packed >> (16u * k - 32u) & 0xffffu;
}

// Of ldmatrix and stmatrix only the lanes count whose addresses are used.
__device__ __forceinline__ u32 counted_lanes(u32 rule, u32 lanes) {
  return __popc(rule & RULE_8_LANES ? lanes & 0xffu : rule & RULE_16_LANES ? lanes & 0xffffu : lanes);
}

// `times` executions by `lanes`. The lanes that are here share the eight counters among them: one reduction
// for a whole warp.
__device__ __forceinline__ void add_together(u64* slot, u64 packed, u32 rule, u32 lanes, u64 times, u32 active) {
  const u32 counted = counted_lanes(rule, lanes), here = __popc(active);
  u32 k = __popc(active & ((1u << __lane_id()) - 1u));
  do {
    const u64 value = k == 0 ? 1u : k == 1u ? counted : field(packed, k - 2u, rule);
    if (k < 8u && value != 0) add(slot + k, value * times);
  } while ((k += here) < 8u);
}

// Adds what one lane has summed up in registers: n is executions << 16 | lanes, `fields` four sums of 16 bits,
// `bytes` two of 32 (instrument_totals.h keeps them from overflowing).
extern "C" __device__ __noinline__ void warplens_flush(u64* slot, u64 fields, u64 bytes, u32 n) {
  add(slot, n >> 16);
  add(slot + 1, n & 0xffffu);
  for (u32 k = 0; k < 4u; ++k) {
    const u64 value = fields >> (16u * k) & 0xffffu;
    if (value != 0) add(slot + 2 + k, value);
  }
  if (bytes != 0) {
    add(slot + 6, (u32)bytes);
    add(slot + 7, bytes >> 32);
  }
}

// The lanes that are here together are asked for only inside: a mask that comes from elsewhere makes the
// compiler wait for it, and a wait in a loop parts lanes that had been about to meet behind it.
#define RECORDER(space)                                                                             \
  extern "C" __device__ __noinline__ u64 warplens_measure_##space(u64 address, u32 rule) {          \
    return measure_##space(address, rule, __activemask());                                          \
  }                                                                                                 \
  extern "C" __device__ __noinline__ void warplens_count_##space(u64* slot, u64 address, u32 rule) { \
    const u32 active = __activemask();                                                              \
    add_together(slot, measure_##space(address, rule, active), rule, active, 1, active);                       \
  }
RECORDER(global)
RECORDER(atomic)
RECORDER(local)
RECORDER(words)
RECORDER(shared)
RECORDER(rounds)
RECORDER(constant)

extern "C" __device__ __noinline__ void warplens_count_branch(u64* slot, u64 way, u32 rule) {
  const u32 active = __activemask();
  add_together(slot, measure_branch(way, rule, active), rule, active, 1, active);
}
extern "C" __device__ __noinline__ void warplens_count_lanes(u64* slot, u64, u32 rule) {
  const u32 active = __activemask();
  add_together(slot, 0, rule, active, 1, active);
}

// Whether an access will count the same when all its lanes move by `delta` again and again. `sound`: this
// lane's address will. `granule`: a move by a multiple of it changes nothing; negative: and no move does while
// the lanes are multiples of it apart.
extern "C" __device__ __noinline__ u32 warplens_steady(u64 address, u64 delta, u64 granule, u32 sound) {
  const Warp w = warp_of(__activemask(), 0);
  const int first = __ffs((int)w.active) - 1;
  const bool apart = (long long)granule < 0;
  const u64 mask = (apart ? 0 - granule : granule) - 1;
  const bool alike = apart && w.all(((address ^ w.value_of(address, first)) & mask) == 0);
  return w.all(sound != 0 && delta == w.value_of(delta, first) && (alike || (delta & mask) == 0));
}

// Adds `times` executions, each by the lanes of `lanes` and each counting `packed`: once for every group, by
// what its lowest lane knows.
extern "C" __device__ __noinline__ void warplens_settle(u64* slot, u64 packed, u32 times, u32 lanes, u32 rule) {
  const u32 active = __activemask(), lane = __lane_id();
  const bool leads = times != 0 && (lanes & ((2u << lane) - 1u)) == 1u << lane;
  for (u32 groups = __ballot_sync(active, leads); groups != 0; groups &= groups - 1u) {
    const int from = __ffs((int)groups) - 1;
    const u64 counts = __shfl_sync(active, packed, from);
    add_together(slot, counts, rule, __shfl_sync(active, lanes, from), __shfl_sync(active, times, from), active);
  }
}

// Of the lanes that have left a loop together, each after as many turns: the most turns << 6 | how many kinds of
// fewer turns there are. Each kind parts the lanes once.
extern "C" __device__ __noinline__ u64 warplens_trips(u32 lanes, u64 trips) {
  const u32 below = (1u << __lane_id()) - 1u, entered = __ballot_sync(lanes, trips != 0);
  int bit = 0;
  while (__any_sync(lanes, trips >> bit != 0)) ++bit;
  u32 peers = entered, longest = entered;
  u64 most = 0;
  while (bit-- > 0) {
    const bool one = trips >> bit & 1u;
    const u32 with = __ballot_sync(lanes, one);
    peers &= one ? with : ~with;
    if ((longest & with) == 0) continue;
    longest &= with;
    most |= (u64)1 << bit;
  }
  const u32 kinds = __popc(__ballot_sync(lanes, trips != 0 && (peers & below) == 0));
  return most << 6 | (kinds > 1u ? kinds - 1u : 0u);
}

// What each lane has counted of a place without addresses: executions that it led, its own, and those that
// divided its warp. Few lanes lead; all have executions of their own, which are added up bit by bit.
extern "C" __device__ __noinline__ void warplens_flush_lanes(u64* slot, u64 led, u64 own, u64 divided) {
  const Warp w = warp_of(__activemask(), 0);
  u64 lanes = 0;
  for (int bit = 0; w.any(own != 0); ++bit, own >>= 1) lanes += (u64)__popc(w.ballot(own & 1u)) << bit;
  if (led != 0) add(slot, led);
  if (divided != 0) add(slot + 2, divided);
  if (lanes != 0 && (w.active & w.below()) == 0) add(slot + 1, lanes);
}
