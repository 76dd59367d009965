#include "tests/visual/hardware_fixtures.h"

namespace warplens::visual {

// As the profiler has them: stalls of a kernel that waits for memory, and two counts of which one differs.
HardwareCounters hardware(bool differs) {
  using Kind = CounterLine::Kind;
  using Part = CounterLine::Part;
  HardwareCounters out;
  const auto line = [&](const char* name, Part part, int rank, Kind kind, double measured,
                        std::optional<double> counted) {
    out.lines.push_back(
        {std::string("metric.") + name, std::string("counter.") + name, kind, part, rank, measured, counted});
  };
  line("global_load_requests", Part::Global, 4, Kind::Count, 32768, 32768);
  line("global_load_sectors", Part::Global, 0, Kind::Count, 262144, 262144);
  line("global_store_requests", Part::Global, 5, Kind::Count, 32768, 32768);
  line("global_store_sectors", Part::Global, 1, Kind::Count, 131072, differs ? 131040 : 131072);
  line("global_reduction_requests", Part::Global, 5, Kind::Count, 512, 512);
  line("global_reduction_sectors", Part::Global, 3, Kind::Count, 1024, 1024);
  line("local_load_requests", Part::Local, 5, Kind::Count, 128, 128);
  line("local_load_sectors", Part::Local, 3, Kind::Count, 512, 512);
  line("shared_load_wavefronts", Part::Shared, 2, Kind::Count, 1048576, 1048576);
  line("shared_load_conflicts", Part::Shared, 2, Kind::Count, 1015808, 1015808);
  line("shared_store_wavefronts", Part::Shared, 3, Kind::Count, 32768, 32768);
  line("l1_hit_rate", Part::Caches, 1, Kind::Percent, 33.4, std::nullopt);
  line("l2_hit_rate", Part::Caches, 1, Kind::Percent, 66.67, std::nullopt);
  line("dram_read", Part::Caches, 1, Kind::Bytes, 8421376, std::nullopt);
  line("dram_write", Part::Caches, 4, Kind::Bytes, 94720, std::nullopt);
  line("constant_requests", Part::Caches, 9, Kind::Count, 65536, std::nullopt);
  line("achieved_occupancy", Part::Execution, 1, Kind::Percent, 87.25, std::nullopt);
  line("sm_throughput", Part::Execution, 5, Kind::Percent, 12.07, std::nullopt);
  line("instructions", Part::Execution, 6, Kind::Count, 589824, std::nullopt);
  const auto stall = [&](const char* reason, double cycles) {
    out.stalls.push_back({reason, std::string("counter.stall.") + reason, cycles});
  };
  stall("long_scoreboard", 46.381);
  stall("short_scoreboard", 3.468);
  stall("barrier", 2.446);
  stall("wait", 2.203);
  stall("selected", 1);
  stall("lg_throttle", 0.474);
  stall("not_selected", 0.203);
  stall("mio_throttle", 0.139);
  stall("branch_resolving", 0.111);
  stall("drain", 0.066);
  stall("no_instruction", 0.057);
  stall("imc_miss", 0.023);
  stall("misc", 0.0004);
  return out;
}

// Copies whose time is a latency and the bytes at the rate of the link.
TransferRates copies() {
  TransferRates out;
  for (const bool to_device : {true, false})
    for (const bool pinned : {true, false}) {
      TransferSeries series{pinned, to_device, {}, {}};
      const double rate = pinned ? 55e6 : to_device ? 12e6 : 14e6, floor = pinned ? 0.0032 : 0.0075;
      const auto point = [&](std::uint64_t bytes, int count) {
        const double ms = (floor + static_cast<double>(bytes) / rate) * count;
        return TransferPoint{bytes, count, ms, ms * 0.97, ms * 1.08};
      };
      for (std::uint64_t bytes = 4096; bytes <= std::uint64_t{1} << 30; bytes *= 4)
        series.single.push_back(point(bytes, 1));
      for (const int count : {1, 16, 256, 4096})
        series.pieces.push_back(point((16u << 20) / static_cast<unsigned>(count), count));
      out.series.push_back(std::move(series));
    }
  out.note = "measured, on NVIDIA H200, recorded on 2026-11-20";
  return out;
}

}  // namespace warplens::visual
