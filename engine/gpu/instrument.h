// The instrumenting rewrite: PTX in, PTX out, in which every global, shared, local, constant and generic
// access, every atomic, branch and barrier also records what its warp did, or is counted (totals.h), or both.
// The kernel's own registers, memory, parameters and results stay as they are; the recorder is found through
// a module variable.
//
//   ld.global.f32 %f1, [%rd4];   gets in front of it: of the lanes at this point the lowest takes a record
//                                from its chunk of the buffer and writes its head; every lane writes its
//                                address
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/lanes.h"
#include "engine/base/result.h"
#include "engine/gpu/totals.h"
#include "engine/ptx/syntax/module.h"
#include "engine/trace/site.h"

namespace warplens::gpu {

// Name of the module variable (.u64) that holds the device address of the control block.
inline constexpr const char* kControlVariable = "warplens_control";

// In device memory, 16-byte aligned; the chunks of records follow it.
struct ControlBlock {
  std::uint64_t wanted = 0;       // bytes of all chunks, also of those that no longer fitted
  std::uint64_t capacity = 0;     // bytes behind this block
  std::uint64_t first_block = 0;  // only these linear blocks record
  std::uint64_t block_count = 0;
  // Bytes that a lane reserves at once, a multiple of 16; 0: as many as each record needs.
  std::uint64_t chunk = 0;
  std::uint64_t reserved[3] = {};
};
static_assert(sizeof(ControlBlock) == 64);

// How large chunks may be, so that what threads leave unused of theirs is at most a quarter of the buffer. 0
// when that is too little to share between records.
std::uint64_t chunk_bytes(std::uint64_t capacity, std::uint64_t threads);

// A chunk belongs to one lane: it reserves it by an atomic, whose answer takes as long as hundreds of
// instructions, and then fills it with what the groups record of which it is the lowest. Behind the last
// record of a chunk are zeros.
struct ChunkHead {
  std::uint32_t bytes = 0;  // with this head
  std::uint32_t reserved[3] = {};
};
static_assert(sizeof(ChunkHead) == 16);

// Head of a record; behind it one 64-bit address an active lane, lowest lane first (two for an asynchronous
// copy: all sources, then all destinations), padded to 16 bytes.
struct RecordHead {
  std::uint32_t site = 0;
  std::uint32_t active = 0;  // never 0
  std::uint64_t clock = 0;   // of the SM: tells the order of a block's records
  std::uint32_t block_low = 0, block_high = 0;
  std::uint32_t detail = 0;     // a branch: the lanes that jump; an access: its trace::Space
  std::uint16_t addresses = 0;  // how many follow
  std::uint16_t warp = 0;
  std::uint64_t bytes() const { return (sizeof(RecordHead) + addresses * std::uint64_t{8} + 15) / 16 * 16; }
};
static_assert(sizeof(RecordHead) == 32);

struct InstrumentOptions {
  bool records = true;
  bool totals = false;
  // Threads of the blocks that will be launched: registers are kept few enough for them, as the kernel's own
  // were. All ones: unknown.
  Dim3 block{};
  // The counters' address is one more parameter of the kernel instead of a module variable, for whoever
  // cannot set one.
  bool counters_as_parameter = false;
  // Named as the lowest PTX version that holds what it uses, for drivers older than the compiler.
  bool lowest_version = false;
};

struct Instrumented {
  std::string ptx;
  std::vector<trace::Site> sites;  // same numbers as trace::collect_sites
  TotalsLayout layout;             // of the counters, when totals were asked for
  // Constants of the module that a kernel beside the entry tells the places of (constant_places.h); none
  // without records, which name them.
  std::vector<std::string> constants;
};

Result<Instrumented> instrument(const ptx::Module& module, const std::string& entry,
                                const InstrumentOptions& options = {});

}  // namespace warplens::gpu
