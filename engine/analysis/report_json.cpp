// The JSON form of a report. Field names, nesting and order are a contract with whoever reads the files:
// docs/REPORT.md describes each of them.

#include <nlohmann/json.hpp>

#include "engine/analysis/access_costs.h"
#include "engine/analysis/counts_json.h"
#include "engine/analysis/fault_text.h"
#include "engine/analysis/known_counts.h"
#include "engine/analysis/ratio.h"
#include "engine/analysis/report.h"
#include "engine/trace/executed_as.h"

namespace warplens::analysis {
namespace {

using Json = nlohmann::ordered_json;

Json local_json(const GlobalCounts& c) {
  return {{"requests", c.requests}, {"sectors", c.sectors}};
}

// A number with how it is known: "ptxas", "rules" or "written".
Json with(Json counts, Known known) {
  counts["known"] = name(known);
  return counts;
}

Json execution_json(const ExecutionCounts& e) {
  // A run on the GPU records accesses and branches only: what was not counted is null, never zero.
  if (e.warp_instructions == 0)
    return {{"warp_instructions", nullptr},
            {"thread_instructions", nullptr},
            {"average_active_lanes", nullptr},
            {"branches", e.branches},
            {"divergent_branches", e.divergent_branches},
            {"efficiency", nullptr}};
  return {{"warp_instructions", e.warp_instructions},         {"thread_instructions", e.thread_instructions},
          {"average_active_lanes", e.average_active_lanes()}, {"branches", e.branches},
          {"divergent_branches", e.divergent_branches},       {"efficiency", e.efficiency()}};
}

Json flop_json(const Report& report) {
  if (!report.flop) return nullptr;
  const auto whole = [](double n) { return static_cast<std::uint64_t>(n); };
  return {{"f16", whole(report.flop->fp16)},
          {"f32", whole(report.flop->fp32)},
          {"f64", whole(report.flop->fp64)},
          {"tensor", whole(report.flop->tensor)},
          {"guarded", whole(report.flop_guarded)}};
}

Json limiters_json(const std::vector<SmResource>& resources) {
  Json out = Json::array();
  for (const SmResource resource : resources) out.push_back(name(resource));
  return out;
}

Json occupancy_json(const Report& report) {
  const Occupancy& o = report.occupancy;
  return {{"registers_per_thread", report.registers_per_thread},
          {"registers_evidence", name(report.registers_evidence)},
          {"shared_bytes_per_block", report.shared_bytes},
          {"blocks_per_sm", o.blocks_per_sm},
          {"warps_per_sm", o.warps_per_sm},
          {"theoretical", o.theoretical},
          {"evidence", name(Evidence::Modelled)},
          {"limits",
           {{"registers", o.limit_registers},
            {"shared", o.limit_shared},
            {"warps", o.limit_warps},
            {"blocks", o.limit_blocks},
            {"barriers", o.limit_barriers}}},
          {"limiters", limiters_json(o.limiters)},
          {"warps_per_block", o.warps_per_block},
          {"allocated_registers_per_block", o.allocated_registers_per_block},
          {"allocated_shared_per_block", o.allocated_shared_per_block}};
}

Json site_json(const trace::Site& site, const SiteTotals& t) {
  Json out{{"index", site.index},
           {"line", site.line},
           {"text", site.text},
           {"op", site.op},
           {"space", name(site.space)},
           {"bytes", site.bytes},
           {"executions", t.executions},
           {"requests", t.global.requests + t.shared.requests + t.constant.requests},
           {"sectors", t.global.sectors},
           {"sectors_ideal", t.global.sectors_ideal},
           {"wavefronts", t.shared.wavefronts},
           {"wavefronts_ideal", t.shared.wavefronts_ideal},
           {"bank_conflicts", t.shared.bank_conflicts},
           {"average_active_lanes", ratio(t.lanes, t.executions)},
           {"kind", site.reduction ? name(trace::SiteKind::Reduction) : name(site.kind)},
           {"file", site.file},
           {"column", site.column},
           {"ptx_line", site.ptx_line},
           {"lines", t.global.lines},
           {"bytes_unique", t.global.bytes_unique},
           {"known", name(site.known)}};
  const bool merged = is_merged(site);
  if (merged) out["merged_into"] = site.leader;
  if (executed_as(site) == trace::ExecutedAs::Register) out["in_registers"] = true;
  out["executed_as"] = name(executed_as(site));
  if (!merged && site.executed_bytes != 0) out["executed_bytes"] = site.executed_bytes;
  if (site.kind == trace::SiteKind::Branch) out["divergent"] = t.divergent;
  if (site.space == trace::Space::Constant) out["distinct_addresses"] = t.constant.addresses;
  return out;
}

Json sites_json(const Report& report) {
  Json out = Json::array();
  const SiteTotals none;
  for (std::size_t i = 0; i < report.sites.size(); ++i)
    out.push_back(site_json(report.sites[i], i < report.totals.sites.size() ? report.totals.sites[i] : none));
  return out;
}

Json fault_json(const trace::Fault& fault, const Catalogue& catalogue) {
  Json out{{"kind", name(fault.kind)},
           {"line", fault.line},
           {"block", triple(fault.block)},
           {"thread", triple(fault.thread)},
           {"message", catalogue.text(fault_message(fault))},
           {"ptx_line", fault.ptx_line},
           {"address", fault.address}};
  if (fault.kind == trace::FaultKind::Race) {
    out["other_line"] = fault.other_line;
    out["other_block"] = triple(fault.other_block);
    out["other_thread"] = triple(fault.other_thread);
  }
  return out;
}

Json buffers_json(const Report& report) {
  Json out = Json::array();
  for (const BufferReport& buffer : report.buffers)
    out.push_back({{"argument", buffer.argument},
                   {"type", name(buffer.type)},
                   {"count", buffer.count},
                   {"checksum", buffer.checksum},
                   {"name", buffer.name}});
  return out;
}

std::string unit_of(Memory memory) {
  return memory == Memory::Global   ? "sectors"
         : memory == Memory::Shared ? "wavefronts"
                                    : "distinct_addresses";
}

Json access_json(const AccessCost& a) {
  return {{"line", a.line},
          {"op", a.op},
          {"access", name(a.kind)},
          {"memory", a.local ? "local" : name(a.memory)},
          {"requests", a.requests()},
          {unit_of(a.memory), a.cost()},
          {"per_request", a.per_request()},
          {"ideal_per_request", a.ideal()},
          {"known", name(a.known)}};
}

Json focus_json(const Report& report) {
  const Focus focus = focus_of(report);
  Json out;
  for (const Memory memory : {Memory::Global, Memory::Shared, Memory::Constant})
    out[std::string(name(memory))] = focus.of(memory) ? access_json(*focus.of(memory)) : Json(nullptr);
  out["about"] = focus.first() ? Json(name(focus.main)) : Json(nullptr);
  return out;
}

}  // namespace

std::string_view name(Ending ending) {
  switch (ending) {
    case Ending::Completed:
      return "completed";
    case Ending::Faulted:
      return "faulted";
    case Ending::Budget:
      return "budget";
    case Ending::Cancelled:
      return "cancelled";
  }
  return "completed";
}

std::string to_json(const Report& report, const Catalogue& catalogue) {
  const Totals& t = report.totals;
  const KnownCounts known = known_counts(report);
  Json out;
  out["schema"] = "warplens.report/1";
  out["kernel"] = report.kernel;
  out["source"] = report.source;
  out["compiler"] = in_words(report.compiled_by, catalogue);
  out["arch"] = report.arch;
  out["as_executed"] = name(report.as_executed);
  out["backend"] = trace::name(report.backend);
  out["device"] = report.device;
  out["launch"] = {{"grid", triple(report.launch.grid)},
                   {"block", triple(report.launch.block)},
                   {"cluster", triple(report.cluster)},
                   {"shared_bytes", report.launch.dynamic_shared_bytes}};
  out["coverage"] = {{"blocks_traced", report.blocks_run},
                     {"blocks_total", report.blocks_total},
                     {"blocks_stored", report.blocks_traced}};
  out["ending"] = name(report.ending);
  out["global"] = {{"load", with(global_json(t.global_load), known.of(known.global_load))},
                   {"store", with(global_json(t.global_store), known.of(known.global_store))},
                   {"atomic", with(global_json(t.global_atomic), known.of(known.global_atomic))},
                   {"reduction", with(global_json(t.global_reduction), known.of(known.global_reduction))}};
  out["shared"] = {{"load", with(shared_json(t.shared_load), known.of(known.shared_load))},
                   {"store", with(shared_json(t.shared_store), known.of(known.shared_store))},
                   {"atomic", with(shared_json(t.shared_atomic), known.of(known.shared_atomic))},
                   {"async", with(shared_json(t.shared_async), known.of(known.shared_async))}};
  out["local"] = {{"load", with(local_json(t.local_load), known.of(known.local_load))},
                  {"store", with(local_json(t.local_store), known.of(known.local_store))},
                  {"spilled", with(local_json(report.spilled), report.as_executed)}};
  out["constant"]["load"] =
      with({{"requests", t.constant.requests}, {"distinct_addresses", t.constant.addresses}},
           known.of(known.constant_load));
  out["execution"] = execution_json(report.execution);
  out["execution"]["known"] = {{"branches", name(known.of(known.branches))},
                               {"average_active_lanes", name(known.average_lanes)}};
  out["execution"]["flop"] = flop_json(report);
  out["occupancy"] = occupancy_json(report);
  out["sites"] = sites_json(report);
  out["focus"] = focus_json(report);
  out["buffers"] = buffers_json(report);
  out["faults"] = Json::array();
  for (const trace::Fault& fault : report.faults) out["faults"].push_back(fault_json(fault, catalogue));
  out["faults_total"] = report.faults_total;
  out["output"] = report.output;
  out["notes"] = Json::array();
  for (const Message& note : report.notes) out["notes"].push_back(catalogue.text(note));
  const auto sentence = data_sentence(report);
  out["data"] = {{"addresses", report.data.addresses},
                 {"branches", report.data.branches},
                 {"sentence", sentence ? Json(catalogue.text(*sentence)) : Json(nullptr)}};
  out["explanations"] = Json::array();
  for (const Message& message : report.explanations) out["explanations"].push_back(catalogue.text(message));
  // Source lines and printf output may hold any bytes; JSON must be valid all the same.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warplens::analysis
