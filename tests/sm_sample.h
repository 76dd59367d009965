// Programs for the model of an SM, made by hand: a warp makes `loads` loads that need nothing of each other,
// then `sums` additions of which each needs the one before, the first of them all loads.
#pragma once

#include "engine/analysis/sm_simulation.h"

namespace warplens::analysis {

struct SmSample {
  std::uint32_t loads = 1, sums = 4, turns = 1;
  std::size_t warps = 1, blocks = 1;
  std::uint16_t latency = 600, sectors = 4;
  bool dependent = false;  // each load needs the one before
};

inline SmCode sm_sample(const SmSample& sample) {
  SmCode code;
  const auto add = [&](SmUnit unit, std::vector<std::uint32_t> reads, std::uint32_t write, int line) {
    SmInstruction i;
    i.unit = unit;
    i.latency = unit == SmUnit::Global ? 33 : 4;
    i.line = line;
    i.place = static_cast<std::uint32_t>(code.instructions.size());
    i.reads = static_cast<std::uint32_t>(code.registers.size());
    i.read_count = static_cast<std::uint32_t>(reads.size());
    code.registers.insert(code.registers.end(), reads.begin(), reads.end());
    i.writes = static_cast<std::uint32_t>(code.registers.size());
    i.write_count = 1;
    code.registers.push_back(write);
    code.instructions.push_back(i);
  };
  std::vector<std::uint32_t> loaded;
  for (std::uint32_t l = 0; l < sample.loads; ++l) {
    add(SmUnit::Global, sample.dependent && l > 0 ? std::vector{l - 1} : std::vector<std::uint32_t>{}, l, 7);
    loaded.push_back(l);
  }
  for (std::uint32_t s = 0; s < sample.sums; ++s)
    add(SmUnit::Alu, s == 0 ? loaded : std::vector{sample.loads}, sample.loads, 8);
  code.register_count = sample.loads + 1;
  SmAccess access;
  access.from_l2 = access.from_dram = sample.sectors;
  access.latency = sample.latency;
  code.accesses = {access};
  for (std::size_t b = 0; b < sample.blocks; ++b) {
    auto& block = code.blocks.emplace_back();
    for (std::size_t w = 0; w < sample.warps; ++w) {
      auto& warp = block.emplace_back();
      for (std::uint32_t t = 0; t < sample.turns; ++t)
        for (std::uint32_t i = 0; i < code.instructions.size(); ++i)
          warp.push_back({i, i < sample.loads ? 0u : 0xffffffffu});
    }
  }
  return code;
}

// Warp cycles.
inline double waited_for(const SmRun& run, SmStall why) {
  return run.stalls[static_cast<std::size_t>(why)];
}

}  // namespace warplens::analysis
