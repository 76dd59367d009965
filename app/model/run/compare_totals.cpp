#include "app/model/run/compare_totals.h"

#include <fmt/format.h>

#include <algorithm>

namespace warplens::model {
namespace {

using analysis::GlobalCounts;
using analysis::SharedCounts;
using analysis::SiteTotals;
using analysis::Totals;

class Fields {
 public:
  void compare(const std::string& name, std::uint64_t a, std::uint64_t b) {
    if (a != b) found.push_back({name, a, b});
  }
  void compare(const std::string& name, const GlobalCounts& a, const GlobalCounts& b) {
    compare(name + ".requests", a.requests, b.requests);
    compare(name + ".sectors", a.sectors, b.sectors);
    compare(name + ".sectors_ideal", a.sectors_ideal, b.sectors_ideal);
    compare(name + ".lines", a.lines, b.lines);
    compare(name + ".bytes_requested", a.bytes_requested, b.bytes_requested);
    compare(name + ".bytes_unique", a.bytes_unique, b.bytes_unique);
  }
  void compare(const std::string& name, const SharedCounts& a, const SharedCounts& b) {
    compare(name + ".requests", a.requests, b.requests);
    compare(name + ".wavefronts", a.wavefronts, b.wavefronts);
    compare(name + ".wavefronts_ideal", a.wavefronts_ideal, b.wavefronts_ideal);
    compare(name + ".bank_conflicts", a.bank_conflicts, b.bank_conflicts);
  }
  void compare(const std::string& name, const SiteTotals& a, const SiteTotals& b) {
    compare(name + ".executions", a.executions, b.executions);
    compare(name + ".lanes", a.lanes, b.lanes);
    compare(name, a.global, b.global);
    compare(name, a.shared, b.shared);
    compare(name + ".constant_requests", a.constant.requests, b.constant.requests);
    compare(name + ".constant_addresses", a.constant.addresses, b.constant.addresses);
    compare(name + ".divergent", a.divergent, b.divergent);
  }
  std::vector<FieldDifference> found;
};

}  // namespace

std::vector<FieldDifference> compare_totals(const Totals& a, const Totals& b) {
  Fields fields;
  fields.compare("global.load", a.global_load, b.global_load);
  fields.compare("global.store", a.global_store, b.global_store);
  fields.compare("global.atomic", a.global_atomic, b.global_atomic);
  fields.compare("global.reduction", a.global_reduction, b.global_reduction);
  fields.compare("shared.load", a.shared_load, b.shared_load);
  fields.compare("shared.store", a.shared_store, b.shared_store);
  fields.compare("shared.atomic", a.shared_atomic, b.shared_atomic);
  fields.compare("shared.async", a.shared_async, b.shared_async);
  fields.compare("local.load", a.local_load, b.local_load);
  fields.compare("local.store", a.local_store, b.local_store);
  fields.compare("constant.requests", a.constant.requests, b.constant.requests);
  fields.compare("constant.distinct_addresses", a.constant.addresses, b.constant.addresses);
  fields.compare("execution.branches", a.branches, b.branches);
  fields.compare("execution.divergent_branches", a.divergent_branches, b.divergent_branches);
  for (std::size_t i = 0; i < std::max(a.sites.size(), b.sites.size()); ++i)
    fields.compare(fmt::format("site {}", i), i < a.sites.size() ? a.sites[i] : SiteTotals{},
                   i < b.sites.size() ? b.sites[i] : SiteTotals{});
  return std::move(fields.found);
}

}  // namespace warplens::model
