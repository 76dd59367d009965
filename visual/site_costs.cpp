#include "visual/site_costs.h"

#include "engine/trace/executed_as.h"
#include "visual/grid_costs.h"

namespace warplens::visual {

std::map<int, LineCost> line_costs(const analysis::Report& report) {
  std::map<int, LineCost> out;
  for (const trace::Site& site : report.sites) {
    if (site.line <= 0) continue;
    LineCost& line = out[site.line];
    line.line = site.line;
    if (line.text.empty()) line.text = site.text;
    line.sites.push_back(site.index);
    if (site.kind != trace::SiteKind::Branch && site.kind != trace::SiteKind::Barrier &&
        site.space != trace::Space::Parameter && site.space != trace::Space::Constant) {
      ++line.written;
      line.in_registers += site.in_registers ? 1 : 0;
      line.executed += is_executed(site) ? 1 : 0;
    }
    if (site.index >= report.totals.sites.size()) continue;
    const analysis::SiteTotals& t = report.totals.sites[site.index];
    line.global_requests += t.global.requests;
    line.shared_requests += t.shared.requests;
    line.sectors += t.global.sectors;
    line.sectors_ideal += t.global.sectors_ideal;
    line.wavefronts += t.shared.wavefronts;
    line.wavefronts_ideal += t.shared.wavefronts - t.shared.bank_conflicts;
    line.constants += t.constant.addresses;
    line.constants_ideal += t.constant.requests;
    line.executions += t.executions;
    line.lanes += t.lanes;
  }
  return out;
}

}  // namespace warplens::visual
