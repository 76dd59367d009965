// What the rewrite knows of each kind of access: the recorder's rule for it (kernels/recorder/recorder.cu),
// and when two executions are known to count the same.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/gpu/totals.h"
#include "engine/trace/site.h"

namespace warplens::gpu {

// Names of the recorder's functions for accesses with this rule to global and to shared memory.
const char* global_recorder(std::uint32_t rule);
const char* shared_recorder(std::uint32_t rule);
std::uint32_t form_rule(const trace::Site& site);
std::uint32_t global_rule(const trace::Site& site);
std::uint32_t shared_rule(const trace::Site& site);

// How far an address may move without a change of any count: 0 when that is not known.
std::int64_t granule_of(CounterFamily family, std::uint32_t rule);
// How far all lanes may move, at a multiple of which no count changes.
std::int64_t distance_of(CounterFamily family, std::uint32_t rule);
// 32-bit registers that the sums of a part take, with those that remember its last execution.
int registers_of(CounterFamily family);
// Whether the address of a part, moved by the same distance in all lanes, may count the same.
bool remembers(CounterFamily family, std::uint32_t rule);
// Parts without addresses: only executions, lanes and divisions are summed.
inline bool counts_lanes(std::string_view what) {
  return what == "lanes" || what == "branch";
}

// Sums are added to the counters after this many executions: no field of 16 bits overflows until then.
inline constexpr std::uint32_t kSumExecutions = 64;

}  // namespace warplens::gpu
