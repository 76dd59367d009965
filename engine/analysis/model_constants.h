// The constants of the cache, time and SM models that no data sheet has: read from
// assets/devices/models.toml, one table a compute capability.
//
//   const Result<ModelConstants> c = ModelConstants::load(device.cc);
//   c->measured;   // false: those of another capability, for want of measurements of this one
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace warplens::analysis {

struct ModelConstants {
  std::string capability;  // whose they are
  bool measured = false;   // on a GPU of the capability that was asked for

  // Caches.
  double l2_usable = 1;       // share of L2 that the data of one kernel can fill
  double l2_part_share = 1;   // of its lines: may have sectors that were stored in part
  double sms_a_group = 1;     // SMs of a group whose equal requests reach L2 once
  double sm_groups = 1;       // groups of SMs, each of which has blocks in a row
  double first_sms = 0;       // SMs that are a group of their own and are given the first blocks
  double combined_lines = 0;  // lines of 128 bytes whose stores an SM combines
  double code_bytes = 0;      // that a launch reads from DRAM for its instructions and parameters

  // Time. Cycles are the SM's at boost clock.
  double launch_us = 0;     // an empty kernel between two events
  double sharpness = 3;     // exponent of the soft maximum over the parts
  double start_cycles = 0;  // from the launch to the first instruction, and from the last to the end
  double start_sms = 0;     // so many SMs have half of that to wait for
  double block_cycles = 0,
         warp_cycles = 0;      // between two blocks of an SM whose end is heard of: of a block and each warp
  double fill_cycles = 0;      // between two while it has room; a cycle more for each of their warps
  double turnover_cycles = 0;  // from a block that ends to the one that takes its place
  double branch_cycles = 8;    // until the target of a branch is known
  double result_cycles = 0;  // of arithmetic, more than its latency, as ptxas leaves between two instructions
  double request_cycles = 0;       // of L1 for each line that it asks L2 for
  double queue_entries = 10;       // instructions of a scheduler that wait for shared memory to take them
  double special_entries = 1;      // the same, that its special units are to take
  double aside_entries = 4;        // the same, of LDC and S2UR, that are to be read beside L1
  double special_hold = 0;         // cycles that such a one keeps its place longer than it waits
  double load_entries = 56;        // instructions of a scheduler that L1 holds until their answers are there
  double load_queue = 1e6;         // loads and stores of a scheduler that wait for L1 to take them
  double store_queue = 1e6;        // stores of a scheduler that wait for L1 to take them
  double store_buffer = 1e6;       // stores that L1 holds until it has handed them on
  double store_entries = 1e9;      // sectors of stores on their way from L1 until L2 takes them
  double pair_drain_each = 0;      // cycles that a block of two warps leaves later for each that came before
  double pair_drain_most = 0;      // and at most
  double fence_cycles = 0;         // of a fence, from when its warp's stores are there
  double fence_turn = 0;           // between two fences of an SM
  double guard_cycles = 0;         // from a comparison to a branch under it, more than to arithmetic
  double far_cycles = 0;           // of a load of many lines from L2: the furthest, more than one alone
  double cold_cycles = 0;          // between the nearest and the furthest load from DRAM, evenly
  double cold_nearest = 0;         // so much less than the chased latency takes the nearest
  double full_cycles = 0;          // more, where L2 is full
  double instruction_miss = 0;     // the first line of code,
  double instruction_filling = 0;  // more, by the root of what an SM is given beyond one block of 8 warps
  double instruction_second = 0;   // behind the first lines of it, when all SMs ask for them,
  double instruction_alone = 0;    // so much more when one does
  double instruction_jump = 0;     // at most, of a jump to a line that nobody has come to yet
  double instruction_kept_bytes = 0;  // of a text that an SM's first cache holds, which comes with the launch
  double instruction_cache_bytes = 0;  // that its second cache holds, from one launch to the next
  double instruction_near = 0;         // a further line of a text that the second holds
  double instruction_cold = 0, instruction_far = 0;  // of a longer one: from DRAM, from L2
  double constant_miss = 0;   // a line of parameters that instructions read at once, from the cache behind
  double constant_turn = 0;   // until all SMs have the block's shape: for each SM
  double parameter_wait = 0;  // until all SMs have the parameters: at least,
  double parameter_turn = 0;  // and for each SM
  double queued_pause = 0;    // of a warp behind what it has put in a queue, to memory or special units
  double constant_load_miss = 0;  // of LDC, the first of a line
  // Of a table in constant memory, the first time: cycles for 64 bytes that the SM's second cache has, and
  // more for 256 that L2 or DRAM has.
  double named_dram = 0;  // of an address of a variable or a function, the first time
  double table_line = 0, table_l2 = 0, table_dram = 0;
  double dram_read_wait = 0,
         dram_write_wait =
             0;           // of a read when DRAM is half busy: with reads alone; more, were all of it writes
  double dram_share = 1;  // of the published bandwidth that a kernel reaches
  double dram_row_bytes = 0;  // that DRAM could move while it opens a row
  double dram_spare = 0;      // cycles back from which an SM may use what it left of its share of DRAM
  double dirty_share = 0;     // of what is read from DRAM: changed lines that leave an L2 full of them for it
  double dirty_l2 = 0;        // share of L2 that such lines fill when a launch begins behind a flush
  double l2_bytes_a_clock = 64;  // of an SM
  double l2_store_share = 1;     // of L2's bandwidth that stores reach
  double l2_share = 1;           // of the published bandwidth of L2
  double l2_slices = 1;          // that do atomics at the same time
  double slice_lines = 1;        // lines in a row that one slice has
  double atomic_cycles = 1;      // of a slice for a sector of an atomic on values of up to 32 bits
  double address_cycles = 1;     // between two atomics of integers on one address, or two stores to one line
  double float_cycles = 1;       // between two atomics of floats on one address
  double store_cycles = 1;       // of a slice between stores to two of its lines in turn
  // Of a slice for a store to one of many lines: of the line, of each sector that is stored whole, in part.
  double stored_line = 1, stored_sector = 0, stored_part = 0;

  static Result<ModelConstants> load(std::string_view capability);
  static Result<ModelConstants> load(std::string_view capability, const std::filesystem::path& file);
};

}  // namespace warplens::analysis
