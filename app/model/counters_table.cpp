#include "app/model/counters_table.h"

#include <algorithm>
#include <functional>

namespace warplens::model {
namespace {

using analysis::Totals;
using Count = std::uint64_t (*)(const Totals&);
using Kind = CounterRow::Kind;

struct Row {
  const char* metric;
  const char* key;
  Kind kind = Kind::Count;
  Count counted = nullptr;  // null: only the hardware knows
};

constexpr Row kRows[] = {
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "counter.global_load_requests", Kind::Count,
     [](const Totals& t) { return t.global_load.requests; }},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "counter.global_load_sectors", Kind::Count,
     [](const Totals& t) { return t.global_load.sectors; }},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "counter.global_store_requests", Kind::Count,
     [](const Totals& t) { return t.global_store.requests; }},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "counter.global_store_sectors", Kind::Count,
     [](const Totals& t) { return t.global_store.sectors; }},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "counter.global_atomic_requests", Kind::Count,
     [](const Totals& t) { return t.global_atomic.requests; }},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "counter.global_atomic_sectors", Kind::Count,
     [](const Totals& t) { return t.global_atomic.sectors; }},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "counter.global_reduction_requests", Kind::Count,
     [](const Totals& t) { return t.global_reduction.requests; }},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "counter.global_reduction_sectors", Kind::Count,
     [](const Totals& t) { return t.global_reduction.sectors; }},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "counter.local_load_requests", Kind::Count,
     [](const Totals& t) { return t.local_load.requests; }},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "counter.local_load_sectors", Kind::Count,
     [](const Totals& t) { return t.local_load.sectors; }},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "counter.local_store_requests", Kind::Count,
     [](const Totals& t) { return t.local_store.requests; }},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "counter.local_store_sectors", Kind::Count,
     [](const Totals& t) { return t.local_store.sectors; }},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "counter.shared_load_wavefronts", Kind::Count,
     [](const Totals& t) { return t.shared_load.wavefronts; }},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "counter.shared_load_conflicts", Kind::Count,
     [](const Totals& t) { return t.shared_load.bank_conflicts; }},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "counter.shared_store_wavefronts", Kind::Count,
     [](const Totals& t) { return t.shared_store.wavefronts; }},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "counter.shared_store_conflicts",
     Kind::Count, [](const Totals& t) { return t.shared_store.bank_conflicts; }},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "counter.shared_atomic_wavefronts",
     Kind::Count, [](const Totals& t) { return t.shared_atomic.wavefronts; }},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", "counter.shared_atomic_conflicts",
     Kind::Count, [](const Totals& t) { return t.shared_atomic.bank_conflicts; }},
    // Kernel parameters come through the same cache, so that this is no count of constant memory alone.
    {"idc__requests.sum", "counter.constant_requests"},
    {"smsp__inst_executed.sum", "counter.instructions"},
    {"l1tex__t_sector_hit_rate.pct", "counter.l1_hit_rate", Kind::Percent},
    {"lts__t_sector_hit_rate.pct", "counter.l2_hit_rate", Kind::Percent},
    {"dram__bytes_read.sum", "counter.dram_read", Kind::Bytes},
    {"dram__bytes_write.sum", "counter.dram_write", Kind::Bytes},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "counter.achieved_occupancy", Kind::Percent},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "counter.sm_throughput", Kind::Percent},
};

constexpr std::string_view kStallBegin = "smsp__average_warps_issue_stalled_";
constexpr std::string_view kStallEnd = "_per_issue_active.ratio";

}  // namespace

std::vector<CounterRow> counters_table(const gpu::CounterReading& reading, const analysis::Report* report) {
  const bool whole = report != nullptr && report->blocks_run == report->blocks_total;
  std::vector<CounterRow> out;
  for (const Row& row : kRows) {
    if (!reading.has(row.metric)) continue;
    CounterRow made{row.metric, row.key, row.kind, reading.value(row.metric), {}};
    if (whole && row.counted != nullptr) made.counted = static_cast<double>(row.counted(report->totals));
    if (made.measured != 0 || made.counted.value_or(0) != 0) out.push_back(std::move(made));
  }
  return out;
}

std::vector<StallRow> stall_table(const gpu::CounterReading& reading) {
  std::vector<StallRow> out;
  for (const auto& [name, value] : reading.values) {
    if (!name.starts_with(kStallBegin) || !name.ends_with(kStallEnd) || value <= 0) continue;
    const std::string reason =
        name.substr(kStallBegin.size(), name.size() - kStallBegin.size() - kStallEnd.size());
    out.push_back({reason, "counter.stall." + reason, value});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const StallRow& a, const StallRow& b) { return a.warps > b.warps; });
  return out;
}

}  // namespace warplens::model
