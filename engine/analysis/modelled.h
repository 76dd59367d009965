// What models say of a launch on a named GPU: no number here was measured, and each is shown as modelled.
//
//   const auto m = model::model_run(run, device, capability);    // app/model/study/modelled.h
//   m->caches->l1_hit_rate
//
// Bytes and sectors are of the whole launch. Where only a part of it was modelled (blocks_modelled), that
// part stands for the rest.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/sm_code.h"
#include "engine/analysis/time_model.h"
#include "engine/base/evidence.h"

namespace warplens::analysis {

struct ModelledCaches {
  std::optional<double> l1_hit_rate;  // of global loads, 0 to 1; unset without any
  double l2_read_sectors = 0, l2_write_sectors = 0, l2_atomic_sectors = 0;
  // Time decides which SMs are served together: all that ask in the same turn, or none.
  double l2_read_sectors_least = 0, l2_read_sectors_most = 0;
  double l2_hit_rate = 0;  // of loads and stores that ask L2, 0 to 1
  double dram_read_bytes = 0, dram_write_bytes = 0;
  double dram_code_bytes = 0;  // of the bytes read: instructions and parameters
  bool warm = false;           // L2 as the launch before left it; else it starts empty
  std::uint64_t blocks_modelled = 0;
};

// The same launch on another device of the list.
struct ShelfEntry {
  std::string device;
  bool constants_measured = false;  // else its numbers are a rough guide
  double us = 0;
  TimePart rules = TimePart::Launch;
  double part_us = 0;  // of what rules, alone
  double waves = 0;
  int blocks_per_sm = 0;
};

struct Modelled {
  static constexpr Evidence evidence = Evidence::Modelled;
  std::string device;
  // Whether the models' constants were measured on a GPU of the device's compute capability, and if not, on
  // which they were.
  bool constants_measured = false;
  std::string constants_of;
  // The launch compares and swaps: how often a thread that loses tries again depends on who comes when, which
  // the emulator's warps do not say of the hardware's. The time may be far off.
  bool contended = false;
  std::optional<ModelledCaches> caches;  // unset where textures were read, or nothing was modelled
  // Unset where no instructions are known (a run on a GPU).
  std::optional<TimeModel> time;
  // That warps of the whole launch issue: of the machine's code, where it is known, else of what the PTX
  // stands for. Unset where only the beginning of long warps is followed.
  std::optional<double> machine_instructions;
  // µs of the same launch when L2 holds what one before it left, as most measured times have it; unset unless
  // it was asked for.
  std::optional<double> warm_us;
  std::shared_ptr<const SmCode> code;  // what the SM of the time model runs
  SmSetup sm;                          // and how
  // Issue slots that would be used if each scheduler stayed with its warp until that has finished, 0 to 1;
  // unset unless it was asked for (app/model/study/modelled.h).
  std::optional<double> utilisation_unhidden;
  // In the order of the list, this device among them; empty unless it was asked for.
  std::vector<ShelfEntry> shelf;
};

}  // namespace warplens::analysis
