// The instrumenting rewrite: PTX in, PTX out, in which every global, shared, local, constant and generic
// access, every atomic, branch and barrier also records what its warp did, or is counted (totals.h), or both.
// The kernel's own registers, memory, parameters and results stay as they are; the recorder is found through
// a module variable.
//
//   ld.global.f32 %f1, [%rd4];   gets in front of it: of the lanes at this point one reserves a record in the
//                                buffer and writes its head; every lane writes its address
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/lanes.h"
#include "engine/base/result.h"
#include "engine/gpu/totals.h"
#include "engine/ptx/module.h"
#include "engine/trace/site.h"

namespace warplens::gpu {

// Name of the module variable (.u64) that holds the device address of the control block.
inline constexpr const char* kControlVariable = "warplens_control";

// In device memory, 16-byte aligned; the records follow it.
struct ControlBlock {
  std::uint64_t wanted = 0;       // bytes of all records, also of those that no longer fitted
  std::uint64_t capacity = 0;     // bytes behind this block
  std::uint64_t first_block = 0;  // only these linear blocks record
  std::uint64_t block_count = 0;
  std::uint64_t reserved[4] = {};
};
static_assert(sizeof(ControlBlock) == 64);

// Head of a record; behind it one 64-bit address an active lane, lowest lane first (two for an asynchronous
// copy: all sources, then all destinations), padded to 16 bytes.
struct RecordHead {
  std::uint32_t site = 0;
  std::uint32_t active = 0;
  std::uint32_t block_low = 0, block_high = 0;
  std::uint32_t warp = 0;
  std::uint32_t bytes = 0;      // of the whole record
  std::uint32_t detail = 0;     // a branch: the lanes that jump; an access: its trace::Space
  std::uint32_t addresses = 0;  // how many follow
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
};

Result<Instrumented> instrument(const ptx::Module& module, const std::string& entry,
                                const InstrumentOptions& options = {});

}  // namespace warplens::gpu
