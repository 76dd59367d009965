#include "app/model/run/counters_table.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace warplens::model {
namespace {

using analysis::Totals;
using Count = std::uint64_t (*)(const Totals&);
using LineKind = visual::CounterLine::Kind;
using Part = visual::CounterLine::Part;

struct Row {
  const char* metric;
  const char* key;
  Part part;
  int rank;  // what tells most has the lowest
  LineKind kind = LineKind::Count;
  Count counted = nullptr;  // null: only the hardware knows
};

constexpr const char* kL2HitRate = "lts__t_sector_hit_rate.pct";

constexpr Row kRows[] = {
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "counter.global_load_requests", Part::Global, 4,
     LineKind::Count, [](const Totals& t) { return t.global_load.requests; }},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "counter.global_load_sectors", Part::Global, 0,
     LineKind::Count, [](const Totals& t) { return t.global_load.sectors; }},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "counter.global_store_requests", Part::Global, 5,
     LineKind::Count, [](const Totals& t) { return t.global_store.requests; }},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "counter.global_store_sectors", Part::Global, 1,
     LineKind::Count, [](const Totals& t) { return t.global_store.sectors; }},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "counter.global_atomic_requests", Part::Global, 5,
     LineKind::Count, [](const Totals& t) { return t.global_atomic.requests; }},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "counter.global_atomic_sectors", Part::Global, 3,
     LineKind::Count, [](const Totals& t) { return t.global_atomic.sectors; }},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "counter.global_reduction_requests", Part::Global, 5,
     LineKind::Count, [](const Totals& t) { return t.global_reduction.requests; }},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "counter.global_reduction_sectors", Part::Global, 3,
     LineKind::Count, [](const Totals& t) { return t.global_reduction.sectors; }},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "counter.local_load_requests", Part::Local, 5,
     LineKind::Count, [](const Totals& t) { return t.local_load.requests; }},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "counter.local_load_sectors", Part::Local, 3,
     LineKind::Count, [](const Totals& t) { return t.local_load.sectors; }},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "counter.local_store_requests", Part::Local, 5,
     LineKind::Count, [](const Totals& t) { return t.local_store.requests; }},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "counter.local_store_sectors", Part::Local, 3,
     LineKind::Count, [](const Totals& t) { return t.local_store.sectors; }},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "counter.shared_load_wavefronts", Part::Shared,
     2, LineKind::Count, [](const Totals& t) { return t.shared_load.wavefronts; }},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "counter.shared_load_conflicts",
     Part::Shared, 2, LineKind::Count, [](const Totals& t) { return t.shared_load.bank_conflicts; }},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "counter.shared_store_wavefronts", Part::Shared,
     3, LineKind::Count, [](const Totals& t) { return t.shared_store.wavefronts; }},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "counter.shared_store_conflicts",
     Part::Shared, 3, LineKind::Count, [](const Totals& t) { return t.shared_store.bank_conflicts; }},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "counter.shared_atomic_wavefronts",
     Part::Shared, 3, LineKind::Count, [](const Totals& t) { return t.shared_atomic.wavefronts; }},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", "counter.shared_atomic_conflicts",
     Part::Shared, 4, LineKind::Count, [](const Totals& t) { return t.shared_atomic.bank_conflicts; }},
    {"l1tex__t_sector_hit_rate.pct", "counter.l1_hit_rate", Part::Caches, 1, LineKind::Percent},
    {kL2HitRate, "counter.l2_hit_rate", Part::Caches, 1, LineKind::Percent},
    {"dram__bytes_read.sum", "counter.dram_read", Part::Caches, 1, LineKind::Bytes},
    {"dram__bytes_write.sum", "counter.dram_write", Part::Caches, 4, LineKind::Bytes},
    // Kernel parameters come through the same cache, so that this is no count of constant memory alone.
    {"idc__requests.sum", "counter.constant_requests", Part::Caches, 9},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "counter.achieved_occupancy", Part::Execution, 1,
     LineKind::Percent},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "counter.sm_throughput", Part::Execution, 5,
     LineKind::Percent},
    {"sm__inst_issued.avg.pct_of_peak_sustained_elapsed", "counter.issue_throughput", Part::Execution, 6,
     LineKind::Percent},
    {"l1tex__throughput.avg.pct_of_peak_sustained_elapsed", "counter.l1_throughput", Part::Caches, 6,
     LineKind::Percent},
    {"lts__throughput.avg.pct_of_peak_sustained_elapsed", "counter.l2_throughput", Part::Caches, 6,
     LineKind::Percent},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "counter.dram_throughput", Part::Caches, 6,
     LineKind::Percent},
    {"smsp__inst_executed.sum", "counter.instructions", Part::Execution, 6},
};

constexpr std::string_view kStallBegin = "smsp__average_warps_issue_stalled_";
constexpr std::string_view kStallEnd = "_per_issue_active.ratio";

// Hits of all sectors that were looked up. Recordings made before these were read have the profiler's rate;
// above 100 % (kernels of a few microseconds) it says nothing.
std::optional<double> l2_hit_rate(const gpu::CounterReading& reading) {
  const double hits = reading.value("lts__t_sectors_lookup_hit.sum"),
               misses = reading.value("lts__t_sectors_lookup_miss.sum");
  if (hits + misses > 0) return 100 * hits / (hits + misses);
  if (!reading.has(kL2HitRate) || reading.value(kL2HitRate) > 100) return {};
  return reading.value(kL2HitRate);
}

std::optional<double> measured(const Row& row, const gpu::CounterReading& reading) {
  if (std::string_view(row.metric) == kL2HitRate) return l2_hit_rate(reading);
  if (!reading.has(row.metric)) return {};
  return reading.value(row.metric);
}

}  // namespace

std::vector<visual::CounterLine> counters_table(const gpu::CounterReading& reading,
                                                const analysis::Report* report) {
  const bool whole = report != nullptr && report->blocks_run == report->blocks_total;
  std::vector<visual::CounterLine> out;
  for (const Row& row : kRows) {
    const std::optional<double> value = measured(row, reading);
    if (!value) continue;
    visual::CounterLine made{row.metric, row.key, row.kind, row.part, row.rank, *value, {}};
    if (whole && row.counted != nullptr) made.counted = static_cast<double>(row.counted(report->totals));
    if (made.measured != 0 || made.counted.value_or(0) != 0) out.push_back(std::move(made));
  }
  return out;
}

std::vector<visual::StallLine> stall_table(const gpu::CounterReading& reading) {
  std::vector<visual::StallLine> out;
  for (const auto& [name, value] : reading.values) {
    if (!name.starts_with(kStallBegin) || !name.ends_with(kStallEnd) || value <= 0) continue;
    const std::string reason =
        name.substr(kStallBegin.size(), name.size() - kStallBegin.size() - kStallEnd.size());
    out.push_back({reason, "counter.stall." + reason, value});
  }
  std::stable_sort(out.begin(), out.end(), [](const visual::StallLine& a, const visual::StallLine& b) {
    return a.cycles > b.cycles;
  });
  return out;
}

visual::HardwareCounters hardware_counters(const gpu::CounterReading& reading, const analysis::Report* report,
                                           std::string note, MeasuredOn on) {
  visual::HardwareCounters out;
  out.lines = counters_table(reading, report);
  out.stalls = stall_table(reading);
  out.note = std::move(note);
  out.on = std::move(on);
  return out;
}

}  // namespace warplens::model
