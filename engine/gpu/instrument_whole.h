// Counting one execution by a whole warp in the kernel's own code, without a call: most executions are by all
// 32 lanes, whose addresses follow each other, are one, or lie in one row of the banks. What they count then
// follows from the first lane's address. Whatever else comes jumps to the recorder (kernels/recorder).
//
//   ld.global.f32 %f1, [%rd4];   gets in front of it: all 32 lanes here, each 4 bytes behind the one before?
//                                -> sectors and lines from the first address; lanes 0 to 7 each add one of
//                                the eight counters of the site, in one reduction
#pragma once

#include <cstdint>
#include <string>

#include "engine/gpu/instrument_parts.h"
#include "engine/gpu/totals.h"

namespace warplens::gpu {

// Code that opens the registers of whole_warp() in a function that has %wl_counters.
const char* whole_warp_prologue();

// Whether executions of this kind can be counted here. `rule`: of the recorder's function.
bool has_whole_warp(CounterFamily family, std::uint32_t rule);

// Counts an execution without an address, by whatever lanes: how many they are, and with `divides` whether
// they part, those with a %wld6 other than 0 from the others. Changes %wlp0, %wlp1, %wlr0 to %wlr3, %wld5;
// needs %wl_below, the lanes below each lane.
std::string count_lanes(std::uint32_t slot, bool divides);

// Counts the execution whose address is in %wld6 into the counters of `slot`, or runs `otherwise`, which
// finds %wld6 as it was. Changes %wlp0, %wlp1, %wlr0 to %wlr4, %wld5.
std::string whole_warp(Labels& labels, std::uint32_t slot, CounterFamily family, std::uint32_t rule,
                       const std::string& otherwise);

}  // namespace warplens::gpu
