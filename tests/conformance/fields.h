// The numbers that are compared: where each stands in a report, and which counters of Nsight Compute it must
// equal on a GPU of compute capability 9.0.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "engine/analysis/report.h"
#include "tests/conformance/suite.h"

namespace warplens::conformance {

struct Field {
  std::string name;  // as in the report's JSON
  std::function<double(const analysis::Report&)> ours;
  std::function<double(const Case&)> golden;
  double tolerance = 0;  // relative; 0: exactly equal
  // Whether the comparison means anything for a launch; empty: always.
  std::function<bool(const Case&)> applies;
};

namespace detail {

using Reader = std::function<double(const analysis::Report&)>;

inline std::function<double(const Case&)> counter(std::string name) {
  return [name = std::move(name)](const Case& c) { return c.counter(name); };
}

// Executions in which at least one lane is active: what `requests` of shared memory means.
inline std::function<double(const Case&)> executed(const std::string& op) {
  return [op](const Case& c) {
    return c.counter("smsp__inst_executed_op_" + op + ".sum") -
           c.counter("smsp__inst_executed_op_" + op + "_pred_off_all.sum");
  };
}

inline void add_global(std::vector<Field>& fields, const std::string& name, const std::string& op,
                       analysis::GlobalCounts analysis::Totals::*member) {
  const std::string prefix = "global." + name + ".";
  const auto tail = "_pipe_lsu_mem_global_op_" + op + ".sum";
  fields.push_back({prefix + "requests",
                    [member](const auto& r) { return double((r.totals.*member).requests); },
                    counter("l1tex__t_requests" + tail),
                    0,
                    {}});
  fields.push_back({prefix + "sectors",
                    [member](const auto& r) { return double((r.totals.*member).sectors); },
                    counter("l1tex__t_sectors" + tail),
                    0,
                    {}});
  fields.push_back({prefix + "lines",
                    [member](const auto& r) { return double((r.totals.*member).lines); },
                    counter("l1tex__t_set_accesses" + tail),
                    0,
                    {}});
}

inline void add_shared(std::vector<Field>& fields, const std::string& name, const std::string& op,
                       analysis::SharedCounts analysis::Totals::*member,
                       std::function<double(const Case&)> requests) {
  const std::string prefix = "shared." + name + ".";
  fields.push_back({prefix + "requests",
                    [member](const auto& r) { return double((r.totals.*member).requests); },
                    std::move(requests),
                    0,
                    {}});
  fields.push_back({prefix + "wavefronts",
                    [member](const auto& r) { return double((r.totals.*member).wavefronts); },
                    counter("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" + op + ".sum"),
                    0,
                    {}});
  fields.push_back({prefix + "bank_conflicts",
                    [member](const auto& r) { return double((r.totals.*member).bank_conflicts); },
                    counter("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" + op + ".sum"),
                    0,
                    {}});
}

inline void add_local(std::vector<Field>& fields, const std::string& name, const std::string& op,
                      analysis::GlobalCounts analysis::Totals::*member) {
  const std::string prefix = "local." + name + ".";
  const auto tail = "_pipe_lsu_mem_local_op_" + op + ".sum";
  fields.push_back({prefix + "requests",
                    [member](const auto& r) { return double((r.totals.*member).requests); },
                    counter("l1tex__t_requests" + tail),
                    0,
                    {}});
  fields.push_back({prefix + "sectors",
                    [member](const auto& r) { return double((r.totals.*member).sectors); },
                    counter("l1tex__t_sectors" + tail),
                    0,
                    {}});
}

// Distinct addresses of loads from constant arrays: requests to the indexed constant cache without those that
// read parameters, block sizes and addresses of variables, one each.
inline double indexed_constants(const Case& c) {
  const auto own = c.executed.find("LDC.constant");
  const auto other = c.executed.find("LDC.parameter");
  if (own == c.executed.end() || own->second == 0) return 0;
  return c.counter("idc__requests.sum") - (other == c.executed.end() ? 0 : other->second);
}

// The counter takes in each execution of an atomic through a generic address, wherever it leads.
inline double shared_atomic_wavefronts(const Case& c) {
  double generic = 0;
  for (const auto& [op, executions] : c.executed)
    if (op.starts_with("ATOM.")) generic += executions;
  return c.counter("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum") - generic;
}

inline bool no_generic_load(const Case& c) {
  return c.counter("smsp__inst_executed_op_generic_ld.sum") == 0;
}

// The counter of bytes asked for leaves out cp.async and takes in generic loads from shared memory.
inline bool only_plain_loads(const Case& c) {
  return no_generic_load(c) && c.counter("smsp__inst_executed_op_ldgsts.sum") == 0;
}

}  // namespace detail

// Fields whose values are counted by the machine as whole numbers and must be equal.
inline std::vector<Field> counted_fields() {
  using namespace detail;
  using analysis::Totals;
  std::vector<Field> fields;
  add_global(fields, "load", "ld", &Totals::global_load);
  add_global(fields, "store", "st", &Totals::global_store);
  add_global(fields, "atomic", "atom", &Totals::global_atomic);
  add_global(fields, "reduction", "red", &Totals::global_reduction);
  fields.push_back({"global.sectors_ideal",
                    [](const auto& r) {
                      const Totals& t = r.totals;
                      return double(t.global_load.sectors_ideal + t.global_store.sectors_ideal +
                                    t.global_atomic.sectors_ideal + t.global_reduction.sectors_ideal);
                    },
                    counter("memory_l2_theoretical_sectors_global_ideal"),
                    0,
                    {}});
  fields.push_back({"global.load.bytes_unique",
                    [](const auto& r) { return double(r.totals.global_load.bytes_unique); },
                    counter("smsp__sass_data_bytes_mem_global_op_ld.sum"), 0, only_plain_loads});
  fields.push_back({"global.store.bytes_unique",
                    [](const auto& r) { return double(r.totals.global_store.bytes_unique); },
                    counter("smsp__sass_data_bytes_mem_global_op_st.sum"),
                    0,
                    {}});
  add_shared(fields, "load", "ld", &Totals::shared_load, [](const Case& c) {
    return executed("shared_ld")(c) + c.counter("smsp__inst_executed_op_ldsm.sum");
  });
  // Generic loads that reach shared memory are counted as generic instructions there.
  std::ranges::find(fields, "shared.load.requests", &Field::name)->applies = no_generic_load;
  add_shared(fields, "store", "st", &Totals::shared_store, [](const Case& c) {
    return executed("shared_st")(c) + c.counter("smsp__inst_executed_op_shared_stsm.sum");
  });
  add_shared(fields, "atomic", "atom", &Totals::shared_atomic,
             counter("smsp__inst_executed_op_shared_atom.sum"));
  std::ranges::find(fields, "shared.atomic.wavefronts", &Field::name)->golden = shared_atomic_wavefronts;
  fields.push_back({"shared.wavefronts_ideal",
                    [](const auto& r) {
                      const Totals& t = r.totals;
                      return double(t.shared_load.wavefronts_ideal + t.shared_store.wavefronts_ideal +
                                    t.shared_atomic.wavefronts_ideal + t.shared_async.wavefronts_ideal);
                    },
                    counter("memory_l1_wavefronts_shared_ideal"), 0, no_generic_load});
  fields.push_back({"constant.load.distinct_addresses",
                    [](const auto& r) { return double(r.totals.constant.addresses); },
                    indexed_constants,
                    0,
                    {}});
  add_local(fields, "load", "ld", &Totals::local_load);
  add_local(fields, "store", "st", &Totals::local_store);
  return fields;
}

// Numbers that the step from PTX to machine code changes: compared within a stated tolerance.
inline std::vector<Field> execution_fields() {
  std::vector<Field> fields;
  fields.push_back({"execution.average_active_lanes",
                    [](const auto& r) { return r.execution.average_active_lanes(); },
                    [](const Case& c) {
                      return c.counter("smsp__thread_inst_executed.sum") /
                             c.counter("smsp__inst_executed.sum");
                    },
                    0.04,  // as far as two runs of one launch were apart (hash_insert)
                    {}});
  return fields;
}

// Shown, not judged: ptxas predicates short branches and unrolls loops again, which no rule here foretells.
inline std::vector<Field> branch_fields() {
  using detail::counter;
  std::vector<Field> fields;
  fields.push_back({"execution.branches",
                    [](const auto& r) { return double(r.execution.branches); },
                    counter("smsp__sass_branch_targets.sum"),
                    0,
                    {}});
  fields.push_back({"execution.divergent_branches",
                    [](const auto& r) { return double(r.execution.divergent_branches); },
                    counter("smsp__sass_branch_targets_threads_divergent.sum"),
                    0,
                    {}});
  return fields;
}

inline bool agrees(const Field& field, double ours, double golden) {
  if (field.tolerance == 0) return ours == golden;
  return std::fabs(ours - golden) <= field.tolerance * std::max(std::fabs(ours), std::fabs(golden));
}

}  // namespace warplens::conformance
